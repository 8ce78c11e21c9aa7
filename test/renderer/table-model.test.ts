import { describe, expect, test } from 'vitest'
import {
  choosable,
  NO_CHOICE,
  savedTable,
  shownColumns,
  sortedBy,
  sortedRows,
  type TableColumn,
} from '../../renderer/models/table-model.ts'

interface Row {
  readonly name: string
  readonly size: number | null
}
const COLUMNS: readonly TableColumn<Row>[] = [
  { id: 'name', title: 'Node', isRowHeader: true, text: ({ name }) => name },
  { id: 'size', title: 'Size', text: ({ size }) => size },
  { id: 'do', title: 'Actions' },
]
const ROWS: readonly Row[] = [
  { name: 'gpu-10', size: 9 },
  { name: 'gpu-2', size: null },
  { name: 'gpu-1', size: 80 },
]
const by = (id: string, isReversed = false) =>
  sortedRows(ROWS, COLUMNS, { ...NO_CHOICE, by: id, isReversed }).map(({ name }) => name)

describe('rows', () => {
  test('keep their order until a column is chosen, and for a column that no longer exists', () => {
    expect(sortedRows(ROWS, COLUMNS, NO_CHOICE)).toBe(ROWS)
    expect(by('gone')).toEqual(['gpu-10', 'gpu-2', 'gpu-1'])
    expect(by('do')).toEqual(['gpu-10', 'gpu-2', 'gpu-1'])
  })

  test('sort by number and by name with its number; a missing value is last in both directions', () => {
    expect(by('name')).toEqual(['gpu-1', 'gpu-2', 'gpu-10'])
    expect(by('name', true)).toEqual(['gpu-10', 'gpu-2', 'gpu-1'])
    expect(by('size')).toEqual(['gpu-10', 'gpu-1', 'gpu-2'])
    expect(by('size', true)).toEqual(['gpu-1', 'gpu-10', 'gpu-2'])
  })

  test('are ordered by what a column states for it, where that is not its text', () => {
    const columns: readonly TableColumn<Row>[] = [
      { id: 'name', title: 'Node', text: ({ name }) => name, order: ({ name }) => -name.length },
    ]
    const ordered = sortedRows(ROWS, columns, { ...NO_CHOICE, by: 'name' })
    expect(ordered.map(({ name }) => name)).toEqual(['gpu-10', 'gpu-2', 'gpu-1'])
  })

  test('a second press on the same heading reverses the order, another one does not', () => {
    const once = sortedBy(NO_CHOICE, 'size')
    expect([once.by, once.isReversed]).toEqual(['size', false])
    expect(sortedBy(once, 'size').isReversed).toBe(true)
    expect(sortedBy(sortedBy(once, 'size'), 'name').isReversed).toBe(false)
  })
})

describe('columns', () => {
  test('the row header and columns of buttons cannot be hidden', () => {
    expect(choosable(COLUMNS).map(({ id }) => id)).toEqual(['size'])
    const hidden = { ...NO_CHOICE, hidden: ['name', 'size', 'do'] }
    expect(shownColumns<Row, TableColumn<Row>>(COLUMNS, hidden).map(({ id }) => id)).toEqual(['name', 'do'])
  })

  test('columns of one part are chosen once, and hidden together; a kept one never is', () => {
    const part = { id: 'disk', title: 'Disk' }
    const columns: readonly TableColumn<Row>[] = [
      { id: 'name', title: 'Node', isRowHeader: true, text: ({ name }) => name },
      { id: 'why', title: 'Not collected', isKept: true, text: () => null },
      { id: 'used', title: 'Disk used', part, text: ({ size }) => size },
      { id: 'free', title: 'Disk free', part, text: ({ size }) => size },
    ]
    expect(choosable(columns)).toEqual([part])
    const shown = shownColumns<Row, TableColumn<Row>>(columns, { ...NO_CHOICE, hidden: ['disk', 'why'] })
    expect(shown.map(({ id }) => id)).toEqual(['name', 'why'])
  })

  test('the saved table has the shown columns with text, and an empty cell for no value', () => {
    expect(savedTable(COLUMNS, ROWS)).toEqual([
      ['Node', 'Size'],
      ['gpu-10', '9'],
      ['gpu-2', ''],
      ['gpu-1', '80'],
    ])
  })
})
