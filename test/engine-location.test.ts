import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sitesForExport } from '../main/app/engine/stored/location-store.ts'
import { declaredLocation } from '../main/app/location/ask-databases.ts'
import { sha256 } from '../main/core/base/digest.ts'
import type { DeclaredLocation, ResidencyPolicy, Scope } from '../schemas/types.ts'
import { kitsOfEachTest, valueIn, withNodes } from './support/engine-kit.ts'
import { createFakePorts } from './support/fake-ports.ts'

const { kitOver } = kitsOfEachTest()

describe('where nodes are declared to be', () => {
  test('is nothing before a run, then every declared node, those that were not collected among them', async () => {
    const kit = await kitOver(createFakePorts())
    expect(await kit.get('location.get', { of: 'run' })).toBeNull()
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    const view = await kit.get('location.get', { of: 'run' })
    expect(view?.rows).toHaveLength(8)
    const row = (node: string) => view?.rows.find((one) => one.node === node)
    expect(row('demo-metal-04')?.results[0]).toMatchObject({ of: 'declared-place', result: 'contradicted' })
    expect(row('demo-gpu-02')?.narrowest).toEqual({ km: 21.6 * 150 + 2, vantage: 'Branch office in Denver (made up)' })
    expect(row('demo-metal-04')?.results[0]?.why).toContain('at most 63.5 km away')
    expect(row('demo-gpu-02')?.results.map(({ why }) => why)).toEqual([null, null])
    expect(view?.figures.map(({ kind }) => kind)).toEqual(['location-map'])
    // The map counts every declared node; of those that were not collected it states no result.
    const declared = view?.figures[0]?.table.rows.filter(([place]) => place?.startsWith('Declared: ')) ?? []
    expect(declared.reduce((sum, [, , nodes]) => sum + Number(nodes), 0)).toBe(8)
    expect(declared.map(([, , , verdicts]) => verdicts).join()).toMatch(/\d undetermined/)
    // What was not collected stays in the count of every policy that is for it.
    expect(row('demo-away-07')).toMatchObject({
      // It was declared for a place all the same.
      place: row('demo-gpu-02')?.claim?.name,
      claim: null,
      results: [],
      withoutResult: ['Images stay in the United States (demo)'],
      narrowest: null,
      failure: { code: 'ssh.unreachable' },
    })
    expect(await kit.get('location.get', { of: 'pack' })).toBeNull()
  })

  test('states nothing about nodes without a declared place', async () => {
    const kit = await kitOver(createFakePorts())
    await withNodes(kit, ['db-3', 'db-4'])
    await kit.get('run.start', { nodes: [], only: 'all' })
    await kit.heard('run-done')
    const view = await kit.get('location.get', { of: 'run' })
    expect(view?.rows.map(({ claim, results }) => [claim, results])).toEqual([
      [null, []],
      [null, []],
    ])
  })
})

