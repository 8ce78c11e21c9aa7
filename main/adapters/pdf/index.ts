import PDFDocument from 'pdfkit'
import type { ReportDocument, Section } from '../../core/report-document.ts'
import { layOut } from './lay-out.ts'
import { addSignaturePlaceholder } from './placeholder.ts'
import { type Element, Sheet } from './sheet.ts'
import { pageOf, typeOf } from './theme.ts'
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
 * time zone and locale. Rejects only on internal errors, a link to an unknown anchor among them.
 */
export async function renderReport(described: ReportDocument, options: RenderOptions): Promise<Uint8Array> {
  const created = new Date(options.created)
  const doc = newDocument(described, created)
  const written = collector(doc)
  const root = doc.struct('Document')
  doc.addStructure(root)
  const document = fitted(doc, root, described)
  const rehearsal = rehearse(doc, root, document)
  const onPage = (sheet: Sheet): void => {
    if (sheet.pages === 1 && options.placeholder !== false)
      addSignaturePlaceholder(doc, options.created, 'Seal over this report')
    written.take()
  }
  layOut(rehearsal.performance(onPage), root, document, rehearsal.pages)
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

/** The document with one form of each section that has to be one page: the first that is one page by itself, or the shortest. */
function fitted(doc: PDFKit.PDFDocument, root: Element, document: ReportDocument): ReportDocument {
  const isOnePage = (section: Section): boolean => {
    const sheet = Sheet.rehearsal(doc, pageOf(document.paper), typeOf(document.density))
    layOut(sheet, root, { ...document, sections: [section] }, null)
    return sheet.pages === 1
  }
  const formOf = ({ shorter = [], ...section }: Section): Section => {
    const forms = [section.blocks, ...shorter].map((blocks) => ({ ...section, blocks }))
    return forms.find((form, at) => at === forms.length - 1 || isOnePage(form)) ?? section
  }
  return { ...document, sections: document.sections.map(formOf) }
}

/** The sheet after a pass that found all positions. Page numbers wider than expected need another pass. */
function rehearse(doc: PDFKit.PDFDocument, root: Element, document: ReportDocument): Sheet {
  let sheet = Sheet.rehearsal(doc, pageOf(document.paper), typeOf(document.density))
  layOut(sheet, root, document, null)
  while (String(sheet.pages).length > sheet.widestPage.length) {
    sheet = sheet.again(String(sheet.pages).length)
    layOut(sheet, root, document, null)
  }
  sheet.landings.resolve()
  return sheet
}

function newDocument(document: ReportDocument, created: Date): PDFKit.PDFDocument {
  const { width, height } = pageOf(document.paper)
  const doc = new PDFDocument({
    pdfVersion: '1.7',
    subset: 'PDF/A-3a',
    tagged: true,
    lang: document.language,
    displayTitle: true,
    autoFirstPage: false,
    size: [width, height],
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
