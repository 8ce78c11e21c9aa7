import { COVERAGE_STATES, type CoverageState, matchedByWords } from '../../schemas/engagement-words.ts'
import type { InventoryOnly, ReconciledNode, Reconciliation } from '../../schemas/types.ts'

/** One node, or one asset of the provider inventory that matches no node. */
export interface CoverageRow {
  readonly key: string
  readonly name: string
  readonly state: CoverageState
  readonly declared: boolean
  readonly inFleet: boolean
  readonly answered: boolean
  /** The id of an inventory asset that matches no node; null for a node. */
  readonly rowId: string | null
  /** The inventory asset and how it was matched; null for none. */
  readonly listed: string | null
  /** The reason for exclusion; null where none is recorded. */
  readonly why: string | null
}

interface CoverageCount {
  readonly state: CoverageState
  readonly count: number
}

/** Nodes and unmatched assets, worst first, then by name. */
export function coverageRows({ nodes, inventoryOnly, inventory }: Reconciliation): readonly CoverageRow[] {
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

function rowOfList({ row: { id, name, address, serial }, excluded }: InventoryOnly, at: number): CoverageRow {
  return {
    key: `list ${at}`,
    name: name ?? address ?? serial ?? id,
    state: excluded === null ? 'unreconciled' : 'excluded',
    declared: false,
    inFleet: false,
    answered: false,
    rowId: id,
    listed: id,
    why: excluded,
  }
}

function rowOfNode({ node, declared, inFleet, collected, inventory }: ReconciledNode, compared: boolean): CoverageRow {
  return {
    key: `node ${node}`,
    name: node,
    state: stateOf({ declared, inFleet, answered: collected, isCompared: compared, listed: inventory !== null }),
    declared,
    inFleet,
    answered: collected,
    rowId: null,
    listed: inventory === null ? null : `${inventory.id}, ${matchedByWords[inventory.by]}`,
    why: null,
  }
}

function stateOf(node: {
  readonly declared: boolean
  readonly inFleet: boolean
  readonly answered: boolean
  readonly isCompared: boolean
  readonly listed: boolean
}): CoverageState {
  if (!node.inFleet) return 'not-in-fleet'
  if (!node.answered) return 'not-collected'
  if (!node.declared) return 'not-declared'
  if (!node.isCompared) return 'not-compared'
  return node.listed ? 'reconciled' : 'not-in-inventory'
}

/** The counts in one line, with the assets that are not reconciled. */
export function coverageLine({ declared, inFleet, collected, inventory, nodes, unreconciled }: Reconciliation): string {
  const lists = `${declared} declared, ${inFleet} in the fleet file, ${collected} of ${nodes.length} collected`
  if (inventory === null) return `${lists}. No provider inventory is compared.`
  return `${lists}. The provider inventory lists ${inventory}; ${unreconciled === 0 ? 'none unreconciled' : `${unreconciled} unreconciled`}.`
}
