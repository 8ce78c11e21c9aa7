import { quote } from '../../../core/base/plain-text.ts'
import { withRange } from '../reader.ts'
import { type FirstRevision, readFirstRevision } from './first.ts'
import { inflated } from './inflate.ts'
import { objectOf, type PdfObject } from './objects.ts'
import { textIn } from './update.ts'
import { entriesOf, nameOf, type PdfValue, refOf, refsOf, writeValue } from './values.ts'

/** Largest size of an inflated stream. */
const LARGEST_STREAM = 64 * 1024 * 1024
/** Number of pages that are named; further ones are counted. */
const MOST_PAGES = 10

/**
 * Compares a sealed report with the same report rendered again from sealed content, and not signed. Returns sentences
 * about differences, the pages first, with the first differing passage of each; none where both are the same. All
 * objects of the first revision are compared, except the signature's own content: time-stamps are added later. Streams
 * are compared as they inflate, because another release of zlib deflates the same content differently. Throws where the
 * rendered one is not in the expected form, which is an internal error.
 */
export function comparePages(sealed: Uint8Array, again: Uint8Array): readonly string[] {
  const { pdf, gap } = withRange(again)
  const isSamePart = (from: number, to: number): boolean =>
    Buffer.compare(sealed.subarray(from, to), pdf.subarray(from, to)) === 0
  if (isSamePart(0, gap.from) && isSamePart(gap.to, gap.end)) return []
  const one = opened(sealed)
  if (one === null) return ['It is not in the form that Barewitness writes.']
  const other = opened(pdf)
  if (other === null) throw new Error('the report that was rendered again is not in the expected form')
  const [stated, derived] = [one, other].map(pagesOf) as [readonly number[], readonly number[]]
  const count =
    stated.length === derived.length ? [] : [`It has ${stated.length} pages; the evidence gives ${derived.length}.`]
  const differing = stated.flatMap((page, index) => {
    const at = firstDifference(passages(one, page), passages(other, derived[index] ?? null))
    return at === null ? [] : [{ page: index + 1, ...at }]
  })
  const named = differing
    .slice(0, MOST_PAGES)
    .map(({ page, reads, follows }) => `Page ${page} reads ${shown(reads)}; the evidence gives ${shown(follows)}.`)
  const more = differing.length > MOST_PAGES ? [`${differing.length - MOST_PAGES} more pages differ.`] : []
  const texts = [...count, ...named, ...more]
  return texts.length > 0 ? texts : drawings(one, other, stated)
}

interface Differing {
  readonly reads: string | undefined
  readonly follows: string | undefined
}

/** The passages at which two lists first differ, reduced to the first differing sentence. */
function firstDifference(reading: readonly string[], expected: readonly string[]): Differing | null {
  const at = placeOfDifference(reading, expected)
  if (at === null) return null
  const [reads, follows] = [reading[at], expected[at]]
  if (reads === undefined || follows === undefined) return { reads, follows }
  const [one, other] = [sentences(reads), sentences(follows)]
  const place = placeOfDifference(one, other) ?? 0
  return { reads: one[place], follows: other[place] }
}

function placeOfDifference(one: readonly string[], other: readonly string[]): number | null {
  const length = Math.max(one.length, other.length)
  for (let at = 0; at < length; at += 1) if (one[at] !== other[at]) return at
  return null
}

const sentences = (text: string): readonly string[] => text.split(/(?<=[.:;]) /)

const shown = (text: string | undefined): string => (text === undefined ? 'nothing more' : quote(text, 300))

interface Opened {
  readonly pdf: Uint8Array
  readonly text: string
  readonly first: FirstRevision
}

function opened(pdf: Uint8Array): Opened | null {
  const text = textIn(pdf)
  const first = readFirstRevision(text)
  return typeof first === 'string' ? null : { pdf, text, first }
}

const object = ({ text, first }: Opened, id: number | null): PdfObject | null => objectOf(text, first.offsets, id)
const entries = (file: Opened, value: PdfValue | undefined): ReadonlyMap<string, PdfValue> => {
  const id = refOf(value)
  return entriesOf(id === null ? value : object(file, id)?.value)
}

const pagesOf = (file: Opened): readonly number[] =>
  refsOf(entries(file, file.first.state.catalog.entries.get('Pages')).get('Kids'))

