import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFleets } from '../main/adapters/fleet-file.ts'
import type { FleetFilePreview, SectionName, SectionReply, SectionValue } from '../schemas/ipc-declarations.ts'
import { type EngineKit, engineKit, valueIn, withNodes } from './support/engine-kit.ts'

let kit: EngineKit
beforeEach(async () => {
  kit = await engineKit()
  await withNodes(kit, ['db-4', 'db-5'])
})
afterEach(() => kit.close())

const fleetFile = (): string => join(kit.folder, 'fleet.json')
const stored = () => JSON.parse(readFileSync(fleetFile(), 'utf8'))
const set = (section: SectionName, value: SectionValue, nodes: readonly string[] = []): Promise<SectionReply> =>
  kit.get('declarations.set', { section, nodes, value })
const problems = async (...input: Parameters<typeof set>) => {
  const reply = await set(...input)
  return reply.saved ? [] : reply.problems.map(({ path }) => path.join('.'))
}

const PLACE = {
  name: 'Ashburn',
  country: 'US',
  latitude: 39.04,
  longitude: -77.48,
  radiusKm: 60,
  declaredBy: 'contract',
}

describe('a section', () => {
  test('of the fleet replaces its members and nothing else', async () => {
    await set('people', { roster: ['ann'], accounts: [{ account: 'ann', kind: 'person' }] })
    await set('services', { services: [{ port: 22, protocol: 'tcp', name: 'SSH' }] })
    const reply = await set('people', { roster: ['bob'] })
    expect(reply).toMatchObject({ saved: true, view: { fleet: { roster: ['bob'] } } })
    expect(stored()).toMatchObject({ roster: ['bob'], services: [{ port: 22 }] })
    expect(stored()).not.toHaveProperty('accounts')
    expect(readdirSync(join(kit.folder, 'fleet-earlier')).length).toBeGreaterThan(0)
  })

  test('of several nodes is stored for each of them, and their places are drawn', async () => {
    const reply = await set('node-place', { location: PLACE }, ['db-4', 'db-5'])
    expect(stored().nodes.map((node: { location: object }) => node.location)).toEqual([PLACE, PLACE])
    expect(reply.saved && reply.view.map?.table.rows[0]?.[2]).toBe('2')
  })

  test('with a problem is not stored, and each problem names its field', async () => {
    const before = readFileSync(fleetFile(), 'utf8')
    expect(await problems('node-place', { location: { ...PLACE, latitude: 91, country: 'us' } }, ['db-4'])).toEqual([
      'location.country',
      'location.latitude',
    ])
    expect(await problems('people', { accounts: [{ account: 'ann' }] })).toEqual(['accounts.0.kind'])
    expect(await problems('residency', { residency: [{ region: 'UK' }] })).toEqual(['residency.0.region'])
    expect(await problems('residency', { residency: [{ name: 'nowhere' }] })).toEqual(['residency.0'])
    expect(await problems('residency', { residency: [{ region: 'EU', nodes: ['db-9'] }] })).toEqual([
      'residency.0.nodes.0',
    ])
    expect(await problems('fleet', { name: 'x', frameworks: ['pci'] })).toEqual(['frameworks'])
    expect(await problems('fleet', {})).toEqual(['name'])
    expect(await problems('node-connection', { address: '192.0.2.4', jump: ['db-4'] }, ['db-4'])).toEqual(['jump'])
    expect(readFileSync(fleetFile(), 'utf8')).toBe(before)
  })

  test('names only files that a person chose or that the fleet names already', async () => {
    expect(await problems('node-login', { identityFile: '/etc/shadow' }, ['db-4'])).toEqual(['identityFile'])
    const path = join(kit.folder, 'key')
    writeFileSync(path, 'x')
    const chosen = valueIn(await kit.engine.call('declarations.choose-file', null, { path }))
    expect(chosen).toEqual({ file: path })
    expect(await problems('node-login', { identityFile: path, sudo: true }, ['db-4'])).toEqual([])
    expect(await problems('node-login', { identityFile: path }, ['db-5'])).toEqual([])
  })

  test('with a record that cannot be read names its field', async () => {
    const path = join(kit.folder, 'sites.csv')
    writeFileSync(path, 'nothing,of,use\n')
    await kit.engine.call('declarations.choose-file', null, { path })
    const sites = { file: path, source: 'provider', on: '2026-11-01', declaredBy: 'M. Ortiz' }
    expect(await problems('location-sources', { sites, vantages: [path] })).toEqual(['vantages.0', 'sites.file'])
  })

  test('is refused for members, nodes and fleets that it is not for', async () => {
    const refusal = (section: SectionName, value: SectionValue, nodes: readonly string[] = []) =>
      kit.refusal('declarations.set', { section, nodes, value })
    expect(await refusal('services', { roster: [] })).toBe('input.refused')
    expect(await refusal('node-place', { location: PLACE })).toBe('input.refused')
    expect(await refusal('services', { services: [] }, ['db-4'])).toBe('input.refused')
    expect(await refusal('node-place', { location: PLACE }, ['db-9'])).toBe('input.refused')
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    expect(await refusal('services', { services: [] })).toBe('input.refused')
  })

  test('of the demo fleet include the residency rules and the sites that its results are compared with', async () => {
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    const { scope } = valueIn(await kit.engine.call('assessment.get', { of: 'run' })) ?? {}
    const declared = await kit.get('declarations.get', null)
    expect(scope?.location?.residency?.length).toBeGreaterThan(0)
    expect(declared?.fleet.residency).toEqual(scope?.location?.residency)
    expect(declared?.fleet.sites?.source).toBe(scope?.location?.sites?.source)
  })
})

