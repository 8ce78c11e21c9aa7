import type { EntrySignature, Register } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { SealReader, Signer } from '../../core/ports.ts'
import { entryOf, signedBytes, withSignature } from '../../core/register/signatures.ts'
import { readSignatures, signatureProblems } from '../../verify/steps/entries.ts'
import { whileSigning } from '../signing.ts'

/** The signer of an entry, and their role. The key is opened only after everything else was accepted. */
export interface Signing {
  readonly role: EntrySignature['role']
  readonly openSigner: () => Promise<Outcome<Signer>>
}

/**
 * Signs the entry of this id. Fails with input.refused where the keys do not belong to the people named, and where a
 * signature on it is invalid, the new one or an earlier one; otherwise as the key does.
 */
export async function signEntry(
  { sealing, clock }: Pick<Ports, 'sealing' | 'clock'>,
  register: Register,
  id: string,
  { role, openSigner }: Signing,
): Promise<Outcome<Register>> {
  const entry = entryOf(register, id)
  if (entry === null) return fail('input.refused', 'there is no entry of this id to sign')
  const opened = await openSigner()
  if (!opened.ok) return opened
  const { certificate, chain, fingerprint } = opened.value
  const at = 'requestedAt' in entry ? entry.requestedAt : clock.now()
  return await whileSigning(async () => {
    const cms = await sealing.signDetached(opened.value, signedBytes(entry, { role, at }))
    const signature: EntrySignature = {
      role,
      fingerprint,
      at,
      cms: base64(cms),
      chain: [certificate, ...chain].map(base64),
    }
    const next = withSignature(register, id, signature)
    if (!next.ok) return next
    const problem = await signaturesProblem(sealing.reader, next.value, id)
    return problem === null ? next : fail('input.refused', problem)
  })
}

/** Why an entry must be rejected: a signature on it is invalid. Null when nothing is wrong. */
export async function signaturesProblem(seal: SealReader, register: Register, id: string): Promise<string | null> {
  const entry = entryOf(register, id)
  if (entry === null) return 'there is no entry of this id'
  return signatureProblems(entry, await readSignatures(seal, entry))[0] ?? null
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
