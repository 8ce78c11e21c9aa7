import type {
  AcceptanceRequest,
  AuditorRequest,
  ControlDecision,
  Explanation,
  ManagementResponse,
  Register,
  RiskAcceptance,
} from '../../../schemas/types.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { dayProblem, millisOf } from '../base/days.ts'
import { acceptanceRequestsOf, decisionsOf, termsOf } from './decisions.ts'
import { explanationsOf } from './explanations.ts'
import { LONGEST_DAYS } from './register.ts'
import { auditorRequestsOf } from './requests.ts'
import { LONGEST_DUE_DAYS, lackingIn, responsesOf } from './responses.ts'
import { versionProblems } from './versions.ts'

/**
 * Problems of a register by itself, one sentence each: invalid times, expiries beyond the limit, duplicate IDs, and
 * risk acceptances that differ from their request. A register written by this program has none of these.
 */
export const registerProblems = (register: Register): readonly string[] => [
  ...register.riskAcceptances.flatMap((entry) => termProblems(`risk acceptance ${entry.id}`, entry.acceptedAt, entry)),
  ...acceptanceRequestsOf(register).flatMap((entry) => termProblems(`request ${entry.id}`, entry.requestedAt, entry)),
  ...decisionsOf(register).flatMap((entry) => termProblems(`decision ${entry.id}`, entry.decidedAt, entry)),
  ...explanationsOf(register).flatMap((entry) => termProblems(`explanation ${entry.id}`, entry.explainedAt, entry)),
  ...responsesOf(register).flatMap(responseProblems),
  ...auditorRequestsOf(register).flatMap(auditorRequestProblems),
  ...register.documents.flatMap(({ id, attachedAt, validUntil }) =>
    [attachedAt, ...(validUntil === null ? [] : [validUntil])]
      .filter((at) => Number.isNaN(millisOf(at)))
      .map((at) => `document ${id} states the invalid time ${at}.`),
  ),
  ...register.documentRequests
    .filter(({ due }) => Number.isNaN(millisOf(due)))
    .map(({ due }) => `an evidence request has the invalid due time ${due}.`),
  ...versionProblems(register),
  ...sharedIds(register),
  ...unlikeRequests(register),
]

function termProblems(
  name: string,
  since: string,
  { expiresAt }: Pick<RiskAcceptance | AcceptanceRequest | ControlDecision | Explanation, 'expiresAt'>,
): readonly string[] {
  if (Number.isNaN(millisOf(since))) return [`${name} has the invalid creation time ${since}.`]
  if (Number.isNaN(millisOf(expiresAt))) return [`${name} has the invalid expiry ${expiresAt}.`]
  const end = dayProblem(expiresAt.slice(0, 10), { now: since, longest: LONGEST_DAYS })
  return end === null ? [] : [`${name} has an expiry that is not permitted: at its creation, it ${end}.`]
}

function responseProblems(entry: ManagementResponse): readonly string[] {
  const { id, statedAt, due } = entry
  const name = `response ${id}`
  if (Number.isNaN(millisOf(statedAt))) return [`${name} has the invalid creation time ${statedAt}.`]
  const lacking = lackingIn(entry)
  const stated = lacking === null ? [] : [`${name} is incomplete: ${lacking}.`]
  if (due === null) return stated
  if (Number.isNaN(millisOf(due))) return [...stated, `${name} has the invalid due time ${due}.`]
  const day = dayProblem(due.slice(0, 10), { now: statedAt, longest: LONGEST_DUE_DAYS })
  return day === null
    ? stated
    : [...stated, `${name} has a due day that is not permitted: when it was stated, it ${day}.`]
}

const auditorRequestProblems = ({ id, statedAt, due }: AuditorRequest): readonly string[] => [
  ...(Number.isNaN(millisOf(statedAt))
    ? [`request ${id} of an auditor has the invalid creation time ${statedAt}.`]
    : []),
  ...(due !== null && Number.isNaN(millisOf(due))
    ? [`request ${id} of an auditor has the invalid due time ${due}.`]
    : []),
]

/** Every entry has a unique ID; only a risk acceptance shares the ID of its request. */
function sharedIds(register: Register): readonly string[] {
  const shared = (ids: readonly string[]): readonly string[] => {
    const seen = new Set<string>()
    return [...new Set(ids.filter((id) => seen.size === seen.add(id).size))]
  }
  const { riskAcceptances, documents } = register
  const [decided, asked] = [decisionsOf(register), acceptanceRequestsOf(register)]
  const explained = explanationsOf(register)
  const responded = [...responsesOf(register), ...auditorRequestsOf(register)]
  const twice = [
    ...shared([...riskAcceptances, ...decided, ...documents, ...explained, ...responded].map(({ id }) => id)),
    ...shared([...asked, ...decided, ...documents, ...explained, ...responded].map(({ id }) => id)),
  ]
  return [...new Set(twice)].map((id) => `two entries have the ID ${id}.`)
}

/** A risk acceptance with a request of its ID must be its approval, with the requested terms. */
function unlikeRequests(register: Register): readonly string[] {
  const asked = new Map(acceptanceRequestsOf(register).map((entry) => [entry.id, entry]))
  return register.riskAcceptances.flatMap((entry) => {
    const request = asked.get(entry.id)
    if (request === undefined) return []
    if (request.resolved?.as !== 'approved')
      return [`risk acceptance ${entry.id} has a request of the same ID that was not approved.`]
    const { at, by } = request.resolved
    return canonicalJson(termsOf(request)) === canonicalJson(termsOf(entry)) &&
      at === entry.acceptedAt &&
      by === entry.approvedBy
      ? []
      : [`risk acceptance ${entry.id} differs from the terms requested and approved.`]
  })
}
