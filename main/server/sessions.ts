import { TEAM_ROLES, type TeamRole } from '../../schemas/ipc-team.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { canonicalJson } from '../core/base/canonical-json.ts'
import { type Sha256, sha256 } from '../core/base/digest.ts'
import { type Outcome, ok } from '../core/base/failure.ts'
import type { SessionStore, StoredSession } from '../core/team/session-store.ts'
import type { Person } from './person.ts'

export interface SessionTimes {
  readonly idleMs: number
  readonly absoluteMs: number
}

/** How a person signed in at the identity provider: with or without the link of an invitation. */
const SIGN_IN_WAYS = ['provider', 'invitation'] as const
export type SignInWay = (typeof SIGN_IN_WAYS)[number]

export interface TeamSessionRecord {
  readonly person: Person
  /** SHA-256 of the id; only the cookie contains the id itself. */
  readonly hash: Sha256
  /** Identifies the session to people and in the audit log. It is not derived from id or hash and gives no access. */
  readonly publicId: string
  readonly way: SignInWay
  readonly createdAt: number
  /** When it was last used for a call. */
  usedAt: number
  /** Aborted when a person ends the session; not aborted when it expires. */
  readonly ended: AbortSignal
}

/** 256 random bits in base64url, the value of the cookie. */
const SESSION_ID = /^[A-Za-z0-9_-]{43}$/
export const PUBLIC_ID = /^[0-9a-f]{32}$/

/** Sessions of everyone who is signed in. Without a store, a restart signs everyone out. */
export interface Sessions {
  /** Starts a session and returns its id, which is not kept. Fails as the store does; no session is started then. */
  readonly start: (person: Person, way: SignInWay, now: number) => Promise<Outcome<string>>
  /** The session of an id, unless it has ended or expired. `use`: whether the request counts as activity. */
  readonly find: (id: string | undefined, now: number, use: boolean) => TeamSessionRecord | null
  /** Sessions that have not expired, in the order of their start, including ended ones that the store still has. */
  readonly list: (now: number) => readonly TeamSessionRecord[]
  /** Ends sessions at once. Fails as the store does; a restart could then restore them, and they can be ended again. */
  readonly end: (which: readonly Pick<TeamSessionRecord, 'hash'>[]) => Promise<Outcome<null>>
  /** The number of sessions that were not ended. */
  readonly count: () => number
}

/** Maximum number of sessions. At this limit and the next one, the least recently used session ends when another begins. */
const MOST = 10_000
/** Maximum number of sessions of one person, so that no one takes the places of others. */
const MOST_OF_PERSON = 20
/** Minimum interval between stored times of use. A restart may end a session earlier by this interval, never later. */
const STORE_USE_MS = 30_000

interface Kept extends TeamSessionRecord {
  /** The time of use that is stored. */
  storedUse: number
  readonly ending: AbortController
}

const keptOf = (session: Omit<TeamSessionRecord, 'ended'>): Kept => {
  const ending = new AbortController()
  return { ...session, storedUse: session.usedAt, ending, ended: ending.signal }
}

/** `random` returns random bytes. `store` keeps sessions across a restart; `stored` is its content. */
export function createSessions(
  times: SessionTimes,
  random: (count: number) => Uint8Array,
  store: SessionStore = NOWHERE,
  stored: readonly StoredSession[] = [],
): Sessions {
  const all = new Map<Sha256, Kept>()
  for (const { person, way, ...one } of stored) {
    const value = personIn(person)
    if (value !== null && isWay(way) && PUBLIC_ID.test(one.publicId))
      all.set(one.hash, keptOf({ ...one, person: value, way }))
  }
  const isOver = ({ createdAt, usedAt }: TeamSessionRecord, now: number): boolean =>
    now - createdAt >= times.absoluteMs || now - usedAt >= times.idleMs
  const forget = (hash: Sha256): void => {
    all.delete(hash)
    // Where this fails, the next start removes the expired session.
    void store.remove(hash)
  }
  return {
    start: async (person, way, now) => {
      for (const [hash, session] of all) if (isOver(session, now)) forget(hash)
      const own = [...all.values()].filter((one) => one.person.subject === person.subject)
      const full = own.length >= MOST_OF_PERSON ? own : all.size >= MOST ? [...all.values()] : []
      const [oldest] = [...full].sort((a, b) => a.usedAt - b.usedAt)
      if (oldest !== undefined) forget(oldest.hash)
      const id = Buffer.from(random(32)).toString('base64url')
      const hash = hashOf(id)
      const begun = { hash, publicId: Buffer.from(random(16)).toString('hex'), way, createdAt: now, usedAt: now }
      const added = await store.add({ ...begun, person: canonicalJson(person) })
      if (!added.ok) return added
      all.set(hash, keptOf({ ...begun, person }))
      return ok(id)
    },
    find: (id, now, use) => {
      if (id === undefined || !SESSION_ID.test(id)) return null
      const session = all.get(hashOf(id))
      if (session === undefined || session.ended.aborted) return null
      if (isOver(session, now)) {
        forget(session.hash)
        return null
      }
      if (use) {
        session.usedAt = now
        if (now - session.storedUse >= STORE_USE_MS) {
          session.storedUse = now
          void store.use(session.hash, now)
        }
      }
      return session
    },
    list: (now) => [...all.values()].filter((one) => !isOver(one, now)),
    end: async (which) => {
      // All at once, so that none has access while the store is working.
      for (const { hash } of which) all.get(hash)?.ending.abort()
      const removed = await Promise.all(
        which.map(async ({ hash }) => {
          const outcome = await store.remove(hash)
          if (outcome.ok) all.delete(hash)
          return outcome
        }),
      )
      return removed.find((outcome) => !outcome.ok) ?? ok(null)
    },
    count: () => [...all.values()].filter(({ ended }) => !ended.aborted).length,
  }
}

/** Loads the sessions that were stored before this start and have not expired. Fails as the store does. */
export const loadSessions = (store: SessionStore, times: SessionTimes, now: number): ReturnType<SessionStore['load']> =>
  store.load({ createdAt: now - times.absoluteMs, usedAt: now - times.idleMs })

const NOWHERE: SessionStore = {
  load: async () => ok([]),
  add: async () => ok(null),
  use: async () => ok(null),
  remove: async () => ok(null),
}

/** Parses a person as createSessions() stores it; null for any other text. */
function personIn(text: string): Person | null {
  const { subject, name, role, groups } = parsed(text)
  const isRole = (value: unknown): value is TeamRole | null =>
    value === null || (TEAM_ROLES as readonly unknown[]).includes(value)
  const areTexts = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((one) => typeof one === 'string')
  return typeof subject === 'string' && typeof name === 'string' && isRole(role) && areTexts(groups)
    ? { subject, name, role, groups }
    : null
}

const isWay = (value: string): value is SignInWay => (SIGN_IN_WAYS as readonly string[]).includes(value)

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Digest of the configuration that assigns roles. Stored sessions are valid only for the same digest. */
export const policyOf = ({ oidc, roles }: Pick<TeamConfig, 'oidc' | 'roles'>): Sha256 =>
  sha256(`sessions ${canonicalJson({ oidc, roles })}`)

const hashOf = (id: string): Sha256 => sha256(`session ${id}`)

/** The CSRF token of a session, derived from its id: only a page that received it from this server, in a browser with the cookie, can make calls. */
export const csrfOf = (id: string): string => sha256(`csrf ${id}`)
