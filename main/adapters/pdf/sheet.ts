import type { MarkName } from '../../core/base/report-document.ts'
import type { FontName } from './fonts.ts'
import { drawMark, Landings } from './marks.ts'
import type { Shaping } from './shaping.ts'
import type { Page, Type } from './theme.ts'
import { drawable, hasCode, type Measure } from './wrap.ts'

export type Element = ReturnType<PDFKit.PDFDocument['struct']>

/** One line of text, broken and measured, ready to be placed. */
export interface SetLine {
  readonly text: string
  readonly font: FontName
  readonly size: number
  readonly ink: string
  readonly height: number
  /** Indentation of the text, for a mark before it. */
  readonly indent: number
  /** Offset of text and mark, to align them with the right end of their column. */
  readonly shift?: number
  readonly mark?: { readonly name: MarkName; readonly size: number; readonly means?: string }
  /** The same object for all lines of one link. */
  readonly link?: { readonly anchor: string }
  readonly anchor?: { readonly name: string; readonly title: string }
}

/** Head and foot of the following pages, and the space between them for the body. */
export interface Running {
  readonly top: number
  readonly end: number
  readonly draw: (sheet: Sheet) => void
}

interface Setup {
  readonly doc: PDFKit.PDFDocument
  readonly page: Page
  readonly type: Type
  readonly shaping: Shaping
  readonly landings: Landings
  /** Digits of the largest page number. */
  readonly digits: number
}

/** The target of a rehearsal: nothing is written. */
const NOWHERE = { add: () => NOWHERE, end: () => undefined } as unknown as Element

/** Enough for all but the largest reports; a report with more pages is rehearsed again. */
const DIGITS = 3

/**
 * The current page: the position of the next line, and the rule that every stroke on paper is either tagged content or
 * an artifact (PDF/UA-1, 7.1). Exists for one pass over the report. A rehearsal moves down the pages without drawing,
 * to find all positions. The drawing pass therefore has all page numbers in advance and can write each page once it is
 * full: the report of a thousand nodes would not fit into memory.
 */
export class Sheet {
  readonly doc: PDFKit.PDFDocument
  readonly page: Page
  readonly type: Type
  readonly landings: Landings
  /** Placeholder for every page number while lines are broken. */
  readonly widestPage: string
  y: number
  /** First and last position of the body on the current page. */
  top: number
  end: number
  pages = 0
  private running: Running
  private readonly setup: Setup
  private readonly onPage: ((sheet: Sheet) => void) | null

  private constructor(setup: Setup, onPage: ((sheet: Sheet) => void) | null) {
    this.setup = setup
    this.doc = setup.doc
    this.page = setup.page
    this.type = setup.type
    this.landings = setup.landings
    this.widestPage = '0'.repeat(setup.digits)
    this.running = { top: setup.page.top, end: setup.page.end, draw: () => undefined }
    this.top = this.running.top
    this.end = this.running.end
    this.y = this.top
    this.onPage = onPage
  }

  /** `shaping` belongs to the document: all passes over it share their words. */
  static rehearsal(doc: PDFKit.PDFDocument, page: Page, type: Type, shaping: Shaping): Sheet {
    return new Sheet({ doc, page, type, shaping, landings: new Landings(), digits: DIGITS }, null)
  }

  /** Another rehearsal, for page numbers of `digits` digits. */
  again(digits: number): Sheet {
    return new Sheet({ ...this.setup, landings: new Landings(), digits }, null)
  }

  /** A sheet that draws, with the words and the anchors that this one has found. `onPage` is called on every new page. */
  performance(onPage: (sheet: Sheet) => void): Sheet {
    return new Sheet(this.setup, onPage)
  }

  /** Head and foot of the pages that begin from now on. */
  runWith(running: Running): void {
    this.running = running
  }

  newPage(): void {
    this.pages += 1
    this.top = this.running.top
    this.end = this.running.end
    this.y = this.top
    if (this.onPage === null) return
    this.doc.addPage()
    gatherContent(this.doc)
    this.onPage(this)
    this.running.draw(this)
  }

  room(): number {
    return this.end - this.y
  }

  /** Height of the body of a page that begins now. */
  body(): number {
    return this.running.end - this.running.top
  }

  isFresh(): boolean {
    return this.y <= this.top
  }

