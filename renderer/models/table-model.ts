import type { TableChoice } from '../../schemas/ipc-views.ts'

/** What a person chooses: a column, or several that are shown as one. */
export interface ColumnPart {
  readonly id: string
  readonly title: string
}

/** A column of a table that can be sorted, hidden and saved. */
export interface TableColumn<T> {
  readonly id: string
  readonly title: string
  /** A row header is always shown. */
  readonly isRowHeader?: boolean
  /** Always shown and saved, because other columns cannot be read without it. */
  readonly isKept?: boolean
  /** Shown as one with the other columns of this part, and chosen with them. */
  readonly part?: ColumnPart
  /**
   * The cell as text, for the order and for the saved table. A column without it, such as one of buttons, is only
   * shown.
   */
  readonly text?: (row: T) => string | number | null
  /** The value to sort by where it is not the text, such as a severity. */
  readonly order?: (row: T) => string | number | null
}

export const NO_CHOICE: TableChoice = { hidden: [], by: null, isReversed: false }

const mayHide = <T>({ isRowHeader = false, isKept = false, text }: TableColumn<T>): boolean =>
  !isRowHeader && !isKept && text !== undefined

/** The columns and parts that a person can hide, each once. */
export const choosable = <T>(columns: readonly TableColumn<T>[]): readonly ColumnPart[] => {
  const parts = columns.filter(mayHide).map(({ id, title, part = { id, title } }) => part)
  return parts.filter(({ id }, at) => parts.findIndex((one) => one.id === id) === at)
}

export const shownColumns = <T, C extends TableColumn<T>>(columns: readonly C[], { hidden }: TableChoice) =>
  columns.filter((column) => !mayHide(column) || !hidden.includes(column.part?.id ?? column.id))

const WORDS = new Intl.Collator('en', { numeric: true })

/** Sorts rows by a column. Rows without a value come last in either direction; equal rows keep their order. */
export function sortedRows<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  { by, isReversed }: TableChoice,
): readonly T[] {
  const { text, order: textOf = text } = columns.find(({ id }) => id === by) ?? {}
  if (textOf === undefined) return rows
  return [...rows].sort((a, b) => {
    const [one, other] = [textOf(a), textOf(b)]
    if (one === other) return 0
    if (one === null || other === null) return one === null ? 1 : -1
    const order =
      typeof one === 'number' && typeof other === 'number' ? one - other : WORDS.compare(`${one}`, `${other}`)
    return isReversed ? -order : order
  })
}

/** The choice after a press on the heading of a column: its order, then the reverse. */
export const sortedBy = (choice: TableChoice, by: string): TableChoice => ({
  ...choice,
  by,
  isReversed: choice.by === by && !choice.isReversed,
})

/** The content of the saved file: headings and rows as shown, without columns of buttons. */
export function savedTable<T>(columns: readonly TableColumn<T>[], rows: readonly T[]): readonly (readonly string[])[] {
  const saved = columns.flatMap(({ title, text }) => (text === undefined ? [] : [{ title, text }]))
  return [saved.map(({ title }) => title), ...rows.map((row) => saved.map(({ text }) => String(text(row) ?? '')))]
}
