import { canonicalJson } from '../base/canonical-json.ts'
import { type Consistency, consistencyPath, type Inclusion, inclusionPath, rootOf } from '../base/digest.ts'
import { plain, quote } from '../base/plain-text.ts'
import { type ChainEntry, entryLine, type GapEntry, type LoggedEntry, leafOf, type RunChain } from './entry.ts'

/** inclusion.txt: one fact a line, then the path, nearest the leaf first. */
const inclusionText = ({ index, size, leaf, root, path }: Inclusion): string =>
  [`index ${index}`, `size ${size}`, `leaf ${leaf}`, `root ${root}`, ...path.map(step), ''].join('\n')

/** consistency.txt: the two heads, then the path. */
const consistencyText = ({ oldSize, oldRoot, newSize, newRoot, path }: Consistency): string =>
  [
    `old-size ${oldSize}`,
    `old-root ${oldRoot}`,
    `new-size ${newSize}`,
    `new-root ${newRoot}`,
    ...path.map(step),
    '',
  ].join('\n')

const step = (hash: string): string => `path ${hash}`

const COUNT = '(0|[1-9][0-9]{0,8})'
const HASH = '([0-9a-f]{64})'
// A path is never longer than the number of bits in a count.
const PATH = '((?:path [0-9a-f]{64}\\n){0,64})'
const INCLUSION = new RegExp(`^index ${COUNT}\\nsize ${COUNT}\\nleaf ${HASH}\\nroot ${HASH}\\n${PATH}$`)
const CONSISTENCY = new RegExp(
  `^old-size ${COUNT}\\nold-root ${HASH}\\nnew-size ${COUNT}\\nnew-root ${HASH}\\n${PATH}$`,
)

/** The inverse of inclusionText(); null for any other text. */
export function parseInclusion(text: string): Inclusion | null {
  const [, index, size, leaf = '', root = '', path = ''] = INCLUSION.exec(text) ?? []
  return index === undefined ? null : { index: Number(index), size: Number(size), leaf, root, path: hashesIn(path) }
}

/** The inverse of consistencyText(); null for any other text. */
export function parseConsistency(text: string): Consistency | null {
  const [, oldSize, oldRoot = '', newSize, newRoot = '', path = ''] = CONSISTENCY.exec(text) ?? []
  if (oldSize === undefined) return null
  return { oldSize: Number(oldSize), oldRoot, newSize: Number(newSize), newRoot, path: hashesIn(path) }
}

const hashesIn = (path: string): readonly string[] => path.match(/[0-9a-f]{64}/g) ?? []

/** Tolerated backward step of entry times, because clocks differ. */
export const CLOCK_TOLERANCE_MINUTES = 10

const MOST_LISTED = 100

/** A list of sentences, limited in length. */
export const shortened = (sentences: readonly string[]): readonly string[] =>
  sentences.length <= MOST_LISTED
    ? sentences
    : [...sentences.slice(0, MOST_LISTED), `And ${sentences.length - MOST_LISTED} more of this kind.`]

const gapSentence = ({ due, at, why }: GapEntry): string =>
  `A run due at ${due} did not take place; entered at ${at}: ${quote(why, 300)}.`

/** Notes on the run chain that do not affect its validity. Entries are numbered from 1, as lines of entries.jsonl. */
export function notesOn(entries: readonly ChainEntry[]): readonly string[] {
  return [...shortened(backwards(entries)), ...shortened(sealedAgain(entries)), ...keys(entries)]
}

/** Entries without a pack and without a signature. */
export function unsigned(entries: readonly LoggedEntry[]): readonly string[] {
  const count = entries.filter(
    ({ entry, signature }) => entry.kind !== 'run' && entry.kind !== 'period' && signature === null,
  ).length
  if (count === 0) return []
  return [`${count} ${count === 1 ? 'entry' : 'entries'} without a pack ${count === 1 ? 'is' : 'are'} not signed.`]
}

