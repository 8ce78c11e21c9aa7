import { sha256 } from '../core/digest.ts'
import type { Outcome } from '../core/failure.ts'
import { type AssembledPack, assemblePack, type PackInput, type StampAuthority } from '../core/pack.ts'
import type { Signer } from '../core/ports.ts'
import type { Stamp, World } from '../core/world.ts'
import type { Stamping } from './stamping.ts'

export interface Sealed {
  readonly pack: AssembledPack
  readonly seal: Uint8Array
  /** Null when no time by somebody else was asked for. */
  readonly stamp: Outcome<Stamp> | null
}

/**
 * The seal over a pack, and the time-stamp over the seal. A pack that names its authority must carry a time-stamp by it, so that nobody can
 * take one away unseen; where none can be had, it is sealed again without that name.
 */
export async function sealedPack(
  world: World,
  input: Omit<PackInput, 'authority'> & { readonly signer: Signer },
  authority: StampAuthority | null,
  stamping: Stamping | null,
): Promise<Sealed> {
  const { signer } = input
  const pack = assemblePack({ ...input, authority })
  const seal = await world.sealing.signDetached(signer, pack.toSeal)
  if (stamping === null) return { pack, seal, stamp: null }
  const stamp = await world.timestamps.stamp(stamping.url, digestBytes(seal), stamping.certificates)
  if (stamp.ok || authority === null) return { pack, seal, stamp }
  const without = assemblePack({ ...input, authority: null })
  return { pack: without, seal: await world.sealing.signDetached(signer, without.toSeal), stamp }
}

const digestBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(Buffer.from(sha256(bytes), 'hex'))
