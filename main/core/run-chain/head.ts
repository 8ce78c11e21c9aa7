import { canonicalJson } from '../base/canonical-json.ts'
import { rootOf } from '../base/digest.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { hasExactly, isDigest, isInstant, isName, leafOf, type PackedEntry, packOf, parsedJson } from './entry.ts'
import type { ChainReading } from './read.ts'

/** Checkpoint of a run chain (RFC 9162), kept by a reader to detect later changes. */
export interface Checkpoint {
  readonly schema: 'barewitness.chain-head/1'
  readonly chain: string
  readonly fleet: string
  /** Number of entries, including that of the pack. */
  readonly size: number
  readonly root: string
  /** Creation time, by the reader’s clock. */
  readonly seenAt: string
  /** The run or period of that pack: the last entry. */
  readonly lastRun: string
}

/** A checkpoint has a few hundred bytes; a file beyond this limit is none. */
export const LARGEST_CHECKPOINT = 64 * 1024

/** The checkpoint after the entry of a pack. Only for a consistent chain: see ChainReading.problems. */
export const headOf = (reading: ChainReading, own: PackedEntry, seenAt: string): Checkpoint => ({
  schema: 'barewitness.chain-head/1',
  chain: reading.id,
  fleet: reading.fleet,
  size: reading.entries.length + 1,
  root: rootOf([...reading.leaves, leafOf(own)]),
  seenAt,
  lastRun: packOf(own),
})

export const headText = (head: Checkpoint): string => `${canonicalJson(head)}\n`

/** Parses a checkpoint. The file may have been reformatted, but must contain exactly the required members. */
export function parseHead(text: string): Outcome<Checkpoint> {
  const value = parsedJson(text)
  return isHead(value)
    ? ok(value)
    : fail('input.refused', 'this is not a checkpoint of a run chain, as written by --save-checkpoint')
}

const isHead = (value: unknown): value is Checkpoint =>
  hasExactly(value, ['schema', 'chain', 'fleet', 'size', 'root', 'seenAt', 'lastRun']) &&
  value.schema === 'barewitness.chain-head/1' &&
  isDigest(value.chain) &&
  isName(value.fleet) &&
  Number.isSafeInteger(value.size) &&
  Number(value.size) >= 1 &&
  isDigest(value.root) &&
  isInstant(value.seenAt) &&
  isName(value.lastRun)
