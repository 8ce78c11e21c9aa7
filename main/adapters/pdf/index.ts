import PDFDocument from 'pdfkit'
import type { ReportDocument, Section } from '../../core/base/report-document.ts'
import { drawBlock, drawSectionTitle, type Landmarks, sectionStart } from './blocks.ts'
import { addSignaturePlaceholder, placeName } from './marks.ts'
import { heightOf, setLine, sized } from './setting.ts'
import { Shaping } from './shaping.ts'
import { type Element, type Running, type SetLine, Sheet } from './sheet.ts'
import { INK, pageOf, typeOf } from './theme.ts'

/** Further lines of head and foot use the margin up to `spare` points; only beyond that does the body become smaller. */
const HEAD = { top: 30, spare: 12, toRule: 3.48, toBody: 17 } as const
const FOOT = { bottom: 37, spare: 11, toRule: 6 } as const
/** Between two texts on one line. */
const GAP = 20
const EXACT = 0.01
const DEMO = { words: 'Demo data: not evidence', padX: 6, above: 2.5, below: 2 } as const
/** At least as wide as every page number. */
const WIDEST = 'Page 00000 of 00000'

/** What the foot of each page states where a character is written as its number. */
const CODES = '\\u{…} is the Unicode number of a character that is invisible or that the fonts of this file lack.'

/**
 * Running head and foot of the pages of a section, as artifacts: the document and the section, the page number, and
 * the demo mark on each. Texts that do not fit next to each other continue on further lines, and the body becomes smaller.
 * `pages` is null in a rehearsal.
 */
function runningOf(sheet: Sheet, document: ReportDocument, section: Section, pages: number | null): Running {
  const { page, type } = sheet
  const demo = document.demo ? demoWidth(sheet) : 0
  const title = section.runningTitle ?? section.title
  const head = twoTexts(sheet, document.runningHead, title, page.bodyWidth - (demo === 0 ? GAP : demo + 2 * GAP))
  const headTop = HEAD.top - Math.min(HEAD.spare, head.height - type.head * type.leading)
  const headRule = headTop + head.height + HEAD.toRule
  const wanted = sheet.measure('sans', type.foot)(WIDEST)
  const foot = inked(sheet, document.runningFoot, type.foot, { width: page.bodyWidth - GAP - wanted })
  // The explanation of codes takes its lines from the body, so that no foot is lower than one without it.
  const spare = document.runningFoot.endsWith(CODES) ? 0 : FOOT.spare
  const taken = Math.max(0, heightOf(foot.slice(1)) - spare)
  const footTop = page.height - FOOT.bottom - taken
  const draw = (on: Sheet): void => {
    const number = `Page ${on.pages} of ${pages}`
    const right = inked(on, number, type.foot, { width: page.bodyWidth, align: 'right' })
    on.artifact('Pagination', () => {
      if (document.demo) drawDemo(on, headTop, demo, head)
      on.plain(head.left, page.left, headTop)
      on.plain(head.right, page.left, headTop)
      on.plain(foot, page.left, footTop)
      on.plain(right, page.left, footTop)
      on.rule(headRule, INK.rule, 0.5)
      on.rule(footTop - FOOT.toRule, INK.rule, 0.5)
    })
  }
  return { top: headRule + HEAD.toBody, end: page.end - taken, draw }
}

interface TwoTexts {
  readonly left: readonly SetLine[]
  /** With their position on the whole width of the body. */
  readonly right: readonly SetLine[]
  readonly leftWidth: number
  readonly rightWidth: number
  readonly height: number
}

/** Two texts next to each other in `width`; where they are too long for it, the longer one continues below. */
function twoTexts(sheet: Sheet, left: string, right: string, width: number): TwoTexts {
  const size = sheet.type.head
  const { bodyWidth } = sheet.page
  const measure = sheet.measure('sans', size)
  const widthOf = (text: string): number => measure(sheet.drawable(text, 'sans'))
  // A text that fits exactly must not wrap by a difference in the last digit.
  const rightShare = Math.min(widthOf(right), Math.max(width / 2, width - widthOf(left))) + EXACT
  const leftLines = inked(sheet, left, size, { width: width - rightShare + 2 * EXACT })
  const rightLines = inked(sheet, right, size, { width: rightShare, align: 'right' })
  const shift = bodyWidth - rightShare
  const widest = (lines: readonly SetLine[]): number => Math.max(0, ...lines.map(({ text }) => measure(text.trimEnd())))
  return {
    left: leftLines,
    right: rightLines.map((line) => ({ ...line, shift: shift + (line.shift ?? 0) })),
    leftWidth: widest(leftLines),
    rightWidth: widest(rightLines),
    height: Math.max(heightOf(leftLines), heightOf(rightLines)),
  }
}

