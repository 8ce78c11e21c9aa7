import { addAll } from '../../../core/base/budgets.ts'
import { hmacWith, isSha256, type Sha256, sha256 } from '../../../core/base/digest.ts'
import { PATHS } from '../../../core/pack/pack-files.ts'
import { compare } from '../../../core/recording/recording.ts'
import type { PartClass } from './classes.ts'
import { type Hit, hexRuns, hitsOf, RULES, RULES_NAME, signatureHits } from './rules.ts'
import { cuttableText, isCapture, type WordIndex, wordHits } from './words.ts'

/** The seed is part of the payload, so that its digest in the sealed manifest prevents guessing the digest of the manifest. */
export const SEED_PATH = 'data/disclosure/seed'
/** A tag file: one unit root a line, in the order of the sorted payload paths. */
export const INDEX_PATH = 'disclosure-sha256.txt'

const SEED_BYTES = 32

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The seed file: 64 hexadecimal characters and a line end. Throws on a seed of another length, which is a program error. */
export function seedFile(seed: Uint8Array): Uint8Array {
  if (seed.length !== SEED_BYTES) throw new Error('a disclosure seed has 32 bytes')
  return utf8(`${Buffer.from(seed).toString('hex')}\n`)
}

/** Reads the seed from its file, or null where the file contains no seed. */
export function seedIn(file: Uint8Array): Uint8Array | null {
  const text = new TextDecoder().decode(file)
  return text.endsWith('\n') && isSha256(text.slice(0, -1))
    ? new Uint8Array(Buffer.from(text.slice(0, -1), 'hex'))
    : null
}

/** Position of a part in a unit: in its path or in its content, counted from 1. */
export interface PartPlace {
  readonly of: 'path' | 'content'
  readonly part: number
}

/** HMAC-SHA-256(seed, path ‖ 0x00 ‖ place): a disclosed salt reveals nothing about the others. */
export const saltFor = (seed: Uint8Array, path: string, place: PartPlace): Uint8Array => saltsFor(seed, path)(place)

/** As saltFor(), for many parts of one unit. */
function saltsFor(seed: Uint8Array, path: string): (place: PartPlace) => Uint8Array {
  const mac = hmacWith(seed)
  return ({ of, part }) => mac(`${path}\0${of} ${part}`)
}

/** A salted commitment, similar to RFC 9901 §4.2: without its salt, guesses cannot be tested against it. */
export function commitment(salt: Uint8Array, bytes: Uint8Array): Sha256 {
  const length = TAG.length + salt.length + bytes.length
  if (length > COMMITTED.length) return sha256(Buffer.concat([TAG, salt, bytes]))
  COMMITTED.set(salt, TAG.length)
  COMMITTED.set(bytes, TAG.length + salt.length)
  return sha256(COMMITTED.subarray(0, length))
}

const TAG = utf8(`${RULES_NAME} part\0`)
/**
 * Buffer for a short part and its salt, after the tag. Most parts are short, and allocating a buffer for each would take longer than
 * hashing it.
 */
const COMMITTED = Buffer.alloc(4096)
COMMITTED.set(TAG)

/** A length as disclosed in the copy: rounded up to a power of two, at least 8. */
export const bucketOf = (length: number): number => {
  let bucket = 8
  while (bucket < length) bucket *= 2
  return bucket
}

export interface CommittedPart {
  readonly class: PartClass
  readonly bucket: number
  readonly commitment: Sha256
}

/**
 * The unit root: SHA-256 over lines that any tool can produce, one per part of the path and the content. So the seal also covers the class and the
 * rounded length of each part.
 */
export function rootOf(path: readonly CommittedPart[], content: readonly CommittedPart[]): Sha256 {
  let lines = `${RULES_NAME} unit\n`
  for (const part of path) lines += lineOf('path', part)
  for (const part of content) lines += lineOf('content', part)
  return sha256(lines)
}

const lineOf = (of: PartPlace['of'], part: CommittedPart): string =>
  `${of} ${part.class} ${part.bucket} ${part.commitment}\n`

/** The line of one payload file. `digest`: the SHA-256 of its bytes, where it is known. */
export function unitRoot(path: string, bytes: Uint8Array, seed: Uint8Array, words: WordIndex, digest?: Sha256): Sha256 {
  const salt = saltsFor(seed, path)
  const commit = (of: PartPlace['of'], kind: PartClass, part: Uint8Array, index: number): CommittedPart => ({
    class: kind,
    bucket: bucketOf(part.length),
    commitment: commitment(salt({ of, part: index + 1 }), part),
  })
  return rootOf(
    pathPartsOf(path, words).map((part, index) => commit('path', part.class, part.bytes, index)),
    cutsOf(path, bytes, words, digest).map((cut, index) =>
      commit('content', cut.class, bytes.subarray(cut.start, cut.end), index),
    ),
  )
}

/** Whether a path has a line: every payload file except the seed. */
export const isUnit = (path: string): boolean => path.startsWith('data/') && path !== SEED_PATH

/** The bytes of disclosure-sha256.txt: the roots in the order of their paths. */
export const indexOf = (roots: ReadonlyMap<string, Sha256>): Uint8Array =>
  utf8(
    [...roots]
      .sort(([a], [b]) => compare(a, b))
      .map(([, root]) => `${root}\n`)
      .join(''),
  )

