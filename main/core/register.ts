import type { ExceptionDraft, RegisterView } from '../../schemas/ipc-packs.ts'
import type { Attachment, Exception, RecordRequest, Register, Withdrawal } from '../../schemas/types.ts'
import type { Verdict } from '../../schemas/words.ts'
import { fail, type Outcome } from './failure.ts'
import { quote } from './plain-text.ts'
import { dayProblem, endOfDay } from './register/days.ts'
import { ok } from './result.ts'

/**
 * What people say about the evidence: accepted exceptions, attached records, and who is to bring a record by when. It is laid
 * beside verdicts and control states and never changes one. Entries are added and withdrawn, never deleted.
 */
export const EMPTY_REGISTER: Register = {
  schema: 'barewitness.register/1',
  exceptions: [],
  attachments: [],
  requests: [],
}

export type Standing = 'in-force' | 'expired' | 'withdrawn'

/** How an entry stands at a moment. The last millisecond of its last day still counts; an end that is no moment has passed. */
export function standingOf(entry: Exception | Attachment, asOf: string): Standing {
  if (entry.withdrawn !== null) return 'withdrawn'
  const end = 'expiresAt' in entry ? entry.expiresAt : entry.validUntil
  return end === null || Date.parse(asOf) <= Date.parse(end) ? 'in-force' : 'expired'
}

/** The register with how each entry stands at a moment. */
export const registerView = (register: Register, asOf: string): RegisterView => ({
  exceptions: register.exceptions.map((entry) => ({ ...entry, standing: standingOf(entry, asOf) })),
  attachments: register.attachments.map((entry) => ({ ...entry, standing: standingOf(entry, asOf) })),
  requests: register.requests,
})

/** Whether one person asked for an acceptance and gave it: allowed, and always said. */
export const isOnePerson = ({ requestedBy, approvedBy }: Exception): boolean =>
  requestedBy.trim().toLowerCase() === approvedBy.trim().toLowerCase()

/** Acceptances by finding at one moment. */
export interface Acceptances {
  /** The acceptance in force that lasts longest. */
  readonly inForce: (node: string, check: string) => Exception | null
  /** Where none is in force: the one that ended last. */
  readonly ended: (node: string, check: string) => Exception | null
}

/** Looked up once for a whole fleet, so that each finding costs one step. */
export function acceptancesOf(exceptions: readonly Exception[], asOf: string): Acceptances {
  const found = { 'in-force': new Map<string, Exception>(), expired: new Map<string, Exception>() }
  for (const entry of exceptions) {
    const standing = standingOf(entry, asOf)
    if (standing === 'withdrawn') continue
    for (const node of entry.nodes) {
      const key = `${node}\n${entry.check}`
      const other = found[standing].get(key)
      if (other === undefined || Date.parse(other.expiresAt) < Date.parse(entry.expiresAt))
        found[standing].set(key, entry)
    }
  }
  const inForce = (node: string, check: string): Exception | null => found['in-force'].get(`${node}\n${check}`) ?? null
  return {
    inForce,
    ended: (node, check) => (inForce(node, check) === null ? (found.expired.get(`${node}\n${check}`) ?? null) : null),
  }
}

/** What is known when an entry is made. */
export interface Moment {
  /** UTC, ISO 8601. */
  readonly now: string
  /** 32 hex characters of the new entry. */
  readonly id: string
}
export interface AcceptanceFacts extends Moment {
  /** The run whose findings are accepted. */
  readonly run: string | null
  /** The verdict as it stands; null where there is no such node or no such check. */
  readonly verdictOf: (node: string, check: string) => Verdict | null
}

/** At most a year, whichever way it falls. */
/** Nobody accepts a finding for longer: days after the one on which it is accepted. */
export const LONGEST_DAYS = 366
const NOTHING_TO_ACCEPT: readonly Verdict[] = ['met', 'not-applicable', 'informational']

