import type { ApprovalDraft, PendingDraft, PendingView, WithdrawalDraft } from '../../../schemas/ipc-packs.ts'
import type { Exception, PendingException, Register, Settlement } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../failure.ts'
import { quote } from '../plain-text.ts'
import { LONGEST_DAYS, type Moment, trimmed } from '../register.ts'
import { ok } from '../result.ts'
import { dayProblem, endOfDay, millisOf } from './days.ts'

/**
 * Acceptance requests. A request has no effect. It is never removed from the register: once resolved it states by whom,
 * when and how, and an approval adds a risk acceptance with the same ID and terms. Request and acceptance
 * both remain readable, and both signatures stay valid.
 */
export const pendingOf = ({ pending }: Register): readonly PendingException[] => pending ?? []

export type PendingStanding = PendingView['standing']

/** Status of a request at a time. An expired request cannot be approved. */
export function pendingStanding({ settled, expiresAt }: PendingException, asOf: string): PendingStanding {
  if (settled !== undefined) return settled.as
  return millisOf(asOf) <= millisOf(expiresAt) ? 'open' : 'lapsed'
}

/** Terms that a risk acceptance and its request have in common. */
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

/** Data available when a risk acceptance is requested. Whether there is a deviation shows only with recordings. */
export interface PendingFacts extends Moment {
  readonly hasCheck: (check: string) => boolean
  readonly hasNode: (node: string) => boolean
}

/** Adds an acceptance request. Fails with input.refused and a message for the user. */
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
  if (day !== null) return fail('input.refused', `the expiry of the risk acceptance ${day}`)
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

/** Approves a request as submitted: it becomes a risk acceptance from now on. Fails with input.refused. */
export function approveException(register: Register, draft: ApprovalDraft, now: string): Outcome<Register> {
  const texts = trimmed(draft, ['approvedBy', 'approverRole'])
  if (!texts.ok) return texts
  const found = openRequest(register, draft.id)
  if (!found.ok) return found
  const request = found.value
  const day = dayProblem(request.expiresAt.slice(0, 10), { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the requested expiry ${day}; submit a new request`)
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

/** Rejects a request, or withdraws it before approval. Fails with input.refused. */
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
    : fail('input.refused', `this request was already ${request.settled.as}`)
}

const settledWith = (register: Register, request: PendingException, settled: Settlement): Register => ({
  ...register,
  pending: pendingOf(register).map((one) => (one === request ? { ...one, settled } : one)),
})
