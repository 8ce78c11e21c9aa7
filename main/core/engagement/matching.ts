import type { Engagement, Inventory, InventoryRow, Machine } from '../../../schemas/types.ts'
import { isDay } from '../base/days.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { grouped } from '../base/grouping.ts'
import { quote } from '../base/plain-text.ts'
import { compare } from '../recording/recording.ts'
import { addressKeys, nameKey, serialKey } from './same.ts'

/** The properties of a node used for reconciliation. */
export interface CoverageNode {
  readonly node: string
  readonly answered: boolean
  readonly machine: Machine | null
}

type MatchedBy = 'serial' | 'address' | 'name'

/** A row of the inventory in comparable forms. */
export interface ListedRow {
  readonly row: InventoryRow
  readonly name: string | null
  readonly addresses: readonly string[]
  readonly serial: string | null
}

/** A node in comparable forms. A host name used as its address also counts as its name. */
export interface ListedNode {
  readonly node: string
  readonly names: readonly string[]
  readonly address: string | null
  readonly serials: readonly string[]
  readonly machine: Machine | null
}

export interface Match {
  readonly row: ListedRow
  readonly by: MatchedBy
}

/** Rows in canonical order, independent of the list. */
export const listedRows = (rows: readonly InventoryRow[]): readonly ListedRow[] =>
  rows
    .map((row) => ({
      row,
      name: row.name === null ? null : nameKey(row.name),
      addresses: row.address === null ? [] : addressKeys(row.address),
      serial: row.serial === null ? null : serialKey(row.serial),
    }))
    .sort((a, b) => compare(a.row.id, b.row.id) || compare(orderOf(a.row), orderOf(b.row)))

const orderOf = ({ name, address, serial }: InventoryRow): string => [name, address, serial].join('\n')

/** Nodes in canonical order. */
export const listedNodes = (nodes: readonly CoverageNode[]): readonly ListedNode[] =>
  [...nodes]
    .sort((a, b) => compare(a.node, b.node))
    .map(({ node, machine }) => {
      const [address = null] = machine === null ? [] : addressKeys(machine.address)
      return {
        node,
        names: [...new Set([nameKey(node), ...(address === null ? [] : [address])])],
        address,
        serials: [...new Set((machine?.serials ?? []).flatMap((serial) => serialKey(serial) ?? []))],
        machine,
      }
    })

/** A row and a node with different serial numbers are two machines, whatever else they share. */
export const isAnother = ({ serial }: ListedRow, { serials }: ListedNode): boolean =>
  serial !== null && serials.length > 0 && !serials.includes(serial)

const WAYS: readonly (readonly [
  MatchedBy,
  (row: ListedRow) => readonly string[],
  (node: ListedNode) => readonly string[],
])[] = [
  ['serial', ({ serial }) => (serial === null ? [] : [serial]), ({ serials }) => serials],
  ['address', ({ addresses }) => addresses, ({ address }) => (address === null ? [] : [address])],
  ['name', ({ name }) => (name === null ? [] : [name]), ({ names }) => names],
]

/**
 * Matches rows to nodes: by serial number first, then address, then name. Each row matches at most one node, and each node one row.
 * Where several rows match, one with an equal name or address takes precedence, then the first by ID. Where several nodes share the value of
 * a row, only an equal name or address decides between them; otherwise the row matches none in this way. Names and
 * addresses are chosen by people, so they never match a row and a node with different serial numbers. The order of rows and nodes carries no
 * meaning, and the work grows with their number.
 */
export function matched(rows: readonly ListedRow[], nodes: readonly ListedNode[]): ReadonlyMap<string, Match> {
  const found = new Map<string, Match>()
  const taken = new Set<ListedRow>()
  const join = (row: ListedRow, node: ListedNode, by: MatchedBy): void => {
    if (taken.has(row) || found.has(node.node) || isAnother(row, node)) return
    taken.add(row)
    found.set(node.node, { row, by })
  }
  for (const [by, keysOfRow, keysOfNode] of WAYS) {
    const nodesBy = grouped(nodes, keysOfNode)
    const open = grouped(
      rows.filter((row) => !taken.has(row)),
      keysOfRow,
    )
    for (const [key, fitting] of [...open].sort(([a], [b]) => compare(a, b))) {
      const sharing = nodesBy.get(key) ?? []
      const [only, another] = sharing
      if (only === undefined) continue
      const agreeing = agreementOf(sharing)
      for (const row of fitting) {
        const node = agreeing(row)
        if (node !== null) join(row, node, by)
      }
      if (another === undefined) for (const row of fitting) join(row, only, by)
    }
  }
  return found
}

/** The one node that matches a row by name or, failing that, by address; null where none or several match. */
function agreementOf(nodes: readonly ListedNode[]): (row: ListedRow) => ListedNode | null {
  const byName = grouped(nodes, ({ names }) => names)
  const byAddress = grouped(nodes, ({ address }) => (address === null ? [] : [address]))
  const single = (group: readonly ListedNode[] | undefined): ListedNode | null =>
    group?.length === 1 ? (group[0] ?? null) : null
  return ({ name, addresses }) =>
    (name === null ? null : single(byName.get(name))) ??
    addresses.map((address) => single(byAddress.get(address))).find((node) => node !== null) ??
    null
}

/**
 * An engagement with a newer provider inventory. Exclusions are retained where their row IDs still exist. Fails with input.refused
 * without an engagement in use, and for an invalid date.
 */
export function withInventory(
  engagement: Engagement | null,
  { source, owner, ...list }: Omit<Inventory, 'excluded'>,
): Outcome<Engagement> {
  if (engagement === null)
    return fail('input.refused', 'the provider inventory requires an engagement; complete the engagement first')
  if (source.trim() === '' || owner.trim() === '')
    return fail('input.refused', 'enter the source and the owner of the inventory')
  if (!isDay(list.on)) return fail('input.refused', `the date ${quote(list.on)} is invalid`)
  const ids = new Set(list.rows.map(({ id }) => id))
  const excluded = (engagement.inventory?.excluded ?? []).filter(({ id }) => ids.has(id))
  return ok({ ...engagement, inventory: { ...list, source: source.trim(), owner: owner.trim(), excluded } })
}

/** Sets the reason for excluding a row; null removes it. Fails with input.refused where there is no such row. */
export function leaveOut(
  engagement: Engagement | null,
  { id, why }: { readonly id: string; readonly why: string | null },
): Outcome<Engagement> {
  const inventory = engagement?.inventory ?? null
  if (engagement === null || inventory === null || !inventory.rows.some((row) => row.id === id))
    return fail('input.refused', `the provider inventory has no row ${quote(id)}`)
  if (why !== null && why.trim() === '') return fail('input.refused', 'enter a reason for the exclusion')
  const others = inventory.excluded.filter((one) => one.id !== id)
  const excluded = why === null ? others : [...others, { id, why: why.trim() }]
  return ok({ ...engagement, inventory: { ...inventory, excluded } })
}
