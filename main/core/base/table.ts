/** One row of a table that a person filled in. */
export interface TableRow {
  /** As in spreadsheets, from 1. */
  readonly row: number
  readonly cells: readonly TableCell[]
}

export interface TableCell {
  /** As entered; a date cell as 2027-03-01. */
  readonly text: string
  /** A formula, or its result, is not what a person entered. */
  readonly isFormula: boolean
}

/** Limits of tables that are read; larger ones are refused. */
export const MOST_TABLE_ROWS = 10_000
export const MOST_TABLE_COLUMNS = 100
