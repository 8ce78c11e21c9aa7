import type { ReportDocument, Section } from '../../core/report-document.ts'
import { drawBlock, drawSectionTitle, type Landmarks, sectionStart } from './blocks.ts'
import { drawContents, sectionAnchor } from './contents.ts'
import { runningOf } from './furniture.ts'
import { placeName } from './landings.ts'
import type { Element, Sheet } from './sheet.ts'

/** Above a section that begins below another one. */
const SPACE = 20

/** One pass over the report. Without the number of pages it only determines positions; with it, it draws. */
export function layOut(sheet: Sheet, root: Element, document: ReportDocument, pages: number | null): void {
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
      contents: (parent) => drawContents(sheet, parent, document.sections),
    }
    section.blocks.forEach((block, at) => {
      drawBlock(sheet, element, block, section.blocks.slice(at + 1, at + 5), landmarks)
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
