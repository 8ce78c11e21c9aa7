import type {
  AcceptanceRequest,
  AuditorRequest,
  ControlDecision,
  EntrySignature,
  ManagementResponse,
  Register,
  RiskAcceptance,
} from '../../../schemas/types.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { millisOf } from '../base/days.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { acceptanceRequestsOf, decisionsOf, termsOf } from './decisions.ts'
import { isOnePerson } from './register.ts'
import { auditorRequestsOf } from './requests.ts'
import { responsesOf } from './responses.ts'

/** An entry with a requester and an approver. */
export type Approvable = RiskAcceptance | AcceptanceRequest | ControlDecision
/** An entry that people can sign. */
export type Signable = Approvable | Statement
/** An entry that one person states. */
type Statement = ManagementResponse | AuditorRequest

/**
 * Signed content: the canonical JSON (RFC 8785) of the entry without `signatures`, `withdrawn` and `resolved`, with the role and
 * the time of the signature as `signedAs`, so that neither can be changed. The requester signs the request, so on the
 * resulting risk acceptance their signature covers the same terms with the time of the request. It therefore also shows that
 * the acceptance does not exceed the request.
 */
export function signedBytes(entry: Signable, { role, at }: Pick<EntrySignature, 'role' | 'at'>): Uint8Array {
  const { signatures: _, ...unsigned } = entry
  const content =
    'acceptedAt' in unsigned && role === 'requester'
      ? { ...termsOf(unsigned), requestedAt: at }
      : { ...unsigned, withdrawn: undefined, resolved: undefined }
  return new TextEncoder().encode(canonicalJson({ ...content, signedAs: { role, at } }))
}

export const signaturesOf = ({ signatures }: Signable): readonly EntrySignature[] => signatures ?? []

/** Every entry of a register that can be signed. An approved request is signed as the resulting risk acceptance. */
export const signablesIn = (register: Register): readonly Signable[] => [
  ...register.riskAcceptances,
  ...acceptanceRequestsOf(register).filter(({ resolved }) => resolved?.as !== 'approved'),
  ...decisionsOf(register),
  ...responsesOf(register),
  ...auditorRequestsOf(register),
]

/** The time that a signature in this role refers to. */
const momentOf = (entry: Signable): string =>
  'acceptedAt' in entry
    ? entry.acceptedAt
    : 'requestedAt' in entry
      ? entry.requestedAt
      : 'decidedAt' in entry
        ? entry.decidedAt
        : entry.statedAt

/**
 * Problems of signers and roles; null when there are none. Two people sign with different keys. One person who requests and approves may
 * have only one key; the missing segregation of duties is stated wherever the entry is printed.
 */
export function keysProblem(entry: Signable): string | null {
  const of = (role: EntrySignature['role']): readonly EntrySignature[] =>
    signaturesOf(entry).filter((one) => one.role === role)
  const [requested, approved, responded] = [of('requester'), of('approver'), of('respondent')]
  if ('statedAt' in entry) {
    if (requested.length + approved.length > 0) return 'it is signed only by the person who states it'
    if (responded.length > 1) return 'more than one signature for the same role'
    return responded.every(({ at }) => isSince(at, entry.statedAt)) ? null : EARLY
  }
  if (responded.length > 0)
    return 'only a response, or an entry about a request of an auditor, is signed by a respondent'
  if (requested.length > 1 || approved.length > 1) return 'more than one signature for the same role'
  const early = [...approved, ...('decidedAt' in entry ? requested : [])].some(
    ({ at }) => !isSince(at, momentOf(entry)),
  )
  if (early) return EARLY
  if (!('approvedBy' in entry)) {
    if (approved.length > 0) return 'it has an approver’s signature but was not approved'
    return requested.every(({ at }) => at === entry.requestedAt)
      ? null
      : 'the signature states a different time from the request'
  }
  const [one, other] = [requested[0], approved[0]]
  return one !== undefined && other !== undefined && one.fingerprint === other.fingerprint && !isOnePerson(entry)
    ? ONE_KEY
    : null
}

const EARLY = 'a signature states a time before the entry existed'
export const ONE_KEY = 'two people are named, but both signatures have the same key'

const isSince = (at: string, since: string): boolean => millisOf(at) >= millisOf(since)

/** Whether one person requested and approved with one key. Permitted, and always disclosed. */
export const isOneKey = (entry: Signable): boolean =>
  new Set(signaturesOf(entry).map(({ fingerprint }) => fingerprint)).size < signaturesOf(entry).length

/** The current entry of an ID: the risk acceptance if there is one, otherwise the request; null for an unknown ID. */
export const entryOf = (register: Register, id: string): Signable | null =>
  register.riskAcceptances.find((one) => one.id === id) ??
  decisionsOf(register).find((one) => one.id === id) ??
  responsesOf(register).find((one) => one.id === id) ??
  auditorRequestsOf(register).find((one) => one.id === id) ??
  acceptanceRequestsOf(register).find((one) => one.id === id) ??
  null

/** Adds a signature to an entry. Fails with input.refused where the keys do not fit the people named. */
export function withSignature(register: Register, id: string, signature: EntrySignature): Outcome<Register> {
  const entry = entryOf(register, id)
  if (entry === null) return fail('input.refused', 'there is no entry with that ID to sign')
  const signatures = [...signaturesOf(entry), signature]
  const problem = keysProblem({ ...entry, signatures })
  if (problem !== null) return fail('input.refused', problem)
  const put = <T extends Signable>(entries: readonly T[]): readonly T[] =>
    entries.map((one) => (one === entry ? { ...one, signatures } : one))
  const { decisions, acceptanceRequests, responses, auditorRequests } = register
  return ok({
    ...register,
    riskAcceptances: put(register.riskAcceptances),
    ...(decisions && { decisions: put(decisions) }),
    ...(acceptanceRequests && { acceptanceRequests: put(acceptanceRequests) }),
    ...(responses && { responses: put(responses) }),
    ...(auditorRequests && { auditorRequests: put(auditorRequests) }),
  })
}
