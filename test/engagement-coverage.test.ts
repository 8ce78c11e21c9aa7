import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CoverageNode, coverageOf, differencesOf } from '../main/core/engagement/coverage.ts'
import { ephiGapSentences, ephiGaps, withMappedPaths } from '../main/core/engagement/ephi.ts'
import { addressKeys, nameKey, serialKey } from '../main/core/engagement/same.ts'
import type { Engagement, EphiStore, Excluded, InventoryRow, Reconciliation } from '../schemas/types.ts'
import { engagementOf, inventoryOf } from './support/engagement.ts'
import { expectLinear } from './support/growth.ts'

const node = (name: string, address: string | null = null, ...serials: string[]): CoverageNode => ({
  node: name,
  answered: address !== null,
  machine: address === null ? null : { address, serials },
})
const row = (id: string, { name = null, address = null, serial = null }: Partial<InventoryRow> = {}): InventoryRow => ({
  id,
  name,
  address,
  serial,
})

function covered(
  rows: readonly InventoryRow[] | null,
  nodes: readonly CoverageNode[],
  excluded: readonly Excluded[] = [],
  declared: readonly string[] = nodes.map((one) => one.node),
): Reconciliation {
  const engagement = engagementOf({
    nodes: declared,
    ...(rows === null ? {} : { inventory: inventoryOf(rows, excluded) }),
  })
  const inFleet = nodes.map((one) => one.node)
  const coverage = coverageOf({ engagement, inFleet, population: inFleet }, nodes)
  if (coverage === undefined) throw new Error('no coverage')
  return coverage
}

const matches = ({ nodes }: Reconciliation): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    nodes.map(({ node: name, inventory }) => [name, inventory === null ? null : `${inventory.id} by ${inventory.by}`]),
  )