/** Words found inside a part; a host name can contain a node name. */
export interface Found {
  readonly class: PartClass
  readonly text: string
}

/** A range of a file’s bytes. The parts of a file in order add up to its bytes; no part is empty. */
export interface Part {
  readonly class: PartClass
  readonly bytes: Uint8Array
  readonly holds: readonly Found[]
}

/** Divides a payload file into sensitive parts and the text between them. Pure; the same bytes and words give the same parts. */
export function partsOf(path: string, bytes: Uint8Array, words: WordIndex): readonly Part[] {
  const text = cuttableText(path, bytes)
  return spansIn(path, bytes, text, words).map((span) => partAt(span, bytes, text ?? ''))
}

/** The parts of a file by their places, in order. `text` is null where the file is not divided. */
function spansIn(path: string, { length }: Uint8Array, text: string | null, words: WordIndex): readonly Span[] {
  if (length === 0) return []
  if (text === null) return [{ class: path === PATHS.catalog ? 'text' : 'file', start: 0, end: length, hits: [] }]
  const hits = hitsIn(text, words)
  if (SCOPES.has(path)) addAll(hits, signatureHits(text))
  return withText(spansOf(hits), length)
}

const partAt = ({ class: kind, start, end, hits }: Span, bytes: Uint8Array, text: string): Part => ({
  class: kind,
  bytes: bytes.subarray(start, end),
  holds: hits.map((hit) => ({ class: hit.class, text: text.slice(hit.start, hit.end) })),
})

/** A part by its place in the file. */
type Cut = Pick<Hit, 'class' | 'start' | 'end'>

/**
 * The positions of the parts that partsOf() returns. Most captures of a fleet are identical on several nodes, and are searched once.
 * `digest`: the SHA-256 of the bytes, where it is known.
 */
export function cutsOf(path: string, bytes: Uint8Array, words: WordIndex, digest?: Sha256): readonly Cut[] {
  if (!isCapture(path)) return placesOf(path, bytes, words)
  const key = digest ?? sha256(bytes)
  const known = CUTS.get(words) ?? { byDigest: new Map<string, readonly Cut[]>(), count: 0 }
  CUTS.set(words, known)
  const found = known.byDigest.get(key)
  if (found !== undefined) return found
  const made = placesOf(path, bytes, words)
  known.count += made.length
  if (known.count <= MOST_CUTS) known.byDigest.set(key, made)
  return made
}

/** Cuts that are remembered: some ten megabytes. */
const MOST_CUTS = 100_000
const CUTS = new WeakMap<WordIndex, { readonly byDigest: Map<string, readonly Cut[]>; count: number }>()

const placesOf = (path: string, bytes: Uint8Array, words: WordIndex): readonly Cut[] =>
  spansIn(path, bytes, cuttableText(path, bytes), words).map(({ class: kind, start, end }) => ({
    class: kind,
    start,
    end,
  }))

/** The file of the scope, with the signatures of location evidence. */
const SCOPES: ReadonlySet<string> = new Set([PATHS.scope, PATHS.assessment])

/** Divides the path of a payload file, which can contain a node name or a digest. A node’s folder is its name or a substitute. */
export function pathPartsOf(path: string, words: WordIndex): readonly Part[] {
  const folder = /^data\/nodes\/([^/]+)/.exec(path)?.[1]
  const start = 'data/nodes/'.length
  const hits = hitsIn(path, words)
  if (folder !== undefined) hits.push({ class: 'node', start, end: start + folder.length })
  const bytes = utf8(path)
  return withText(spansOf(hits), bytes.length).map((span) => partAt(span, bytes, path))
}

/** The spans in order, and the text between them as spans without hits. */
function withText(spans: readonly Span[], length: number): readonly Span[] {
  const all: Span[] = []
  const addText = (start: number, end: number): void => {
    if (end > start) all.push({ class: 'text', start, end, hits: [] })
  }
  let from = 0
  for (const span of spans) {
    addText(from, span.start)
    all.push(span)
    from = span.end
  }
  addText(from, length)
  return all
}

function hitsIn(text: string, words: WordIndex): Hit[] {
  const hits = hitsOf(text, RULES)
  addAll(hits, hexRuns(text))
  addAll(hits, wordHits(text, words))
  return hits
}

interface Span extends Hit {
  /** The matches that it was joined from. */
  readonly hits: readonly Hit[]
}

/** Overlapping matches become one span with the class of the longest match. Sorts the hits in place. */
function spansOf(hits: Hit[]): readonly Span[] {
  hits.sort((a, b) => a.start - b.start || b.end - a.end)
  const spans: Span[] = []
  for (let at = 0; at < hits.length; ) {
    const from = at
    let widest = hits[at] as Hit
    let { end } = widest
    for (at += 1; at < hits.length; at += 1) {
      const hit = hits[at] as Hit
      if (hit.start >= end) break
      if (hit.end - hit.start > widest.end - widest.start) widest = hit
      end = Math.max(end, hit.end)
    }
    spans.push({ class: widest.class, start: hits[from]?.start ?? 0, end, hits: hits.slice(from, at) })
  }
  return spans
}