/** The inflated bytes of a stream; null where there are none, more than the limit, or others after them. */
function contentOf({ pdf }: Opened, found: PdfObject | null): Uint8Array | null {
  if (found?.stream == null) return null
  const stored = pdf.subarray(found.stream.start, found.stream.end)
  if (nameOf(entriesOf(found.value).get('Filter')) !== 'FlateDecode') return stored
  return inflated(stored, LARGEST_STREAM)
}

const latin1 = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('latin1')

/** Differences where every page reads the same: in the drawing of pages, and in other content of the file. */
function drawings(one: Opened, other: Opened, pages: readonly number[]): readonly string[] {
  const size = Math.max(one.first.offsets.length, other.first.offsets.length)
  const changed = new Set<number>()
  for (let id = 1; id < size; id += 1) if (!isSame(one, other, id)) changed.add(id)
  if (changed.size === 0) return []
  const drawn = pages.flatMap((page, index) => {
    const own = [page, refOf(entries(one, { kind: 'ref', id: page }).get('Contents'))]
    return own.some((id) => id !== null && changed.has(id)) ? [index + 1] : []
  })
  return drawn.length > 0
    ? drawn.slice(0, MOST_PAGES).map((page) => `Page ${page} reads the same, but is drawn differently.`)
    : [
        `All pages read the same, but ${changed.size} other parts of the file differ, such as fonts, tags or embedded files.`,
      ]
}

function isSame(one: Opened, other: Opened, id: number): boolean {
  const [a, b] = [object(one, id), object(other, id)]
  if (a === null || b === null) return a === b
  if (spelled(a) !== spelled(b)) return false
  if (a.stream === null || b.stream === null) return a.stream === b.stream
  const [first, second] = [contentOf(one, a), contentOf(other, b)]
  return first !== null && second !== null && Buffer.compare(first, second) === 0
}

/** The object as text, without the length of a deflated stream and the range and content of a signature, which depend on deflation. */
function spelled({ value }: PdfObject): string {
  const own = entriesOf(value)
  const isSignature = nameOf(own.get('Type')) === 'Sig'
  const left = isSignature ? ['ByteRange', 'Contents'] : own.has('Filter') ? ['Length'] : []
  if (left.length === 0 || value.kind !== 'dictionary') return writeValue(value)
  return writeValue({ ...value, entries: new Map([...own].filter(([key]) => !left.includes(key))) })
}

/**
 * The text of a page, passage by passage: the text of each marked content (ISO 32000-1, 14.6), lines joined by a blank.
 */
function passages(file: Opened, page: number | null): readonly string[] {
  if (page === null) return []
  const own = entries(file, { kind: 'ref', id: page })
  const fonts = entries(file, entries(file, own.get('Resources')).get('Font'))
  const glyphs = new Map([...fonts].map(([name, font]) => [name, textByGlyph(file, font)]))
  const found: string[] = []
  let lines: string[] = []
  let font: ReadonlyMap<string, string> = new Map()
  const content = latin1(contentOf(file, object(file, refOf(own.get('Contents')))))
  for (const [, set, shown] of content.matchAll(/^(?:\/(\w+) [\d.]+ Tf|(\[.*\]) TJ|EMC)$/gm)) {
    if (set !== undefined) font = glyphs.get(set) ?? new Map()
    else if (shown !== undefined) lines.push(textShown(shown, font))
    else if (lines.length > 0) {
      found.push(spaced(lines))
      lines = []
    }
  }
  return lines.length === 0 ? found : [...found, spaced(lines)]
}

const spaced = (lines: readonly string[]): string => lines.join(' ').replace(/ +/g, ' ')

const textShown = (operand: string, font: ReadonlyMap<string, string>): string =>
  [...operand.matchAll(/<([0-9a-f]*)>/g)]
    .flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
    .map((glyph) => font.get(glyph) ?? '\uFFFD')
    .join('')

/** The text of each glyph, by the font's ToUnicode map (ISO 32000-1, 9.10.3), in the one form that pdfkit writes. */
function textByGlyph(file: Opened, font: PdfValue): ReadonlyMap<string, string> {
  const map = latin1(contentOf(file, object(file, refOf(entries(file, font).get('ToUnicode')))))
  const texts = new Map<string, string>()
  for (const [, from = '', list = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g)) {
    for (const [at, [, units = '']] of [...list.matchAll(/<([0-9a-f ]*)>/g)].entries()) {
      const glyph = (Number.parseInt(from, 16) + at).toString(16).padStart(4, '0')
      texts.set(glyph, String.fromCharCode(...units.split(' ').map((unit) => Number.parseInt(unit, 16))))
    }
  }
  return texts
}