describe('rows and nodes', () => {
  test.each<[string, InventoryRow[], CoverageNode[], Record<string, string | null>, string[]]>([
    [
      'fit by serial number before address, by address before name',
      [
        row('1', { serial: ' abc1 ', name: 'a', address: '10.0.0.1' }),
        row('2', { address: '10.0.0.2' }),
        row('3', { name: 'C.' }),
      ],
      [node('a', '10.0.0.1', 'ABC1'), node('b', '10.0.0.2'), node('c', '10.0.0.3', 'SER-X')],
      { a: '1 by serial', b: '2 by address', c: '3 by name' },
      [],
    ],
    [
      'fit by any address in a cell, however it is written',
      [row('1', { address: '10.9.9.9, 2001:DB8:0::1/64' }), row('2', { address: '[::ffff:10.0.0.2]' })],
      [node('a', '2001:db8::0:1'), node('b', '10.0.0.2')],
      { a: '1 by address', b: '2 by address' },
      [],
    ],
    [
      'fit by the host name that the node is reached at',
      [row('1', { name: 'gpu-1.dc.example' })],
      [node('a', 'GPU-1.dc.example.')],
      { a: '1 by name' },
      [],
    ],
    [
      'that fit by serial number and state otherwise',
      [
        row('1', { serial: 'SER-S', name: 'b', address: '10.0.0.9' }),
        row('2', { name: 'a.dc.example', serial: 'SER-T' }),
      ],
      [node('a', '10.0.0.1', 'SER-S', 'SER-T2'), node('z', '10.0.0.2', 'SER-T')],
      { a: '1 by serial', z: '2 by serial' },
      [
        'Row “1” matches node “a” by serial number but states a different address, “10.0.0.9”; the node was collected at “10.0.0.1”.',
        'Row “1” matches node “a” by serial number but states a different name, “b”.',
        'Row “2” matches node “z” by serial number but states a different name, “a.dc.example”.',
      ],
    ],
    [
      'that fit by serial number, the name with its domain',
      [row('1', { serial: 'SER-S', name: 'a.dc.example', address: 'a.dc.example' })],
      [node('a', '10.0.0.1', 'SER-S')],
      { a: '1 by serial' },
      [],
    ],
    [
      'that have one name or address and other serial numbers are other machines',
      [row('1', { name: 'a', serial: 'SER-1' }), row('2', { address: '10.0.0.2', serial: 'SER-2' })],
      [node('a', '10.0.0.1', 'TER-1', 'TER-2'), node('b', '10.0.0.2', 'TER-3')],
      { a: null, b: null },
      [
        'Node “b” has address “10.0.0.2”, which the inventory assigns to row “2”.',
        'Row “1” has the name of node “a” but a different serial number, “SER-1”; the node reports “TER-1” and “TER-2”. It is not matched to this node.',
        'Row “2” has the address of node “b” but a different serial number, “SER-2”; the node reports “TER-3”. It is not matched to this node.',
      ],
    ],
    [
      'of one machine that was enrolled twice: the second row stays open',
      [row('1', { name: 'a', serial: 'SER-1' }), row('2', { name: 'b', address: '10.0.0.2', serial: 'SER-2' })],
      [node('a', '10.0.0.1', 'SER-1'), node('b', '10.0.0.2', 'SER-1')],
      { a: '1 by serial', b: null },
      [
        'Node “b” has address “10.0.0.2”, which the inventory assigns to row “2”.',
        'Nodes “a” and “b” report the same serial number, “SER-1”. At most one of them can be that machine.',
        'Row “2” has the name of node “b” but a different serial number, “SER-2”; the node reports “SER-1”. It is not matched to this node.',
      ],
    ],
    [
      'never fit by what every machine has',
      [
        row('1', { serial: 'Default string' }),
        row('2', { address: '127.0.0.1' }),
        row('3', { address: 'fe80::1%eth0' }),
        row('4', { address: 'localhost' }),
      ],
      [node('a', '127.0.0.1', 'default string'), node('b', 'fe80::1%eth1'), node('c', 'LOCALHOST')],
      { a: null, b: null, c: null },
      [],
    ],
    [
      'of which two have one serial number: the one that agrees fits',
      [row('1', { serial: 'SER-S' }), row('2', { serial: 'ser-s', name: 'a' })],
      [node('a', '10.0.0.1', 'SER-S')],
      { a: '2 by serial' },
      ['Rows “1” and “2” have the same serial number, “SER-S”.'],
    ],
    [
      'of which two state one serial number: only what else agrees decides',
      [row('1', { serial: 'SER-S', name: 'b' }), row('2', { serial: 'SER-T' })],
      [
        node('a', '10.0.0.1', 'SER-S'),
        node('b', '10.0.0.2', 'SER-S'),
        node('c', '10.0.0.3', 'SER-T'),
        node('d', '10.0.0.4', 'SER-T'),
      ],
      { a: null, b: '1 by serial', c: null, d: null },
      [
        'Nodes “a” and “b” report the same serial number, “SER-S”. At most one of them can be that machine.',
        'Nodes “c” and “d” report the same serial number, “SER-T”. At most one of them can be that machine.',
      ],
    ],
    [
      'of which one has the address of another',
      [row('1', { serial: 'SER-S' }), row('2', { address: '10.0.0.1' }), row('3', { address: '10.0.0.1' })],
      [node('a', '10.0.0.1', 'SER-S')],
      { a: '1 by serial' },
      ['Node “a” has address “10.0.0.1”, which the inventory assigns to rows “2” and “3”.'],
    ],
    [
      'of which two share an address with what fits',
      [row('1', { address: '10.0.0.1' }), row('2', { address: '10.0.0.1', name: 'other' })],
      [node('a', '10.0.0.1')],
      { a: '1 by address' },
      ['Node “a” has address “10.0.0.1”, which the inventory also assigns to row “2”.'],
    ],
    [
      'behind one address are distinguished by name alone',
      [row('1', { address: '10.0.0.1' }), row('2', { address: '10.0.0.1', name: 'b' })],
      [node('a', '10.0.0.1'), node('b', '10.0.0.1')],
      { a: null, b: '2 by address' },
      [
        'Node “a” has address “10.0.0.1”, which the inventory assigns to rows “1” and “2”.',
        'Node “b” has address “10.0.0.1”, which the inventory also assigns to row “1”.',
      ],
    ],
  ])('%s', (_, rows, nodes, fitting, conflicts) => {
    const coverage = covered(rows, nodes)
    expect(matches(coverage)).toEqual(fitting)
    expect(coverage.conflicts).toEqual(conflicts)
    const fit = Object.values(fitting).filter((one) => one !== null).length
    expect(coverage.unreconciled).toBe(rows.length - fit)
  })

  test('the three lists against each other', () => {
    const engagement = engagementOf({
      nodes: ['a', 'b', 'c'],
      inventory: inventoryOf(
        [row('1', { name: 'a' }), row('2', { name: 'b' }), row('3', { name: 'x' }), row('4', { name: 'y' })],
        [
          { id: '4', why: 'a firewall' },
          { id: '2', why: 'given back' },
        ],
      ),
    })
    const population = ['a', 'b', 'c', 'd']
    const coverage = coverageOf({ engagement, inFleet: ['a', 'b', 'd'], population }, [
      node('a', '10.0.0.1'),
      ...['b', 'c', 'd'].map((name) => node(name)),
    ])
    expect(coverage).toMatchObject({ declared: 3, inFleet: 3, collected: 1, inventory: 4, unreconciled: 1 })
    expect(coverage?.inventoryOnly.map(({ row: { id }, excluded }) => [id, excluded])).toEqual([
      ['3', null],
      ['4', 'a firewall'],
    ])
    expect(coverage?.conflicts).toEqual(['Row “2” is declared as excluded, but node “b” matches it.'])
    expect(coverage && differencesOf(coverage)).toEqual({
      declaredOnly: ['c'],
      inFleetOnly: ['d'],
      notInInventory: ['c', 'd'],
      unreconciled: [row('3', { name: 'x' })],
    })
  })

  test('without an inventory nothing is stated about one; without an engagement, about nothing', () => {
    const coverage = covered(null, [node('a')])
    expect(coverage).toMatchObject({ inventory: null, unreconciled: 0, conflicts: [] })
    expect(differencesOf(coverage)).toMatchObject({ notInInventory: null, unreconciled: null })
    expect(coverageOf({ population: ['a'] }, [])).toBeUndefined()
  })

  const text = fc.constantFrom('a', 'b', 'A.', 'c', '10.0.0.1', '10.0.0.2', '2001:db8::1', 'SER-1', 'SER-2', '')
  const cell = fc.option(text, { freq: 2 })
  const rows = fc
    .array(fc.record({ name: cell, address: cell, serial: cell }), { maxLength: 8 })
    .map((all) => all.map((one, at) => ({ id: `r${at}`, ...one })))
  const nodes = fc.uniqueArray(
    fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), cell, fc.array(text, { maxLength: 3 })).map((one): CoverageNode => {
      const [name, address, serials] = one
      return node(name, address, ...serials)
    }),
    { selector: (one) => one.node, maxLength: 4 },
  )

  test('the order of rows and nodes changes nothing', () => {
    const pairs = fc
      .tuple(rows, nodes)
      .chain(([ofList, ofFleet]) =>
        fc.tuple(
          fc.constant(ofList),
          fc.constant(ofFleet),
          fc.shuffledSubarray(ofList, { minLength: ofList.length }),
          fc.shuffledSubarray(ofFleet, { minLength: ofFleet.length }),
        ),
      )
    fc.assert(
      fc.property(pairs, ([ofList, ofFleet, listShuffled, fleetShuffled]) => {
        expect(covered(listShuffled, fleetShuffled)).toEqual(covered(ofList, ofFleet))
      }),
    )
  })

  test('no row that is added makes the population better covered, and each row fits one node at most', () => {
    fc.assert(
      fc.property(rows, nodes, cell, cell, cell, (ofList, ofFleet, name, address, serial) => {
        const before = covered(ofList, ofFleet)
        const after = covered([...ofList, row('added', { name, address, serial })], ofFleet)
        expect(after.unreconciled).toBeGreaterThanOrEqual(before.unreconciled)
        const fitting = after.nodes.flatMap(({ inventory }) => inventory?.id ?? [])
        expect(new Set(fitting).size).toBe(fitting.length)
        expect(fitting.length + after.inventoryOnly.length).toBe(ofList.length + 1)
        const unmatched = covered([...ofList, row('added', { name: 'nobody' })], ofFleet)
        expect(unmatched.unreconciled).toBe(before.unreconciled + 1)
      }),
    )
  })

  test.each([
    ['all apart', (at: number) => [`n${at}`, `10.0.${at >> 8}.${at & 255}`, `SER-${at}`] as const],
    ['all alike', () => ['n', '10.0.0.1', 'SER-S'] as const],
  ])('as many rows as nodes, %s, take far less than the square', (_, cells) => {
    expectLinear((size) => {
      const many = Array.from({ length: size }, (_, at) => at)
      const list = many.map((at) => {
        const [name, address, serial] = cells(at)
        return row(`r${at}`, { name, address, serial })
      })
      const fleet = many.map((at) => node(`n${at}`, cells(at)[1], cells(at)[2]))
      const { inventoryOnly, conflicts } = covered(list, fleet)
      expect(inventoryOnly.length === 0 || conflicts.length > 0).toBe(true)
    }, 1000)
  })
})

