import { fail, type Outcome } from '../core/failure.ts'
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
  /** Asked for only when the rest is acceptable. */
  readonly openSigner: () => Promise<Outcome<Signer>>
  readonly chainFolder: string
}

/**
 * Enters a scheduled run that did not happen into a chain of runs that exists, signed, so that later packs state it. Fails with
 * input.refused without words, for a time to come and where there is no chain; else as the signer and the chain do.
 */
export async function recordGap(world: World, input: GapInput): Promise<Outcome<RunChain>> {
  const { fleet, due, chainFolder } = input
  const why = input.why.trim()
  const now = world.clock.now()
  if (why === '') return fail('input.refused', 'say why the run did not happen; nothing was recorded')
  if (due > now) return fail('input.refused', `${due} is yet to come; nothing was recorded`)
  const begun = await world.files.digest(`${chainFolder}/chain.json`)
  if (!begun.ok) return fail('input.refused', `there is no chain of runs in ${chainFolder}; nothing was recorded`)
  const opened = await input.openSigner()
  if (!opened.ok) return opened
  const signer = opened.value
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
