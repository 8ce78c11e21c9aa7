import { type Property, propertyWords } from '../schemas/words.ts'
import { countsOf, type MatrixRow, sumOf, whyNotCollected } from './model.ts'
import { NO_CHOICE, sortedRows, type TableColumn } from './table-model.ts'

const notSatisfied = ({ collected, cells }: MatrixRow): number | null =>
  collected ? sumOf(cells.map(countsOf)).notSatisfied : null

/** Nodes by properties as a table: what is saved of it, and what it is sorted by. A node without evidence has no counts. */
export const matrixColumns = (properties: readonly Property[]): readonly TableColumn<MatrixRow>[] => [
  { id: 'node', title: 'Node', isRowHeader: true, text: ({ node }) => node.node },
  { id: 'place', title: 'Declared place', text: ({ node }) => node.place },
  {
    id: 'not-collected',
    title: 'Not collected',
    text: ({ node, collected }) => (collected ? null : whyNotCollected(node)),
  },
  { id: 'not-satisfied', title: 'Not satisfied', text: notSatisfied },
  ...properties.flatMap((property, at) =>
    (['notSatisfied', 'inconclusive', 'satisfied', 'notTested'] as const).map(
      (count): TableColumn<MatrixRow> => ({
        id: `${property}-${count}`,
        title: `${propertyWords[property].label}: ${COUNTED[count]}`,
        text: ({ collected, cells }) => (collected ? countsOf(cells[at])[count] : null),
      }),
    ),
  ),
]

const COUNTED = {
  notSatisfied: 'not satisfied',
  inconclusive: 'inconclusive',
  satisfied: 'satisfied',
  notTested: 'not tested',
} as const

export const MATRIX_ORDERS = [
  { id: 'worst', title: 'Worst first' },
  { id: 'node', title: 'By name' },
  { id: 'not-satisfied', title: 'Most not satisfied first' },
  { id: 'place', title: 'By declared place' },
] as const
export type MatrixOrder = (typeof MATRIX_ORDERS)[number]['id']

/** Rows in an order that a person chose; `worst` is the order in which they are given. */
export const rowsIn = (order: MatrixOrder, rows: readonly MatrixRow[]): readonly MatrixRow[] =>
  sortedRows(rows, matrixColumns([]), { ...NO_CHOICE, by: order, isReversed: order === 'not-satisfied' })
