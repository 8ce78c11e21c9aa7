import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { TableChoice } from '../../schemas/ipc-views.ts'
import type { TableColumn } from '../table-model.ts'
import { Icon } from '../ui/Icon.tsx'

export interface SortHeadingProps<T> {
  readonly column: TableColumn<T>
  readonly choice: TableChoice
  readonly onSort: (column: string) => void
  readonly className?: string
}

/** The heading of a column in a table that is drawn whole; a column with a text is sorted by it. */
export function SortHeading<T>({ column, choice, onSort, className }: SortHeadingProps<T>) {
  const { id, title, text } = column
  const isSorted = choice.by === id
  return (
    <th
      scope="col"
      {...(className === undefined ? {} : { className })}
      aria-sort={isSorted ? (choice.isReversed ? 'descending' : 'ascending') : undefined}
    >
      {text === undefined ? (
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
