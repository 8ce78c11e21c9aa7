import type { Cell, Column } from '../../core/base/report-document.ts'
import { fitting, heightOf, type Slot, setCell, setLine, sized } from './setting.ts'
import type { Element, SetLine, Sheet } from './sheet.ts'
import { INK, type Scale } from './theme.ts'

/**
 * Rows up to this height move to the next page as a whole. Taller rows continue on it, because moving them would leave
 * most of a page empty.
 */
const wholeRow = (sheet: Sheet): number => sheet.body() / 2
/**
 * Largest height of a table that is kept whole. The rest of the page leaves space for a heading, the table's
 * introduction, and its header.
 */
const wholeTable = (sheet: Sheet): number => sheet.body() - 168
/** Least height of the first part of a row that continues on the next page. */
const PART = 60
/** A list of facts up to this height stays on one page. */
const TOGETHER = 240
/** Rows that stay below a heading over them. */
const FOLLOWING = 2
/** Largest height of a heading over rows that is repeated on the next page. */
const REPEATED = 60

/** Space below a table. */
export const BELOW_TABLE = 8

/** Width of the rule below the header, and space within the frame of pairs of facts. */
const HEAD_RULE = 0.7
const FRAME = 3

/** A table while it is drawn. */
interface Drawn {
  readonly sheet: Sheet
  readonly table: TableBlock
  readonly grid: Grid
  readonly head: SetRow
  readonly headHeight: number
  /** Height of a line below the table that stays on the page of its last row. */
  readonly below: number
  /** The row of an index in lines. Each is set once, because a heading needs the rows after it; earlier rows are discarded. */
  readonly rowAt: (index: number) => SetRow
}

function begin(sheet: Sheet, table: TableBlock, below: number): Drawn {
  const grid = gridOf(sheet, table)
  const head = setHead(sheet, table, grid)
  const set = new Map<number, SetRow>()
  const rowAt = (index: number): SetRow => {
    const row = set.get(index) ?? setRow(sheet, table, table.rows[index] ?? [], grid)
    set.set(index, row)
    set.delete(index - 1 - FOLLOWING)
    return row
  }
  return { sheet, table, grid, head, headHeight: head.length === 0 ? 0 : rowHeight(head, grid), below, rowAt }
}

/**
 * Height that must fit below a heading on its page: the header and the first rows, or the whole of a short list of facts
 * and of a table that is kept whole.
 */
export function tableStart(sheet: Sheet, table: TableBlock, below: number): number {
  return startOf(begin(sheet, table, below))
}

function startOf(drawn: Drawn): number {
  const { sheet, table, grid, headHeight, rowAt } = drawn
  const start = headHeight + (table.rows.length === 0 ? 0 : keptFrom(drawn, 0))
  const isWhole = table.isWhole === true
  if ((table.form === 'table' && !isWhole) || table.rows.length > 20) return start
  const whole = headHeight + table.rows.reduce((sum, _, index) => sum + rowHeight(rowAt(index), grid), 0)
  const frames = table.form === 'pairs' ? 2 * FRAME : 0
  return (whole <= (isWhole ? wholeTable(sheet) : TOGETHER) ? whole : start) + frames
}

/**
 * The height that stays on one page from this row on: a heading stays with the rows after it, where they fit, and the
 * last row stays with the line below the table.
 */
function keptFrom({ sheet, table, grid, headHeight, below, rowAt }: Drawn, index: number): number {
  const most = sheet.body() - headHeight
  let kept = 0
  for (const [offset, row] of table.rows.slice(index, index + 1 + FOLLOWING).entries()) {
    if (offset > 0 && isGroup(table, row)) break
    const height = rowHeight(rowAt(index + offset), grid)
    const least = (height <= wholeRow(sheet) ? height : PART) + (index + offset === table.rows.length - 1 ? below : 0)
    if (kept + least > most) break
    kept += least
    if (!isGroup(table, table.rows[index] ?? [])) break
  }
  return kept
}

/**
 * Draws a table that may span pages: the header and the heading over the current rows are repeated, short rows stay
 * whole, long ones continue.
 */
