import { sha256 } from '../../core/digest.ts'
import { PATHS } from '../../core/pack-files.ts'
import type { PartClass } from './classes.ts'
import { type Hit, hexRuns, hitsOf, RULES, signatureHits } from './rules.ts'
import { cuttableText, isCapture, type WordIndex, wordHits } from './words.ts'

/** Words found inside a part; a host name can contain a node name. */
export interface Found {
  readonly class: PartClass
  readonly text: string
}

/** A range of a file’s bytes. The parts of a file, in order, are its bytes; none is empty. */
export interface Part {
  readonly class: PartClass
  readonly bytes: Uint8Array
  readonly holds: readonly Found[]
}

/** Divides a payload file into sensitive parts and the text between them. Pure; the same bytes and words give the same parts. */
export function partsOf(path: string, bytes: Uint8Array, words: WordIndex): readonly Part[] {
  if (bytes.length === 0) return []
  const text = cuttableText(path, bytes)
  if (text === null) return [{ class: path === PATHS.catalog ? 'text' : 'file', bytes, holds: [] }]
  const signed = SCOPES.has(path) ? signatureHits(text) : []
  return cut(bytes, spansOf(text, [...hitsIn(text, words), ...signed]))
}

/** A part by its place in the file. */
export type Cut = Pick<Hit, 'class' | 'start' | 'end'>

/**
 * The places of the parts that partsOf() gives. Most captures of a fleet are the same on several nodes, and are searched once.
 */
export function cutsOf(path: string, bytes: Uint8Array, words: WordIndex): readonly Cut[] {
  if (!isCapture(path)) return placesOf(partsOf(path, bytes, words))
  const digest = sha256(bytes)
  const known = CUTS.get(words) ?? { byDigest: new Map<string, readonly Cut[]>(), count: 0 }
  CUTS.set(words, known)
  const found = known.byDigest.get(digest)
  if (found !== undefined) return found
  const made = placesOf(partsOf(path, bytes, words))
  known.count += made.length
  if (known.count <= MOST_CUTS) known.byDigest.set(digest, made)
  return made
}

/** Cuts that are remembered: some ten megabytes. */
const MOST_CUTS = 100_000
const CUTS = new WeakMap<WordIndex, { readonly byDigest: Map<string, readonly Cut[]>; count: number }>()

function placesOf(parts: readonly Part[]): readonly Cut[] {
  let start = 0
  return parts.map((part) => {
    const end = start + part.bytes.length
    const cut = { class: part.class, start, end }
    start = end
    return cut
  })
}

/** The file of the scope, with the signatures of location evidence. */
const SCOPES: ReadonlySet<string> = new Set([PATHS.scope, PATHS.assessment])

/** Divides the path of a payload file, which can contain a node name or a digest. A node’s folder is its name or a substitute. */
export function pathPartsOf(path: string, words: WordIndex): readonly Part[] {
  const folder = /^data\/nodes\/([^/]+)/.exec(path)?.[1]
  const start = 'data/nodes/'.length
  const hits = hitsIn(path, words)
  if (folder !== undefined) hits.push({ class: 'node', start, end: start + folder.length })
  return cut(new TextEncoder().encode(path), spansOf(path, hits))
}

function cut(bytes: Uint8Array, spans: readonly Span[]): readonly Part[] {
  const parts: Part[] = []
  let from = 0
  for (const span of spans) {
    if (span.start > from) parts.push({ class: 'text', bytes: bytes.subarray(from, span.start), holds: [] })
    parts.push({ class: span.class, bytes: bytes.subarray(span.start, span.end), holds: span.holds })
    from = span.end
  }
  if (from < bytes.length) parts.push({ class: 'text', bytes: bytes.subarray(from), holds: [] })
  return parts
}

const hitsIn = (text: string, words: WordIndex): Hit[] => [
  ...hitsOf(text, RULES),
  ...hexRuns(text),
  ...wordHits(text, words),
]

interface Span extends Hit {
  readonly holds: readonly Found[]
}

/** Overlapping matches become one span of the class of the longest. */
function spansOf(text: string, found: readonly Hit[]): readonly Span[] {
  const hits = [...found].sort((a, b) => a.start - b.start || b.end - a.end)
  const spans: (Hit & { holds: Found[]; longest: number })[] = []
  for (const hit of hits) {
    const length = hit.end - hit.start
    const held = { class: hit.class, text: text.slice(hit.start, hit.end) }
    const last = spans.at(-1)
    if (last === undefined || hit.start >= last.end) {
      spans.push({ ...hit, holds: [held], longest: length })
      continue
    }
    last.holds.push(held)
    const longer = length > last.longest
    spans[spans.length - 1] = {
      class: longer ? hit.class : last.class,
      start: last.start,
      end: Math.max(last.end, hit.end),
      holds: last.holds,
      longest: Math.max(length, last.longest),
    }
  }
  return spans
}
