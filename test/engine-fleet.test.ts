import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EngineKit, engineKit, valueIn, withNodes } from './support/engine-kit.ts'
import { createFakePorts } from './support/fake-ports.ts'

let kit: EngineKit
beforeEach(async () => {
  kit = await engineKit()
})
afterEach(() => kit.close())
const fleetFile = (): string => join(kit.folder, 'fleet.json')

describe('importing nodes', () => {
  test('a preview changes nothing, is accepted once, and adds what it shows', async () => {
    const preview = await kit.get('fleet.import-text', {
      kind: 'csv',
      text: 'name,address\ndb-4,192.0.2.4\nbad line,,\n',
    })
    expect(preview.willAdd).toBe(1)
    expect(await kit.get('fleet.get', null)).toBeNull()
    const fleet = await kit.get('fleet.accept', { handle: preview.handle })
    expect(fleet.nodes.map(({ name, address }) => [name, address])).toEqual([['db-4', '192.0.2.4']])
    expect(await kit.refusal('fleet.accept', { handle: preview.handle })).toBe('input.refused')
  })

  test('a chosen file is named, and a closed dialog is no failure', async () => {
    const path = join(kit.folder, 'hosts.csv')
    writeFileSync(path, 'name,address\ndb-4,192.0.2.4\n')
    const reply = await kit.engine.call('fleet.import-choose', { kind: 'csv' }, { path })
    expect(reply).toMatchObject({ ok: true, value: { file: 'hosts.csv', willAdd: 1 } })
    expect(await kit.get('fleet.import-choose', { kind: 'csv' })).toBeNull()
  })

  test('a chosen file that yields nothing in the chosen format is read in the format that its text shows', async () => {
    const path = join(kit.folder, 'servers.csv')
    writeFileSync(path, 'name,address\ndb-4,192.0.2.4\n')
    const read = await kit.engine.call('fleet.import-choose', { kind: 'ssh-config' }, { path })
    expect(read).toMatchObject({ ok: true, value: { kind: 'csv', willAdd: 1 } })
    writeFileSync(path, 'Host db-5\n  HostName 192.0.2.5\n')
    expect(await kit.engine.call('fleet.import-choose', { kind: 'csv' }, { path })).toMatchObject({
      ok: true,
      value: { kind: 'ssh-config', willAdd: 1 },
    })
    writeFileSync(path, 'nothing that names a server\n')
    expect(await kit.engine.call('fleet.import-choose', { kind: 'ansible' }, { path })).toMatchObject({
      value: { kind: 'ansible' },
    })
  })

  test('a workbook is read as the table on its first sheet, with the rows that a person sees', async () => {
    const path = join(kit.folder, 'Servers of the clinic.XLSX')
    const rows = [
      ['Server name', 'IP address', 'Latitude', 'Longitude', 'Rack; room'],
      ['GPU 1', '192.0.2.4', 39.04, -77.49, 'A, 2'],
      [],
      ['Radiology "store"', '192.0.2.5', 39.04, -77.49, ''],
    ]
    const sheets = [{ name: 'Servers', widths: [20, 20, 10, 10, 10], rows }]
    writeFileSync(path, await createFakePorts().xlsx(sheets, { paper: 'a4', foot: '' }))
    const preview = valueIn(await kit.engine.call('fleet.import-choose', { kind: 'ssh-config' }, { path }))
    expect(preview).toMatchObject({ kind: 'csv', willAdd: 2, file: 'Servers of the clinic.XLSX' })
    expect(preview?.columns?.map(({ field }) => field)).toEqual(['name', 'address', 'latitude', 'longitude', null])
    expect(preview?.rows.filter(({ outcome }) => outcome === 'will-add').map(({ line, node }) => [line, node])).toEqual(
      [
        [2, 'gpu-1'],
        [4, 'radiology-store'],
      ],
    )
    const again = await kit.get('fleet.import-columns', {
      handle: preview?.handle ?? '',
      columns: ['name', 'address', null, null, 'role'],
    })
    expect(again.willAdd).toBe(2)
    writeFileSync(path, 'no workbook')
    expect(await kit.engine.call('fleet.import-choose', { kind: 'csv' }, { path })).toMatchObject({ ok: false })
  })

  test('a list as a spreadsheet saves it is read in its own encoding', async () => {
    const path = join(kit.folder, 'list.csv')
    writeFileSync(path, Buffer.from('name;address\nM\u00fcnchen 1;192.0.2.4\n', 'latin1'))
    expect(valueIn(await kit.engine.call('fleet.import-choose', { kind: 'csv' }, { path }))?.rows[1]?.text).toContain(
      'München 1',
    )
    writeFileSync(path, Buffer.from('\uFEFFname\taddress\ngpu-1\t192.0.2.4\n', 'utf16le'))
    const read = await kit.engine.call('fleet.import-choose', { kind: 'csv' }, { path })
    expect(read).toMatchObject({ value: { willAdd: 1 } })
  })

  test('only the newest previews are kept', async () => {
    const handles: string[] = []
    for (let at = 0; at < 6; at += 1)
      handles.push(
        (await kit.get('fleet.import-text', { kind: 'csv', text: `name,address\nn${at},192.0.2.9\n` })).handle,
      )
    expect(await kit.refusal('fleet.accept', { handle: handles[0] ?? '' })).toBe('input.refused')
    expect((await kit.get('fleet.accept', { handle: handles[5] ?? '' })).nodes).toHaveLength(1)
  })

  test('nodes imported while the demo is shown join the stored fleet, and lose nothing of it', async () => {
    await withNodes(kit, ['db-4'])
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    await withNodes(kit, ['db-5'])
    const fleet = await kit.get('fleet.get', null)
    expect(fleet?.demo).toBe(false)
    expect(fleet?.nodes.map(({ name }) => name)).toEqual(['db-4', 'db-5'])
    expect(await kit.get('assessment.get', { of: 'run' })).toBeNull()
  })

  test('a fleet file that is not understood is never written over', async () => {
    writeFileSync(fleetFile(), '{ "name": ')
    expect(await kit.refusal('fleet.import-text', { kind: 'csv', text: 'name,address\ndb-4,192.0.2.4\n' })).toBe(
      'input.refused',
    )
    expect(readFileSync(fleetFile(), 'utf8')).toBe('{ "name": ')
  })
})

