import PDFDocument from 'pdfkit'
import type { ReportDocument } from '../../core/report-document.ts'
import { drawBlock, drawSectionTitle, type Landmarks } from './blocks.ts'
import { drawContents, drawFurniture, type Plan, type Start } from './furniture.ts'
import { addSignaturePlaceholder } from './placeholder.ts'
import { type Element, Sheet } from './sheet.ts'
import { PAGE } from './theme.ts'
import { PDFUA_XMP, xmlSafe } from './xmp.ts'

export { BYTE_RANGE_PLACEHOLDER, SIGNATURE_BYTES } from './placeholder.ts'

export interface Attachment {
  /** File name, ASCII. */
  readonly name: string
  readonly bytes: Uint8Array
  /** Default: application/json. */
  readonly mediaType?: string
  readonly description: string
}

export interface RenderOptions {
  /**
   * Reserve space for a signature. Default true; a file with an unfilled placeholder is not valid PDF/A until it is
   * signed.
   */
  readonly placeholder?: boolean
  /** Embedded as associated files (ISO 19005-3, 6.8). */
  readonly attachments: readonly Attachment[]
  /** The time printed into the file's metadata: UTC, ISO 8601. This module never reads a clock. */
  readonly created: string
}

/**
 * A report as PDF/A-3a and PDF/UA-1: tagged, bookmarked, fonts embedded, the same bytes for the same input in every
 * time zone and locale. Rejects only on internal errors.
 */
export async function renderReport(document: ReportDocument, options: RenderOptions): Promise<Uint8Array> {
  const created = new Date(options.created)
  const doc = newDocument(document, created)
  const written = collector(doc)
  const root = doc.struct('Document')
  doc.addStructure(root)
  const rehearsal = Sheet.rehearsal(doc)
  const plan = layOut(rehearsal, root, document, null)
  const onPage = (sheet: Sheet): void => {
    if (sheet.pages === 1 && options.placeholder !== false)
      addSignaturePlaceholder(doc, options.created, 'Seal over this report')
    drawFurniture(sheet, document, plan)
    written.take()
  }
  layOut(rehearsal.performance(onPage), root, document, plan)
  for (const { name, bytes: data, mediaType = 'application/json', description } of options.attachments) {
    const dates = { creationDate: created, modifiedDate: created }
    doc.file(Buffer.from(data), { name, type: mediaType, ...RELATIONSHIP, description, ...dates })
  }
  root.end()
  doc.end()
  return written.whole()
}

/** The results are the source data of the report (ISO 19005-3, annex E). */
const RELATIONSHIP = { relationship: 'Data' }

/** One pass over the report. Without a plan it only determines positions; with one it draws. */
function layOut(sheet: Sheet, root: Element, document: ReportDocument, plan: Plan | null): Plan {
  const starts: Start[] = []
  let part: PDFKit.PDFOutline | null = null
  document.sections.forEach((section, index) => {
    sheet.newPage()
    // Digits only, so that every locale sorts the names as PDF does (ISO 32000-1, 7.9.6), whatever a framework is
    // called.
    const place = `section-${String(index).padStart(5, '0')}`
    starts.push({ place, title: section.title, page: sheet.pages })
    const element = sheet.element(root, 'Sect')
    if (section.part === undefined) part = null
    else if (document.sections[index - 1]?.part !== section.part) part = mark(sheet, null, section.part)
    const outline = mark(sheet, part, section.title)
    sheet.only(() => {
      sheet.doc.addNamedDestination(place, 'XYZ', PAGE.left, PAGE.top - 10, null as unknown as number)
    })
    const titled = section.blocks[0]?.kind === 'title'
    if (!titled) drawSectionTitle(sheet, element, section.title)
    const landmarks: Landmarks = {
      rank: (level) => (titled ? level - 1 : level),
      bookmark: (text) => {
        mark(sheet, outline, text)
      },
      contents: (parent) => drawContents(sheet, parent, document.sections, plan),
    }
    section.blocks.forEach((block, at) => {
      drawBlock(sheet, element, block, section.blocks.slice(at + 1, at + 5), landmarks)
    })
    element.end()
  })
  return { starts, pages: sheet.pages }
}

function newDocument(document: ReportDocument, created: Date): PDFKit.PDFDocument {
  const doc = new PDFDocument({
    pdfVersion: '1.7',
    subset: 'PDF/A-3a',
    tagged: true,
    lang: document.language,
    displayTitle: true,
    autoFirstPage: false,
    size: [PAGE.width, PAGE.height],
    margins: { top: 0, bottom: 0, left: 0, right: 0 },
    // The default is Helvetica, which cannot be embedded; none is opened until ours are registered.
    font: null as unknown as string,
    // Words are cached by Shaping.
    fontLayoutCache: false,
    info: {
      Title: xmlSafe(document.title),
      Subject: xmlSafe(document.subject),
      Creator: xmlSafe(document.producer),
      Producer: `${xmlSafe(document.producer)}, pdfkit`,
      CreationDate: created,
    },
  })
  doc.appendXML(PDFUA_XMP)
  return doc
}

/**
 * Takes what pdfkit has written so far out of its queue, where every line of the file is an array of its own and costs
 * many times its content.
 */
function collector(doc: PDFKit.PDFDocument): { readonly take: () => void; readonly whole: () => Uint8Array } {
  const parts: Uint8Array[] = []
  const take = (): void => {
    const part = doc.read() as Uint8Array | null
    if (part !== null) parts.push(part)
  }
  return {
    take,
    whole: () => {
      take()
      const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
      let at = 0
      for (const part of parts.splice(0)) {
        bytes.set(part, at)
        at += part.length
      }
      return bytes
    },
  }
}

/** A bookmark to the position of the next line. pdfkit measures `left` from the right edge. */
function mark(sheet: Sheet, parent: PDFKit.PDFOutline | null, title: string): PDFKit.PDFOutline | null {
  let made: PDFKit.PDFOutline | null = null
  sheet.only(() => {
    const options = { expanded: false, left: PAGE.width - PAGE.left, top: Math.max(0, sheet.y - 12) }
    made = (parent ?? sheet.doc.outline).addItem(title, options as { expanded: boolean })
  })
  return made
}
