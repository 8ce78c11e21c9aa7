import { inflateSync } from 'node:zlib'
import { type PdfObject, readObject } from '../../main/adapters/seal/pdf/objects.ts'
import {
  entriesOf,
  itemsOf,
  nameOf,
  numberOf,
  type PdfValue,
  refOf,
  refsOf,
  textOf,
} from '../../main/adapters/seal/pdf/values.ts'
import { textOfPdf } from './pdf-editing.ts'

/** One piece of text as it is drawn; `y` is its baseline, from the top of the page. */
export interface Piece {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly size: number
  readonly ink: string
  /** Number of the marked content, or null in an artifact. */
  readonly content: number | null
}

/** A link annotation; positions from the top of the page. */
export interface LinkBox {
  readonly id: number
  readonly contents: string
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** Number and height of the place that it leads to. */
  readonly toPage: number
  readonly toY: number
}

export interface ReadPage {
  readonly width: number
  readonly height: number
  readonly pieces: readonly Piece[]
  readonly links: readonly LinkBox[]
}

/** An element of the structure tree, with the text of its own content. */
export interface Tag {
  readonly kind: string
  readonly text: string
  readonly alt: string | null
  readonly scope: string | null
  readonly span: number
  readonly pages: readonly number[]
  /** Annotations of the element, with the page that their reference states. */
  readonly annotations: readonly { readonly id: number; readonly page: number }[]
  readonly children: readonly Tag[]
}

export interface ReadReport {
  readonly pages: readonly ReadPage[]
  readonly root: Tag
  readonly destinations: number
}

type Entries = ReadonlyMap<string, PdfValue>

/** Pages, links and structure of a report as it is written, before any update. */
export function readReport(pdf: Uint8Array): ReadReport {
  const file = new File(pdf)
  const catalog = [...file.objects.values()].find(({ value }) => nameOf(entriesOf(value).get('Type')) === 'Catalog')
  const root = entriesOf(catalog?.value)
  const pageIds = refsOf(file.at(root.get('Pages')).get('Kids'))
  const places = placesOf(file, root, pageIds)
  const pages = pageIds.map((id) => pageOf(file, id, places))
  const top = itemsOf(file.at(root.get('StructTreeRoot')).get('K'))[0]
  return { pages, root: tagOf(file, top, pageIds, pages), destinations: places.size }
}

/** All elements of a kind, in reading order. */
export const tagsOf = (tag: Tag, kind: string): readonly Tag[] => [
  ...(tag.kind === kind ? [tag] : []),
  ...tag.children.flatMap((child) => tagsOf(child, kind)),
]

/** The text of an element and of all in it. */
export const wholeText = (tag: Tag): string => [tag.text, ...tag.children.map(wholeText)].join('')

/** The lines of a page from top to bottom, pieces at the same height joined. */
export function linesOf(page: ReadPage | undefined): readonly string[] {
  const lines = new Map<number, Piece[]>()
  for (const piece of page?.pieces ?? [])
    lines.set(Math.round(piece.y), [...(lines.get(Math.round(piece.y)) ?? []), piece])
  const byHeight = [...lines].sort(([a], [b]) => a - b)
  return byHeight.map(([, line]) =>
    line
      .sort((a, b) => a.x - b.x)
      .map(({ text }) => text.trim())
      .join(' | '),
  )
}

class File {
  readonly objects = new Map<number, PdfObject>()
  private readonly pdf: Uint8Array

  constructor(pdf: Uint8Array) {
    this.pdf = pdf
    const text = textOfPdf(pdf)
    for (const { index } of text.matchAll(/(?<=\n)[1-9]\d* 0 obj\n/g)) {
      const read = readObject(text, index)?.value
      if (read !== undefined) this.objects.set(read.id, read)
    }
  }

  at(value: PdfValue | undefined): Entries {
    const id = refOf(value)
    return entriesOf(id === null ? value : this.objects.get(id)?.value)
  }

  content(value: PdfValue | undefined): string {
    const { stream, value: head } = this.objects.get(refOf(value) ?? 0) ?? {}
    if (stream == null) return ''
    const stored = this.pdf.subarray(stream.start, stream.end)
    return Buffer.from(entriesOf(head).has('Filter') ? inflateSync(stored) : stored).toString('latin1')
  }
}

interface Place {
  readonly page: number
  readonly y: number
}

function placesOf(file: File, root: Entries, pageIds: readonly number[]): ReadonlyMap<string, Place> {
  const names = itemsOf(file.at(file.at(root.get('Names')).get('Dests')).get('Names'))
  const places = new Map<string, Place>()
  for (let at = 0; at + 1 < names.length; at += 2) {
    const [page, , , y] = itemsOf(names[at + 1])
    places.set(textOf(names[at]) ?? '', { page: pageIds.indexOf(refOf(page) ?? 0) + 1, y: numberOf(y) ?? 0 })
  }
  return places
}

