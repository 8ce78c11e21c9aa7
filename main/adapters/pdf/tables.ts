import type { Cell, Column } from '../../core/report-document.ts'
import { fitting, heightOf, type Scale, setCell, setLine, TABLE_SCALE } from './setting.ts'
import type { Element, SetLine, Sheet } from './sheet.ts'
import { BODY_WIDTH, INK, PAGE } from './theme.ts'

export interface TableBlock {
  /** No column titles: a list of facts, named by the first cell of each row. */
  readonly columns: readonly Column[]
  readonly headless?: boolean
  readonly rows: readonly (readonly Cell[])[]
  readonly rowHeaders?: boolean
}

const PAD = { x: 4, y: 3 } as const
/**
 * Rows up to this height move to the next page whole: the limit leaves room for a heading, the table's introduction,
 * and its header.
 */
const WHOLE = 560

interface Grid {
  readonly lefts: readonly number[]
  readonly widths: readonly number[]
}

function grid(columns: readonly Column[]): Grid {
  const total = columns.reduce((sum, { width }) => sum + width, 0)
  const widths = columns.map(({ width }) => (width / total) * BODY_WIDTH)
  const lefts = widths.map((_, index) => PAGE.left + widths.slice(0, index).reduce((sum, width) => sum + width, 0))
  return { lefts, widths }
}

/** A list of facts up to this height stays on one page. */
const TOGETHER = 240

/** What must fit below a heading for it to stay: the header and the first row, or the whole of a short list of facts. */
export function tableStart(sheet: Sheet, table: TableBlock): number {
  const { widths } = grid(table.columns)
  const heightAt = (row: readonly Cell[]): number => rowHeight(setRow(sheet, table, row, widths))
  const first = headHeight(sheet, table, widths) + Math.min(WHOLE, heightAt(table.rows[0] ?? []))
  if (table.headless !== true || table.rows.length > 20) return first
  const whole = table.rows.reduce((sum, row) => sum + heightAt(row), 0)
  return whole <= TOGETHER ? whole : first
}

/** Draws a table that may span pages: the header is repeated, short rows stay whole, long ones continue. */
export function drawTable(sheet: Sheet, parent: Element, table: TableBlock): void {
  const { lefts, widths } = grid(table.columns)
  const element = sheet.element(parent, 'Table')
  sheet.need(tableStart(sheet, table))
  if (table.headless !== true) {
    const head = sheet.element(sheet.element(element, 'THead'), 'TR')
    drawHead(sheet, table, lefts, widths, head)
    head.end()
  }
  const body = sheet.element(element, 'TBody')
  for (const row of table.rows) {
    const cells = setRow(sheet, table, row, widths)
    const whole = rowHeight(cells)
    if (sheet.room() < Math.min(whole, whole <= WHOLE ? whole : 60)) continueOnNewPage(sheet, table, lefts, widths)
    drawRow(sheet, table, cells, lefts, widths, sheet.element(body, 'TR'))
  }
  sheet.y += 8
}

function continueOnNewPage(sheet: Sheet, table: TableBlock, lefts: readonly number[], widths: readonly number[]): void {
  sheet.newPage()
  if (table.headless !== true) drawHead(sheet, table, lefts, widths, null)
}

const scaleOf = (table: TableBlock): Scale => (table.headless === true ? FACT_SCALE : TABLE_SCALE)
const FACT_SCALE: Scale = { plain: 8.6, quiet: 7.6, mono: 7.6 }

const setRow = (
  sheet: Sheet,
  table: TableBlock,
  row: readonly Cell[],
  widths: readonly number[],
): readonly (readonly SetLine[])[] =>
  row.map((cell, index) => setCell(sheet, cell, (widths[index] ?? 0) - 2 * PAD.x, scaleOf(table)))

const rowHeight = (cells: readonly (readonly SetLine[])[]): number => Math.max(0, ...cells.map(heightOf)) + 2 * PAD.y

const headLines = (sheet: Sheet, table: TableBlock, widths: readonly number[]): readonly (readonly SetLine[])[] =>
  table.columns.map(({ title }, index) =>
    setLine(sheet, { text: title, style: 'strong' }, (widths[index] ?? 0) - 2 * PAD.x, {
      plain: 7.2,
      quiet: 7.2,
      mono: 7.2,
    }),
  )

const headHeight = (sheet: Sheet, table: TableBlock, widths: readonly number[]): number =>
  table.headless === true ? 0 : rowHeight(headLines(sheet, table, widths))

/** The header once as header cells; on later pages it is an artifact, as it is no new content. */
function drawHead(
  sheet: Sheet,
  table: TableBlock,
  lefts: readonly number[],
  widths: readonly number[],
  row: Element | null,
): void {
  const cells = headLines(sheet, table, widths)
  const height = rowHeight(cells)
  const top = sheet.y
  sheet.artifact('Layout', () => {
    sheet.doc.rect(PAGE.left, top, BODY_WIDTH, height).fill(INK.headFill)
    rule(sheet, top + height, INK.strongRule, 0.7)
  })
  const draw = (lines: readonly SetLine[], index: number): void => {
    let y = top + PAD.y
    for (const line of lines) {
      sheet.write(line.text, (lefts[index] ?? 0) + PAD.x, y, line.font, line.size, line.ink)
      y += line.height
    }
  }
  if (row === null) sheet.artifact('Pagination', () => cells.forEach(draw))
  else
    cells.forEach((lines, index) => {
      sheet.tagged(sheet.element(row, 'TH', { scope: 'Column' }), 'TH', () => draw(lines, index))
    })
  sheet.y = top + height
}

function drawRow(
  sheet: Sheet,
  table: TableBlock,
  cells: readonly (readonly SetLine[])[],
  lefts: readonly number[],
  widths: readonly number[],
  row: Element,
): void {
  const named = table.rowHeaders === true || table.headless === true
  const elements = cells.map((_, index) =>
    named && index === 0 ? sheet.element(row, 'TH', { scope: 'Row' }) : sheet.element(row, 'TD'),
  )
  let rest = cells
  for (;;) {
    const room = sheet.room() - 2 * PAD.y
    const parts = rest.map((lines) => lines.slice(0, fitting(lines, room)))
    rest = rest.map((lines, index) => lines.slice(parts[index]?.length ?? 0))
    const height = rowHeight(parts)
    parts.forEach((lines, index) => {
      const element = elements[index]
      const tag = named && index === 0 ? 'TH' : 'TD'
      if (element !== undefined && lines.length > 0)
        sheet.lines(element, tag, lines, (lefts[index] ?? 0) + PAD.x, sheet.y + PAD.y)
    })
    sheet.artifact('Layout', () => rule(sheet, sheet.y + height, INK.rule, 0.4))
    sheet.y += height
    if (rest.every((lines) => lines.length === 0)) break
    continueOnNewPage(sheet, table, lefts, widths)
  }
  row.end()
}

function rule(sheet: Sheet, y: number, ink: string, width: number): void {
  sheet.doc
    .lineWidth(width)
    .strokeColor(ink)
    .moveTo(PAGE.left, y)
    .lineTo(PAGE.left + BODY_WIDTH, y)
    .stroke()
}
