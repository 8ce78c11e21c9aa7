import { stringify } from 'csv-stringify/sync'

/** A table as CSV (RFC 4180) with a byte order mark for spreadsheets; a cell that could be taken for a formula is defused. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  `\ufeff${stringify(
    rows.map((row) => [...row]),
    { escape_formulas: true, record_delimiter: '\r\n' },
  )}`
