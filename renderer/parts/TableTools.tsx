import { IconDownload } from '@tabler/icons-react'
import { type ReactNode, useMemo } from 'react'
import type { TableChoice } from '../../schemas/ipc-views.ts'
import {
  choosable,
  NO_CHOICE,
  savedTable,
  shownColumns,
  sortedBy,
  sortedRows,
  type TableColumn,
} from '../models/table-model.ts'
import { may } from '../models/team.ts'
import { plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { call } from '../state/bridge.ts'
import { announce, change, isReviewWindow, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { ChoiceMenu } from '../ui/Choice.tsx'
import { Select } from '../ui/Select.tsx'
import { FailureNote } from './Ask.tsx'

interface ChosenTable {
  readonly choice: TableChoice
  readonly onChoice: (choice: TableChoice) => void
  readonly onSort: (column: string) => void
}

/** How a table is shown, as it was last chosen on this computer. */
export function useTableChoice(name: string): ChosenTable {
  const { tables } = useStore()
  const choice = tables[name] ?? NO_CHOICE
  const onChoice = (next: TableChoice): void => {
    change({ tables: { ...tables, [name]: next } })
    if (may('tables.choose') && !isReviewWindow()) void call('tables.choose', { table: name, choice: next })
  }
  return { choice, onChoice, onSort: (column) => onChoice(sortedBy(choice, column)) }
}

interface ListOrder<Id extends string> {
  readonly id: Id
  readonly title: string
}

/** The order of a list without headings, as it was last chosen: the first of `orders` is that of the list as given. */
export function useOrder<Id extends string>(name: string, orders: readonly [ListOrder<Id>, ...ListOrder<Id>[]]) {
  const { choice, onChoice } = useTableChoice(name)
  const order = orders.find(({ id }) => id === choice.by) ?? orders[0]
  const select = (
    <Select
      label="Order"
      hideLabel
      options={orders}
      value={order.id}
      onChange={(by) => onChoice({ ...choice, by: by === orders[0].id ? null : by })}
    />
  )
  return { choice, onChoice, order, select }
}

/** A table whose columns can be sorted and chosen: `grid` for the table itself, `tools` for the bar above it. */
export function useTable<T, C extends TableColumn<T>>(name: string, columns: readonly C[], rows: readonly T[]) {
  const { choice, onChoice, onSort } = useTableChoice(name)
  const shown = useMemo(() => shownColumns<T, C>(columns, choice), [columns, choice])
  const ordered = useMemo(() => sortedRows(rows, columns, choice), [rows, columns, choice])
  const tools: ReactNode = (
    <TableTools table={name} columns={columns} rows={ordered} choice={choice} onChoice={onChoice} />
  )
  return { grid: { columns: shown, rows: ordered, sort: choice, onSort }, tools }
}

interface TableToolsProps<T> {
  /** The name of the table, also used for the saved file. */
  readonly table: string
  readonly columns: readonly TableColumn<T>[]
  /** In the order in which they are shown. */
  readonly rows: readonly T[]
  /** Absent where columns cannot be chosen. */
  readonly choice?: TableChoice
  readonly onChoice?: (choice: TableChoice) => void
  /** The last chosen column cannot be hidden. */
  readonly keepsOne?: boolean
}

/** Choice of columns, and the table as shown in a file. */
export function TableTools<T>({ table, columns, rows, choice, onChoice, keepsOne = false }: TableToolsProps<T>) {
  const save = useAction('table.save')
  const options = choosable(columns)
  const send = async (): Promise<void> => {
    const shown = choice === undefined ? columns : shownColumns<T, TableColumn<T>>(columns, choice)
    const saved = await save.run({ table, rows: savedTable(shown, rows) })
    if (saved !== null) announce(`${plural(rows.length, 'row')} saved in ${visible(saved.file)}.`)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form, and its legend would be shown
    <span className="table-tools" role="group" aria-label={`Table: ${table.replaceAll('-', ' ')}`}>
      {choice !== undefined && onChoice !== undefined && options.length > 1 && (
        <ChoiceMenu
          title="Columns"
          options={options}
          keepsOne={keepsOne}
          chosen={options.flatMap(({ id }) => (choice.hidden.includes(id) ? [] : [id]))}
          onChange={(chosen) =>
            onChoice({ ...choice, hidden: options.flatMap(({ id }) => (chosen.includes(id) ? [] : [id])) })
          }
        />
      )}
      <Button small kind="quiet" icon={IconDownload} busy={save.busy} onPress={() => void send()}>
        Export CSV
      </Button>
      {save.error !== null && <FailureNote error={save.error} />}
    </span>
  )
}