  /** Starts a new page unless `height` still fits, or the page is empty. */
  need(height: number): void {
    if (this.room() < height && !this.isFresh()) this.newPage()
  }

  drawable(text: string, font: FontName): string {
    const words = drawable(text, this.setup.shaping.covers(font))
    if (hasCode(words)) this.setup.shaping.hasCodes = true
    return words
  }

  measure(font: FontName, size: number): Measure {
    return this.setup.shaping.measure(font, size)
  }

  /** The page number of an anchor. A rehearsal returns the widest possible one. */
  pageOf(anchor: string): string {
    return this.onPage === null ? this.widestPage : String(this.landings.at(anchor).page)
  }

  /** `span`: number of columns of a header cell. */
  element(parent: Element, type: string, options: Record<string, unknown> = {}, span = 1): Element {
    if (this.onPage === null) return NOWHERE
    const made = this.doc.struct(type, options as PDFKit.Mixins.StructureElementOptions)
    if (span > 1) spanColumns(made, span)
    parent.add(made)
    return made
  }

  tagged(element: Element, tag: string, draw: () => void): void {
    if (this.onPage === null) return
    const content = this.doc.markStructureContent(tag)
    draw()
    this.doc.endMarkedContent()
    element.add(content)
  }

  artifact(type: 'Layout' | 'Pagination', draw: () => void): void {
    if (this.onPage === null) return
    this.doc.markContent('Artifact', { type })
    draw()
    this.doc.endMarkedContent()
  }

  write(text: string, x: number, y: number, font: FontName, size: number, ink: string): void {
    this.setup.shaping.write(text, x, y, font, size, ink)
  }

  /** A rule over the width of the body. */
  rule(y: number, ink: string, width: number): void {
    const { left, right } = this.page
    this.doc.lineWidth(width).strokeColor(ink).moveTo(left, y).lineTo(right, y).stroke()
  }

  /** Content other than text and strokes: a bookmark. */
  only(act: () => void): void {
    if (this.onPage !== null) act()
  }

  /** Links to this anchor lead to the height `y` of the current page. */
  anchor(name: string, title: string, y: number, place?: string): void {
    if (this.onPage === null) this.landings.note(name, title, this.pages, place)
    else if (this.landings.isWanted(name)) {
      const landing = this.landings.at(name)
      this.doc.addNamedDestination(landing.place, 'XYZ', this.page.left, Math.max(0, y - 10), null as unknown as number)
    }
  }

  /**
   * Words that lead to an anchor, and the areas over them. The element ends at once, because pdfkit assigns its
   * annotations to the page on which it ends.
   */
  link(parent: Element, anchor: string, areas: readonly Area[], draw: () => void): void {
    if (this.onPage === null) {
      this.landings.want(anchor)
      return
    }
    const { place, title, page } = this.landings.at(anchor)
    const element = this.element(parent, 'Link')
    this.tagged(element, 'Link', draw)
    for (const area of areas) annotateLink(this.doc, element, area, place, `${title}, page ${page}`)
    element.end()
  }

  /** Lines below each other without a tag of their own: within an artifact, or as the content of a link. */
  plain(lines: readonly SetLine[], x: number, y: number): void {
    for (const { line, top } of place(lines, y)) {
      if (line.mark !== undefined) drawMark(this.doc, line.mark.name, ...markAt({ line, top }, x), line.mark.size)
      this.writeLine({ line, top }, x)
    }
  }

  /**
   * Places lines below each other as the content of one element. Marks with their word next to them are decoration;
   * others are figures.
   */
  lines(element: Element, tag: string, lines: readonly SetLine[], x: number, y: number): void {
    const placed = place(lines, y)
    for (const { line, top } of placed) if (line.anchor) this.anchor(line.anchor.name, line.anchor.title, top)
    if (this.onPage === null) {
      for (const { link } of lines) if (link !== undefined) this.landings.want(link.anchor)
      return
    }
    const beside = placed.filter(({ line }) => line.mark !== undefined && line.mark.means === undefined)
    if (beside.length > 0)
      this.artifact('Layout', () => {
        for (const item of beside)
          if (item.line.mark) drawMark(this.doc, item.line.mark.name, ...markAt(item, x), item.line.mark.size)
      })
    for (const run of runsOf(placed)) this.run(element, tag, run, x)
  }

