import type { Engagement, InventoryRow, Reconciliation, Scope, SharedIdentities } from '../../../schemas/types.ts'
import { compare } from '../recording.ts'
import { surplusNames } from '../same-machine.ts'
import { conflictsIn } from './conflicts.ts'
import { type CoverageNode, listedNodes, listedRows, matched } from './matching.ts'

export type { CoverageNode } from './matching.ts'

/** The check under which unreconciled rows of the provider's inventory are found. No node has a result of it. */
export const POPULATION = 'inventory.population'

/** The nodes of a fleet file joined with those that an engagement declares: declared nodes outside the fleet file count as not collected. */
export const populationWith = (inFleet: readonly string[], engagement: Engagement | undefined): readonly string[] =>
  [...new Set([...inFleet, ...(engagement?.population.nodes ?? [])])].sort(compare)

/**
 * Reconciles declared population, fleet file and provider inventory; undefined without an engagement. Rows and nodes are joined
 * by matched(). A row without a matching node is unreconciled unless its exclusion is declared with a rationale. Other conflicts of
 * the lists are reported and change nothing here. Several names of one machine count as one collected machine. The order of rows and nodes carries no meaning.
 */
export function coverageOf(
  { engagement, inFleet: fleetNodes, population }: Pick<Scope, 'engagement' | 'inFleet' | 'population'>,
  nodes: readonly CoverageNode[],
  shared?: Pick<SharedIdentities, 'machines'>,
): Reconciliation | undefined {
  if (engagement === undefined) return undefined
  const { inventory } = engagement
  const declared = new Set(engagement.population.nodes)
  const inFleet = new Set(fleetNodes ?? population)
  const answered = new Set(nodes.flatMap((one) => (one.answered ? [one.node] : [])))
  const rows = listedRows(inventory?.rows ?? [])
  const listed = listedNodes(nodes)
  const matches = matched(rows, listed)
  const taken = new Set([...matches.values()].map(({ row }) => row))
  const excluded = new Map(inventory?.excluded.map(({ id, why }) => [id, why]))
  const inventoryOnly = rows
    .filter((one) => !taken.has(one))
    .map(({ row }) => ({ row, excluded: excluded.get(row.id) ?? null }))
  return {
    declared: declared.size,
    inFleet: inFleet.size,
    collected: answered.size - (shared === undefined ? 0 : surplusNames(shared)),
    inventory: inventory?.rows.length ?? null,
    nodes: listed.map(({ node }) => {
      const match = matches.get(node)
      return {
        node,
        declared: declared.has(node),
        inFleet: inFleet.has(node),
        collected: answered.has(node),
        inventory: match === undefined ? null : { id: match.row.row.id, by: match.by },
      }
    }),
    inventoryOnly,
    conflicts: conflictsIn(rows, listed, matches, inventory?.excluded ?? []),
    unreconciled: inventoryOnly.filter((one) => one.excluded === null).length,
  }
}

/** The three-way difference: items in one list but not in another. Null without an inventory. */
export interface ListDifferences {
  readonly declaredOnly: readonly string[]
  readonly inFleetOnly: readonly string[]
  readonly notInInventory: readonly string[] | null
  /** Unreconciled rows: no matching node and no declared exclusion. */
  readonly unreconciled: readonly InventoryRow[] | null
}

export const differencesOf = ({ nodes, inventory, inventoryOnly }: Reconciliation): ListDifferences => ({
  declaredOnly: nodes.filter(({ declared, inFleet }) => declared && !inFleet).map(({ node }) => node),
  inFleetOnly: nodes.filter(({ declared, inFleet }) => inFleet && !declared).map(({ node }) => node),
  notInInventory: inventory === null ? null : nodes.filter((one) => one.inventory === null).map(({ node }) => node),
  unreconciled:
    inventory === null ? null : inventoryOnly.flatMap(({ row, excluded }) => (excluded === null ? [row] : [])),
})
