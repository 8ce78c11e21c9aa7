import type { Decision, EntrySignature, Exception, PendingException, Register } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'
import { fail, type Outcome } from '../failure.ts'
import { isOnePerson } from '../register.ts'
import { ok } from '../result.ts'
import { millisOf } from './days.ts'
import { decisionsOf } from './decisions.ts'
import { pendingOf, termsOf } from './pending.ts'

/** An entry that people can sign. */
export type Signable = Exception | PendingException | Decision

type Role = EntrySignature['role']

/**
 * What a signature is over: the canonical JSON (RFC 8785) of the entry without `signatures`, `withdrawn` and `settled`, with the role and
 * the moment of the signature as `signedAs`, so that neither can be changed. Whoever asks for an exception signs the request, so on the
 * exception that it became their signature is over those same terms with the moment at which they asked. That way it also shows that
 * nobody accepted more than was asked for.
 */
export function signedBytes(entry: Signable, { role, at }: Pick<EntrySignature, 'role' | 'at'>): Uint8Array {
  const { signatures: _, ...unsigned } = entry
  const content =
    'acceptedAt' in unsigned && role === 'requester'
      ? { ...termsOf(unsigned), requestedAt: at }
      : { ...unsigned, withdrawn: undefined, settled: undefined }
  return new TextEncoder().encode(canonicalJson({ ...content, signedAs: { role, at } }))
}

export const signaturesOf = ({ signatures }: Signable): readonly EntrySignature[] => signatures ?? []

/** Every entry of a register that can be signed. A request that was approved is signed as the exception it became. */
export const signablesIn = (register: Register): readonly Signable[] => [
  ...register.exceptions,
  ...pendingOf(register).filter(({ settled }) => settled?.as !== 'approved'),
  ...decisionsOf(register),
]

/** The moment that a signature in this role belongs to. */
export const momentOf = (entry: Signable): string =>
  'acceptedAt' in entry ? entry.acceptedAt : 'requestedAt' in entry ? entry.requestedAt : entry.decidedAt

/**
 * What is wrong with who signed as what; null when nothing is. Two people sign with different keys. One person who asks and approves may
 * have only one key; that it is one person is said wherever the entry is shown.
 */
export function keysProblem(entry: Signable): string | null {
  const of = (role: Role): readonly EntrySignature[] => signaturesOf(entry).filter((one) => one.role === role)
  const [requested, approved] = [of('requester'), of('approver')]
  if (requested.length > 1 || approved.length > 1) return 'somebody signed more than once in the same role'
  const early = [...approved, ...('decidedAt' in entry ? requested : [])].some(
    ({ at }) => !isSince(at, momentOf(entry)),
  )
  if (early) return 'a signature names a moment before there was anything to sign'
  if (!('approvedBy' in entry)) {
    if (approved.length > 0) return 'it is signed as approved, and nobody approved it'
    return requested.every(({ at }) => at === entry.requestedAt)
      ? null
      : 'the signature names another moment than the request'
  }
  const [one, other] = [requested[0], approved[0]]
  return one !== undefined && other !== undefined && one.fingerprint === other.fingerprint && !isOnePerson(entry)
    ? ONE_KEY
    : null
}

export const ONE_KEY = 'two people are named, and both signatures are of one key'

const isSince = (at: string, since: string): boolean => millisOf(at) >= millisOf(since)

/** Whether one person asked and approved, with one key. Allowed, and always said. */
export const isOneKey = (entry: Signable): boolean =>
  new Set(signaturesOf(entry).map(({ fingerprint }) => fingerprint)).size < signaturesOf(entry).length

/** What people see an id stand for now: the exception, before the request it was; null where there is nothing of that id. */
export const entryOf = (register: Register, id: string): Signable | null =>
  register.exceptions.find((one) => one.id === id) ??
  decisionsOf(register).find((one) => one.id === id) ??
  pendingOf(register).find((one) => one.id === id) ??
  null

/** Adds a signature to an entry. Fails with input.refused where the keys do not fit the people named. */
export function withSignature(register: Register, id: string, signature: EntrySignature): Outcome<Register> {
  const entry = entryOf(register, id)
  if (entry === null) return fail('input.refused', 'there is nothing of that id to sign')
  const signatures = [...signaturesOf(entry), signature]
  const problem = keysProblem({ ...entry, signatures })
  if (problem !== null) return fail('input.refused', problem)
  const put = <T extends Signable>(entries: readonly T[]): readonly T[] =>
    entries.map((one) => (one === entry ? { ...one, signatures } : one))
  const { decisions, pending } = register
  return ok({
    ...register,
    exceptions: put(register.exceptions),
    ...(decisions && { decisions: put(decisions) }),
    ...(pending && { pending: put(pending) }),
  })
}
