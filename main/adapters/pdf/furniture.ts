import type { ReportDocument, Section } from '../../core/report-document.ts'
import { setLine } from './setting.ts'
import type { Element, Sheet } from './sheet.ts'
import { BODY_WIDTH, INK, PAGE, SIZE } from './theme.ts'

/** Start of a section; `place` is the name that links lead to. */
export interface Start {
  readonly place: string
  readonly title: string
  readonly page: number
}
/** The start of each section and the number of pages, found by the rehearsal. */
export interface Plan {
  readonly starts: readonly Start[]
  readonly pages: number
}

const ROW = 15

/** The contents: each entry a link to its section, with the page it starts on. A rehearsal only reserves the space. */
export function drawContents(sheet: Sheet, parent: Element, sections: readonly Section[], plan: Plan | null): void {
  const contents = sheet.element(parent, 'TOC')
  sections.forEach((_, index) => {
    sheet.need(ROW)
    const start = plan?.starts[index]
    if (start !== undefined) drawEntry(sheet, contents, start, sheet.y)
    sheet.y += ROW
  })
  sheet.y += 6
}

function drawEntry(sheet: Sheet, contents: Element, { place, title, page }: Start, y: number): void {
  const { doc } = sheet
  const measure = sheet.measure('sans', SIZE.body)
  const label = oneLine(sheet, title, BODY_WIDTH - 40, SIZE.body)
  const number = String(page)
  const right = PAGE.left + BODY_WIDTH - measure(number)
  sheet.artifact('Layout', () => {
    doc.lineWidth(0.5).strokeColor(INK.rule).dash(1, { space: 2.5 })
    doc
      .moveTo(PAGE.left + measure(label) + 8, y + 9)
      .lineTo(right - 8, y + 9)
      .stroke()
      .undash()
  })
  const item = sheet.element(contents, 'TOCI')
  const link = sheet.element(sheet.element(item, 'Reference'), 'Link')
  sheet.tagged(link, 'Link', () => {
    sheet.write(`${label} `, PAGE.left, y, 'sans', SIZE.body, INK.text)
    sheet.write(number, right, y, 'sans', SIZE.body, INK.text)
  })
  // PDF/UA-1, 7.18.5: a link is tagged and describes its destination in words.
  const options = { structParent: link, Contents: new String(`${title}, page ${number}`) }
  doc.goTo(PAGE.left, y, BODY_WIDTH, ROW - 2, place, options as object)
  item.end()
}

/** Running head and foot of the new page, as artifacts: the section, the page number, and the demo mark on each. */
export function drawFurniture(sheet: Sheet, document: ReportDocument, { starts, pages }: Plan): void {
  const { doc } = sheet
  const section = starts.findLast(({ page }) => page <= sheet.pages)?.title ?? document.title
  sheet.artifact('Pagination', () => {
    const bottom = PAGE.height - PAGE.bottom + 18
    const mark = document.demo ? drawDemo(sheet, 30) : 0
    line(sheet, document.runningHead, section, 30, BODY_WIDTH - mark)
    line(sheet, document.runningFoot, `Page ${sheet.pages} of ${pages}`, bottom, BODY_WIDTH)
    doc.lineWidth(0.5).strokeColor(INK.rule)
    doc
      .moveTo(PAGE.left, 43)
      .lineTo(PAGE.left + BODY_WIDTH, 43)
      .stroke()
    doc
      .moveTo(PAGE.left, bottom - 6)
      .lineTo(PAGE.left + BODY_WIDTH, bottom - 6)
      .stroke()
  })
}

/** Two texts on one line; where they are too long for it, each keeps half of it. */
function line(sheet: Sheet, left: string, right: string, y: number, width: number): void {
  const measure = sheet.measure('sans', SIZE.foot)
  const half = width / 2 - 10
  const shownRight = oneLine(sheet, right, Math.max(half, width - 20 - measure(left)), SIZE.foot)
  const shownLeft = oneLine(sheet, left, width - 20 - measure(shownRight), SIZE.foot)
  sheet.write(shownLeft, PAGE.left, y, 'sans', SIZE.foot, INK.quiet)
  sheet.write(shownRight, PAGE.left + width - measure(shownRight), y, 'sans', SIZE.foot, INK.quiet)
}

/** As much of a text as fits on one line. */
function oneLine(sheet: Sheet, text: string, width: number, size: number): string {
  const scale = { plain: size, quiet: size, mono: size }
  const whole = setLine(sheet, { text }, width, scale)
  if (whole.length <= 1) return whole[0]?.text ?? ''
  const [first] = setLine(sheet, { text }, width - sheet.measure('sans', size)('…'), scale)
  return `${first?.text.trimEnd() ?? ''}…`
}

/** The demo mark at the right end of a line; returns its width. */
function drawDemo(sheet: Sheet, y: number): number {
  const words = 'Demo data'
  const width = sheet.measure('strong', SIZE.foot)(words)
  const x = PAGE.left + BODY_WIDTH - width - 5
  sheet.doc.lineWidth(0.8).strokeColor(INK.text)
  sheet.doc.rect(x - 4, y - 2.5, width + 8, SIZE.foot * 1.3 + 4.5).stroke()
  sheet.write(words, x, y, 'strong', SIZE.foot, INK.text)
  return width + 19
}
