import { canonicalJson } from '../canonical-json.ts'
import { consistencyPath, inclusionPath, rootOf } from '../merkle.ts'
import { entryLine, type LoggedEntry, leafOf, type RunChain } from './entry.ts'
import { consistencyText, inclusionText } from './proofs.ts'

export const CHAIN_PATHS = {
  chain: 'data/log/chain.json',
  entries: 'data/log/entries.jsonl',
  leaves: 'data/log/leaves.txt',
  /** These two are absent while no earlier run is in the chain. */
  inclusion: 'data/log/inclusion.txt',
  consistency: 'data/log/consistency.txt',
} as const

export const CHAIN_SCHEMA = 'barewitness.run-chain/1'

/** The content of data/log/chain.json: the checkpoint of the chain before the pack. */
export interface StatedHead {
  readonly schema: typeof CHAIN_SCHEMA
  readonly id: string
  readonly fleet: string
  readonly size: number
  readonly root: string
}

/**
 * Files of the run chain in a pack: the preceding checkpoint, every entry and leaf hash (RFC 9162), and two proofs about the
 * previous run: its inclusion, and the consistency of the checkpoint stated in its pack with this one.
 */
export function chainFiles(chain: RunChain): ReadonlyMap<string, Uint8Array> {
  const { id, fleet, entries } = chain
  const leaves = entries.map(({ entry }) => leafOf(entry))
  const [size, root] = [leaves.length, rootOf(leaves)]
  const texts = [
    [CHAIN_PATHS.chain, `${canonicalJson({ schema: CHAIN_SCHEMA, id, fleet, size, root } satisfies StatedHead)}\n`],
    [CHAIN_PATHS.entries, entries.map(entryLine).join('')],
    [CHAIN_PATHS.leaves, leavesText(leaves)],
  ]
  const index = lastRun(entries)
  const leaf = leaves[index]
  if (leaf !== undefined) {
    const older = { oldSize: index, oldRoot: rootOf(leaves.slice(0, index)) }
    const path = consistencyPath(index, leaves)
    texts.push(
      [CHAIN_PATHS.inclusion, inclusionText({ index, size, leaf, root, path: inclusionPath(index, leaves) })],
      [CHAIN_PATHS.consistency, consistencyText({ ...older, newSize: size, newRoot: root, path })],
    )
  }
  return new Map(texts.map(([path = '', text]) => [path, new TextEncoder().encode(text)]))
}

export const leavesText = (leaves: readonly string[]): string => leaves.map((leaf) => `${leaf}\n`).join('')

/** Index of the last run, or -1. Also the number of entries stated in its pack, since an entry follows all that its pack states. */
export const lastRun = (entries: readonly LoggedEntry[]): number =>
  entries.findLastIndex(({ entry }) => entry.kind === 'run')
