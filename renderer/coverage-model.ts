import { COVERAGE_STATES, type CoverageState, matchedByWords } from '../schemas/engagement-words.ts'
import type { Coverage, CoveredNode, InventoryOnly } from '../schemas/types.ts'

/** One node, or one asset of the provider inventory that matches no node. */
export interface CoverageRow {
  readonly key: string
  readonly name: string
  readonly state: CoverageState
  readonly declared: boolean
  readonly enrolled: boolean
  readonly answered: boolean
  /** The id of an inventory asset that matches no node; null for a node. */
  readonly rowId: string | null
  /** The inventory asset and how it was matched; null for none. */
  readonly listed: string | null
  /** The reason for exclusion; null where none is recorded. */
  readonly why: string | null
}
export interface CoverageCount {
  readonly state: CoverageState
  readonly count: number
}

/** Nodes and unmatched assets, worst first, then by name. */
export function coverageRows({ nodes, inventoryOnly, inventory }: Coverage): readonly CoverageRow[] {
  const rank = ({ state }: CoverageRow): number => COVERAGE_STATES.indexOf(state)
  return [...inventoryOnly.map(rowOfList), ...nodes.map((node) => rowOfNode(node, inventory !== null))].sort(
    (a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  )
}

/** How many nodes and assets are in each state, worst first, without empty states. */
export const coverageCounts = (rows: readonly CoverageRow[]): readonly CoverageCount[] =>
  COVERAGE_STATES.map((state) => ({ state, count: rows.filter((row) => row.state === state).length })).filter(
    ({ count }) => count > 0,
  )

function rowOfList({ row: { id, name, address, serial }, leftOut }: InventoryOnly, at: number): CoverageRow {
  return {
    key: `list ${at}`,
    name: name ?? address ?? serial ?? id,
    state: leftOut === null ? 'unaccounted' : 'left-out',
    declared: false,
    enrolled: false,
    answered: false,
    rowId: id,
    listed: id,
    why: leftOut,
  }
}

function rowOfNode({ node, declared, enrolled, answered, inventory }: CoveredNode, compared: boolean): CoverageRow {
  return {
    key: `node ${node}`,
    name: node,
    state: stateOf({ declared, enrolled, answered, listed: !compared || inventory !== null }),
    declared,
    enrolled,
    answered,
    rowId: null,
    listed: inventory === null ? null : `${inventory.id}, ${matchedByWords[inventory.by]}`,
    why: null,
  }
}

function stateOf(node: {
  readonly declared: boolean
  readonly enrolled: boolean
  readonly answered: boolean
  readonly listed: boolean
}): CoverageState {
  if (!node.enrolled) return 'not-enrolled'
  if (!node.answered) return 'not-answered'
  if (!node.declared) return 'not-declared'
  return node.listed ? 'covered' : 'not-listed'
}

/** The counts in one line, with the assets that are not reconciled. */
export function coverageLine({ declared, enrolled, answered, inventory, nodes, uncovered }: Coverage): string {
  const lists = `${declared} declared, ${enrolled} in the fleet file, ${answered} of ${nodes.length} collected`
  if (inventory === null) return `${lists}. No provider inventory is compared.`
  return `${lists}. The provider inventory lists ${inventory}; ${uncovered === 0 ? 'none' : uncovered} not reconciled.`
}