/** An entry as a sentence; null for a run, which is only counted. */
export function entrySentence(entry: ChainEntry): string | null {
  if (entry.kind === 'run') return null
  if (entry.kind === 'gap') return gapSentence(entry)
  if (entry.kind === 'plan')
    return entry.cadence === null
      ? `From ${entry.from} schedule ${quote(entry.schedule)} ends; entered at ${entry.at}: ${quote(entry.why, 300)}.`
      : `From ${entry.from} schedule ${quote(entry.schedule)} runs ${quote(entry.cadence)}; entered at ${entry.at}: ${quote(entry.why, 300)}.`
  if (entry.kind === 'baseline')
    return `Run ${quote(entry.run)} was set as the baseline at ${entry.at}: ${quote(entry.why, 300)}.`
  if (entry.kind === 'retired')
    return `The evidence of run ${quote(entry.run)} was deleted at ${entry.at}: ${quote(entry.why, 300)}.`
  return `A period from ${entry.from} to ${entry.to} was sealed at ${entry.at}.`
}

function backwards(entries: readonly ChainEntry[]): readonly string[] {
  return entries.flatMap(({ at }, index) => {
    const before = entries[index - 1]
    if (before === undefined || Date.parse(before.at) - Date.parse(at) <= CLOCK_TOLERANCE_MINUTES * 60_000) return []
    return [
      `Entry ${index + 1} is dated ${at}, more than ${CLOCK_TOLERANCE_MINUTES} minutes before entry ${index}, ${before.at}.`,
    ]
  })
}

/** A run can be sealed again, which creates a second pack; the reader must know of both. */
function sealedAgain(entries: readonly ChainEntry[]): readonly string[] {
  const places = new Map<string, number[]>()
  for (const [index, entry] of entries.entries()) {
    if (entry.kind !== 'run') continue
    const before = places.get(entry.run)
    if (before === undefined) places.set(entry.run, [index + 1])
    else before.push(index + 1)
  }
  return [...places]
    .filter(([, at]) => at.length > 1)
    .map(
      ([run, at]) => `Run ${quote(run)} was sealed ${at.length} times, as entries ${at.join(', ')}. Compare its packs.`,
    )
}

function keys(entries: readonly ChainEntry[]): readonly string[] {
  const signers = [...new Set(entries.map(({ signer }) => signer))]
  return signers.length < 2
    ? []
    : [`The entries have ${signers.length} signing keys: ${plain(signers.slice(0, 10).join(', '), 700)}.`]
}

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

/**
 * Lines of POSIX sh, for a shell with `set -eu` in the folder of an unpacked pack that has CHAIN_PATHS.inclusion: they stop with a
 * failure unless the hash of the previous run’s line gives, along the path, the root stated by the pack (RFC 9162 §2.1.3.2).
 * Only digits and hexadecimal characters from the files are used in arithmetic or arguments, because the files are untrusted.
 */
export const inclusionRecipe = (): readonly string[] => [
  `count() { sed -n "s/^$1 \\([0-9]\\{1,9\\}\\)\\$/\\1/p" ${CHAIN_PATHS.inclusion}; }`,
  `digests() { sed -n "s/^$1 \\([0-9a-f]\\{64\\}\\)\\$/\\1/p" ${CHAIN_PATHS.inclusion}; }`,
  `parent() { for byte in $(echo "01$1$2" | fold -w2); do printf "\\\\$(printf %o "0x$byte")"; done | sha256sum | cut -c1-64; }`,
  'at=$(count index) last=$(($(count size) - 1))',
  `sed -n "$((at + 1))s/^{\\"entry\\":\\(.*\\),\\"signature\\":null}\\$/\\1/p" ${CHAIN_PATHS.entries} > ../entry.txt`,
  "hash=$({ printf '\\000'; tr -d '\\n' < ../entry.txt; } | sha256sum | cut -c1-64)",
  'test "$hash" = "$(digests leaf)"',
  'for sibling in $(digests path); do',
  '  if [ $((at % 2)) = 1 ] || [ "$at" = "$last" ]; then',
  '    hash=$(parent "$sibling" "$hash")',
  '    while [ $((at % 2)) = 0 ] && [ "$at" != 0 ]; do at=$((at / 2)) last=$((last / 2)); done',
  '  else hash=$(parent "$hash" "$sibling"); fi',
  '  at=$((at / 2)) last=$((last / 2))',
  'done',
  'test "$last" = 0',
  `grep -qF "\\"root\\":\\"$hash\\"" ${CHAIN_PATHS.chain}`,
  'echo "The run chain of this pack contains the pack whose tagmanifest-sha256.txt has the SHA-256"',
  `sed 's/.*"tagManifest":"\\([0-9a-f]*\\)".*/\\1/' ../entry.txt`,
]
