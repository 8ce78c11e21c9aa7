import type { MarkName } from '../../core/report-document.ts'
import { type FontName, fonts } from './fonts.ts'
import { drawMark } from './marks.ts'
import { Shaping } from './shaping.ts'
import { BODY_END, PAGE } from './theme.ts'
import { drawable, type Measure } from './wrap.ts'

export type Element = ReturnType<PDFKit.PDFDocument['struct']>

/** One line of text, broken and measured, ready to be placed. */
export interface SetLine {
  readonly text: string
  readonly font: FontName
  readonly size: number
  readonly ink: string
  readonly height: number
  readonly indent: number
  readonly mark?: { readonly name: MarkName; readonly size: number; readonly means?: string }
}

/** The target of a rehearsal: nothing is written. */
const NOWHERE = { add: () => NOWHERE, end: () => undefined } as unknown as Element

/**
 * The current page: the position of the next line, and the rule that every stroke on paper is either tagged content or
 * an artifact (PDF/UA-1, 7.1). Exists for one pass over the report. A rehearsal moves down the pages without drawing,
 * to find all positions; so the real pass knows each page number ahead and can write every page when it is full, where
 * a fleet of a thousand nodes would not fit into memory.
 */
export class Sheet {
  readonly doc: PDFKit.PDFDocument
  y: number = PAGE.top
  pages = 0
  private readonly shaping: Shaping
  private readonly drawing: boolean
  private readonly onPage: (sheet: Sheet) => void

  constructor(doc: PDFKit.PDFDocument, shaping: Shaping, onPage: ((sheet: Sheet) => void) | null) {
    this.doc = doc
    this.shaping = shaping
    this.drawing = onPage !== null
    this.onPage = onPage ?? (() => undefined)
  }

  static rehearsal(doc: PDFKit.PDFDocument): Sheet {
    return new Sheet(doc, new Shaping(doc), null)
  }

  /** A sheet that draws, with the words that this one has measured. `onPage` draws the content of every page. */
  performance(onPage: (sheet: Sheet) => void): Sheet {
    return new Sheet(this.doc, this.shaping, onPage)
  }

  newPage(): void {
    this.pages += 1
    this.y = PAGE.top
    if (!this.drawing) return
    this.doc.addPage()
    gatherContent(this.doc)
    this.onPage(this)
  }

  room(): number {
    return BODY_END - this.y
  }

  /** Starts a new page unless `height` still fits, or the page is empty. */
  need(height: number): void {
    if (this.room() < height && this.y > PAGE.top) this.newPage()
  }

  drawable(text: string, font: FontName): string {
    return drawable(text, fonts()[font].covers)
  }

  measure(font: FontName, size: number): Measure {
    return this.shaping.measure(font, size)
  }

  element(parent: Element, type: string, options: Record<string, unknown> = {}): Element {
    if (!this.drawing) return NOWHERE
    const made = this.doc.struct(type, options as PDFKit.Mixins.StructureElementOptions)
    parent.add(made)
    return made
  }

  tagged(element: Element, tag: string, draw: () => void): void {
    if (!this.drawing) return
    const content = this.doc.markStructureContent(tag)
    draw()
    this.doc.endMarkedContent()
    element.add(content)
  }

  artifact(type: 'Layout' | 'Pagination', draw: () => void): void {
    if (!this.drawing) return
    this.doc.markContent('Artifact', { type })
    draw()
    this.doc.endMarkedContent()
  }

  write(text: string, x: number, y: number, font: FontName, size: number, ink: string): void {
    this.shaping.write(text, x, y, font, size, ink)
  }

  /** Content other than text and strokes: a destination, a bookmark, a link. */
  only(act: () => void): void {
    if (this.drawing) act()
  }

  /**
   * Places lines below each other as the content of one element. Marks with their word next to them are decoration;
   * others are figures.
   */
  lines(element: Element, tag: string, lines: readonly SetLine[], x: number, y: number): void {
    if (!this.drawing) return
    const placed = place(lines, y)
    const at = ({ line, top }: Placed): [number, number] => [x, top + (line.height - (line.mark?.size ?? 0)) / 2 - 0.4]
    const beside = placed.filter(({ line }) => line.mark !== undefined && line.mark.means === undefined)
    if (beside.length > 0)
      this.artifact('Layout', () => {
        for (const item of beside)
          if (item.line.mark) drawMark(this.doc, item.line.mark.name, ...at(item), item.line.mark.size)
      })
    for (const item of placed) {
      const { mark } = item.line
      if (mark?.means === undefined) continue
      const [left, top] = at(item)
      const figure = this.element(element, 'Figure', {
        alt: mark.means,
        bbox: [left, top, left + mark.size, top + mark.size],
      })
      this.tagged(figure, 'Figure', () => drawMark(this.doc, mark.name, left, top, mark.size))
    }
    const words = placed.filter(({ line }) => line.text !== '')
    if (words.length > 0)
      this.tagged(element, tag, () => {
        for (const { line, top } of words) this.write(line.text, x + line.indent, top, line.font, line.size, line.ink)
      })
  }
}

/** The parts of pdfkit that its types omit. */
interface Internals {
  readonly page: { readonly content: { write: (content: string | Uint8Array) => void; end: () => void } }
}

/** Makes pdfkit keep the operators of the new page as text until the page is full, not as an array of bytes each. */
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
