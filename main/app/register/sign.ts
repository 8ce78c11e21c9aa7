import type { EntrySignature, Register } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { SealReader, Signer } from '../../core/ports.ts'
import { entryOf, signedBytes, withSignature } from '../../core/register/signatures.ts'
import { readSignatures, signatureProblems } from '../../core/verify/entries.ts'
import type { World } from '../../core/world.ts'
import { whileSigning } from '../signing.ts'

/** Who signs an entry, and as what. The key is asked for only when the rest is acceptable. */
export interface Signing {
  readonly role: EntrySignature['role']
  readonly openSigner: () => Promise<Outcome<Signer>>
}

/**
 * Puts a signature on the entry of this id. Fails with input.refused where the keys do not fit the people named, and where a signature on
 * it does not stand, the new one or one before; else as the key does.
 */
export async function signEntry(
  { sealing, clock }: Pick<World, 'sealing' | 'clock'>,
  register: Register,
  id: string,
  { role, openSigner }: Signing,
): Promise<Outcome<Register>> {
  const entry = entryOf(register, id)
  if (entry === null) return fail('input.refused', 'there is nothing of that id to sign')
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
    const problem = await standsProblem(sealing.reader, next.value, id)
    return problem === null ? next : fail('input.refused', problem)
  })
}

/** Why an entry cannot stay as it is: a signature on it does not stand. Null when nothing is wrong. */
export async function standsProblem(seal: SealReader, register: Register, id: string): Promise<string | null> {
  const entry = entryOf(register, id)
  if (entry === null) return 'there is nothing of that id'
  return signatureProblems(entry, await readSignatures(seal, entry))[0] ?? null
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
