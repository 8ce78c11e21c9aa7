import type { Sheet } from '../../../core/all-ports.ts'
import { plain } from '../../../core/base/plain-text.ts'

/** One column of a table, with its width in characters. */
interface Column {
  readonly title: string
  readonly width: number
}

/** Text, a number, or text in several lines. */
export type GridCell = string | number | readonly string[]

/** A table independent of its file format: CSV and workbook have the same rows. New columns are added at the end only. */
export interface Grid {
  readonly columns: readonly Column[]
  /** Number of first columns that name a row; one where it is absent. */
  readonly keys?: number
  readonly rows: readonly (readonly GridCell[])[]
}

/** Columns from titles with their widths, in order. */
export const columns = (widths: Readonly<Record<string, number>>): readonly Column[] =>
  Object.entries(widths).map(([title, width]) => ({ title, width }))

/** Columns by title, each with its width and the cell that it has in the row of an item. */
export type GridColumns<T> = Readonly<Record<string, readonly [width: number, cellOf: (one: T) => GridCell]>>

/** A table with one row per item. */
export function gridOf<T>(items: readonly T[], columnsOf: GridColumns<T>, keys = 1): Grid {
  const cells = Object.values(columnsOf).map(([, cellOf]) => cellOf)
  return {
    columns: Object.entries(columnsOf).map(([title, [width]]) => ({ title, width })),
    keys,
    rows: items.map((one) => cells.map((cellOf) => cellOf(one))),
  }
}

/** Longer text is truncated: a spreadsheet cell holds 32,767 characters. */
const LONGEST_CELL = 30_000

/** Text that may come from a node, made safe for one cell. Only lines that the table itself makes are lines of the cell. */
const cellText = (cell: Exclude<GridCell, number>): string => {
  const text = (typeof cell === 'string' ? [cell] : cell).map((line) => plain(line, LONGEST_CELL)).join('\n')
  return text.length > LONGEST_CELL + 1 ? `${text.slice(0, LONGEST_CELL)}…` : text
}

/** The first texts of a list, and how many more there are. */
export function upTo(texts: readonly string[], most: number): readonly string[] {
  const more = texts.length - most
  return [...texts.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])]
}

/** The header, then every row, as safe text, one at a time. */
export function* textRows(
  columns: readonly Column[],
  rows: Iterable<readonly GridCell[]>,
): Generator<readonly string[]> {
  yield columns.map(({ title }) => title)
  for (const row of rows) yield row.map((cell) => (typeof cell === 'number' ? String(cell) : cellText(cell)))
}

/** Row limit of a sheet, because some programs cannot open more. */
export const MOST_ROWS = 250_000

/**
 * Above this many results or captures a sheet contains counts instead: the CSV tables next to the pack list all, and a
 * workbook is built in memory as a whole.
 */
export const MOST_LISTED = 25_000

/** A grid as a sheet. Rows beyond MOST_ROWS are omitted; the last row states how many and where they are. */
export function sheetOf(name: string, { columns: heads, keys = 1, rows }: Grid, elsewhere: string): Sheet {
  const more = rows.length - MOST_ROWS
  const left = more > 0 ? [[`${more} more rows are omitted here. See ${elsewhere}.`]] : []
  return {
    name,
    widths: heads.map(({ width }) => width),
    keys,
    rows: [
      heads.map(({ title }) => title),
      ...rows.slice(0, MOST_ROWS).map((row) => row.map((cell) => (typeof cell === 'number' ? cell : cellText(cell)))),
      ...left,
    ],
  }
}
