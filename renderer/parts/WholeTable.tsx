import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { TableChoice } from '../../schemas/ipc-views.ts'
import { NO_CHOICE, type TableColumn } from '../models/table-model.ts'
import { visible } from '../models/text.ts'
import { Icon } from '../ui/Icon.tsx'
import { Whole } from '../ui/Whole.tsx'
import { useTable } from './TableTools.tsx'

export interface WholeColumn<T> extends TableColumn<T> {
  /** Class of the heading and of every cell. */
  readonly className?: string
  /** Class of the cells only. */
  readonly cellClass?: string
  /** Absent if the value is shown above the rows, such as the owner of a group. The column is then only saved. */
  readonly cell?: (row: T) => ReactNode
}

/** A column whose cells show its text. */
export const textColumn = <T,>(
  id: string,
  title: string,
  text: NonNullable<TableColumn<T>['text']>,
  more: Pick<WholeColumn<T>, 'isRowHeader' | 'className' | 'cellClass'> = {},
): WholeColumn<T> => ({
  id,
  title,
  text,
  cell: (row) => {
    const shown = String(text(row) ?? '')
    return more.isRowHeader === true ? <Whole text={shown} /> : visible(shown)
  },
  ...more,
})

export interface SortedTableProps<T> {
  /** The columns that are shown, as useTable() returns them. */
  readonly columns: readonly WholeColumn<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** Without it, the rows are in a fixed order. */
  readonly sort?: TableChoice
  readonly onSort?: (column: string) => void
  readonly caption?: ReactNode
  readonly label?: string
  readonly className?: string
}

/** A table of few rows, drawn as a whole. Columns with a text can be sorted. */
export function SortedTable<T>({
  columns,
  rows,
  keyOf,
  sort = NO_CHOICE,
  onSort,
  caption,
  label,
  className = '',
}: SortedTableProps<T>) {
  const drawn = columns.filter(({ cell }) => cell !== undefined)
  return (
    <div className="scroll">
      <table className={className} {...(label === undefined ? {} : { 'aria-label': label })}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {drawn.map((column) => (
              <SortHeading
                key={column.id}
                column={column}
                choice={sort}
                onSort={onSort}
                className={column.className ?? ''}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {drawn.map(({ id, isRowHeader = false, className: both = '', cellClass = '', cell }) =>
                isRowHeader ? (
                  <th key={id} scope="row" className={`${both} ${cellClass}`.trim()}>
                    {cell?.(row)}
                  </th>
                ) : (
                  <td key={id} className={`${both} ${cellClass}`.trim()}>
                    {cell?.(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface WholeTableProps<T> extends Omit<SortedTableProps<T>, 'sort' | 'onSort'> {
  /** The name of the table, used for its choice of columns and its file. */
  readonly table: string
  /** Maximum number of rows drawn; all of them are saved. */
  readonly most?: number
}

/** A table of few rows with its bar, which sorts it, chooses columns, and saves it as shown. */
export function WholeTable<T>({ table, most, ...props }: WholeTableProps<T>) {
  const { grid, tools } = useTable<T, WholeColumn<T>>(table, props.columns, props.rows)
  return (
    <>
      <div className="table-bar">{tools}</div>
      <SortedTable {...props} {...grid} rows={grid.rows.slice(0, most)} />
    </>
  )
}

interface SortHeadingProps<T> {
  readonly column: TableColumn<T>
  readonly choice: TableChoice
  readonly onSort: ((column: string) => void) | undefined
  readonly className?: string
}

/** The heading of a column in a table that is drawn as a whole. A column with a text can be sorted. */
export function SortHeading<T>({ column, choice, onSort, className }: SortHeadingProps<T>) {
  const { id, title, text } = column
  const isSorted = choice.by === id
  return (
    <th
      scope="col"
      {...(className === undefined ? {} : { className })}
      aria-sort={isSorted ? (choice.isReversed ? 'descending' : 'ascending') : undefined}
    >
      {text === undefined || onSort === undefined ? (
        title
      ) : (
        <button type="button" className="sort" onClick={() => onSort(id)}>
          {title}
          {isSorted && <Icon of={choice.isReversed ? IconArrowUp : IconArrowDown} size={13} />}
        </button>
      )}
    </th>
  )
}