function pageOf(file: File, id: number, places: ReadonlyMap<string, Place>): ReadPage {
  const own = file.at({ kind: 'ref', id })
  const [, , width = 0, height = 0] = itemsOf(own.get('MediaBox')).map((value) => numberOf(value) ?? 0)
  const links = refsOf(own.get('Annots')).flatMap((link): readonly LinkBox[] => {
    const entries = file.at({ kind: 'ref', id: link })
    if (nameOf(entries.get('Subtype')) !== 'Link') return []
    const [left = 0, low = 0, right = 0, high = 0] = itemsOf(entries.get('Rect')).map((value) => numberOf(value) ?? 0)
    const to = places.get(textOf(file.at(entries.get('A')).get('D')) ?? '')
    const contents = textOf(entries.get('Contents')) ?? ''
    const place = { toPage: to?.page ?? 0, toY: to === undefined ? 0 : height - to.y }
    return [{ id: link, contents, left, right, top: height - high, bottom: height - low, ...place }]
  })
  return { width, height, pieces: piecesOf(file, own), links }
}

function piecesOf(file: File, page: Entries): readonly Piece[] {
  const fonts = file.at(file.at(page.get('Resources')).get('Font'))
  const glyphs = new Map([...fonts].map(([name, font]) => [name, glyphTexts(file, font)]))
  const pieces: Piece[] = []
  let [ink, font, size, x, y] = ['', new Map() as ReadonlyMap<string, string>, 0, 0, 0]
  let content: number | null = null
  for (const line of file.content(page.get('Contents')).split('\n')) {
    const words = line.split(' ')
    if (line.endsWith(' scn')) ink = hexOf(words.slice(0, 3).map(Number))
    else if (line.endsWith(' Tf')) [font, size] = [glyphs.get(words[0]?.slice(1) ?? '') ?? new Map(), Number(words[1])]
    else if (line.endsWith(' Tm')) [x, y] = [Number(words[4]), Number(words[5])]
    else if (line.endsWith(' TJ')) pieces.push({ text: shown(line, font), x, y, size, ink, content })
    else if (line === 'EMC') content = null
    else if (/\/MCID \d+$/.test(line)) content = Number(words[1])
  }
  return pieces
}

const hexOf = (parts: readonly number[]): string =>
  `#${parts
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`.toUpperCase()

const shown = (operand: string, font: ReadonlyMap<string, string>): string =>
  [...operand.matchAll(/<([0-9a-f]*)>/g)]
    .flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
    .map((glyph) => font.get(glyph) ?? '\uFFFD')
    .join('')

function glyphTexts(file: File, font: PdfValue): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const map = file.content(file.at(font).get('ToUnicode'))
  for (const [, from = '', list = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g))
    for (const [at, [, units = '']] of [...list.matchAll(/<([0-9a-f ]*)>/g)].entries())
      texts.set(
        (Number.parseInt(from, 16) + at).toString(16).padStart(4, '0'),
        String.fromCharCode(...units.split(' ').map((unit) => Number.parseInt(unit, 16))),
      )
  return texts
}

function tagOf(file: File, value: PdfValue | undefined, pageIds: readonly number[], pages: readonly ReadPage[]): Tag {
  const own = file.at(value)
  const home = own.get('Pg')
  const pageNumber = (page: PdfValue | undefined): number => pageIds.indexOf(refOf(page) ?? 0) + 1
  const children: Tag[] = []
  const annotations: { id: number; page: number }[] = []
  const on = new Set<number>()
  let text = ''
  const content = (page: number, id: number | null): void => {
    on.add(page)
    text += (pages[page - 1]?.pieces ?? []).flatMap((one) => (one.content === id ? [one.text] : [])).join('')
  }
  for (const kid of itemsOf(own.get('K'))) {
    const entries = file.at(kid)
    if (kid.kind === 'number') content(pageNumber(home), numberOf(kid))
    else if (nameOf(entries.get('Type')) === 'MCR')
      content(pageNumber(entries.get('Pg')), numberOf(entries.get('MCID')))
    else if (nameOf(entries.get('Type')) === 'OBJR')
      annotations.push({ id: refOf(entries.get('Obj')) ?? 0, page: pageNumber(entries.get('Pg')) })
    else children.push(tagOf(file, kid, pageIds, pages))
  }
  const attributes = file.at(own.get('A'))
  return {
    kind: nameOf(own.get('S')) ?? '',
    text,
    alt: textOf(own.get('Alt')),
    scope: nameOf(attributes.get('Scope')),
    span: numberOf(attributes.get('ColSpan')) ?? 1,
    pages: [...on],
    annotations,
    children,
  }
}