describe('a fleet file', () => {
  const open = async (text: string, name = 'fleet.yaml'): Promise<FleetFilePreview> => {
    mkdirSync(join(kit.folder, 'own'), { recursive: true })
    const path = join(kit.folder, 'own', name)
    writeFileSync(path, text)
    const preview = valueIn(await kit.engine.call('fleet.open-choose', null, { path }))
    if (preview === null) throw new Error('no preview')
    return preview
  }

  test('shows what it changes, and replaces the fleet once it is accepted', async () => {
    const before = readFileSync(fleetFile(), 'utf8')
    const preview = await open(
      'name: clinic\nroster: [ann]\nnodes:\n  - { name: db-4, address: 192.0.2.4, identityFile: key }\n  - { name: db-6, address: 192.0.2.6 }\n',
    )
    expect(preview).toMatchObject({ file: 'fleet.yaml', name: 'clinic', nodes: 2, problems: [], includes: [] })
    expect(preview.changes.map(({ node, member, kind }) => [node, member, kind])).toEqual([
      [null, 'name', 'changed'],
      [null, 'roster', 'added'],
      ['db-4', 'identityFile', 'added'],
      ['db-6', null, 'added'],
      ['db-5', null, 'removed'],
    ])
    expect(readFileSync(fleetFile(), 'utf8')).toBe(before)
    const fleet = await kit.get('fleet.open-accept', { handle: preview.handle ?? '' })
    expect(fleet.name).toBe('clinic')
    // Relative to the folder of the file, so it holds from here, too.
    expect(stored().nodes[0].identityFile).toBe(join(kit.folder, 'own', 'key'))
    expect(await kit.refusal('fleet.open-accept', { handle: preview.handle ?? '' })).toBe('input.refused')
  })

  test('with problems cannot be accepted, and names line and field of each', async () => {
    const preview = await open(
      'name: clinic\nnodes:\n  - name: db-4\n    address: 192.0.2.4\n    port: 70000\nsite: x\n',
    )
    expect(preview.handle).toBeNull()
    expect(preview.problems.map(({ line, field }) => [line, field])).toEqual([
      [5, 'nodes[0].port'],
      [6, 'site'],
    ])
    expect((await open('name: [')).problems[0]).toMatchObject({ line: 1, field: '' })
  })

  test('includes the engagement that it names, and reports a file that cannot be read', async () => {
    const text = 'name: clinic\nengagement: terms.yaml\nnodes: [{ name: db-4, address: 192.0.2.4 }]\n'
    const missing = await open(text)
    expect([missing.handle, missing.problems.length]).toEqual([null, 1])
    for (const file of ['short.yaml', 'invoice.csv'])
      copyFileSync(join('test/fixtures/engagement', file), join(kit.folder, 'own', file))
    const preview = await open(text.replace('terms.yaml', 'short.yaml'))
    expect([preview.problems, preview.includes]).toEqual([[], ['engagement']])
    await kit.get('fleet.open-accept', { handle: preview.handle ?? '' })
    expect((await kit.get('engagement.get', { of: 'run' })).counts).toBe(true)
    expect(stored()).not.toHaveProperty('engagement')
  })

  test('is saved as the command line reads it, with paths that hold anywhere', async () => {
    await set('people', { roster: ['ann'] })
    const path = join(kit.folder, 'own.yaml')
    const saved = valueIn(await kit.engine.call('fleet.save-file', null, { path }))
    expect(saved).toEqual({ file: 'own.yaml', named: [], withoutDraft: false })
    const read = await createFleets().read(path)
    expect(read.ok && read.value.fleet).toEqual(stored())
    expect(valueIn(await kit.engine.call('fleet.save-file', null))).toBeNull()
    expect(existsSync(path)).toBe(true)
  })
})
