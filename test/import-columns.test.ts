import { afterEach, describe, expect, test } from 'vitest'
import { importCsv } from '../main/adapters/importers/csv.ts'
import { importSshConfig } from '../main/adapters/importers/index.ts'
import { findSsh } from '../main/adapters/ssh/openssh-config.ts'
import { type EngineKit, engineKit } from './support/engine-kit.ts'

const outcomes = (text: string, ...rest: [Parameters<typeof importCsv>[1]?, Parameters<typeof importCsv>[2]?]) =>
  importCsv(text, ...rest).lines.map(({ outcome, node }) => node ?? outcome)

describe('columns of a table', () => {
  test('a heading or a cell that is also the name of a member of every object has no meaning', () => {
    const { columns } = importCsv('Address,Constructor\n192.0.2.4,x\n')
    expect(columns?.map(({ field }) => field)).toEqual(['address', null])
    const { lines } = importCsv('Address,Sudo\n192.0.2.4,constructor\n')
    expect(lines[1]?.why).toBe('sudo must be yes or no, not “constructor”')
  })

  test('are guessed from usual headings, each field once', () => {
    const { columns, nodes } = importCsv('Server Name,IP Address,Host,Rack\nDB 4,192.0.2.4,other,7\n')
    expect(columns).toEqual([
      { heading: 'Server Name', sample: 'DB 4', field: 'name' },
      { heading: 'IP Address', sample: '192.0.2.4', field: 'address' },
      { heading: 'Host', sample: 'other', field: null },
      { heading: 'Rack', sample: '7', field: null },
    ])
    expect(nodes).toEqual([{ name: 'db-4', address: '192.0.2.4' }])
  })

  test('are what a person assigned, whatever their headings', () => {
    const text = 'Label;Where\ndb-4;192.0.2.4\n'
    const guessed = importCsv(text)
    expect(guessed.nodes).toEqual([])
    expect(guessed.columns?.map(({ field }) => field)).toEqual([null, null])
    expect(importCsv(text, [], ['name', 'address']).nodes).toEqual([{ name: 'db-4', address: '192.0.2.4' }])
    expect(importCsv(text, [], ['address', 'address']).nodes).toEqual([])
  })

  test('state a place where it has coordinates, and the line notes what was assumed', () => {
    const text = 'name,address,site,country,lat,lon,radius,owner\n'
    const full = importCsv(`${text}a,192.0.2.1,Oslo,no,"59,9",10.7,5,M. Ortiz\n`).nodes[0]
    expect(full?.location).toEqual({
      name: 'Oslo',
      country: 'NO',
      latitude: 59.9,
      longitude: 10.7,
      radiusKm: 5,
      declaredBy: 'M. Ortiz',
    })
    const assumed = importCsv(`${text}a,192.0.2.1,Oslo,NO,59.9,10.7,,\n`)
    expect(assumed.nodes[0]?.location).toMatchObject({ radiusKm: 50 })
    expect(assumed.lines[1]?.why).toContain('50 km assumed')
    const none = importCsv(`${text}a,192.0.2.1,Oslo,NO,,,,\n`)
    expect(none.nodes).toEqual([{ name: 'a', address: '192.0.2.1' }])
    expect(none.lines[1]?.why).toContain('latitude and longitude')
    expect(outcomes(`${text}a,192.0.2.1,Oslo,NO,north,10.7,,\nb,192.0.2.2,Oslo,NO,91,10.7,,\n`).slice(1)).toEqual([
      'problem',
      'problem',
    ])
  })

  test('one quotation mark that is not closed costs one line', () => {
    expect(outcomes('name,address\na,192.0.2.1\nb,"192.0.2.2\nc,192.0.2.3\n')).toEqual(['read', 'a', 'problem', 'c'])
    expect(outcomes('name,"address\na,192.0.2.1\n')).toEqual(['problem', 'skipped'])
    expect(outcomes('')).toEqual([])
  })

  test('servers behind one address are distinguished by their ports', () => {
    const { nodes } = importCsv('address,port\n192.0.2.1,22\n192.0.2.1,2222\n')
    expect(nodes.map(({ name, port }) => [name, port])).toEqual([
      ['192.0.2.1', 22],
      ['192.0.2.1-2222', 2222],
    ])
  })
})

describe('the window', () => {
  let kit: EngineKit
  afterEach(() => kit.close())

  test('reads a table again with other columns, and the earlier preview ends', async () => {
    kit = await engineKit()
    const first = await kit.get('fleet.import-text', { kind: 'csv', text: 'Label,Where\ndb-4,192.0.2.4\n' })
    expect([first.willAdd, first.columns?.length]).toEqual([0, 2])
    const second = await kit.get('fleet.import-columns', { handle: first.handle, columns: ['name', 'address'] })
    expect(second.willAdd).toBe(1)
    expect(await kit.refusal('fleet.import-columns', { handle: first.handle, columns: [] })).toBe('input.refused')
    expect((await kit.get('fleet.accept', { handle: second.handle })).nodes.map(({ name }) => name)).toEqual(['db-4'])
    const other = await kit.get('fleet.import-text', { kind: 'ansible', text: '[db]\ndb-5\n' })
    expect(other.columns).toBeNull()
  })
})

test.skipIf(findSsh() === null)('a misspelled keyword is named by its line, and costs no other host', async () => {
  const text = 'Host a\n  HostName 192.0.2.1\n\nHots typo\n  HostName 192.0.2.2\n\nHost c\n  HostName 192.0.2.3\n'
  const { nodes, lines } = await importSshConfig(text)
  expect(nodes.map(({ name, address }) => [name, address])).toEqual([
    ['a', '192.0.2.1'],
    ['c', '192.0.2.3'],
  ])
  expect(lines[3]).toMatchObject({ line: 4, outcome: 'problem' })
  expect(lines[3]?.why).toContain('Bad configuration option: Hots')
})
