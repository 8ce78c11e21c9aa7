import { type Sha256, sha256 } from '../core/digest.ts'
import type { Person } from './person.ts'

export interface SessionTimes {
  readonly idleMs: number
  readonly absoluteMs: number
}

export interface TeamSessionRecord {
  readonly person: Person
  /** SHA-256 of the id: the id itself is in the cookie alone. */
  readonly hash: Sha256
  readonly createdAt: number
  /** When it was last used for a call. */
  usedAt: number
}

/** 256 random bits, as the cookie holds them. */
export const SESSION_ID = /^[A-Za-z0-9_-]{43}$/

/** Sessions of everyone who is signed in. In memory: a restart signs everyone out. */
export interface Sessions {
  /** Starts a session; gives its id, which is not kept. */
  readonly start: (person: Person, now: number) => string
  /** The session of an id, unless it has expired. `use`: it counts as activity. */
  readonly find: (id: string | undefined, now: number, use: boolean) => TeamSessionRecord | null
  readonly end: (id: string) => void
  readonly count: () => number
}

/** More sessions than a team has. The one that was used least recently ends when another begins. */
const MOST = 10_000

/** `random` gives that many random bytes. */
export function createSessions(times: SessionTimes, random: (count: number) => Uint8Array): Sessions {
  const all = new Map<Sha256, TeamSessionRecord>()
  const isOver = ({ createdAt, usedAt }: TeamSessionRecord, now: number): boolean =>
    now - createdAt >= times.absoluteMs || now - usedAt >= times.idleMs
  return {
    start: (person, now) => {
      for (const [hash, session] of all) if (isOver(session, now)) all.delete(hash)
      if (all.size >= MOST) {
        const [oldest] = [...all.values()].sort((a, b) => a.usedAt - b.usedAt)
        if (oldest !== undefined) all.delete(oldest.hash)
      }
      const id = Buffer.from(random(32)).toString('base64url')
      const hash = hashOf(id)
      all.set(hash, { person, hash, createdAt: now, usedAt: now })
      return id
    },
    find: (id, now, use) => {
      if (id === undefined || !SESSION_ID.test(id)) return null
      const session = all.get(hashOf(id))
      if (session === undefined) return null
      if (isOver(session, now)) {
        all.delete(session.hash)
        return null
      }
      if (use) session.usedAt = now
      return session
    },
    end: (id) => void all.delete(hashOf(id)),
    count: () => all.size,
  }
}

const hashOf = (id: string): Sha256 => sha256(`session ${id}`)

/** Derived from the id, so that only a page that was given it by this server, and holds the cookie, can call. */
export const csrfOf = (id: string): string => sha256(`csrf ${id}`)
