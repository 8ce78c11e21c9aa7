import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import type { PackFiles } from '../../core/pack/pack-files.ts'
import type { Signer } from '../../core/ports/ports.ts'
import type { LoggedEntry, OpenRunChain, RunChain } from '../../core/run-chain/entry.ts'
import { newChain, withRunChain } from '../history/run-chain.ts'
import { putInChain } from './continued-export.ts'

type TurnPorts = Pick<Ports, 'entropy' | 'openRunChain' | 'packs'>

/** The run chain for one pack that contains it. */
export interface ChainTurn {
  /** The chain that the pack must contain. */
  readonly chain: RunChain
  /** Enters the pack, as putInChain() does. Fails with chain.changed where the chain is not `chain` any more. */
  readonly enter: (
    pack: { readonly path: string; readonly content: PackFiles },
    logged: LoggedEntry,
  ) => Promise<Outcome<null>>
}

interface TurnInput {
  readonly folder: string
  readonly fleet: string
  readonly signer: Pick<Signer, 'mayTakeLong'>
  /** Called each time that the chain was locked; its failure ends the turn. */
  readonly whenLocked: (chain: RunChain) => Promise<Outcome<null>>
}

/** A signer that confirmed the pack at the first preparation is not asked again for the second. */
const MOST_PREPARATIONS = 2

/**
 * Prepares a pack for the current run chain, and enters it. The chain is locked during both, except where signing may
 * take long: other entries can then be appended, and a pack without them is prepared again. Fails with chain.changed
 * where that happens a second time; otherwise as the chain, `whenLocked` and `prepare` do.
 */
export async function withChainTurn<T>(
  ports: TurnPorts,
  { folder, fleet, signer, whenLocked }: TurnInput,
  prepare: (turn: ChainTurn) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const beginning = newChain(ports, fleet)
  const locked = <R>(work: (chain: OpenRunChain) => Promise<Outcome<R>>): Promise<Outcome<R>> =>
    withRunChain(ports, folder, beginning, async (open) => {
      const usable = await whenLocked(open.chain())
      return usable.ok ? await work(open) : usable
    })
  if (signer.mayTakeLong !== true)
    return await locked((open) =>
      prepare({ chain: open.chain(), enter: (pack, logged) => putInChain(ports, pack, open, logged) }),
    )
  for (let preparation = 1; ; preparation += 1) {
    const read = await locked(async (open) => ok(open.chain()))
    if (!read.ok) return read
    const prepared = await prepare({
      chain: read.value,
      enter: (pack, logged) =>
        locked(async (open) =>
          isSame(open.chain(), read.value) ? await putInChain(ports, pack, open, logged) : CHANGED,
        ),
    })
    const isOutdated = !prepared.ok && prepared.error.code === 'chain.changed'
    if (!isOutdated || preparation === MOST_PREPARATIONS) return prepared
  }
}

/** Detects also a chain that was restored from a copy and has as many entries. */
const isSame = (one: RunChain, other: RunChain): boolean => canonicalJson(one) === canonicalJson(other)

const CHANGED = fail('chain.changed', 'other entries were made while the pack was signed')
