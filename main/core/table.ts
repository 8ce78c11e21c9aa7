/** One row of a table that a person filled in. */
export interface TableRow {
  /** As spreadsheets count, from 1. */
  readonly row: number
  readonly cells: readonly TableCell[]
}

export interface TableCell {
  /** As entered; a date cell as 2027-03-01. */
  readonly text: string
  /** The text of a formula, or what it resulted in, is not what a person stated. */
  readonly isFormula: boolean
}

/** Limits of a table that is read; larger ones are refused. */
export const MOST_TABLE_ROWS = 10_000
export const MOST_TABLE_COLUMNS = 100
