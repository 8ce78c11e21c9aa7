import type {
  DeclaredNode,
  InventoryRow,
  Machine,
  Operator,
  Recording,
  SiteRow,
  VantageMeasurement,
} from '../../../../schemas/types.ts'
import { parseBounded } from '../../../core/base/bounded-json.ts'
import { decodeUtf8 } from '../../../core/base/plain-text.ts'
import { PATHS } from '../../../core/pack/pack-files.ts'
import type { PartClass } from './classes.ts'
import { type Hit, hitsOf, KEYED_RULES } from './rules.ts'

/** A name to search everywhere: declared in the fleet file, or found after a key in a capture. */
export interface Word {
  readonly text: string
  readonly class: 'node' | 'user' | 'host' | 'serial'
}

/** Words by their lower-case text, ready for one pass over any text. */
export interface WordIndex {
  readonly classes: ReadonlyMap<string, PartClass>
  /** Hashes of first pieces: almost every position in a text is skipped quickly. */
  readonly firstPieces: Uint8Array
  readonly longest: number
}

const PIECES = /^[a-z0-9]+(?:[._:-]{1,2}[a-z0-9]+){0,23}$/
const SHORTEST_SERIAL = 6
const EVERYWHERE: ReadonlySet<string> = new Set(['root', 'none', 'localhost'])

/**
 * The words that one payload file contributes: from scope.json the declared names, the provider's lists and the nodes that were timed from elsewhere;
 * from a recording.json the declarations of the node and its collectors; from its assessment.json the identifiers of its machine; and from any text
 * the serial numbers and host names after known keys. Other files contribute none.
 */
export function wordsIn(path: string, bytes: Uint8Array): readonly Word[] {
  const text = cuttableText(path, bytes)
  if (text === null) return []
  const keyed = hitsOf(text, KEYED_RULES).map(
    (hit): Word => ({ text: text.slice(hit.start, hit.end), class: hit.class === 'host' ? 'host' : 'serial' }),
  )
  return [...declaredWords(path, bytes), ...keyed]
}

/**
 * Whether a file must be searched for words. Captures with the same digest have the same words, so only the first of them is searched. A
 * file without a digest is always searched.
 */
export function firstOfCaptures(): (path: string, digest: string | null) => boolean {
  const seen = new Set<string>()
  return (path, digest) => {
    if (digest === null || !isCapture(path)) return true
    if (seen.has(digest)) return false
    seen.add(digest)
    return true
  }
}

/** Whether a path is that of a capture: only its content decides what is found in it, in contrast to documents. */
export const isCapture = (path: string): boolean => CAPTURE.test(path)
const CAPTURE = /^data\/nodes\/[^/]+\/sha256\/[^/.]+$/

/** Declarations of fleet file and engagement, and identifiers of a node in other lists, from one payload file. */
export function declaredWords(path: string, bytes: Uint8Array): readonly Word[] {
  if (path === PATHS.scope) return declaredNames(bytes)
  const [, file] = /^data\/nodes\/[^/]+\/(recording|assessment)\.json$/.exec(path) ?? []
  if (file === undefined) return []
  return file === 'recording' ? wordsOfNode(bytes) : wordsOfMachine(bytes)
}

function declaredNames(bytes: Uint8Array): readonly Word[] {
  const scope = jsonIn(bytes) as {
    population?: unknown
    engagement?: { inventory?: { rows?: unknown } | null }
    location?: { vantages?: unknown; sites?: { rows?: unknown } }
  } | null
  const sites = listOf(scope?.location?.sites?.rows) as (Partial<SiteRow> | null)[]
  const rows = listOf(scope?.engagement?.inventory?.rows) as (Partial<InventoryRow> | null)[]
  return [
    ...wordsOf('node', listOf(scope?.population)),
    // A provider inventory also names machines that are in no fleet file.
    ...rows.flatMap((row) => [
      ...wordsOf('node', [row?.name]),
      ...wordsOf('node', typeof row?.address === 'string' ? row.address.split(/[\s,;|]+/) : []),
      ...wordsOf('serial', [row?.serial]),
    ]),
    ...sites.flatMap((row) => wordsOf('serial', [row?.serial])),
    ...measurementsIn(scope?.location?.vantages).flatMap((timed) =>
      wordsOf('node', [timed?.node, timed?.address, timed?.path?.remoteAddress]),
    ),
  ]
}

