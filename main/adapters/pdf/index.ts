import PDFDocument from 'pdfkit'
import type { ReportDocument } from '../../core/report/model.ts'
import { drawBlock, drawSectionTitle, type Landmarks } from './blocks.ts'
import { drawContents, drawFurniture, type Plan } from './furniture.ts'
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
  /** Leave room for a signature. Default true; a file with an unfilled placeholder is no valid PDF/A until it is signed. */
  readonly placeholder?: boolean
  /** Embedded as associated files (ISO 19005-3, 6.8). */
  readonly attachments: readonly Attachment[]
  /** The moment printed into the file's own data: UTC, ISO 8601. Nothing here reads a clock. */
  readonly created: string
}

/**
 * A report as PDF/A-3a and PDF/UA-1: tagged, bookmarked, fonts embedded, the same bytes for the same input in every time zone and
 * locale. Rejects only on our own bugs.
 */
export async function renderReport(document: ReportDocument, options: RenderOptions): Promise<Uint8Array> {
  const created = new Date(options.created)
  const doc = newDocument(document, created)
  const bytes = collect(doc)
  const root = doc.struct('Document')
  doc.addStructure(root)
  const rehearsal = Sheet.rehearsal(doc)
  const plan = layOut(rehearsal, root, document, null)
  const onPage = (sheet: Sheet): void => {
    if (sheet.pages === 1 && options.placeholder !== false)
      addSignaturePlaceholder(doc, options.created, 'Seal over this report')
    drawFurniture(sheet, document, plan.pages)
  }
  layOut(rehearsal.performance(onPage), root, document, plan)
  for (const { name, bytes: data, mediaType = 'application/json', description } of options.attachments) {
    const dates = { creationDate: created, modifiedDate: created }
    doc.file(Buffer.from(data), { name, type: mediaType, ...RELATIONSHIP, description, ...dates })
  }
  root.end()
  doc.end()
  return bytes
}

/** The results are the data the report was made from (ISO 19005-3, annex E). */
const RELATIONSHIP = { relationship: 'Data' }

/** One pass over the report. Without a plan it only finds where everything falls; with one it draws. */
function layOut(sheet: Sheet, root: Element, document: ReportDocument, plan: Plan | null): Plan {
  const starts: { id: string; title: string; page: number }[] = []
  for (const section of document.sections) {
    sheet.newPage()
    starts.push({ id: section.id, title: section.title, page: sheet.pages })
    const part = sheet.element(root, 'Sect')
    const outline = mark(sheet, null, section.title)
    sheet.only(() => {
      sheet.doc.addNamedDestination(section.id, 'XYZ', PAGE.left, PAGE.top - 10, null as unknown as number)
    })
    const titled = section.blocks[0]?.kind === 'title'
    if (!titled) drawSectionTitle(sheet, part, section.title)
    const landmarks: Landmarks = {
      rank: (level) => (titled ? level - 1 : level),
      bookmark: (text) => {
        mark(sheet, outline, text)
      },
      contents: (parent) => drawContents(sheet, parent, document.sections, plan),
    }
    section.blocks.forEach((block, index) => {
      drawBlock(sheet, part, block, section.blocks.slice(index + 1, index + 5), landmarks)
    })
    part.end()
  }
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
    // The default is Helvetica, which can't be embedded; none is opened until ours are registered.
    font: null as unknown as string,
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

function collect(doc: PDFKit.PDFDocument): Promise<Uint8Array> {
  let parts: Uint8Array[] = []
  let waiting = 0
  const whole: Buffer[] = []
  // pdfkit gives every line of the file on its own: small arrays cost many times their content.
  const gather = (): void => {
    whole.push(Buffer.concat(parts))
    parts = []
    waiting = 0
  }
  return new Promise((resolve, reject) => {
    doc.on('data', (chunk: Uint8Array) => {
      parts.push(chunk)
      waiting += chunk.length
      if (waiting > 1 << 20) gather()
    })
    doc.on('end', () => {
      gather()
      resolve(new Uint8Array(Buffer.concat(whole)))
    })
    doc.on('error', reject)
  })
}

/** A bookmark to the place of the next line. pdfkit measures `left` from the right edge. */
function mark(sheet: Sheet, parent: PDFKit.PDFOutline | null, title: string): PDFKit.PDFOutline | null {
  let made: PDFKit.PDFOutline | null = null
  sheet.only(() => {
    const options = { expanded: false, left: PAGE.width - PAGE.left, top: Math.max(0, sheet.y - 12) }
    made = (parent ?? sheet.doc.outline).addItem(title, options as { expanded: boolean })
  })
  return made
}
