import { parse } from 'csv-parse/sync'
import { listText } from '../../core/engagement/list-text.ts'
import { MOST_TABLE_COLUMNS, MOST_TABLE_ROWS, type TableRow } from '../../core/table.ts'
import { fused } from '../csv-file.ts'
import { delimiterOf } from '../importers/csv.ts'

/**
 * Rows with content of a CSV file (RFC 4180), as csvOf() or a spreadsheet writes it: separated by comma, semicolon or tab, in UTF-8, UTF-16
 * with a byte order mark, or Windows-1252. A cell that begins with an equals sign is a formula. Throws where it is no such table.
 */
export function rowsOfCsv(bytes: Uint8Array): readonly TableRow[] {
  const text = listText(bytes)
  if (text.includes('\0')) throw new Error('this is not a text table; save it as CSV')
  const rows = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    relax_column_count: true,
    // A formula such as ="x" has quotes inside.
    relax_quotes: true,
    to: MOST_TABLE_ROWS + 1,
  }) as unknown as readonly (readonly string[])[]
  if (rows.length > MOST_TABLE_ROWS) throw new Error(`it has more than ${MOST_TABLE_ROWS} rows`)
  if (rows.some((cells) => cells.length > MOST_TABLE_COLUMNS))
    throw new Error(`it has more than ${MOST_TABLE_COLUMNS} columns`)
  return rows.flatMap((cells, at) =>
    cells.every((cell) => cell.trim() === '')
      ? []
      : [{ row: at + 1, cells: cells.map((cell) => ({ text: fused(cell), isFormula: /^\s*=/.test(cell) })) }],
  )
}
