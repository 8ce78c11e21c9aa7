import type {
  AcceptanceRequestDraft,
  AcceptanceRequestView,
  ApprovalDraft,
  DecisionDraft,
  WithdrawalDraft,
} from '../../../schemas/ipc-register.ts'
import type {
  AcceptanceRequest,
  ControlDecision,
  Register,
  Resolution,
  RiskAcceptance,
} from '../../../schemas/types.ts'
import { dayProblem, endOfDay, millisOf } from '../base/days.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { quote } from '../base/plain-text.ts'
import { LONGEST_DAYS, type Moment, statusOf, takeBack, trimmed } from './register.ts'

export const decisionsOf = ({ decisions }: Register): readonly ControlDecision[] => decisions ?? []

interface Row {
  readonly framework: string
  /** The control's key. */
  readonly control: string
}

/**
 * The decision on one control: the latest that was not withdrawn, while in effect. A later one replaces earlier
 * ones permanently, so none of them applies again when it expires. Where several of the same time differ, there is no decision.
 */
export function decidedFor(register: Register, { framework, control }: Row, asOf: string): readonly ControlDecision[] {
  const begun = decisionsOf(register)
    .filter((one) => one.framework === framework && one.control === control)
    .map((one) => ({ one, status: statusOf(one, asOf), at: millisOf(one.decidedAt) }))
    .filter(({ status }) => status === 'in-force' || status === 'expired')
  const last = begun.reduce((latest, { at }) => Math.max(latest, at), Number.NEGATIVE_INFINITY)
  const latest = begun.filter(({ at }) => at === last)
  if (new Set(latest.map(({ one }) => one.decision)).size > 1) return []
  return latest.filter(({ status }) => status === 'in-force').map(({ one }) => one)
}

/** The level of a control, such as `addressable`; null for an unknown control. */
export type LevelOf = (framework: string, control: string) => string | null

/** Levels of the controls of some frameworks. */
export function levelsIn(
  frameworks: readonly {
    readonly id: string
    readonly controls: readonly { readonly key: string; readonly level: string }[]
  }[],
): LevelOf {
  const levels = new Map(
    frameworks.flatMap(({ id, controls }) => controls.map(({ key, level }) => [`${id}\n${key}`, level] as const)),
  )
  return (framework, control) => levels.get(`${framework}\n${control}`) ?? null
}

/**
 * Why a decision is not permitted for its control; null when it is. Only an addressable specification permits a choice (45 CFR 164.306(d)(3)): to
 * implement it, to implement an equivalent alternative measure, or neither. The last two require the factors of 164.306(b)(2). Any control can be
 * documented as not applicable.
 */
export function decisionProblem(
  {
    decision,
    factors,
    alternativeMeasure,
  }: Pick<ControlDecision, 'decision'> & {
    readonly factors: string | null
    readonly alternativeMeasure: string | null
  },
  level: string | null,
): string | null {
  if (level === null) return 'there is no such control'
  if (decision === 'not-applicable') return null
  if (level !== 'addressable')
    return 'only an addressable specification permits this decision (45 CFR 164.306(d)(3)); this control can only be documented as not applicable'
  if (decision === 'implemented') return null
  if (factors === null)
    return 'the factors considered must be entered (45 CFR 164.306(b)(2): size, infrastructure, cost, and probability of harm)'
  return decision === 'equivalent-alternative' && alternativeMeasure === null
    ? 'the equivalent alternative measure must be entered (45 CFR 164.306(d)(3)(ii)(B)(2))'
    : null
}

export const DECISIONS: readonly ControlDecision['decision'][] = [
  'implemented',
  'equivalent-alternative',
  'not-implemented',
  'not-applicable',
]

/** Adds a control decision valid until the end of a date. Fails with input.refused and a message for the user. */
export function decide(
  register: Register,
  draft: DecisionDraft,
  { now, id, levelOf }: Moment & { readonly levelOf: LevelOf },
): Outcome<Register> {
  const { framework, control, decision, until } = draft
  const texts = trimmed(draft, ['reason', 'owner', 'requestedBy', 'approvedBy', 'approverRole'])
  if (!texts.ok) return texts
  const weighed = {
    factors: given(draft.factors),
    alternativeMeasure: given(draft.alternativeMeasure),
    riskAnalysis: given(draft.riskAnalysis),
  }
  const problem = decisionProblem({ decision, ...weighed }, levelOf(framework, control))
  if (problem !== null) return fail('input.refused', problem)
  const day = dayProblem(until, { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the expiry of the decision ${day}`)
  const entry: ControlDecision = {
    id,
    framework,
    control,
    decision,
    ...weighed,
    ...texts.value,
    decidedAt: now,
    expiresAt: endOfDay(until),
    withdrawn: null,
  }
  return ok({ ...register, decisions: [...decisionsOf(register), entry] })
}

/** A trimmed text; null where it is empty. */
const given = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text.trim())

/** Withdraws a decision from now on; it remains listed. Fails with input.refused. */
export function withdrawDecision(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const decisions = takeBack(decisionsOf(register), draft, now, 'decision')
  return decisions.ok ? ok({ ...register, decisions: decisions.value }) : decisions
}

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
interface RequestFacts extends Moment {
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
