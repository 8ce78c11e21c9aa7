import { plain } from '../../plain-text.ts'
import type { Sheet } from '../../world.ts'

/** One column of a table, with its width in characters. */
export interface Column {
  readonly title: string
  readonly width: number
}

/** A table before it is a file: CSV and workbook are made from the same rows. Columns are only ever added at the end. */
export interface Grid {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly (string | number)[])[]
}

/** Columns from titles with their widths, in order. */
export const columns = (widths: Readonly<Record<string, number>>): readonly Column[] =>
  Object.entries(widths).map(([title, width]) => ({ title, width }))

/** Longer text is cut: a spreadsheet's cell holds 32,767 characters. */
const LONGEST_CELL = 30_000

/** Text that may come from a node, fit to show in one cell. */
const cellText = (text: string): string => plain(text, LONGEST_CELL)

/** The head, then every row, as text that is fit to show, one at a time. */
export function* textRows(
  columns: readonly Column[],
  rows: Iterable<readonly (string | number)[]>,
): Generator<readonly string[]> {
  yield columns.map(({ title }) => title)
  for (const row of rows) yield row.map((cell) => cellText(String(cell)))
}

/** More rows in one sheet help nobody, and some programs cannot open them. */
export const MOST_ROWS = 250_000

/**
 * Above so many findings or answers a sheet has counts in their place: nobody reads more, the tables beside the pack have all of them, and a
 * workbook is put together in memory as a whole.
 */
export const MOST_LISTED = 25_000

/** A grid as a sheet. Rows beyond MOST_ROWS are left out, and the last row says how many and where they are. */
export function sheetOf(name: string, { columns: heads, rows }: Grid, elsewhere: string): Sheet {
  const more = rows.length - MOST_ROWS
  const left = more > 0 ? [[`${more} more rows are left out here. They are in ${elsewhere}.`]] : []
  return {
    name,
    widths: heads.map(({ width }) => width),
    rows: [
      heads.map(({ title }) => title),
      ...rows.slice(0, MOST_ROWS).map((row) => row.map((cell) => (typeof cell === 'number' ? cell : cellText(cell)))),
      ...left,
    ],
  }
}