describe('what locates nodes', () => {
  test('comes with the demo fleet, is part of the run’s scope, and is there when the window is opened again', async () => {
    const kit = await kitOver(createFakePorts())
    const { run } = await kit.get('demo.open', null)
    await kit.heard('run-done')
    const before = (await kit.get('assessment.get', { of: 'run' }))?.scope.location
    expect(before?.sites?.rows.map(({ serial }) => serial)).toEqual([
      'DEMO-S0001',
      'DEMO-S0002',
      'DEMO-S0004',
      'DEMO-S0005',
    ])
    expect(before?.vantages).toMatchObject([{ demo: true, vantage: { name: 'Second office, New York (demo)' } }])
    expect(before?.residency?.map(({ region }) => region)).toEqual(['US', 'EEA'])
    expect((await kit.get('runs.open', { run })).scope.location).toEqual(before)
  })

  test('records of other starts of the demo fleet, whose servers had other keys, are kept and not part of a run', async () => {
    const kit = await kitOver(createFakePorts())
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    const path = join(kit.folder, 'demo', 'location.json')
    const kept = JSON.parse(readFileSync(path, 'utf8')) as DeclaredLocation
    const [record] = kept.vantages ?? []
    if (record === undefined) throw new Error('no record was kept')
    const elsewhere = record.measurements.map((one) => ({
      ...one,
      hostKey: one.hostKey === null ? null : `SHA256:${'x'.repeat(43)}`,
    }))
    const earlier = { ...record, id: 'of-an-earlier-start', measurements: elsewhere }
    writeFileSync(path, JSON.stringify({ ...kept, vantages: Array.from({ length: 10 }, () => earlier) }))
    const { run } = await kit.get('demo.open', null)
    await kit.heard('run-done')
    const now = (await kit.get('assessment.get', { of: 'run' }))?.scope.location?.vantages
    expect(now).toHaveLength(1)
    expect(now?.[0]?.id).not.toBe('of-an-earlier-start')
    expect((await kit.get('runs.open', { run })).scope.location?.vantages).toEqual(now)
    expect((JSON.parse(readFileSync(path, 'utf8')) as DeclaredLocation).vantages).toHaveLength(10)
  })

  test('an export takes the bytes of the provider’s record, and is refused where they are others now', async () => {
    const ports = createFakePorts()
    const kit = await kitOver(ports)
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    const scope = (await kit.get('assessment.get', { of: 'run' }))?.scope as Scope
    const shelf = { ports, folder: kit.folder, demo: true, fleet: null }
    const bytes = valueIn(await sitesForExport(shelf, scope))
    expect(sha256(bytes ?? new Uint8Array())).toBe(scope.location?.sites?.file.sha256)
    const path = join(kit.folder, 'demo', 'sites')
    writeFileSync(path, `${readFileSync(path, 'utf8')}DEMO-S0009,ASH1,US,,,,,,,\n`)
    expect(await sitesForExport(shelf, scope)).toMatchObject({ ok: false, error: { code: 'engagement.unreadable' } })
  })

  test('of a fleet of one’s own is what its file names; a file that is missing stops an export, not the window', async () => {
    const kit = await kitOver(createFakePorts())
    await withNodes(kit, ['db-3'])
    const path = join(kit.folder, 'fleet.json')
    const fleet = JSON.parse(readFileSync(path, 'utf8')) as object
    writeFileSync(path, JSON.stringify({ ...fleet, residency: [{ name: 'At home', country: ['DE'] }] }))
    await kit.get('run.start', { nodes: [], only: 'all' })
    await kit.heard('run-done')
    expect((await kit.get('assessment.get', { of: 'run' }))?.scope.location).toEqual({
      residency: [{ name: 'At home', country: ['DE'] }],
    })
    writeFileSync(path, JSON.stringify({ ...fleet, vantages: ['no-such-record.json'] }))
    const again = await kit.reopened()
    expect((await again.get('assessment.get', { of: 'run' }))?.scope.location).toBeUndefined()
    expect(
      await again.refusal('export.build', {
        frameworks: ['hipaa'],
        identity: null,
        timestamp: false,
        also: [],
        redact: null,
      }),
    ).toBe('engagement.unreadable')
    await again.close()
  })

  test('databases are asked when a run ends and when it is opened, and one that cannot be read stops an export', async () => {
    const kit = await kitOver(createFakePorts())
    await withNodes(kit, ['db-3', 'db-4'])
    const path = join(kit.folder, 'fleet.json')
    const fleet = JSON.parse(readFileSync(path, 'utf8')) as { nodes: { name: string; address: string }[] }
    const nodes = fleet.nodes.map((node) => (node.name === 'db-3' ? { ...node, address: '8.8.8.8' } : node))
    const table = join(kit.folder, 'ranges.csv')
    writeFileSync(table, '8.8.8.0,8.8.8.255,DE\n')
    writeFileSync(path, JSON.stringify({ ...fleet, nodes, addressDatabases: [{ file: 'ranges.csv' }] }))
    const { run } = await kit.get('run.start', { nodes: [], only: 'all' })
    await kit.heard('run-done')
    const shown = async (from: typeof kit) =>
      (await from.get('assessment.get', { of: 'run' }))?.scope.location?.databases?.map(({ file, answers }) => [
        file.name,
        answers.map(({ address, country }) => `${address} ${country}`),
      ])
    expect(await shown(kit)).toEqual([['ranges.csv', ['8.8.8.8 DE']]])
    // Its answers are kept: a view asks no file.
    writeFileSync(table, 'no database')
    expect(await shown(kit)).toEqual([['ranges.csv', ['8.8.8.8 DE']]])
    const again = await kit.reopened()
    await again.get('runs.open', { run })
    expect(await shown(again)).toBeUndefined()
    const wanted = { frameworks: ['hipaa'], identity: null, timestamp: false, also: [], redact: null }
    expect(await again.refusal('export.build', wanted)).toBe('engagement.unreadable')
    await again.close()
  })

  test.each<[ResidencyPolicy, string]>([
    [{ region: 'Mars' }, 'residency[0]: “Mars” is no country code of ISO 3166-1'],
    [{ country: ['DE', 'UK'] }, '(the United Kingdom is GB)'],
  ])('a policy that names no country or group is refused before anything is asked: %j', async (policy, expected) => {
    const refused = await declaredLocation(createFakePorts(), { residency: [policy] }, null)
    expect(refused.ok ? '' : refused.error.detail).toContain(expected)
  })
})
