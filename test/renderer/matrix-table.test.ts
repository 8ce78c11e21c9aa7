import { expect, test } from 'vitest'
import {
  chosenProperties,
  type MATRIX_ORDERS,
  matrixColumns,
  rowsIn,
  withProperties,
} from '../../renderer/models/matrix-table.ts'
import { type MatrixRow, matrixOf } from '../../renderer/models/model.ts'
import { NO_CHOICE, savedTable, shownColumns, type TableColumn } from '../../renderer/models/table-model.ts'
import { check, row, view } from './made-up-view.ts'

const CHECKS = [check('a', 'isolation'), check('b', 'isolation'), check('c', 'location')]
const MATRIX = matrixOf(
  view(CHECKS, [
    row('node-10', ['satisfied', 'satisfied', 'satisfied'], { place: 'Ashburn' }),
    row('node-9', ['not-satisfied', 'not-satisfied', 'satisfied']),
    row('gone', ['not-tested', 'not-tested', 'not-tested'], { status: 'missing' }),
    row('node-2', ['satisfied', 'not-satisfied', 'inconclusive'], { place: 'Zurich' }),
  ]),
)
const { rows, properties } = MATRIX
const names = (order: (typeof MATRIX_ORDERS)[number]['id']): readonly string[] =>
  rowsIn(order, rows).map(({ node }) => node.node)

test.each([
  ['worst', ['node-9', 'node-2', 'gone', 'node-10']],
  ['node', ['gone', 'node-2', 'node-9', 'node-10']],
  // A node without evidence has no count, and comes last.
  ['not-satisfied', ['node-9', 'node-2', 'node-10', 'gone']],
  ['place', ['node-10', 'node-2', 'node-9', 'gone']],
] as const)('in the order %s', (order, expected) => {
  expect(names(order)).toEqual(expected)
})

test('every count is a column, and a node without evidence has its reason in place of counts', () => {
  const [head = [], ...saved] = savedTable(matrixColumns(properties), rows)
  expect(head.slice(0, 6)).toEqual([
    'Node',
    'Declared place',
    'Not collected',
    'Not satisfied',
    'Isolation: not satisfied',
    'Isolation: inconclusive',
  ])
  expect(head).toHaveLength(4 + 4 * properties.length)
  expect(saved[0]).toEqual(['node-9', '', '', '2', '2', '0', '0', '0', '0', '0', '1', '0'])
  expect(saved[2]).toEqual(['gone', '', 'no recording of this declared node', ...Array(9).fill('')])
})

test('a hidden property is neither shown nor saved, and a node without evidence keeps its reason', () => {
  const choice = { ...NO_CHOICE, hidden: ['isolation'] }
  const shown = withProperties(MATRIX, chosenProperties(properties, choice, null))
  expect(shown.properties).toEqual(['location'])
  expect(shown.rows.map(({ cells }) => cells.map(({ property }) => property))).toEqual(rows.map(() => ['location']))
  expect(shown.sums).toEqual([MATRIX.sums[properties.indexOf('location')]])
  const columns = shownColumns<MatrixRow, TableColumn<MatrixRow>>(matrixColumns(properties), choice)
  expect(savedTable(columns, rows)[0]?.slice(0, 5)).toEqual([
    'Node',
    'Declared place',
    'Not collected',
    'Not satisfied',
    'Location: not satisfied',
  ])
})

test('the property of the filter is shown though it is hidden, and all are where none is left', () => {
  expect(chosenProperties(properties, { hidden: ['isolation'] }, 'isolation')).toEqual(properties)
  expect(chosenProperties(properties, { hidden: [...properties] }, null)).toEqual(properties)
  expect(chosenProperties(properties, { hidden: [...properties] }, 'location')).toEqual(['location'])
})