const inked = (
  sheet: Sheet,
  text: string,
  size: number,
  slot: { readonly width: number; readonly align?: 'right' },
): readonly SetLine[] => setLine(sheet, { text, style: 'quiet' }, slot, sized(size))

const demoWidth = (sheet: Sheet): number => sheet.measure('strong', sheet.type.head)(DEMO.words) + 2 * DEMO.padX

/** The demo mark in the middle of the head, or as near to it as the texts on both sides allow. */
function drawDemo(sheet: Sheet, top: number, width: number, { leftWidth, rightWidth }: TwoTexts): void {
  const { page, type, doc } = sheet
  const leftmost = page.left + leftWidth + GAP
  const rightmost = page.right - rightWidth - GAP - width
  const x = Math.min(rightmost, Math.max(leftmost, page.left + (page.bodyWidth - width) / 2))
  const height = type.head * type.leading + DEMO.above + DEMO.below
  doc
    .lineWidth(0.8)
    .rect(x, top - DEMO.above, width, height)
    .fillAndStroke(INK.demoFill, INK.text)
  sheet.write(DEMO.words, x + DEMO.padX, top, 'strong', type.head, INK.text)
}

/** Above a section that begins below another one. */
const SPACE = 20

/** One pass over the report. Without the number of pages it only determines positions; with it, it draws. */
function layOut(sheet: Sheet, root: Element, document: ReportDocument, pages: number | null): void {
  let part: PDFKit.PDFOutline | null = null
  document.sections.forEach((section, index) => {
    sheet.runWith(runningOf(sheet, document, section, pages))
    if (index > 0 && flowsOn(sheet, section)) sheet.y += SPACE
    else sheet.newPage()
    sheet.anchor(sectionAnchor(index), section.title, sheet.y, placeName('section', index))
    sheet.anchor(section.id, section.title, sheet.y)
    const element = sheet.element(root, 'Sect')
    if (section.part === undefined) part = null
    else if (document.sections[index - 1]?.part !== section.part) part = bookmark(sheet, null, section.part)
    const outline = bookmark(sheet, part, section.title)
    const titled = isTitled(section)
    if (!titled) drawSectionTitle(sheet, element, section.title)
    const landmarks: Landmarks = {
      rank: (level) => (titled ? level - 1 : level),
      bookmark: (text) => {
        bookmark(sheet, outline, text)
      },
      contents: (parent) => drawContents(sheet, parent, document.sections, titled ? null : section),
    }
    section.blocks.forEach((block, at) => {
      drawBlock(sheet, element, block, section.blocks.slice(at + 1, at + 6), landmarks)
    })
    element.end()
  })
}

const isTitled = ({ blocks }: Section): boolean => blocks[0]?.kind === 'title'

/** Whether a section begins below the one before it: a third of the page is left, and its title stays with its start. */
function flowsOn(sheet: Sheet, section: Section): boolean {
  if (section.flows !== true || sheet.room() < sheet.body() / 3) return false
  return sheet.room() >= SPACE + sectionStart(sheet, section)
}

/** A bookmark to the position of the next line. pdfkit measures `left` from the right edge. */
function bookmark(sheet: Sheet, parent: PDFKit.PDFOutline | null, title: string): PDFKit.PDFOutline | null {
  let made: PDFKit.PDFOutline | null = null
  sheet.only(() => {
    const options = { expanded: false, left: sheet.page.right, top: Math.max(0, sheet.y - 12) }
    made = (parent ?? sheet.doc.outline).addItem(title, options as { expanded: boolean })
  })
  return made
}

const BETWEEN = 2.8
/** Kept free for the page number and its leader. */
const NUMBER = 40

/** An internal anchor for each section: sections of one document may have the same ID, provided that no link names it. */
const sectionAnchor = (index: number): string => `\u0000section ${index}`

/** The contents: each entry a link to its section, with the page that it begins on; without a section that is only these contents. */
function drawContents(sheet: Sheet, parent: Element, sections: readonly Section[], own: Section | null): void {
  const contents = sheet.element(parent, 'TOC')
  for (const [index, section] of sections.entries())
    if (section !== own) drawEntry(sheet, contents, sectionAnchor(index), section.title)
  sheet.y += 6
}

