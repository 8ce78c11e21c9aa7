import type { ReportDocument, Section } from '../../core/report/model.ts'
import { setLine } from './setting.ts'
import type { Element, Sheet } from './sheet.ts'
import { BODY_WIDTH, INK, PAGE, SIZE } from './theme.ts'

/** Where each section begins and how many pages there are, found by the rehearsal. */
export interface Plan {
  readonly starts: readonly { readonly id: string; readonly title: string; readonly page: number }[]
  readonly pages: number
}

const ROW = 15

/** The contents: each entry a link to its section, with the page it begins on. A rehearsal keeps the place. */
export function drawContents(sheet: Sheet, parent: Element, sections: readonly Section[], plan: Plan | null): void {
  sheet.need(sections.length * ROW)
  const top = sheet.y
  sheet.y += sections.length * ROW + 6
  if (plan === null) return
  const contents = sheet.element(parent, 'TOC')
  plan.starts.forEach((start, index) => {
    drawEntry(sheet, contents, start, top + index * ROW)
  })
}

function drawEntry(sheet: Sheet, contents: Element, { id, title, page }: Plan['starts'][number], y: number): void {
  const { doc } = sheet
  const scale = { plain: SIZE.body, quiet: SIZE.body, mono: SIZE.body }
  const measure = sheet.measure('sans', SIZE.body)
  const label = setLine(sheet, { text: title }, BODY_WIDTH - 40, scale)[0]?.text.trimEnd() ?? ''
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
  // PDF/UA-1, 7.18.5: a link is tagged and says in words where it leads.
  const options = { structParent: link, Contents: new String(`${title}, page ${number}`) }
  doc.goTo(PAGE.left, y, BODY_WIDTH, ROW - 2, id, options as object)
  item.end()
}

/** Running head and foot of the page that was just begun, as artifacts; the demo mark stands on each. */
export function drawFurniture(sheet: Sheet, document: ReportDocument, pages: number): void {
  const { doc } = sheet
  sheet.artifact('Pagination', () => {
    const bottom = PAGE.height - PAGE.bottom + 18
    line(sheet, document.runningHead, 30, document.demo ? 'Demo data' : 'Evidence report', document.demo)
    line(sheet, document.runningFoot, bottom, `Page ${sheet.pages} of ${pages}`, false)
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

function line(sheet: Sheet, left: string, y: number, right: string, loud: boolean): void {
  const font = loud ? 'strong' : 'sans'
  const width = sheet.measure(font, SIZE.foot)(right)
  const [first] = setLine(sheet, { text: left }, BODY_WIDTH - width - 20, {
    plain: SIZE.foot,
    quiet: SIZE.foot,
    mono: SIZE.foot,
  })
  sheet.write(first?.text ?? '', PAGE.left, y, 'sans', SIZE.foot, INK.quiet)
  const x = PAGE.left + BODY_WIDTH - width - (loud ? 5 : 0)
  if (loud) {
    sheet.doc.lineWidth(0.8).strokeColor(INK.text)
    sheet.doc.rect(x - 4, y - 2.5, width + 8, SIZE.foot * 1.3 + 4.5).stroke()
  }
  sheet.write(right, x, y, font, SIZE.foot, loud ? INK.text : INK.quiet)
}
