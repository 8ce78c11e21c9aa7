import { fail, type Outcome } from '../core/failure.ts'
import type { Signer } from '../core/ports.ts'
import { entryBytes, type RunChain, type SaidEntry } from '../core/run-chain/entry.ts'
import type { World } from '../core/world.ts'
import { whileSigning } from './signing.ts'

export interface EnterInput {
  readonly fleet: string
  readonly chainFolder: string
  /** Asked for only when the rest is acceptable. */
  readonly openSigner: () => Promise<Outcome<Signer>>
  /** Begins the chain where there is none; without it, that is refused. */
  readonly begin?: boolean
}

/**
 * Enters into a chain of runs what has no pack of its own, signed, so that later packs state it. `make` gets the moment, the signer's
 * fingerprint and the chain as it is, and may refuse. Fails with input.refused where there is no chain; else as the signer and the
 * chain do.
 */
export async function appendSigned(
  world: World,
  { fleet, chainFolder, openSigner, begin = false }: EnterInput,
  make: (at: string, signer: string, chain: RunChain) => Outcome<readonly SaidEntry[]>,
): Promise<Outcome<RunChain>> {
  const begun = begin || (await world.files.isThere(`${chainFolder}/chain.json`))
  if (!begun) return fail('input.refused', `there is no chain of runs in ${chainFolder}; nothing was recorded`)
  const opened = await openSigner()
  if (!opened.ok) return opened
  const signer = opened.value
  const id = Buffer.from(world.entropy.bytes(32)).toString('hex')
  const chain = await world.openRunChain(chainFolder, { id, fleet })
  if (!chain.ok) return chain
  try {
    const entries = make(world.clock.now(), signer.fingerprint, chain.value.chain())
    if (!entries.ok) return entries
    return await whileSigning(async () => {
      let last: Outcome<RunChain> = { ok: true, value: chain.value.chain() }
      for (const entry of entries.value) {
        const signature = await world.sealing.signDetached(signer, entryBytes(entry))
        last = await chain.value.append({ entry, signature: Buffer.from(signature).toString('base64') })
        if (!last.ok) break
      }
      return last
    })
  } finally {
    await chain.value.close()
  }
}