export function drawTable(sheet: Sheet, parent: Element, table: TableBlock, below: number): void {
  const drawn = begin(sheet, table, below)
  const element = sheet.element(parent, 'Table')
  sheet.need(startOf(drawn))
  if (drawn.head.length > 0) {
    const head = sheet.element(sheet.element(element, 'THead'), 'TR')
    drawHead(drawn, head)
    head.end()
  }
  const body = sheet.element(element, 'TBody')
  if (table.form === 'pairs') {
    frame(sheet, sheet.y)
    sheet.y += FRAME
  }
  let group: SetRow = []
  for (const [index, row] of table.rows.entries()) {
    const isHeading = isGroup(table, row)
    if (sheet.room() < keptFrom(drawn, index)) continueOnNewPage(drawn, isHeading ? [] : group)
    const cells = drawn.rowAt(index)
    const tr = sheet.element(body, 'TR')
    if (isHeading) {
      group = cells
      drawGroup(drawn, cells, tr)
    } else drawRow(drawn, cells, group, tr)
    tr.end()
  }
  if (table.form === 'pairs') {
    sheet.y += FRAME
    frame(sheet, sheet.y)
  }
  sheet.y += BELOW_TABLE
}

function continueOnNewPage(drawn: Drawn, group: SetRow): void {
  drawn.sheet.newPage()
  if (drawn.head.length > 0) drawHead(drawn, null)
  if (group.length > 0) drawGroup(drawn, shortened(group), null)
}

const shortened = (group: SetRow): SetRow => group.map((lines) => lines.slice(0, Math.max(1, fitting(lines, REPEATED))))

/** The header once as header cells; on later pages it is an artifact, as it is no new content. */
function drawHead({ sheet, grid, head, headHeight }: Drawn, row: Element | null): void {
  const { left, bodyWidth } = sheet.page
  const top = sheet.y
  sheet.artifact('Layout', () => {
    if (sheet.type.table.isHeadFilled) sheet.doc.rect(left, top, bodyWidth, headHeight).fill(INK.headFill)
    sheet.rule(top + headHeight, INK.strongRule, HEAD_RULE)
  })
  const topOf = (lines: readonly SetLine[]): number => top + headHeight - grid.padY - heightOf(lines)
  const xOf = (index: number): number => grid.columns[index]?.x ?? left
  if (row === null)
    sheet.artifact('Pagination', () => {
      for (const [index, lines] of head.entries()) sheet.plain(lines, xOf(index), topOf(lines))
    })
  else
    for (const [index, lines] of head.entries())
      sheet.lines(sheet.element(row, 'TH', { scope: 'Column' }), 'TH', lines, xOf(index), topOf(lines))
  sheet.y = top + headHeight
}

/** A heading over the rows that follow, in all columns; like the header, it is an artifact on later pages. */
function drawGroup({ sheet, table, grid }: Drawn, cells: SetRow, row: Element | null): void {
  const { left, bodyWidth } = sheet.page
  const top = sheet.y
  const height = rowHeight(cells, grid)
  const lines = cells.flat()
  sheet.artifact('Layout', () => {
    // The rule above stays uncovered.
    sheet.doc.rect(left, top + HEAD_RULE / 2, bodyWidth, height - HEAD_RULE / 2).fill(INK.groupFill)
    sheet.rule(top + height, INK.rule, 0.4)
  })
  if (row === null) sheet.artifact('Pagination', () => sheet.plain(lines, grid.whole.x, top + grid.padY))
  else {
    const cell = sheet.element(row, 'TH', { scope: 'Column' }, table.columns.length)
    sheet.lines(cell, 'TH', lines, grid.whole.x, top + grid.padY)
  }
  sheet.y = top + height
}

