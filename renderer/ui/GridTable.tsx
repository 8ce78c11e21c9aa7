import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { type ReactNode, useMemo } from 'react'
import {
  Cell,
  Checkbox,
  Column,
  Row,
  Table,
  TableBody,
  TableHeader,
  TableLayout,
  Virtualizer,
} from 'react-aria-components'
import type { TableChoice } from '../../schemas/ipc-views.ts'
import { rem, usePrinting } from '../models/measure.ts'
import type { TableColumn } from '../models/table-model.ts'
import { CheckBox } from './Choice.tsx'
import { Icon } from './Icon.tsx'

export interface GridColumn<T> extends TableColumn<T> {
  /** In rem, or a share of the remaining width. */
  readonly width?: number | `${number}fr`
  readonly minWidth?: number
  readonly cell: (row: T) => ReactNode
}

interface GridTableProps<T> {
  readonly label: string
  readonly columns: readonly GridColumn<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** Height of every row in rem; equal heights let a thousand rows scroll smoothly. */
  readonly rowHeight?: number
  /** In rem; more where titles of columns need three lines in a narrow window. */
  readonly headingHeight?: number
  /** Space that the page needs above and below, in rem. */
  readonly leaves?: number
  readonly selected?: ReadonlySet<string>
  readonly onSelect?: (keys: ReadonlySet<string>) => void
  /** The order of `rows`. Columns with a text can be sorted. */
  readonly sort?: TableChoice
  readonly onSort?: (column: string) => void
  readonly empty: ReactNode
}

/** A table with arrow key navigation that draws visible rows only; in print every row. */
export function GridTable<T extends object>(props: GridTableProps<T>) {
  const { label, columns, rows, keyOf, rowHeight = 2.5, headingHeight = 2.75 } = props
  const { leaves = 20, selected, onSelect, empty, sort, onSort } = props
  const unit = rem()
  const options = useMemo(
    () => ({ rowHeight: Math.round(rowHeight * unit), headingHeight: Math.round(headingHeight * unit) }),
    [rowHeight, headingHeight, unit],
  )
  const picks = selected !== undefined && onSelect !== undefined
  if (usePrinting()) return <PlainTable {...props} />
  const height = options.headingHeight + Math.max(rows.length, 3) * options.rowHeight + 2
  return (
    <Virtualizer layout={TableLayout} layoutOptions={options}>
      <Table
        className="grid-table"
        aria-label={label}
        style={{ blockSize: `min(${height}px, max(16rem, 100vh - ${leaves}rem))` }}
        {...(sort === undefined || onSort === undefined
          ? {}
          : {
              ...(sort.by === null
                ? {}
                : {
                    sortDescriptor: {
                      column: sort.by,
                      direction: sort.isReversed ? ('descending' as const) : ('ascending' as const),
                    },
                  }),
              onSortChange: ({ column }: { readonly column: string | number }) => onSort(String(column)),
            })}
        {...(picks
          ? {
              selectionMode: 'multiple' as const,
              selectedKeys: selected,
              onSelectionChange: (keys: 'all' | Set<string | number>) =>
                onSelect(new Set(keys === 'all' ? rows.map(keyOf) : [...keys].map(String))),
            }
          : {})}
      >
        <TableHeader className="grid-head">
          {picks && (
            <Column id="select" className="grid-column" width={2.5 * unit} minWidth={2.5 * unit} textValue="Select">
              <Tick />
            </Column>
          )}
          {columns.map(({ id, title, isRowHeader = false, width = '1fr', minWidth = 5, text }) => (
            <Column
              key={id}
              id={id}
              isRowHeader={isRowHeader}
              className="grid-column"
              width={typeof width === 'number' ? width * unit : width}
              minWidth={minWidth * unit}
              allowsSorting={onSort !== undefined && text !== undefined}
            >
              <span>{title}</span>
              {sort?.by === id && <Icon of={sort.isReversed ? IconArrowUp : IconArrowDown} size={13} />}
            </Column>
          ))}
        </TableHeader>
        <TableBody items={rows} dependencies={[columns]} renderEmptyState={() => empty}>
          {(row) => (
            <Row id={keyOf(row)} className="grid-row">
              {picks && (
                <Cell className="grid-cell">
                  <Tick />
                </Cell>
              )}
              {columns.map(({ id, cell }) => (
                <Cell key={id} className="grid-cell">
                  {cell(row)}
                </Cell>
              ))}
            </Row>
          )}
        </TableBody>
      </Table>
    </Virtualizer>
  )
}

const Tick = () => (
  <Checkbox slot="selection" className="check">
    {(state) => <CheckBox {...state} />}
  </Checkbox>
)

function PlainTable<T>({ label, columns, rows, keyOf }: GridTableProps<T>) {
  return (
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          {columns.map(({ id, title }) => (
            <th key={id} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ id, isRowHeader = false, cell }) =>
              isRowHeader ? (
                <th key={id} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={id}>{cell(row)}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface CellLineProps {
  readonly text: string
  readonly className?: string
}

/** At most two lines of a cell. The title has the whole text. */
export const CellLines = ({ text, className }: CellLineProps) => (
  <span className={className === undefined ? 'cell-lines' : `cell-lines ${className}`} title={text}>
    {text}
  </span>
)

/** One line of a cell. The title has the whole text. */
export const CellLine = ({ text, className }: CellLineProps) => (
  <span className={className === undefined ? 'cell-line' : `cell-line ${className}`} title={text}>
    {text}
  </span>
)