describe('changing a fleet', () => {
  test('a node is edited; an empty user means the usual one', async () => {
    await withNodes(kit, ['db-4', 'db-5'])
    await kit.get('fleet.edit-node', { node: 'db-4', address: '192.0.2.77', port: 2222, user: 'audit', sudo: true })
    const fleet = await kit.get('fleet.edit-node', {
      node: 'db-4',
      address: '192.0.2.77',
      port: 2222,
      user: '',
      sudo: true,
    })
    expect(fleet.nodes[0]).toMatchObject({ name: 'db-4', address: '192.0.2.77', port: 2222, user: '', sudo: true })
    expect(fleet.nodes[1]).toMatchObject({ name: 'db-5', address: '192.0.2.5', port: 22 })
    expect(JSON.parse(readFileSync(fleetFile(), 'utf8')).nodes[0]).not.toHaveProperty('user')
  })

  test('what another person changed since the form was opened stays, and is asked about where both changed it', async () => {
    await withNodes(kit, ['db-4'])
    const was = { address: '192.0.2.4', port: 22, user: '', sudo: false }
    await kit.get('fleet.edit-node', { node: 'db-4', was, ...was, address: '192.0.2.77', user: 'audit' })
    const joined = await kit.get('fleet.edit-node', { node: 'db-4', was, ...was, sudo: true })
    const now = { address: '192.0.2.77', port: 22, user: 'audit', sudo: true }
    expect(joined.nodes[0]).toMatchObject(now)
    const same = await kit.get('fleet.edit-node', { node: 'db-4', was, ...was, user: 'audit', port: 2222 })
    expect(same.nodes[0]).toMatchObject({ ...now, port: 2222 })
    expect(await kit.refusal('fleet.edit-node', { node: 'db-4', was, ...was, address: '192.0.2.88' })).toBe(
      'input.refused',
    )
    expect((await kit.get('fleet.get', null))?.nodes[0]).toMatchObject({ ...now, port: 2222 })
  })

  test('a new address forgets the key that the old one showed', async () => {
    await withNodes(kit, ['db-1'])
    await kit.get('hostkeys.scan', { nodes: ['db-1'] })
    await kit.get('fleet.edit-node', { node: 'db-1', address: '192.0.2.77', port: 22, user: '', sudo: false })
    expect(await kit.get('hostkeys.list', null)).toMatchObject([
      { node: 'db-1', state: 'not-asked', fingerprint: null },
    ])
  })

  test('what would leave a file that cannot be read is refused, and the file stays as it was', async () => {
    await withNodes(kit, ['db-4'])
    const before = readFileSync(fleetFile(), 'utf8')
    const edit = { node: 'db-4', address: 'no address', port: 22, user: '', sudo: false }
    expect(await kit.refusal('fleet.edit-node', edit)).toBe('input.refused')
    expect(await kit.refusal('fleet.edit-node', { ...edit, node: 'nobody' })).toBe('input.refused')
    expect(await kit.refusal('fleet.remove-nodes', { nodes: ['db-4'] })).toBe('input.refused')
    expect(await kit.refusal('fleet.remove-nodes', { nodes: ['nobody'] })).toBe('input.refused')
    expect(readFileSync(fleetFile(), 'utf8')).toBe(before)
  })

  test('a removed node leaves the fleet, and its evidence stays', async () => {
    await withNodes(kit, ['db-4', 'db-5'])
    const { run } = await kit.get('run.start', { nodes: [], only: 'all' })
    await kit.heard('run-done')
    const fleet = await kit.get('fleet.remove-nodes', { nodes: ['db-5'] })
    expect(fleet.nodes.map(({ name }) => name)).toEqual(['db-4'])
    expect(readdirSync(join(kit.folder, 'evidence', run)).sort()).toEqual(['db-4', 'db-5'])
    expect((await kit.get('assessment.get', { of: 'run' }))?.rows.map(({ node }) => node)).toEqual(['db-4', 'db-5'])
  })

  test('a node that a residency rule or another node needs is not removed, and the reason names both', async () => {
    await withNodes(kit, ['db-4', 'db-5', 'db-6'])
    const residency = { residency: [{ region: 'US', nodes: ['db-5'] }] }
    await kit.get('declarations.set', { section: 'residency', nodes: [], value: residency })
    const why = async (...nodes: readonly string[]): Promise<string> => {
      const reply = await kit.engine.call('fleet.remove-nodes', { nodes })
      return reply.ok ? 'removed' : reply.error.detail
    }
    expect(await why('db-5')).toMatch(/^the residency rule “.+” names db-5; change it under Declarations first$/)
    expect(await why('db-4', 'db-5', 'db-6')).toMatch(/^a fleet has at least one node/)
    expect(await why('db-6')).toBe('removed')
  })

  test('the demo fleet cannot be changed', async () => {
    await kit.get('demo.open', null)
    expect(await kit.refusal('fleet.remove-nodes', { nodes: ['demo-gpu-01'] })).toBe('input.refused')
    expect(existsSync(fleetFile())).toBe(false)
  })
})