function drawRow(drawn: Drawn, cells: SetRow, group: SetRow, row: Element): void {
  const { sheet, table, grid } = drawn
  const tagOf = (index: number): 'TH' | 'TD' => (table.headers.includes(index) ? 'TH' : 'TD')
  const elements = cells.map((_, index) =>
    sheet.element(row, tagOf(index), tagOf(index) === 'TH' ? { scope: 'Row' } : {}),
  )
  let rest = cells
  for (;;) {
    const room = sheet.room() - 2 * grid.padY
    const parts = rest.map((lines) => lines.slice(0, fitting(lines, room)))
    rest = rest.map((lines, index) => lines.slice(parts[index]?.length ?? 0))
    const height = rowHeight(parts, grid)
    for (const [index, lines] of parts.entries()) {
      const element = elements[index]
      const x = grid.columns[index]?.x ?? sheet.page.left
      if (element !== undefined && lines.length > 0) sheet.lines(element, tagOf(index), lines, x, sheet.y + grid.padY)
    }
    sheet.y += height
    const { y } = sheet
    if (table.form !== 'pairs') sheet.artifact('Layout', () => sheet.rule(y, INK.rule, 0.4))
    if (rest.every((lines) => lines.length === 0)) return
    continueOnNewPage(drawn, group)
  }
}

/** Above and below pairs of facts. */
const frame = (sheet: Sheet, y: number): void => sheet.artifact('Layout', () => sheet.rule(y, INK.rule, 0.5))

export interface TableBlock {
  /** Facts have no column titles; pairs of facts are closer to each other and have no rules between them. */
  readonly form: 'table' | 'facts' | 'pairs'
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** Columns of which the cells are headers of their row. */
  readonly headers: readonly number[]
  readonly isWhole?: boolean
}

/** The area of the text of a column. */
interface ColumnSlot extends Slot {
  readonly x: number
}

interface Grid {
  readonly columns: readonly ColumnSlot[]
  /** The area of a heading over the rows that follow. */
  readonly whole: ColumnSlot
  readonly padY: number
}

/** The lines of the cells of one row. */
type SetRow = readonly (readonly SetLine[])[]

const PAIRS_PAD_Y = 1.6

/** A row of one cell in a table of several columns is a heading over the rows that follow. */
const isGroup = (table: TableBlock, row: readonly Cell[]): boolean => row.length === 1 && table.columns.length > 1

function gridOf(sheet: Sheet, table: TableBlock): Grid {
  const { page, type } = sheet
  const { padX, padY, isHeadFilled } = type.table
  // Without fills, the outer columns are aligned with the text around the table.
  const isFlush = !isHeadFilled && !table.rows.some((row) => isGroup(table, row))
  const total = table.columns.reduce((sum, { width }) => sum + width, 0)
  const last = table.columns.length - 1
  let left = page.left
  const columns = table.columns.map(({ width, align }, index): ColumnSlot => {
    const wide = (width / total) * page.bodyWidth
    const before = isFlush && index === 0 ? 0 : padX
    const after = isFlush && index === last ? 0 : padX
    const x = left + before
    left += wide
    return { x, width: wide - before - after, align }
  })
  const whole = { x: page.left + padX, width: page.bodyWidth - 2 * padX }
  return { columns, whole, padY: table.form === 'pairs' ? PAIRS_PAD_Y : padY }
}

const scaleOf = ({ type }: Sheet, { form }: TableBlock): Scale => (form === 'table' ? type.cell : type.fact)

function setRow(sheet: Sheet, table: TableBlock, row: readonly Cell[], { columns, whole }: Grid): SetRow {
  const scale = scaleOf(sheet, table)
  if (isGroup(table, row)) return row.map((cell) => setCell(sheet, cell, whole, scale))
  return row.map((cell, index) => setCell(sheet, cell, columns[index] ?? whole, scale))
}

const rowHeight = (cells: SetRow, { padY }: Grid): number => Math.max(0, ...cells.map(heightOf)) + 2 * padY

/** Column titles; none for facts. */
function setHead(sheet: Sheet, table: TableBlock, { columns, whole }: Grid): SetRow {
  if (table.form !== 'table') return []
  const { column, table: style } = sheet.type
  return table.columns.map(({ title }, index) =>
    setLine(sheet, { text: title, style: 'strong' }, columns[index] ?? whole, sized(column)).map((line) => ({
      ...line,
      ink: style.headInk,
    })),
  )
}
