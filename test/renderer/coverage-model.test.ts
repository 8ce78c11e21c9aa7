import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coverageCounts, coverageLine, coverageRows } from '../../renderer/models/coverage-model.ts'
import type { ReconciledNode, Reconciliation } from '../../schemas/types.ts'

const node = (name: string, more: Partial<ReconciledNode> = {}): ReconciledNode => ({
  node: name,
  declared: true,
  inFleet: true,
  collected: true,
  inventory: { id: `srv-${name}`, by: 'serial' },
  ...more,
})
const COVERAGE: Reconciliation = {
  declared: 5,
  inFleet: 5,
  collected: 4,
  inventory: 7,
  nodes: [
    node('all'),
    node('declared-only', { inFleet: false, collected: false, inventory: null }),
    node('silent', { collected: false }),
    node('unlisted', { inventory: null }),
    node('undeclared', { declared: false, inventory: { id: 'srv-9', by: 'name' } }),
  ],
  inventoryOnly: [
    { row: { id: 'srv-77', name: null, address: '192.0.2.77', serial: 'S77' }, excluded: null },
    { row: { id: 'net-1', name: 'a switch', address: null, serial: null }, excluded: 'It is a switch.' },
  ],
  conflicts: [],
  unreconciled: 1,
}

describe('the population', () => {
  test('rows of the provider that no node fits can be named, nodes cannot', () =>
    expect(coverageRows(COVERAGE).flatMap(({ rowId }) => (rowId === null ? [] : [rowId]))).toEqual(['srv-77', 'net-1']))

  test('is listed worst first, rows of the provider by the name they have', () =>
    expect(coverageRows(COVERAGE).map(({ name, state, listed, why }) => [name, state, listed, why])).toEqual([
      ['192.0.2.77', 'unreconciled', 'srv-77', null],
      ['declared-only', 'not-in-fleet', null, null],
      ['silent', 'not-collected', 'srv-silent, by serial number', null],
      ['undeclared', 'not-declared', 'srv-9, by name', null],
      ['unlisted', 'not-in-inventory', null, null],
      ['a switch', 'excluded', 'net-1', 'It is a switch.'],
      ['all', 'reconciled', 'srv-all, by serial number', null],
    ]))

  test('without a provider inventory, no node is missing from it, and none is reconciled with it', () => {
    const alone = { ...COVERAGE, inventory: null, inventoryOnly: [], nodes: [node('unlisted', { inventory: null })] }
    expect(coverageRows(alone).map(({ state }) => state)).toEqual(['not-compared'])
    expect(coverageLine(alone)).toBe(
      '5 declared, 5 in the fleet file, 4 of 1 collected. No provider inventory is compared.',
    )
  })

  test('its line has the counts, and the assets that are not reconciled', () => {
    expect(coverageLine(COVERAGE)).toBe(
      '5 declared, 5 in the fleet file, 4 of 5 collected. The provider inventory lists 7; 1 unreconciled.',
    )
    expect(coverageLine({ ...COVERAGE, unreconciled: 0 })).toContain(
      'The provider inventory lists 7; none unreconciled.',
    )
  })

  test('every node and asset is counted once', () => {
    const any = fc.record({
      nodes: fc.uniqueArray(
        fc.record({
          node: fc.string({ minLength: 1, maxLength: 8 }),
          declared: fc.boolean(),
          inFleet: fc.boolean(),
          collected: fc.boolean(),
          inventory: fc.constantFrom(null, { id: 'x', by: 'address' as const }),
        }),
        { selector: (one) => one.node },
      ),
      excluded: fc.array(fc.constantFrom(null, 'A reason.')),
    })
    fc.assert(
      fc.property(any, ({ nodes, excluded }) => {
        const inventoryOnly = excluded.map((why, at) => ({
          row: { id: `r${at}`, name: null, address: null, serial: null },
          excluded: why,
        }))
        const rows = coverageRows({ ...COVERAGE, nodes, inventoryOnly })
        expect(new Set(rows.map(({ key }) => key)).size).toBe(nodes.length + excluded.length)
        expect(coverageCounts(rows).reduce((sum, { count }) => sum + count, 0)).toBe(rows.length)
      }),
    )
  })
})
