import { stringify } from 'csv-stringify/sync'
import type { CsvReader } from '../core/all-ports.ts'

// What spreadsheet programs treat as the start of a formula, also full width, and also after blanks and quotation
// marks. A program that splits at semicolons, tabs or line ends starts a new cell there, whatever surrounds it.
const INSIDE = /[;\t\r\n](?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const AT_START = /^(?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/

/** The same text, with an apostrophe before anything that could be read as a formula (OWASP, CSV injection). */
export const defused = (cell: string): string => cell.replace(INSIDE, "$&'").replace(AT_START, "'")

/** The text before defused(). A text that begins with a tab or a line end, which no entry does, keeps its apostrophe. */
export function fused(cell: string): string {
  const inside = cell.replace(FUSED_INSIDE, '$1')
  return inside.startsWith("'") && FORMULA.test(inside.slice(1)) ? inside.slice(1) : inside
}

const FUSED_INSIDE = /([;\t\r\n])'(?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const FORMULA = /^[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]/

/**
 * A table as CSV (RFC 4180) with a byte order mark for spreadsheets; a cell that could be read as a formula is
 * neutralized.
 */
export const csvOf = (rows: Iterable<readonly string[]>): string => [...csvPieces(rows)].join('')

/**
 * The text of csvOf() in pieces of some hundred lines. An importer, such as that of Jira or ServiceNow, finds columns by their exact names and
 * takes a byte order mark for a part of the first one.
 */
export function* csvPieces(rows: Iterable<readonly string[]>, reader: CsvReader = 'spreadsheet'): Generator<string> {
  if (reader === 'spreadsheet') yield '\ufeff'
  let piece: string[][] = []
  for (const row of rows) {
    piece.push(row.map(defused))
    if (piece.length < ROWS_AT_ONCE) continue
    yield pieceOf(piece)
    piece = []
  }
  yield pieceOf(piece)
}

const ROWS_AT_ONCE = 500

// Readers accept either half of a line end as a line end, so a cell with one is quoted.
const pieceOf = (rows: string[][]): string => stringify(rows, { record_delimiter: '\r\n', quoted_match: /[\r\n\t;]/ })
