import type { ExceptionDraft, WithdrawalDraft } from '../../schemas/ipc-packs.ts'
import type {
  Attachment,
  Decision,
  Exception,
  Explanation,
  PendingException,
  RecordRequest,
  Register,
  Withdrawal,
} from '../../schemas/types.ts'
import type { Verdict } from '../../schemas/words.ts'
import { fail, type Outcome } from './failure.ts'
import { quote } from './plain-text.ts'
import { dayProblem, daysBetween, endOfDay, millisOf } from './register/days.ts'
import { ok } from './result.ts'

/**
 * What people say about the evidence: exceptions asked for and accepted, decisions about rows, attached records, and who is to bring a
 * record by when. It is laid beside verdicts and never changes one; control states follow it by the result model (rollup.ts). Entries
 * are added, settled and withdrawn, never deleted.
 */
export const EMPTY_REGISTER: Register = {
  schema: 'barewitness.register/1',
  exceptions: [],
  attachments: [],
  requests: [],
}

export type Standing = 'in-force' | 'not-begun' | 'expired' | 'withdrawn'
/** Entries that hold from the moment they were made until their end. */
export type Standable = Exception | Attachment | Decision | Explanation

/** When an entry was made: nothing counts as of a moment before. */
const madeAt = (entry: Standable): string =>
  'acceptedAt' in entry
    ? entry.acceptedAt
    : 'decidedAt' in entry
      ? entry.decidedAt
      : 'explainedAt' in entry
        ? entry.explainedAt
        : entry.attachedAt

/**
 * How an entry stands at a moment. It counts from the moment it was made, and the last millisecond of its last day still counts. What
 * people accept, decide or explain for longer than anybody may has ended once the longest term has. A beginning that is no moment never comes,
 * and an end that is none has passed.
 */
export function standingOf(entry: Standable, asOf: string): Standing {
  if (entry.withdrawn !== null) return 'withdrawn'
  const [since, now] = [madeAt(entry), millisOf(asOf)]
  if (!(millisOf(since) <= now)) return 'not-begun'
  const end = 'expiresAt' in entry ? entry.expiresAt : entry.validUntil
  if (end === null) return 'in-force'
  if (!(now <= millisOf(end))) return 'expired'
  return 'expiresAt' in entry && daysBetween(since, asOf) > LONGEST_DAYS ? 'expired' : 'in-force'
}

/** The latest moment at which something in a register was made, of those up to now; null without one. */
export function lastMade(
  { exceptions, attachments, decisions = [], explanations = [] }: Register,
  now: string,
): string | null {
  let last: string | null = null
  for (const entry of [...exceptions, ...attachments, ...decisions, ...explanations]) {
    const at = madeAt(entry)
    if (millisOf(at) <= millisOf(now) && (last === null || millisOf(last) < millisOf(at))) last = at
  }
  return last
}

/** Whether one person asked for an acceptance and gave it: allowed, and always said. Another way to write a name is no other person. */
export const isOnePerson = ({ requestedBy, approvedBy }: Pick<Exception, 'requestedBy' | 'approvedBy'>): boolean =>
  nameOf(requestedBy) === nameOf(approvedBy)

