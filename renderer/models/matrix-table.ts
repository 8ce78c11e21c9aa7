import type { TableChoice } from '../../schemas/ipc-views.ts'
import { type Property, propertyWords } from '../../schemas/words.ts'
import { countsOf, type Matrix, type MatrixRow, sumOf, whyNotCollected } from './model.ts'
import { NO_CHOICE, sortedRows, type TableColumn } from './table-model.ts'

const notSatisfied = ({ collected, cells }: MatrixRow): number | null =>
  collected ? sumOf(cells.map(countsOf)).notSatisfied : null

/**
 * Nodes by properties as columns of a table, for its order and for the saved file. A node without evidence has no
 * counts.
 */
export const matrixColumns = (properties: readonly Property[]): readonly TableColumn<MatrixRow>[] => [
  { id: 'node', title: 'Node', isRowHeader: true, text: ({ node }) => node.node },
  { id: 'place', title: 'Declared place', isKept: true, text: ({ node }) => node.place },
  {
    id: 'not-collected',
    title: 'Not collected',
    isKept: true,
    text: ({ node, collected }) => (collected ? null : whyNotCollected(node)),
  },
  { id: 'not-satisfied', title: 'Not satisfied', isKept: true, text: notSatisfied },
  ...properties.flatMap((property, at) =>
    (['notSatisfied', 'inconclusive', 'satisfied', 'notTested'] as const).map(
      (count): TableColumn<MatrixRow> => ({
        id: `${property}-${count}`,
        title: `${propertyWords[property].label}: ${COUNTED[count]}`,
        part: { id: property, title: propertyWords[property].label },
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

/** The chosen properties and the one that is filtered by; all of them if none remains. */
export function chosenProperties(
  properties: readonly Property[],
  { hidden }: Pick<TableChoice, 'hidden'>,
  filtered: Property | null,
): readonly Property[] {
  const chosen = properties.filter((property) => property === filtered || !hidden.includes(property))
  return chosen.length === 0 ? properties : chosen
}

/** Reduces rows and totals to some properties. */
export function withProperties(matrix: Matrix, chosen: readonly Property[]): Matrix {
  if (chosen.length === matrix.properties.length) return matrix
  const isChosen = (_: unknown, at: number): boolean => chosen.some((property) => property === matrix.properties[at])
  return {
    properties: matrix.properties.filter(isChosen),
    rows: matrix.rows.map((row) => ({ ...row, cells: row.cells.filter(isChosen) })),
    sums: matrix.sums.filter(isChosen),
  }
}

export const MATRIX_ORDERS = [
  { id: 'worst', title: 'Worst first' },
  { id: 'node', title: 'By name' },
  { id: 'not-satisfied', title: 'Most not satisfied first' },
  { id: 'place', title: 'By declared place' },
] as const

/** Rows in an order that a person chose; `worst` is the order in which they are given. */
export const rowsIn = (order: (typeof MATRIX_ORDERS)[number]['id'], rows: readonly MatrixRow[]): readonly MatrixRow[] =>
  sortedRows(rows, matrixColumns([]), { ...NO_CHOICE, by: order, isReversed: order === 'not-satisfied' })
