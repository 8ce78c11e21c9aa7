import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { chainStart } from '../core/layout.ts'
import type { Signer } from '../core/ports.ts'
import { entryBytes, type RunChain, type SaidEntry } from '../core/run-chain/entry.ts'
import { whileSigning } from './signing.ts'

export interface EnterInput {
  readonly fleet: string
  readonly chainFolder: string
  /** Called only after everything else was accepted. */
  readonly openSigner: () => Promise<Outcome<Signer>>
  /** Starts a new chain where there is none; without it, a missing chain is refused. */
  readonly begin?: boolean
}

/**
 * Appends signed entries that have no pack of their own to the run chain, so that later packs state them. `make`
 * receives the time, the signer's fingerprint and the current chain, and may refuse. Fails with input.refused where
 * there is no chain; otherwise as the signer and the chain do.
 */
export async function appendSigned(
  world: Pick<Ports, 'clock' | 'entropy' | 'files' | 'openRunChain' | 'sealing'>,
  { fleet, chainFolder, openSigner, begin = false }: EnterInput,
  make: (at: string, signer: string, chain: RunChain) => Outcome<readonly SaidEntry[]>,
): Promise<Outcome<RunChain>> {
  const begun = begin || (await world.files.isThere(chainStart(chainFolder)))
  if (!begun) return fail('input.refused', `there is no run chain in ${chainFolder}; nothing was recorded`)
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