describe('settings', () => {
  const chosen = { concurrency: 8, authority: 'https://tsa.example/', singleKeys: false, theme: 'dark' } as const
  test('are kept, and the defaults stand before', async () => {
    expect(await kit.get('settings.get', null)).toEqual({
      concurrency: 64,
      authority: null,
      singleKeys: true,
      theme: 'system',
    })
    await kit.get('settings.set', chosen)
    const again = await kit.reopened()
    expect(await again.get('settings.get', null)).toEqual(chosen)
  })

  test.each([
    'not json',
    '{"concurrency":0,"authority":null,"singleKeys":true,"theme":"system"}',
    '{"concurrency":8,"authority":"file:///etc/passwd","singleKeys":true,"theme":"system"}',
  ])('a file that is none of ours gives the defaults, and is kept beside: %s', async (text) => {
    const path = join(kit.folder, 'settings.json')
    writeFileSync(path, text)
    expect((await kit.get('settings.get', null)).concurrency).toBe(64)
    expect(readFileSync(path, 'utf8')).toBe(text)
    await kit.get('settings.set', chosen)
    expect((await kit.get('settings.get', null)).concurrency).toBe(8)
    const beside = readdirSync(kit.folder).filter((name) => name.startsWith('settings.json.'))
    expect(beside.map((name) => readFileSync(join(kit.folder, name), 'utf8'))).toEqual([text])
  })
})
