import type {
  Engagement,
  Excluded,
  InventoryRow,
  Reconciliation,
  Scope,
  SharedIdentities,
} from '../../../schemas/types.ts'
import { grouped } from '../base/grouping.ts'
import { quote } from '../base/plain-text.ts'
import { compare } from '../recording/recording.ts'
import { surplusNames } from '../recording/same-machine.ts'
import {
  type CoverageNode,
  isAnother,
  type ListedNode,
  type ListedRow,
  listedNodes,
  listedRows,
  type Match,
  matched,
} from './matching.ts'
import { isAddress } from './same.ts'

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
interface ListDifferences {
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

/** Conflicts between the lists, one sentence each, in a stable order. Which list is correct is not decided here. */
function conflictsIn(
  rows: readonly ListedRow[],
  nodes: readonly ListedNode[],
  matches: ReadonlyMap<string, Match>,
  leftOut: readonly Excluded[],
): readonly string[] {
  const out = new Set(leftOut.map(({ id }) => id))
  const rowsAt = grouped(rows, ({ addresses }) => addresses)
  const rowsCalled = grouped(rows, ({ name }) => (name === null ? [] : [name]))
  return [
    ...sharedSerials(rows, nodes),
    ...nodes.flatMap((node) => {
      const match = matches.get(node.node)
      return [
        ...(match === undefined ? [] : contradictions(node, match)),
        ...(match !== undefined && out.has(match.row.row.id)
          ? [`Row ${quote(match.row.row.id)} is declared as excluded, but node ${quote(node.node)} matches it.`]
          : []),
        ...otherMachines(node, rowsAt, rowsCalled),
        ...elsewhere(node, match, rowsAt),
      ]
    }),
  ].sort(compare)
}

function sharedSerials(rows: readonly ListedRow[], nodes: readonly ListedNode[]): readonly string[] {
  const rowsBy = grouped(rows, ({ serial }) => (serial === null ? [] : [serial]))
  const nodesBy = grouped(nodes, ({ serials }) => serials)
  return [
    ...[...rowsBy].flatMap(([serial, group]) =>
      group.length === 1 ? [] : [`${ids('Rows', group)} have the same serial number, ${quote(serial)}.`],
    ),
    ...[...nodesBy].flatMap(([serial, group]) =>
      group.length === 1
        ? []
        : [
            `Nodes ${list(group.map(({ node }) => node))} report the same serial number, ${quote(serial)}. At most one of them can be that machine.`,
          ],
    ),
  ]
}

/** Differences between a node and the row that matches it by serial number. */
function contradictions(node: ListedNode, { row, by }: Match): readonly string[] {
  const { name, address } = row.row
  if (by !== 'serial') return []
  const start = `Row ${quote(row.row.id)} matches node ${quote(node.node)} by serial number but states a different`
  return [
    ...(name !== null && !isNameOf(row.name ?? '', node) ? [`${start} name, ${quote(name)}.`] : []),
    ...(address !== null && isOtherAddress(row, node)
      ? [`${start} address, ${quote(address)}; the node was collected at ${quote(node.machine?.address ?? '')}.`]
      : []),
  ]
}

/** Rows with the name or address of a node but a different serial number. */
function otherMachines(
  node: ListedNode,
  rowsAt: ReadonlyMap<string, readonly ListedRow[]>,
  rowsCalled: ReadonlyMap<string, readonly ListedRow[]>,
): readonly string[] {
  const sentence = (what: string, row: ListedRow): string =>
    `Row ${quote(row.row.id)} has the ${what} of node ${quote(node.node)} but a different serial number, ${quote(row.row.serial ?? '')}; the node reports ${list(node.machine?.serials ?? [])}. It is not matched to this node.`
  // Only a few are listed; a hostile list can contain one name or address in every row.
  const others = (group: readonly ListedRow[] | undefined): readonly ListedRow[] =>
    (group ?? []).slice(0, 4).filter((row) => isAnother(row, node))
  const called = node.names.flatMap((name) => others(rowsCalled.get(name)))
  const at = node.address === null ? [] : others(rowsAt.get(node.address)).filter((row) => !called.includes(row))
  return [...called.map((row) => sentence('name', row)), ...at.map((row) => sentence('address', row))]
}

/** A short name and the same name with its domain do not conflict. */
const isNameOf = (name: string, { names }: ListedNode): boolean =>
  names.some((own) => own === name || name.startsWith(`${own}.`) || own.startsWith(`${name}.`))

/** An address and a host name cannot be compared. */
const isOtherAddress = ({ addresses }: ListedRow, { address }: ListedNode): boolean =>
  address !== null && !addresses.includes(address) && addresses.some((one) => isAddress(one) === isAddress(address))

/** The address of a node in rows other than its own. */
function elsewhere(
  { node, address, machine }: ListedNode,
  match: Match | undefined,
  rowsAt: ReadonlyMap<string, readonly ListedRow[]>,
): readonly string[] {
  if (address === null || machine === null) return []
  const there = rowsAt.get(address) ?? []
  const own = match?.row.addresses.includes(address) === true ? 1 : 0
  if (there.length === own) return []
  // Only two others are listed; a hostile list can contain one address in every row.
  const others = there.slice(0, 4).filter((row) => row !== match?.row)
  return [
    `Node ${quote(node)} has address ${quote(machine.address)}, which the inventory ${own === 1 ? 'also assigns' : 'assigns'} to ${ids('row', others, there.length - own)}.`,
  ]
}

const ids = (word: string, rows: readonly ListedRow[], count = rows.length): string =>
  `${count > 1 && word === 'row' ? 'rows' : word} ${list(
    rows.slice(0, 4).map(({ row }) => row.id),
    count,
  )}`

/** The first names, with the count of the others. */
function list(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, count > 3 ? 2 : 3).map((name) => quote(name))
  const rest = count - shown.length
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
