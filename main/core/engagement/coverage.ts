import type { Coverage, Engagement, InventoryRow, Scope, SharedIdentities } from '../../../schemas/types.ts'
import { compare } from '../recording.ts'
import { surplusNames } from '../same-machine.ts'
import { conflictsIn } from './conflicts.ts'
import { type CoverageNode, listedNodes, listedRows, matched } from './matching.ts'

export type { CoverageNode } from './matching.ts'

/** The nodes of a fleet file joined with those that an engagement declares: what was declared and is not enrolled counts as not collected. */
export const populationWith = (enrolled: readonly string[], engagement: Engagement | undefined): readonly string[] =>
  [...new Set([...enrolled, ...(engagement?.population.nodes ?? [])])].sort(compare)

/**
 * Declared list, enrolled nodes and the provider's inventory against each other; undefined without an engagement. Rows and nodes are joined
 * by matched(). A row that no node fits keeps the population from being covered, unless somebody declared why it is left out. What else
 * the lists say against each other is told and changes nothing here. Names that are one machine count as one that answered. The order of rows and nodes carries no meaning.
 */
export function coverageOf(
  { engagement, enrolled, population }: Pick<Scope, 'engagement' | 'enrolled' | 'population'>,
  nodes: readonly CoverageNode[],
  shared?: Pick<SharedIdentities, 'machines'>,
): Coverage | undefined {
  if (engagement === undefined) return undefined
  const { inventory } = engagement
  const declared = new Set(engagement.population.nodes)
  const inFleet = new Set(enrolled ?? population)
  const answered = new Set(nodes.flatMap((one) => (one.answered ? [one.node] : [])))
  const rows = listedRows(inventory?.rows ?? [])
  const listed = listedNodes(nodes)
  const matches = matched(rows, listed)
  const taken = new Set([...matches.values()].map(({ row }) => row))
  const leftOut = new Map(inventory?.leftOut.map(({ id, why }) => [id, why]))
  const inventoryOnly = rows
    .filter((one) => !taken.has(one))
    .map(({ row }) => ({ row, leftOut: leftOut.get(row.id) ?? null }))
  return {
    declared: declared.size,
    enrolled: inFleet.size,
    answered: answered.size - (shared === undefined ? 0 : surplusNames(shared)),
    inventory: inventory?.rows.length ?? null,
    nodes: listed.map(({ node }) => {
      const match = matches.get(node)
      return {
        node,
        declared: declared.has(node),
        enrolled: inFleet.has(node),
        answered: answered.has(node),
        inventory: match === undefined ? null : { id: match.row.row.id, by: match.by },
      }
    }),
    inventoryOnly,
    conflicts: conflictsIn(rows, listed, matches, inventory?.leftOut ?? []),
    uncovered: inventoryOnly.filter((one) => one.leftOut === null).length,
  }
}

/** The three-way difference: what stands in one list and not in another. Null where there is no inventory to compare with. */
export interface ListDifferences {
  readonly declaredOnly: readonly string[]
  readonly enrolledOnly: readonly string[]
  readonly notInInventory: readonly string[] | null
  /** Rows that no node fits and nobody accounted for. */
  readonly unaccounted: readonly InventoryRow[] | null
}

export const differencesOf = ({ nodes, inventory, inventoryOnly }: Coverage): ListDifferences => ({
  declaredOnly: nodes.filter(({ declared, enrolled }) => declared && !enrolled).map(({ node }) => node),
  enrolledOnly: nodes.filter(({ declared, enrolled }) => enrolled && !declared).map(({ node }) => node),
  notInInventory: inventory === null ? null : nodes.filter((one) => one.inventory === null).map(({ node }) => node),
  unaccounted: inventory === null ? null : inventoryOnly.flatMap(({ row, leftOut }) => (leftOut === null ? [row] : [])),
})