  /** Lines of one link, or of none; a mark that is a figure is the first. */
  private run(element: Element, tag: string, run: readonly Placed[], x: number): void {
    const [first] = run
    const mark = first?.line.mark
    if (first !== undefined && mark?.means !== undefined) {
      const [left, top] = markAt(first, x)
      const bbox = [left, top, left + mark.size, top + mark.size]
      const figure = this.element(element, 'Figure', { alt: mark.means, bbox })
      this.tagged(figure, 'Figure', () => drawMark(this.doc, mark.name, left, top, mark.size))
    }
    const words = run.filter(({ line }) => line.text !== '')
    if (words.length === 0) return
    const draw = (): void => {
      for (const item of words) this.writeLine(item, x)
    }
    const link = first?.line.link
    if (link === undefined) this.tagged(element, tag, draw)
    else
      this.link(
        element,
        link.anchor,
        words.map((item) => this.areaOf(item, x)),
        draw,
      )
  }

  private areaOf({ line, top }: Placed, x: number): Area {
    const width = this.measure(line.font, line.size)(line.text.trimEnd())
    return { x: textAt(line, x), y: top, width, height: line.height }
  }

  private writeLine({ line, top }: Placed, x: number): void {
    this.write(line.text, textAt(line, x), top, line.font, line.size, line.ink)
  }
}

/** A rectangle on the page. */
interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The parts of pdfkit that its types omit. */
interface Internals {
  readonly page: { readonly content: { write: (content: string | Uint8Array) => void; end: () => void } }
}

interface ElementInternals {
  readonly dictionary: { readonly data: { A?: object } }
}

/** pdfkit has no attribute for it (ISO 32000-1, 14.8.5.7). */
function spanColumns(element: Element, span: number): void {
  const { data } = (element as unknown as ElementInternals).dictionary
  data.A = { ...data.A, O: 'Table', ColSpan: span }
}

/** Makes pdfkit keep the operators of the new page as text until the page is full, not each as an array of bytes. */
function gatherContent(doc: PDFKit.PDFDocument): void {
  const { content } = (doc as unknown as Internals).page
  const write = content.write.bind(content)
  const end = content.end.bind(content)
  const operators: string[] = []
  content.write = (operator) => {
    operators.push(String(operator))
  }
  content.end = () => {
    write(Buffer.from(`${operators.splice(0).join('\n')}\n`, 'latin1'))
    end()
  }
}

interface Placed {
  readonly line: SetLine
  readonly top: number
}

function place(lines: readonly SetLine[], y: number): readonly Placed[] {
  let top = y
  return lines.map((line) => {
    const placed = { line, top }
    top += line.height
    return placed
  })
}

const textAt = ({ shift = 0, indent }: SetLine, x: number): number => x + shift + indent

const markAt = ({ line, top }: Placed, x: number): [number, number] => [
  x + (line.shift ?? 0),
  top + (line.height - (line.mark?.size ?? 0)) / 2 - 0.4,
]

/** Neighboring lines that are tagged together: those of one link, or of none up to the next mark that is a figure. */
function runsOf(placed: readonly Placed[]): readonly (readonly Placed[])[] {
  const runs: Placed[][] = []
  for (const item of placed) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run === undefined || last?.line.link !== item.line.link || item.line.mark?.means !== undefined)
      runs.push([item])
    else run.push(item)
  }
  return runs
}

/** The parts of pdfkit that its types omit. */
interface AnnotatedPage {
  readonly annotate: (x: number, y: number, width: number, height: number, options: object) => void
  readonly page: { readonly annotations: { data: object }[] }
}

/**
 * A link over an area of the current page, tagged and described in words (PDF/UA-1, 7.18.5). pdfkit would write its
 * action as a further object, and keep both in memory to the end; only the number of the annotation is needed later.
 */
function annotateLink(
  doc: PDFKit.PDFDocument,
  element: Element,
  { x, y, width, height }: Area,
  place: string,
  contents: string,
): void {
  const { page, annotate } = doc as unknown as AnnotatedPage
  const action = { S: 'GoTo', D: new String(place) }
  const options = { Subtype: 'Link', Contents: new String(contents), A: action, structParent: element }
  annotate.call(doc, x, y, width, height, options)
  const written = page.annotations.at(-1)
  if (written !== undefined) written.data = {}
}