test.each([
  ['10.0.0.1', ['10.0.0.1']],
  [' 10.0.0.1/24 ;10.0.0.1', ['10.0.0.1']],
  ['2001:db8::', ['2001:db8:0:0:0:0:0:0']],
  ['2001:0DB8:0000::0001%eth0', ['2001:db8:0:0:0:0:0:1']],
  ['1:2:3:4:5:6:7:8', ['1:2:3:4:5:6:7:8']],
  ['::ffff:192.0.2.1', ['192.0.2.1']],
  ['64:ff9b::192.0.2.1', ['64:ff9b:0:0:0:0:c000:201']],
  ['1:2:3:4:5:6:7:8:9', ['1:2:3:4:5:6:7:8:9']],
  ['1::2::3', ['1::2::3']],
  ['12345::', ['12345::']],
  ['300.1.1.1', ['300.1.1.1']],
  ['GPU-1.Example.', ['gpu-1.example']],
  ['', []],
])('address %j is compared as %j', (cell, keys) => {
  expect(addressKeys(cell)).toEqual(keys)
})

test.each([
  [
    '',
    '-',
    'n/a',
    'None',
    '1',
    '0000-0000',
    'XXXX XXXX',
    'ffffffff-ffff',
    'Unknown',
    'Not Specified',
    'To be filled by O.E.M.',
  ],
  ['0123456789', '123456789', 'MB-1234567890', 'SYS-0123456789ABCDEF', '12345678', 'Default string', 'Default'],
  [
    'System Serial Number',
    'SystemSerialNumb',
    'Base Board Serial Number',
    'Chassis SN',
    'Serial',
    'SerNum0',
    'Asset Tag#',
  ],
])('placeholders such as %j identify no machine', (...placeholders) => {
  expect(placeholders.map(serialKey)).toEqual(placeholders.map(() => null))
})

