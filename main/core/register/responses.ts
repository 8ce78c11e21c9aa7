import type { ResponseDraft } from '../../../schemas/ipc-packs.ts'
import type { WithdrawalDraft } from '../../../schemas/ipc-register.ts'
import type { AuditorRequest, ManagementResponse, Register } from '../../../schemas/types.ts'
import { dayProblem, endOfDay, millisOf } from '../base/days.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { quote } from '../base/plain-text.ts'
import { compare } from '../recording/recording.ts'
import { type Moment, takeBack, trimmed } from './register.ts'

/** Statuses of a management response. None of them closes a finding. */
export const RESPONSE_STATUSES: readonly ManagementResponse['status'][] = [
  'open',
  'in-progress',
  'ready-for-retest',
  'disputed',
]

/** Maximum number of days until a finding is due: three years. */
export const LONGEST_DUE_DAYS = 1096

export const responsesOf = ({ responses }: Pick<Register, 'responses'>): readonly ManagementResponse[] =>
  responses ?? []

/** Management responses that are current at a moment, by check. */
export function currentResponses(
  register: Pick<Register, 'responses'>,
  asOf: string,
): ReadonlyMap<string, ManagementResponse> {
  return currentBy(responsesOf(register), ({ check }) => check, asOf)
}

/**
 * The entries that are current at a moment, by key, in the order in which keys were first stated: of the entries of a key that are neither
 * withdrawn nor later, the latest; of several of one moment, the one with the last id, so that the order of the register carries no meaning.
 */
export function currentBy<T extends ManagementResponse | AuditorRequest>(
  entries: readonly T[],
  keyOf: (entry: T) => string,
  asOf: string,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  for (const entry of entries) {
    if (entry.withdrawn !== null || !(millisOf(entry.statedAt) <= millisOf(asOf))) continue
    const other = found.get(keyOf(entry))
    const order = other === undefined ? 1 : millisOf(entry.statedAt) - millisOf(other.statedAt)
    if (other === undefined || order > 0 || (order === 0 && compare(entry.id, other.id) > 0))
      found.set(keyOf(entry), entry)
  }
  return found
}

interface ResponseFacts extends Moment {
  /** Whether a finding of this check is possible. */
  readonly hasCheck: (check: string) => boolean
}

/**
 * Adds a management response, which replaces the current one of its check and changes no verdict. Fails with input.refused and a message for
 * the user.
 */
export function respond(
  register: Register,
  draft: ResponseDraft,
  { now, id, hasCheck }: ResponseFacts,
): Outcome<Register> {
  const { check, due } = draft
  if (!hasCheck(check)) return fail('input.refused', `there is no check ${quote(check)}`)
  const by = trimmed(draft, ['statedBy'])
  if (!by.ok) return by
  const stated = statedIn(draft)
  const statedBy = inOneLine(by.value.statedBy)
  const problem =
    textProblem('the person who states the response', statedBy, NAME) ??
    textProblem('the owner', stated.owner, NAME) ??
    textProblem('the plan', stated.plan, PROSE) ??
    textProblem('the cause', stated.cause, PROSE)
  if (problem !== null) return fail('input.refused', problem)
  const day = due === null ? null : dayProblem(due, { now, longest: LONGEST_DUE_DAYS })
  if (day !== null) return fail('input.refused', `the due day ${day}`)
  const lacking = lackingIn({ ...stated, due })
  if (lacking !== null) return fail('input.refused', lacking)
  const { status, owner, plan, cause } = stated
  const entry: ManagementResponse = {
    id,
    check,
    status,
    owner,
    due: due === null ? null : endOfDay(due),
    plan,
    ...(cause === null ? {} : { cause }),
    statedBy,
    statedAt: now,
    withdrawn: null,
  }
  return ok({ ...register, responses: [...responsesOf(register), entry] })
}

/** Withdraws a response from now on; it remains listed, and the one before it is current again. Fails with input.refused. */
export function withdrawResponse(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const responses = takeBack(responsesOf(register), draft, now, 'response')
  return responses.ok ? ok({ ...register, responses: responses.value }) : responses
}

/** The content of a response, without its person. */
export type Stated = Pick<ResponseDraft, 'status' | 'owner' | 'due' | 'plan' | 'cause'>

/** The content of a response as a person would enter it again. `entry` null: no response yet. */
export const statedBefore = (entry: ManagementResponse | null): Stated => ({
  status: entry?.status ?? 'open',
  owner: entry?.owner ?? null,
  due: entry?.due?.slice(0, 10) ?? null,
  plan: entry?.plan ?? null,
  cause: entry?.cause ?? null,
})

/** Whether two responses state the same, apart from blanks around a text and the form of line ends. */
export function isSameStatement(one: Stated, other: Stated): boolean {
  const [a, b] = [statedIn(one), statedIn(other)]
  return (
    a.status === b.status && a.owner === b.owner && one.due === other.due && a.plan === b.plan && a.cause === b.cause
  )
}

/** The texts as they are stored; null where one is empty. */
const statedIn = ({ status, owner, plan, cause }: Omit<Stated, 'due'>): Omit<Stated, 'due'> => ({
  status,
  owner: given(inOneLine(owner ?? '')),
  plan: given(plan ?? ''),
  cause: given(cause ?? ''),
})

/** What a response lacks to be recorded, as text for people; null where it is complete. */
export function lackingIn({ status, owner, due, plan, cause }: Omit<Stated, 'cause'> & Partial<Stated>): string | null {
  if (status === 'disputed' && plan === null) return 'a dispute needs a plan that states why the finding is disputed'
  return status === 'open' && owner === null && due === null && plan === null && cause == null
    ? 'enter a status, an owner, a due day, a plan or a cause'
    : null
}

/** Texts that people enter into a register, one by one or in a table. */

/** A text as it is stored, with line feeds alone; null where it is empty. */
export const given = (text: string): string | null => text.replace(/\r\n?/g, '\n').trim() || null
export const inOneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()

/** Lengths that the register permits. */
interface Lengths {
  readonly shortest: number
  readonly longest: number
}

export const NAME: Lengths = { shortest: 1, longest: 200 }
export const PROSE: Lengths = { shortest: 3, longest: 2000 }
// Characters that a table cannot contain: control characters except tab and line feed, unpaired surrogates, noncharacters, and the
// replacement character, which results from bytes that are not text.
const NOT_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]|\p{Surrogate}|\p{Noncharacter_Code_Point}/u

/** Why a text cannot be stored, as text for people that begins with `name`; null where it can, or where `text` is null. */
export function textProblem(name: string, text: string | null, { shortest, longest }: Lengths): string | null {
  if (text === null) return null
  if (NOT_TEXT.test(text)) return `${name} contains a character that a table cannot hold`
  if (text.length < shortest) return `${name} must have at least ${shortest} characters`
  return text.length > longest ? `${name} must have at most ${longest} characters` : null
}