/** The measurements in a list of untrusted origin; invalid entries are skipped. */
export const measurementsIn = (vantages: unknown): readonly (Partial<VantageMeasurement> | null | undefined)[] =>
  listOf(vantages).flatMap((record) =>
    listOf((record as { measurements?: unknown } | null)?.measurements),
  ) as readonly (Partial<VantageMeasurement> | null)[]

/** The identifiers of a machine in assessment.json, where serial numbers are listed without a key before each. */
function wordsOfMachine(bytes: Uint8Array): readonly Word[] {
  const assessment = jsonIn(bytes) as { machine?: Partial<Machine> | null } | null
  const machine = assessment?.machine
  return [...wordsOf('node', [machine?.address]), ...wordsOf('serial', listOf(machine?.serials))]
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const wordsOf = (kind: Word['class'], texts: readonly unknown[]): readonly Word[] =>
  texts.flatMap((text) => (typeof text === 'string' && text !== '' ? [{ text, class: kind }] : []))

function wordsOfNode(bytes: Uint8Array): readonly Word[] {
  const header = jsonIn(bytes) as Partial<Pick<Recording, 'collector' | 'node'>> | null
  const node: Partial<DeclaredNode> = header?.node ?? {}
  const operator: Partial<Operator> = header?.collector?.operator ?? {}
  return [
    ...wordsOf('node', [node.name, node.address]),
    ...wordsOf('host', [operator.host].flat()),
    ...wordsOf('user', [node.user, node.roster, operator.user].flat()),
    ...wordsOf(
      'serial',
      listOf(node.hardware).map((pin) => (pin as { value?: unknown } | null)?.value),
    ),
  ]
}

/** JSON of foreign origin; null where it cannot be parsed. */
function jsonIn(bytes: Uint8Array): unknown {
  try {
    return parseBounded(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}

const ORDER: readonly Word['class'][] = ['serial', 'host', 'user', 'node']

/** Words of all files; their order does not matter. Words indistinguishable from ordinary text are omitted. */
export function wordIndex(words: Iterable<Word>): WordIndex {
  const classes = new Map<string, Word['class']>()
  const firstPieces = new Uint8Array(BUCKETS)
  let longest = 0
  for (const word of words) {
    const text = word.text.toLowerCase().replaceAll(/^[^a-z0-9]{1,8}|[^a-z0-9]{1,8}$/g, '')
    if (!PIECES.test(text) || EVERYWHERE.has(text)) continue
    if (word.class === 'serial' && (text.length < SHORTEST_SERIAL || !/[0-9]/.test(text))) continue
    const before = classes.get(text)
    if (before === undefined || ORDER.indexOf(word.class) > ORDER.indexOf(before)) classes.set(text, word.class)
    firstPieces[hashOf(text, 0, pieceEnd(text, 0))] = 1
    longest = Math.max(longest, text.split(/[._:-]{1,2}/).length)
  }
  return { classes, firstPieces, longest }
}

/** Every whole-word occurrence, the longest at each position. Linear: a word has at most 24 pieces. */
export function wordHits(text: string, words: WordIndex): readonly Hit[] {
  if (words.longest === 0) return []
  const lower = text.toLowerCase()
  const { length } = lower
  const hits: Hit[] = []
  for (let at = nextOf(lower, 0, words.firstPieces); at < length; at = nextOf(lower, at, words.firstPieces)) {
    if (lower.charCodeAt(at) === BACKSLASH) {
      // After a JSON escape such as \n, a word can begin one character later; after a plain backslash, here.
      take(lower, at + 1, words, hits)
      at += 2
    }
    if (at >= length) break
    at = isPiece(lower.charCodeAt(at)) ? take(lower, at, words, hits) : at + 1
  }
  return hits
}

/**
 * Position of the next backslash, or of the next piece that may begin a word; the length of the text if neither follows. It reads almost
 * every character, so rare cases are handled elsewhere and the engine can keep it optimized.
 */
function nextOf(lower: string, from: number, firstPieces: Uint8Array): number {
  const { length } = lower
  for (let at = from; at < length; ) {
    let code = lower.charCodeAt(at)
    if (code === BACKSLASH) return at
    const start = at
    const limit = at + LONGEST_WORD
    let hash = HASH_START
    while (isPiece(code)) {
      if (at < limit) hash = hashed(hash, code)
      at += 1
      if (at === length) break
      code = lower.charCodeAt(at)
    }
    if (at === start) at += 1
    else if (firstPieces[folded(hash)] === 1) return start
  }
  return length
}

/** Adds the longest word that begins here, if any, as a hit. Returns the end of the first piece, whose hash is computed on the way. */
function take(lower: string, at: number, { classes, firstPieces, longest }: WordIndex, hits: Hit[]): number {
  const limit = at + LONGEST_WORD
  let hash = HASH_START
  let first = at
  for (; first < lower.length; first += 1) {
    const code = lower.charCodeAt(first)
    if (!isPiece(code)) break
    if (first < limit) hash = hashed(hash, code)
  }
  if (first === at || firstPieces[folded(hash)] !== 1) return first
  let end = first
  let best: Hit | null = null
  for (let pieces = 1; pieces <= longest && end > at && end - at <= LONGEST_WORD; pieces += 1) {
    const found = classes.get(lower.slice(at, end))
    if (found !== undefined) best = { class: found, start: at, end }
    const next = joined(lower, end)
    end = next === end ? at : pieceEnd(lower, next)
  }
  if (best !== null) hits.push(best)
  return first
}

const BACKSLASH = 0x5c
const BUCKETS = 1 << 16
const LONGEST_WORD = 256

const isPiece = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
const isJoint = (code: number): boolean => code === 0x2d || code === 0x2e || code === 0x3a || code === 0x5f

function pieceEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && isPiece(text.charCodeAt(end))) end += 1
  return end
}

/** Start of the next piece after one or two joints; `end` itself when there is none. */
function joined(text: string, end: number): number {
  if (!isJoint(text.charCodeAt(end))) return end
  if (isPiece(text.charCodeAt(end + 1))) return end + 1
  return isJoint(text.charCodeAt(end + 1)) && isPiece(text.charCodeAt(end + 2)) ? end + 2 : end
}

/** FNV-1a, folded. It only filters. */
function hashOf(text: string, at: number, end: number): number {
  let hash = HASH_START
  for (let i = at; i < Math.min(end, at + LONGEST_WORD); i += 1) hash = hashed(hash, text.charCodeAt(i))
  return folded(hash)
}

const HASH_START = 0x811c9dc5
const hashed = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193)
const folded = (hash: number): number => (hash ^ (hash >>> 16)) & (BUCKETS - 1)

/** Larger captures and documents are one part. Generated documents are smaller and are always divided. */
const LARGEST_CUT = 1024 * 1024
const LARGEST_DOCUMENT = 64 * 1024 * 1024
const DOCUMENT = /^data\/(?:nodes\/[^/]+\/)?[a-z]+\.jsonl?$/

/**
 * The text to which the rules apply, one character per byte (Latin-1), so that positions match the file. Null where a file is not
 * divided: too large, not UTF-8, or the catalog, which contains only built-in text.
 */
export function cuttableText(path: string, bytes: Uint8Array): string | null {
  const largest = DOCUMENT.test(path) ? LARGEST_DOCUMENT : LARGEST_CUT
  if (path === PATHS.catalog || bytes.length > largest || decodeUtf8(bytes) === null) return null
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