/** A name without what the eye does not see in it: case, blanks, width and composition of letters, and characters that do not show. */
const nameOf = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .toLowerCase()

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
    if (standing !== 'in-force' && standing !== 'expired') continue
    for (const node of entry.nodes) {
      const key = `${node}\n${entry.check}`
      const other = found[standing].get(key)
      if (other === undefined || !(Date.parse(other.expiresAt) >= Date.parse(entry.expiresAt)))
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

/** Nobody accepts a finding for longer: days after the one on which it is accepted. */
export const LONGEST_DAYS = 366
/** Whether a finding leaves nothing that anybody could accept. */
export const isNothingToAccept = (verdict: Verdict): boolean =>
  verdict === 'met' || verdict === 'not-applicable' || verdict === 'informational'

/** Accepts a finding on named nodes until the end of a day. Fails with input.refused, in words for the person who asked. */
export function acceptException(
  register: Register,
  draft: ExceptionDraft,
  { now, id, run, verdictOf }: AcceptanceFacts,
): Outcome<Register> {
  const { check, nodes, until } = draft
  const texts = trimmed(draft, ['reason', 'compensatingMeasure', 'owner', 'requestedBy', 'approvedBy', 'approverRole'])
  if (!texts.ok) return texts
  const day = dayProblem(until, { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the end of the acceptance ${day}`)
  if (nodes.length === 0) return fail('input.refused', 'name at least one node')
  for (const node of nodes) {
    const verdict = verdictOf(node, check)
    if (verdict === null)
      return fail('input.refused', `there is no finding of check ${quote(check)} on node ${quote(node)}`)
    if (isNothingToAccept(verdict))
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

/** Takes an acceptance back from now on; it stays listed. Fails with input.refused. */
export function withdrawException(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const exceptions = takeBack(register.exceptions, draft, now, 'exception')
  return exceptions.ok ? ok({ ...register, exceptions: exceptions.value }) : exceptions
}

/** Takes a record back from now on; it stays listed. Fails with input.refused. */
export function withdrawAttachment(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const attachments = takeBack(register.attachments, draft, now, 'record')
  return attachments.ok ? ok({ ...register, attachments: attachments.value }) : attachments
}

/** Entries with one of them withdrawn from now on. Fails with input.refused, naming what it is called. */
export function takeBack<T extends { readonly id: string; readonly withdrawn: Withdrawal | null }>(
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
  approverRole: 'the role of who approves it',
  by: 'who did it',
  text: 'the explanation',
  explainedBy: 'who explains it',
  role: 'the role of who explains it',
  shows: 'what the record shows',
  saidBy: 'who says so',
  name: 'the name',
  lookedAt: 'what was looked at',
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

/** A document is attached to an evidence request as to a control: under this name, with the request's id as the control. */
export const EVIDENCE_REQUESTS = 'requests'

/** What a pack is of, for the part of the register that goes into it. */
export interface Concerned {
  readonly nodes: readonly string[]
  readonly checks: readonly string[]
  readonly frameworks: readonly RecordRequest['framework'][]
}

/**
 * The part of a register that concerns one pack. Other nodes and other frameworks may be of another customer, so their names
 * stay out: an acceptance is narrowed to the nodes of the pack. What was signed is the whole entry, so one that is narrowed goes in
 * without its signatures, as an entry that nobody signed.
 */
export function registerFor(register: Register, { nodes, checks, frameworks }: Concerned): Register {
  const here = new Set(nodes)
  const known = new Set(checks)
  // A document of an evidence request, and who was asked for it, counts in every framework.
  const chosen = new Set<string>([...frameworks, EVIDENCE_REQUESTS])
  const narrowed = <T extends Exception | PendingException>(entry: T): readonly T[] => {
    const named = entry.nodes.filter((node) => here.has(node))
    if (named.length === 0 || !known.has(entry.check)) return []
    if (named.length === entry.nodes.length) return [entry]
    return [{ ...entry, nodes: named, ...(entry.signatures && { signatures: [] }) }]
  }
  const { decisions, pending, explanations } = register
  const explained = (entry: Explanation): readonly Explanation[] => {
    const named = entry.nodes.filter((node) => here.has(node))
    return named.length === 0 ? [] : [{ ...entry, nodes: named }]
  }
  const answeringHere = (entry: Attachment): Attachment => {
    const { answers, ...rest } = entry
    if (answers?.nodes.every((node) => here.has(node)) !== false) return entry
    const [first, ...more] = answers.nodes.filter((node) => here.has(node))
    return first === undefined ? rest : { ...rest, answers: { ...answers, nodes: [first, ...more] } }
  }
  return {
    ...register,
    exceptions: register.exceptions.flatMap(narrowed),
    attachments: register.attachments
      .filter(({ controls }) => controls.length === 0 || controls.some(({ framework }) => chosen.has(framework)))
      .map(answeringHere),
    requests: register.requests.filter(({ framework }) => chosen.has(framework)),
    ...(decisions && { decisions: decisions.filter(({ framework }) => chosen.has(framework)) }),
    ...(pending && { pending: pending.flatMap(narrowed) }),
    ...(explanations && { explanations: explanations.flatMap(explained) }),
  }
}
