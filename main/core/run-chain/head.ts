import { canonicalJson } from '../canonical-json.ts'
import { fail, type Outcome } from '../failure.ts'
import { rootOf } from '../merkle.ts'
import { ok } from '../result.ts'
import { hasExactly, isDigest, isInstant, isName, leafOf, type PackedEntry, packOf, parsedJson } from './entry.ts'
import type { ChainReading } from './read.ts'

/** What somebody keeps of a chain after reading a pack, to see later whether its history was changed. */
export interface ChainHead {
  readonly schema: 'barewitness.chain-head/1'
  readonly chain: string
  readonly fleet: string
  /** Entries, the pack's own included. */
  readonly size: number
  readonly root: string
  /** When the reader saw it, by the reader's own clock. */
  readonly seenAt: string
  /** The run of that pack, or its period: the last of the entries. */
  readonly lastRun: string
}

/** The head after a pack's own entry. Only of a chain whose parts fit together: see ChainReading.problems. */
export const headOf = (reading: ChainReading, own: PackedEntry, seenAt: string): ChainHead => ({
  schema: 'barewitness.chain-head/1',
  chain: reading.id,
  fleet: reading.fleet,
  size: reading.entries.length + 1,
  root: rootOf([...reading.leaves, leafOf(own)]),
  seenAt,
  lastRun: packOf(own),
})

export const headText = (head: ChainHead): string => `${canonicalJson(head)}\n`

/** A head that was kept. People may have moved or reformatted the file; it must still hold every member, and no other. */
export function parseHead(text: string): Outcome<ChainHead> {
  const value = parsedJson(text)
  return isHead(value)
    ? ok(value)
    : fail('input.refused', 'this is not a checkpoint of a run chain, as written by --save-checkpoint')
}

const isHead = (value: unknown): value is ChainHead =>
  hasExactly(value, ['schema', 'chain', 'fleet', 'size', 'root', 'seenAt', 'lastRun']) &&
  value.schema === 'barewitness.chain-head/1' &&
  isDigest(value.chain) &&
  isName(value.fleet) &&
  Number.isSafeInteger(value.size) &&
  Number(value.size) >= 1 &&
  isDigest(value.root) &&
  isInstant(value.seenAt) &&
  isName(value.lastRun)
