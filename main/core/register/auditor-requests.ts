import type { WithdrawalDraft } from '../../../schemas/ipc-register.ts'
import type { AuditorRequest, Register } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../failure.ts'
import { quote } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { type Moment, takeBack } from '../register.ts'
import { ok } from '../result.ts'
import { endOfDay, isDay, millisOf } from './days.ts'
import { given, inOneLine, NAME, PROSE, textProblem } from './responses.ts'

/** Statuses of a request in the list of an auditor. None of them concludes on a control or a document. */
export const AUDITOR_STATUSES: readonly AuditorRequest['status'][] = [
  'open',
  'ready',
  'received',
  'accepted',
  'returned',
  'not-needed',
]

export const auditorRequestsOf = ({ auditorRequests }: Pick<Register, 'auditorRequests'>): readonly AuditorRequest[] =>
  auditorRequests ?? []

/**
 * Requests of auditors that are current at a moment, by reference, in the order in which references were first stated. Of several entries, the
 * latest that is not withdrawn counts; of several of one moment, the one with the last id.
 */
export function currentAuditorRequests(
  register: Pick<Register, 'auditorRequests'>,
  asOf: string,
): ReadonlyMap<string, AuditorRequest> {
  const found = new Map<string, AuditorRequest>()
  for (const entry of auditorRequestsOf(register)) {
    if (entry.withdrawn !== null || !(millisOf(entry.statedAt) <= millisOf(asOf))) continue
    const other = found.get(entry.reference)
    const order = other === undefined ? 1 : millisOf(entry.statedAt) - millisOf(other.statedAt)
    if (other === undefined || order > 0 || (order === 0 && compare(entry.id, other.id) > 0))
      found.set(entry.reference, entry)
  }
  return found
}

/** What a row of the list of an auditor states. */
export interface StatedRequest extends Pick<AuditorRequest, 'reference' | 'title' | 'request' | 'status'> {
  readonly owner: string | null
  /** YYYY-MM-DD, or null. */
  readonly due: string | null
  readonly comment: string | null
}

export interface AuditorRequestDraft extends StatedRequest {
  readonly statedBy: string
}

export interface AuditorRequestFacts extends Moment {
  /** Whether the catalog has an evidence request of this id. */
  readonly hasRequest: (id: string) => boolean
}

/**
 * Adds what a person states about a request of an auditor, which replaces the current entry of its reference and changes no verdict. The due
 * day may be past: it is the auditor’s. Fails with input.refused and a message for the user.
 */
export function stateAuditorRequest(
  register: Register,
  draft: AuditorRequestDraft,
  { now, id, hasRequest }: AuditorRequestFacts,
): Outcome<Register> {
  const stated = storedForm(draft)
  const statedBy = inOneLine(draft.statedBy)
  if (stated.reference === '') return fail('input.refused', 'the reference must be entered')
  if (statedBy === '') return fail('input.refused', 'the person who states the request must be entered')
  const problem =
    textProblem('the reference', stated.reference, { shortest: 1, longest: 60 }) ??
    textProblem('the request', stated.title, { shortest: 3, longest: 1000 }) ??
    textProblem('the owner', stated.owner, NAME) ??
    textProblem('the comment', stated.comment, { ...PROSE, shortest: 1 }) ??
    textProblem('the person who states the request', statedBy, NAME)
  if (problem !== null) return fail('input.refused', problem)
  if (stated.due !== null && !isDay(stated.due))
    return fail('input.refused', 'the due day must be a date such as 2027-03-01')
  if (stated.request !== null && !hasRequest(stated.request))
    return fail('input.refused', `there is no evidence request ${quote(stated.request)}`)
  const entry: AuditorRequest = {
    id,
    ...stated,
    due: stated.due === null ? null : endOfDay(stated.due),
    statedBy,
    statedAt: now,
    withdrawn: null,
  }
  return ok({ ...register, auditorRequests: [...auditorRequestsOf(register), entry] })
}

/** Withdraws an entry from now on; it remains listed, and the one before it is current again. Fails with input.refused. */
export function withdrawAuditorRequest(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const auditorRequests = takeBack(auditorRequestsOf(register), draft, now, 'auditor request')
  return auditorRequests.ok ? ok({ ...register, auditorRequests: auditorRequests.value }) : auditorRequests
}

/** What an entry states, in the form in which it would be entered again. */
export const requestStated = ({
  reference,
  title,
  request,
  status,
  owner,
  due,
  comment,
}: AuditorRequest): StatedRequest => ({
  reference,
  title,
  request,
  status,
  owner,
  due: due?.slice(0, 10) ?? null,
  comment,
})

/** Whether two entries state the same, apart from blanks around a text and the form of line ends. */
export function isSameRequest(one: StatedRequest, other: StatedRequest): boolean {
  const [a, b] = [storedForm(one), storedForm(other)]
  return (Object.keys(a) as (keyof StatedRequest)[]).every((name) => a[name] === b[name])
}

const storedForm = ({ reference, title, request, status, owner, due, comment }: StatedRequest): StatedRequest => ({
  reference: inOneLine(reference),
  title: inOneLine(title),
  request,
  status,
  owner: given(inOneLine(owner ?? '')),
  due,
  comment: given(comment ?? ''),
})