test.each(['7CS9X42', 'bcdfghj', 'S412345X', 'VMware-56 4d 1f', '0123456', 'SN-00017'])(
  '%j is a serial number',
  (serial) => {
    expect(serialKey(serial)).toBe(serial.toUpperCase())
  },
)

test.each([
  '0.0.0.0',
  '127.0.1.1',
  '::1',
  '::',
  'fe80::1%eth0',
  '169.254.9.9',
  'localhost',
  '::ffff:127.0.0.1',
  '[::1]',
  '-',
])('%j leads to no machine', (address) => {
  expect(addressKeys(address)).toEqual([])
})

test('any cell has keys, and a key is its own', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4()), (cell) => {
      for (const key of addressKeys(cell).map(nameKey)) expect([[key], []]).toContainEqual(addressKeys(key))
    }),
  )
})

describe('the map of ePHI', () => {
  const store = (name: string, path: string, ...nodes: string[]): EphiStore => ({ name, path, nodes, what: 'studies' })
  const map = (...stores: EphiStore[]): Pick<Engagement, 'ephi' | 'population'> =>
    engagementOf({ nodes: ['a', 'b', 'c'], stores })

  test('against what was declared of the nodes that were collected', () => {
    const gaps = ephiGaps(map(store('one', '/data/ephi/', 'a', 'b', 'c', 'x'), store('two', '/srv', 'a')), [
      { name: 'a', ephiPaths: ['/data//ephi', '/old'] },
      { name: 'b' },
    ])
    expect(gaps).toEqual({
      onlyInMap: [
        { node: 'a', path: '/srv', store: 'two' },
        { node: 'b', path: '/data/ephi/', store: 'one' },
      ],
      notCollected: [{ node: 'c', path: '/data/ephi/', store: 'one' }],
      unknownNodes: [{ node: 'x', path: '/data/ephi/', store: 'one' }],
      unexplained: [{ node: 'a', path: '/old', store: null }],
    })
    expect(ephiGapSentences(gaps)).toEqual([
      'ePHI location “one” is declared on node “x”, which is in no list of nodes.',
      'ePHI location “one” is on node “c”, which was not collected; not tested.',
      'ePHI location “two” is at “/srv” on node “a”, but the fleet file does not list that path; it is tested because the map declares it.',
      'ePHI location “one” is at “/data/ephi/” on node “b”, but the fleet file does not list that path; it is tested because the map declares it.',
      'The fleet file lists “/old” as an ePHI path on node “a”, but the map has no location there.',
    ])
  })

  test('nodes of which the same is stated share a sentence', () => {
    const unexplained = ['a', 'b', 'c'].map((node) => ({ node, path: '/old', store: null }))
    const notCollected = ['d', 'e'].map((node) => ({ node, path: '/data', store: 'one' }))
    const sentences = ephiGapSentences({ onlyInMap: [], unknownNodes: [], notCollected, unexplained })
    expect(sentences).toEqual([
      'ePHI location “one” is on 2 nodes (d, e), which were not collected; not tested.',
      'The fleet file lists “/old” as an ePHI path on 3 nodes (a, b, c), but the map has no location there.',
    ])
  })

  test('a folder below a declared path is another place', () => {
    const { onlyInMap, unexplained } = ephiGaps(map(store('one', '/data/ephi', 'a')), [
      { name: 'a', ephiPaths: ['/data'] },
    ])
    expect([onlyInMap.length, unexplained.length]).toEqual([1, 1])
  })

  test('adds its locations to the paths that are tested on a node', () => {
    const { ephi } = map(store('one', '/data//ephi/', 'a', 'b'), store('two', '/srv/', 'a'), store('three', '/', 'c'))
    const node = (name: string, ...ephiPaths: string[]) => ({ name, ephiPaths })
    expect(withMappedPaths(node('a', '/data/ephi'), ephi).ephiPaths).toEqual(['/data/ephi', '/srv'])
    expect(withMappedPaths({ name: 'b' }, ephi)).toEqual({ name: 'b', ephiPaths: ['/data/ephi'] })
    expect(withMappedPaths(node('x', '/x'), ephi).ephiPaths).toEqual(['/x'])
    expect(withMappedPaths({ name: 'a' }, undefined)).toEqual({ name: 'a' })
  })

  test('that agrees has no gaps', () => {
    const gaps = ephiGaps(map(store('one', '/data', 'a')), [{ name: 'a', ephiPaths: ['/data'] }])
    expect(ephiGapSentences(gaps)).toEqual([])
  })
})
