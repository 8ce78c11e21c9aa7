import type { Cell, Column } from '../../core/report-document.ts'
import { heightOf, type Slot, setCell, setLine, sized } from './setting.ts'
import type { SetLine, Sheet } from './sheet.ts'
import type { Scale } from './theme.ts'

export interface TableBlock {
  /** Facts have no column titles; pairs of facts are closer to each other and have no rules between them. */
  readonly form: 'table' | 'facts' | 'pairs'
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** Columns of which the cells are headers of their row. */
  readonly headers: readonly number[]
}

/** The area of the text of a column. */
export interface ColumnSlot extends Slot {
  readonly x: number
}

export interface Grid {
  readonly columns: readonly ColumnSlot[]
  /** The area of a heading over the rows that follow. */
  readonly whole: ColumnSlot
  readonly padY: number
}

/** The lines of the cells of one row. */
export type SetRow = readonly (readonly SetLine[])[]

const PAIRS_PAD_Y = 1.6

/** A row of one cell in a table of several columns is a heading over the rows that follow. */
export const isGroup = (table: TableBlock, row: readonly Cell[]): boolean =>
  row.length === 1 && table.columns.length > 1

export function gridOf(sheet: Sheet, table: TableBlock): Grid {
  const { page, type } = sheet
  const { padX, padY, isHeadFilled } = type.table
  // Without fills, the outer columns are in line with the text around the table.
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

export function setRow(sheet: Sheet, table: TableBlock, row: readonly Cell[], { columns, whole }: Grid): SetRow {
  const scale = scaleOf(sheet, table)
  if (isGroup(table, row)) return row.map((cell) => setCell(sheet, cell, whole, scale))
  return row.map((cell, index) => setCell(sheet, cell, columns[index] ?? whole, scale))
}

export const rowHeight = (cells: SetRow, { padY }: Grid): number => Math.max(0, ...cells.map(heightOf)) + 2 * padY

/** Column titles; none for facts. */
export function setHead(sheet: Sheet, table: TableBlock, { columns, whole }: Grid): SetRow {
  if (table.form !== 'table') return []
  const { column, table: style } = sheet.type
  return table.columns.map(({ title }, index) =>
    setLine(sheet, { text: title, style: 'strong' }, columns[index] ?? whole, sized(column)).map((line) => ({
      ...line,
      ink: style.headInk,
    })),
  )
}