/** Accepts a finding on named nodes until the end of a day. Fails with input.refused, in words for the person who asked. */
export function acceptException(
  register: Register,
  draft: ExceptionDraft,
  { now, id, run, verdictOf }: AcceptanceFacts,
): Outcome<Register> {
  const { check, nodes, until } = draft
  const texts = trimmed(draft, ['reason', 'compensatingMeasure', 'owner', 'requestedBy', 'approvedBy'])
  if (!texts.ok) return texts
  const day = dayProblem(until, { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the end of the acceptance ${day}`)
  if (nodes.length === 0) return fail('input.refused', 'name at least one node')
  for (const node of nodes) {
    const verdict = verdictOf(node, check)
    if (verdict === null)
      return fail('input.refused', `there is no finding of check ${quote(check)} on node ${quote(node)}`)
    if (NOTHING_TO_ACCEPT.includes(verdict))
      return fail('input.refused', `check ${quote(check)} on node ${quote(node)} leaves nothing to accept`)
  }
  const entry: Exception = {
    id,
    check,
    nodes: [...nodes],
    run,
    ...texts.value,
    acceptedAt: now,
    expiresAt: endOfDay(until),
    withdrawn: null,
  }
  return ok({ ...register, exceptions: [...register.exceptions, entry] })
}

export interface WithdrawalDraft {
  readonly id: string
  readonly by: string
  readonly reason: string
}

/** Takes an acceptance back from now on; it stays listed. Fails with input.refused. */
export function withdrawException(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const exceptions = withdrawn(register.exceptions, draft, now, 'exception')
  return exceptions.ok ? ok({ ...register, exceptions: exceptions.value }) : exceptions
}

/** Takes a record back from now on; it stays listed. Fails with input.refused. */
export function withdrawAttachment(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const attachments = withdrawn(register.attachments, draft, now, 'record')
  return attachments.ok ? ok({ ...register, attachments: attachments.value }) : attachments
}

function withdrawn<T extends { readonly id: string; readonly withdrawn: Withdrawal | null }>(
  entries: readonly T[],
  draft: WithdrawalDraft,
  now: string,
  what: string,
): Outcome<readonly T[]> {
  const texts = trimmed(draft, ['by', 'reason'])
  if (!texts.ok) return texts
  const entry = entries.find(({ id }) => id === draft.id)
  if (entry === undefined) return fail('input.refused', `there is no such ${what}`)
  if (entry.withdrawn !== null) return fail('input.refused', `this ${what} was withdrawn already`)
  const withdrawal = { at: now, ...texts.value }
  return ok(entries.map((one) => (one === entry ? { ...one, withdrawn: withdrawal } : one)))
}

const TEXT_NAMES: Readonly<Record<string, string>> = {
  reason: 'the reason',
  compensatingMeasure: 'the compensating measure',
  owner: 'the owner',
  requestedBy: 'who asks for it',
  approvedBy: 'who approves it',
  by: 'who withdraws it',
  shows: 'what the record shows',
  saidBy: 'who says so',
  name: 'the name',
}

/** The named texts without blanks around them. Fails with input.refused where nothing is left of one. */
export function trimmed<K extends string>(
  draft: Readonly<Record<K, string>>,
  names: readonly K[],
): Outcome<Readonly<Record<K, string>>> {
  const empty = names.find((name) => draft[name].trim() === '')
  if (empty !== undefined) return fail('input.refused', `${TEXT_NAMES[empty] ?? empty} must be given`)
  return ok(Object.fromEntries(names.map((name) => [name, draft[name].trim()])) as Record<K, string>)
}

/** What a pack is of, for the part of the register that goes into it. */
export interface Concerned {
  readonly nodes: readonly string[]
  readonly checks: readonly string[]
  readonly frameworks: readonly RecordRequest['framework'][]
}

/**
 * The part of a register that concerns one pack. Other nodes and other frameworks may be of another customer, so their names
 * stay out: an acceptance is narrowed to the nodes of the pack.
 */
export function registerFor(register: Register, { nodes, checks, frameworks }: Concerned): Register {
  const here = new Set(nodes)
  const chosen = new Set<string>(frameworks)
  return {
    ...register,
    exceptions: register.exceptions.flatMap((entry) => {
      const named = entry.nodes.filter((node) => here.has(node))
      return named.length > 0 && checks.includes(entry.check) ? [{ ...entry, nodes: named }] : []
    }),
    attachments: register.attachments.filter(
      ({ controls }) => controls.length === 0 || controls.some(({ framework }) => chosen.has(framework)),
    ),
    requests: register.requests.filter(({ framework }) => chosen.has(framework)),
  }
}
