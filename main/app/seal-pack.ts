import type { Ports, Stamp } from '../core/all-ports.ts'
import { sha256 } from '../core/digest.ts'
import type { Outcome } from '../core/failure.ts'
import { type AssembledPack, assembleBag, type BagInput, type StampAuthority } from '../core/pack.ts'
import type { Signer } from '../core/ports.ts'
import type { Stamping } from './stamping.ts'

export interface Sealed {
  readonly pack: AssembledPack
  readonly seal: Uint8Array
  /** Null when no independent time-stamp was requested. */
  readonly stamp: Outcome<Stamp> | null
}

/**
 * The seal over a pack, and the time-stamp over the seal. A pack that names its authority must carry a time-stamp by
 * it, so that removing the time-stamp is detectable; where none is available, or only one under another root, the pack
 * is sealed again without that name.
 */
export async function sealedPack(
  ports: Pick<Ports, 'sealing' | 'timestamps'>,
  input: Omit<BagInput, 'authority'> & { readonly signer: Signer },
  authority: StampAuthority | null,
  stamping: Stamping | null,
): Promise<Sealed> {
  const { signer } = input
  const pack = assembleBag({ ...input, authority })
  const seal = await ports.sealing.signDetached(signer, pack.toSeal)
  if (stamping === null) return { pack, seal, stamp: null }
  const stamp = await ports.timestamps.stamp(stamping.url, digestBytes(seal), stamping.certificates)
  if (authority === null || (stamp.ok && rootOf(stamp.value.certificates) === rootOf(authority.chain)))
    return { pack, seal, stamp }
  const without = await sealedPack(ports, input, null, stamp.ok ? stamping : null)
  return { ...without, stamp: without.stamp ?? stamp }
}

const rootOf = (chain: readonly Uint8Array[]): string => sha256(chain.at(-1) ?? new Uint8Array())
const digestBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(Buffer.from(sha256(bytes), 'hex'))
