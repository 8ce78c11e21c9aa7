import type { Section } from '../../core/report-document.ts'
import { heightOf, setLine } from './setting.ts'
import type { Element, Sheet } from './sheet.ts'
import { INK } from './theme.ts'

const BETWEEN = 2.8
/** Kept free for the page number and its leader. */
const NUMBER = 40

/** An anchor of our own for each section: sections of one document may have the same ID as long as no link names it. */
export const sectionAnchor = (index: number): string => `\u0000section ${index}`

/** The contents: each entry a link to its section, with the page that it begins on. */
export function drawContents(sheet: Sheet, parent: Element, sections: readonly Section[]): void {
  const contents = sheet.element(parent, 'TOC')
  for (const [index, { title }] of sections.entries()) drawEntry(sheet, contents, sectionAnchor(index), title)
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