function drawEntry(sheet: Sheet, contents: Element, anchor: string, title: string): void {
  const { doc, page, type } = sheet
  const label = setLine(sheet, { text: title }, { width: page.bodyWidth - NUMBER }, type.text)
  const height = heightOf(label)
  sheet.need(height + BETWEEN)
  const top = sheet.y
  const number = sheet.pageOf(anchor)
  const measure = sheet.measure('sans', type.text.plain)
  const right = page.right - measure(number)
  const last = label.at(-1)
  const lastTop = top + heightOf(label.slice(0, -1))
  sheet.artifact('Layout', () => {
    doc.lineWidth(0.5).strokeColor(INK.rule).dash(1, { space: 2.5 })
    doc
      .moveTo(page.left + measure(last?.text.trimEnd() ?? '') + 8, lastTop + 9)
      .lineTo(right - 8, lastTop + 9)
      .stroke()
      .undash()
  })
  const item = sheet.element(contents, 'TOCI')
  const area = { x: page.left, y: top, width: page.bodyWidth, height }
  sheet.link(sheet.element(item, 'Reference'), anchor, [area], () => {
    sheet.plain(
      label.map((line) => ({ ...line, text: `${line.text.trimEnd()} ` })),
      page.left,
      top,
    )
    sheet.write(number, right, lastTop, 'sans', type.text.plain, INK.link)
  })
  item.end()
  sheet.y = top + height + BETWEEN
}

/**
 * Declares PDF/UA-1 (ISO 14289-1, 5) in addition to PDF/A-3a, which pdfkit declares itself. A PDF/A file may use a
 * foreign XMP schema only if it describes it (ISO 19005-3, 6.6.2.3), hence the extension schema.
 */
const PDFUA_XMP = `
<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>Part of PDF/UA the file was made for</pdfaProperty:description>
<pdfaProperty:name>part</pdfaProperty:name>
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>`

/** pdfkit puts titles into XML unescaped; these characters would break it. */
const xmlSafe = (text: string): string => text.replaceAll('&', 'and').replaceAll('<', '(').replaceAll('>', ')')

export { BYTE_RANGE_PLACEHOLDER, SIGNATURE_BYTES } from './marks.ts'

interface Attachment {
  /** File name, ASCII. */
  readonly name: string
  readonly bytes: Uint8Array
  /** Default: application/json. */
  readonly mediaType?: string
  readonly description: string
}

interface RenderOptions {
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
  const shaping = new Shaping(doc)
  const begin: Begin = ({ paper, density }) => Sheet.rehearsal(doc, pageOf(paper), typeOf(density), shaping)
  const { document, rehearsal } = rehearsed(begin, root, described, shaping)
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

/** The sheet of another rehearsal of a document. */
type Begin = (document: Pick<ReportDocument, 'paper' | 'density'>) => Sheet

/** The document with one form of each section that must fit on one page: the first form that does, or the shortest. */
function fitted(begin: Begin, root: Element, document: ReportDocument): ReportDocument {
  const isOnePage = (section: Section): boolean => {
    const sheet = begin(document)
    layOut(sheet, root, { ...document, sections: [section] }, null)
    return sheet.pages === 1
  }
  const formOf = ({ shorter = [], ...section }: Section): Section => {
    const forms = [section.blocks, ...shorter].map((blocks) => ({ ...section, blocks }))
    return forms.find((form, at) => at === forms.length - 1 || isOnePage(form)) ?? section
  }
  return { ...document, sections: document.sections.map(formOf) }
}

/** The document as drawn: where a character is written as its number, each foot explains that, and pages may end elsewhere. */
function rehearsed(
  begin: Begin,
  root: Element,
  described: ReportDocument,
  shaping: Shaping,
): { readonly document: ReportDocument; readonly rehearsal: Sheet } {
  const document = fitted(begin, root, described)
  const rehearsal = rehearse(begin, root, document)
  if (!shaping.hasCodes || described.runningFoot.endsWith(CODES)) return { document, rehearsal }
  return rehearsed(begin, root, { ...described, runningFoot: `${described.runningFoot} ${CODES}` }, shaping)
}

/** The sheet after a pass that found all positions. Page numbers wider than expected need another pass. */
function rehearse(begin: Begin, root: Element, document: ReportDocument): Sheet {
  let sheet = begin(document)
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
 * Removes what pdfkit has written so far from its queue, in which every line of the file is a separate array and takes
 * many times the memory of its content.
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
