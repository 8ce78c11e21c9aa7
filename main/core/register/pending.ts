import type { ApprovalDraft, PendingDraft, PendingView, WithdrawalDraft } from '../../../schemas/ipc-packs.ts'
import type { Exception, PendingException, Register, Settlement } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../failure.ts'
import { quote } from '../plain-text.ts'
import { LONGEST_DAYS, type Moment, trimmed } from '../register.ts'
import { ok } from '../result.ts'
import { dayProblem, endOfDay, millisOf } from './days.ts'

/**
 * Exceptions that somebody asked for. A request accepts nothing. It is never taken out of the register: once settled it says by whom,
 * when and as what, and an approval adds an exception under the same id and terms beside it. So what was asked for and what was accepted
 * can both be read, and both signatures keep what they are over.
 */
export const pendingOf = ({ pending }: Register): readonly PendingException[] => pending ?? []

export type PendingStanding = PendingView['standing']

/** How a request stands at a moment. Nobody can approve one whose own end has passed. */
export function pendingStanding({ settled, expiresAt }: PendingException, asOf: string): PendingStanding {
  if (settled !== undefined) return settled.as
  return millisOf(asOf) <= millisOf(expiresAt) ? 'open' : 'lapsed'
}

/** What an exception, and the request for it, say alike. */
export const termsOf = ({
  id,
  check,
  nodes,
  run,
  reason,
  compensatingMeasure,
  owner,
  requestedBy,
  expiresAt,
}: Exception | PendingException): Omit<PendingException, 'requestedAt' | 'signatures' | 'settled'> => ({
  id,
  check,
  nodes,
  run,
  reason,
  compensatingMeasure,
  owner,
  requestedBy,
  expiresAt,
})

/** What is known when an exception is asked for. Whether there is something to accept shows once there are recordings. */
export interface PendingFacts extends Moment {
  readonly hasCheck: (check: string) => boolean
  readonly hasNode: (node: string) => boolean
}

/** Asks for an exception. Fails with input.refused, in words for the person who asked. */
export function requestException(
  register: Register,
  draft: PendingDraft,
  { now, id, hasCheck, hasNode }: PendingFacts,
): Outcome<Register> {
  const { check, until } = draft
  const nodes = [...new Set(draft.nodes)]
  const texts = trimmed(draft, ['reason', 'compensatingMeasure', 'owner', 'requestedBy'])
  if (!texts.ok) return texts
  const day = dayProblem(until, { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the end of the exception ${day}`)
  if (!hasCheck(check)) return fail('input.refused', `there is no check ${quote(check)}`)
  if (nodes.length === 0) return fail('input.refused', 'name at least one node')
  const strange = nodes.find((node) => !hasNode(node))
  if (strange !== undefined) return fail('input.refused', `there is no node ${quote(strange)}`)
  const entry: PendingException = {
    id,
    check,
    nodes,
    run: null,
    ...texts.value,
    requestedAt: now,
    expiresAt: endOfDay(until),
  }
  return ok({ ...register, pending: [...pendingOf(register), entry] })
}

/** Approves a request on its own terms: it becomes an exception from now on. Fails with input.refused. */
export function approveException(register: Register, draft: ApprovalDraft, now: string): Outcome<Register> {
  const texts = trimmed(draft, ['approvedBy', 'approverRole'])
  if (!texts.ok) return texts
  const found = openRequest(register, draft.id)
  if (!found.ok) return found
  const request = found.value
  const day = dayProblem(request.expiresAt.slice(0, 10), { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the end that was asked for ${day}; ask for the exception anew`)
  const entry: Exception = {
    ...termsOf(request),
    ...texts.value,
    acceptedAt: now,
    withdrawn: null,
    ...(request.signatures && { signatures: request.signatures }),
  }
  const settled: Settlement = { at: now, by: texts.value.approvedBy, as: 'approved', reason: null }
  return ok({ ...settledWith(register, request, settled), exceptions: [...register.exceptions, entry] })
}

/** Refuses a request, or takes it back before anybody approved it. Fails with input.refused. */
export function settleRequest(
  register: Register,
  { as, ...draft }: WithdrawalDraft & { readonly as: 'refused' | 'withdrawn' },
  now: string,
): Outcome<Register> {
  const texts = trimmed(draft, ['by', 'reason'])
  if (!texts.ok) return texts
  const request = openRequest(register, draft.id)
  if (!request.ok) return request
  return ok(settledWith(register, request.value, { at: now, as, ...texts.value }))
}

function openRequest(register: Register, id: string): Outcome<PendingException> {
  const request = pendingOf(register).find((one) => one.id === id)
  if (request === undefined) return fail('input.refused', 'there is no such request')
  return request.settled === undefined
    ? ok(request)
    : fail('input.refused', `this request was ${request.settled.as} already`)
}

const settledWith = (register: Register, request: PendingException, settled: Settlement): Register => ({
  ...register,
  pending: pendingOf(register).map((one) => (one === request ? { ...one, settled } : one)),
})
