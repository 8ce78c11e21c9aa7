import type { Outcome } from '../core/failure.ts'
import type { Signer } from '../core/ports.ts'
import { entryBytes, type GapEntry, type RunChain } from '../core/run-chain/entry.ts'
import type { World } from '../core/world.ts'
import { whileSigning } from './signing.ts'

export interface GapInput {
  readonly fleet: string
  /** When the run should have been: UTC, ISO 8601. */
  readonly due: string
  /** The owner's words. */
  readonly why: string
  readonly signer: Signer
  readonly chainFolder: string
}

/** Enters a scheduled run that did not happen into the chain of runs, signed, so that later packs state it. Fails as the chain does. */
export async function recordGap(world: World, input: GapInput): Promise<Outcome<RunChain>> {
  const { fleet, due, why, signer, chainFolder } = input
  const id = Buffer.from(world.entropy.bytes(32)).toString('hex')
  const chain = await world.openRunChain(chainFolder, { id, fleet })
  if (!chain.ok) return chain
  try {
    const entry: GapEntry = { kind: 'gap', due, at: world.clock.now(), fleet, why, signer: signer.fingerprint }
    return await whileSigning(async () => {
      const signature = await world.sealing.signDetached(signer, entryBytes(entry))
      return await chain.value.append({ entry, signature: Buffer.from(signature).toString('base64') })
    })
  } finally {
    await chain.value.close()
  }
}
