import type { Engagement, EphiStore, Excluded, Inventory, InventoryRow } from '../../schemas/types.ts'

const BY = { owner: 'M. Ortiz', on: '2026-11-18' } as const

/** An engagement that declares nodes, and little else. */
export const engagementOf = ({
  nodes,
  stores = [],
  inventory = null,
}: {
  readonly nodes: readonly string[]
  readonly stores?: readonly EphiStore[]
  readonly inventory?: Inventory | null
}): Engagement => ({
  schema: 'barewitness.engagement/1',
  entity: 'Acme Health',
  audience: 'our assessor',
  purpose: 'a yearly evaluation',
  reportingBasis: { kind: 'date', date: '2026-11-20' },
  status: 'draft',
  distribution: null,
  ...BY,
  boundary: { system: 'the training cluster', services: [], sites: [], outside: [], ...BY },
  responsibilities: [],
  subserviceOrganizations: [],
  complementaryUserEntityControls: [],
  ephi: { stores, flows: [], ...BY },
  population: { source: 'the asset register', nodes, ...BY },
  inventory,
  signOff: [],
})

export const inventoryOf = (
  rows: readonly InventoryRow[],
  excluded: readonly Excluded[] = [],
  file: Inventory['file'] = { name: 'list.csv', size: 1, sha256: '0'.repeat(64) },
): Inventory => ({ source: 'a list', kind: 'order', file, rows, excluded, ...BY })
