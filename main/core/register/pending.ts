import type {
  AcceptanceRequestDraft,
  AcceptanceRequestView,
  ApprovalDraft,
  WithdrawalDraft,
} from '../../../schemas/ipc-register.ts'
import type { AcceptanceRequest, Register, Resolution, RiskAcceptance } from '../../../schemas/types.ts'
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
export const acceptanceRequestsOf = ({ acceptanceRequests }: Register): readonly AcceptanceRequest[] =>
  acceptanceRequests ?? []

export type AcceptanceRequestStatus = AcceptanceRequestView['status']

/** Status of a request at a time. An expired request cannot be approved. */
export function acceptanceRequestStatus(
  { resolved, expiresAt }: AcceptanceRequest,
  asOf: string,
): AcceptanceRequestStatus {
  if (resolved !== undefined) return resolved.as
  return millisOf(asOf) <= millisOf(expiresAt) ? 'open' : 'lapsed'
}

/** Terms that a risk acceptance and its request have in common. */
export const termsOf = ({
  id,
  check,
  nodes,
  run,
  reason,
  compensatingControl,
  owner,
  requestedBy,
  expiresAt,
}: RiskAcceptance | AcceptanceRequest): Omit<AcceptanceRequest, 'requestedAt' | 'signatures' | 'resolved'> => ({
  id,
  check,
  nodes,
  run,
  reason,
  compensatingControl,
  owner,
  requestedBy,
  expiresAt,
})

/** Data available when a risk acceptance is requested. Whether there is a deviation shows only with recordings. */
export interface RequestFacts extends Moment {
  readonly hasCheck: (check: string) => boolean
  readonly hasNode: (node: string) => boolean
}

/** Adds an acceptance request. Fails with input.refused and a message for the user. */
export function requestAcceptance(
  register: Register,
  draft: AcceptanceRequestDraft,
  { now, id, hasCheck, hasNode }: RequestFacts,
): Outcome<Register> {
  const { check, until } = draft
  const nodes = [...new Set(draft.nodes)]
  const texts = trimmed(draft, ['reason', 'compensatingControl', 'owner', 'requestedBy'])
  if (!texts.ok) return texts
  const day = dayProblem(until, { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the expiry of the risk acceptance ${day}`)
  if (!hasCheck(check)) return fail('input.refused', `there is no check ${quote(check)}`)
  if (nodes.length === 0) return fail('input.refused', 'name at least one node')
  const strange = nodes.find((node) => !hasNode(node))
  if (strange !== undefined) return fail('input.refused', `there is no node ${quote(strange)}`)
  const entry: AcceptanceRequest = {
    id,
    check,
    nodes,
    run: null,
    ...texts.value,
    requestedAt: now,
    expiresAt: endOfDay(until),
  }
  return ok({ ...register, acceptanceRequests: [...acceptanceRequestsOf(register), entry] })
}

/** Approves a request as submitted: it becomes a risk acceptance from now on. Fails with input.refused. */
export function approveRequest(register: Register, draft: ApprovalDraft, now: string): Outcome<Register> {
  const texts = trimmed(draft, ['approvedBy', 'approverRole'])
  if (!texts.ok) return texts
  const found = openRequest(register, draft.id)
  if (!found.ok) return found
  const request = found.value
  const day = dayProblem(request.expiresAt.slice(0, 10), { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the requested expiry ${day}; submit a new request`)
  const entry: RiskAcceptance = {
    ...termsOf(request),
    ...texts.value,
    acceptedAt: now,
    withdrawn: null,
    ...(request.signatures && { signatures: request.signatures }),
  }
  const resolution: Resolution = { at: now, by: texts.value.approvedBy, as: 'approved', reason: null }
  return ok({
    ...settledWith(register, request, resolution),
    riskAcceptances: [...register.riskAcceptances, entry],
  })
}

/** Rejects a request, or withdraws it before approval. Fails with input.refused. */
export function resolveRequest(
  register: Register,
  { as, ...draft }: WithdrawalDraft & { readonly as: 'rejected' | 'withdrawn' },
  now: string,
): Outcome<Register> {
  const texts = trimmed(draft, ['by', 'reason'])
  if (!texts.ok) return texts
  const request = openRequest(register, draft.id)
  if (!request.ok) return request
  return ok(settledWith(register, request.value, { at: now, as, ...texts.value }))
}

function openRequest(register: Register, id: string): Outcome<AcceptanceRequest> {
  const request = acceptanceRequestsOf(register).find((one) => one.id === id)
  if (request === undefined) return fail('input.refused', 'there is no such request')
  return request.resolved === undefined
    ? ok(request)
    : fail('input.refused', `this request was already ${request.resolved.as}`)
}

const settledWith = (register: Register, request: AcceptanceRequest, resolved: Resolution): Register => ({
  ...register,
  acceptanceRequests: acceptanceRequestsOf(register).map((one) => (one === request ? { ...one, resolved } : one)),
})
