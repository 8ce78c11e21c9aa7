import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { inventoryColumns, inventoryRows } from '../main/adapters/declarations/inventory-file.ts'
import { createFleets } from '../main/adapters/fleet-file.ts'
import { declaredScope } from '../main/app/collect/collect-run.ts'
import type { Scope } from '../schemas/types.ts'
import { type EngineKit, engineKit, valueIn, withNodes } from './support/engine-kit.ts'
import { fakeCatalog } from './support/fake-catalog.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'

const outside = folderOfTests('fleet-saved')
const ports = createFakePorts()
let kit: EngineKit
beforeEach(async () => {
  kit = await engineKit(ports)
  await withNodes(kit, ['db-4', 'db-5'])
})
afterEach(() => kit.close())

const own = (name: string, content: string | Uint8Array): string => {
  mkdirSync(join(kit.folder, 'own'), { recursive: true })
  const path = join(kit.folder, 'own', name)
  writeFileSync(path, content)
  return path
}
const stored = (file: string): unknown => JSON.parse(readFileSync(join(kit.folder, file), 'utf8'))
const save = async (path: string) => valueIn(await kit.engine.call('fleet.save-file', null, { path }))

/** What the command line declares from a fleet file. */
async function declaredIn(path: string): Promise<Scope> {
  const read = must(await createFleets().read(path))
  const { fleet } = read
  const nodes = fleet.nodes.map(({ name }) => name)
  const declared = must(await declaredScope(ports, fakeCatalog, { fleet, path, nodes, frameworks: undefined }))
  return declared.scope
}

const [CHECK = ''] = fakeCatalog.checks.map(({ id }) => id)
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9 :#'"&*é“-]{1,20}$/).filter((value) => value.trim() === value && value !== ''),
    fc.constantFrom('yes', '0x1f', '1e3', '2026-01-02', '- a', 'a: b', '“é”', "'", 'x'.repeat(Math.min(90, maxLength))),
  )
const OF = { owner: 'M. Ortiz', on: '2026-11-18' }
const anyEngagement = fc
  .record({
    entity: text(60),
    audience: text(60),
    purpose: text(60),
    reportingBasis: fc.constantFrom({ date: '2026-11-20' }, { from: '2026-01-01', to: '2026-12-31' }),
    distribution: fc.option(text(60), { nil: null }),
    categories: fc.constantFrom(undefined, ['availability']),
    fieldwork: fc.constantFrom(undefined, '2027-01-31'),
    outside: fc.array(fc.record({ what: text(60), why: text(60) }), { maxLength: 3 }),
    listed: fc.boolean(),
  })
  .map(({ outside, listed, ...rest }) => ({
    engagement: JSON.parse(
      JSON.stringify({
        ...rest,
        ...OF,
        boundary: { system: 'cluster', outside, ...OF },
        population: { source: 'the fleet file', nodes: ['db-4', 'db-5'], ...OF },
      }),
    ),
    listed,
  }))
const anyMapping = fc
  .record({
    title: text(60),
    version: text(20),
    notes: fc.array(text(60), { maxLength: 2 }),
    controls: fc.uniqueArray(
      fc.record({ id: fc.stringMatching(/^[a-z]-[0-9]{1,2}$/), title: text(60), isMapped: fc.boolean() }),
      { minLength: 1, maxLength: 4, selector: ({ id }) => id },
    ),
  })
  .map(({ controls, title, ...rest }) => ({
    id: 'house-rules',
    title: `House ${title}`,
    ...rest,
    controls: controls.map(({ isMapped, ...control }) =>
      isMapped
        ? { ...control, checks: [CHECK], notCovered: 'The rest.', documentsRequired: ['The contract'] }
        : control,
    ),
  }))

const LIST = 'Number,Machine,Tag\n7,db-4,A1\n7,db-5,="0012"\n,backup,-\n'
const PROVIDER = {
  schema: 'barewitness.provider/1',
  id: 'own',
  name: 'Own: provider',
  asOf: '2026-11-01',
  notes: ['yes'],
  sources: [{ id: 'contract', kind: 'contract', title: 'Contract 17', where: 'A', on: '2026-02-01' }],
  claims: [
    {
      id: 'a',
      text: 'Destroyed.',
      source: 'contract',
      tests: [],
      otherwise: 'document-required',
      why: 'It is gone.',
      documentRequired: 'A certificate',
    },
  ],
}

describe('a fleet that the window saves, with all that it declares', () => {
  test('is read by the command line with the same engagement, provider profile and frameworks', async () => {
    valueIn(await kit.engine.call('provider.import-choose', null, { path: own('p.yaml', stringify(PROVIDER)) }))
    own('list.csv', LIST)
    await fc.assert(
      fc.asyncProperty(anyEngagement, anyMapping, async ({ engagement, listed }, mapping) => {
        const inventory = {
          source: 'portal',
          kind: 'invoice',
          file: 'list.csv',
          columns: { id: null, name: 'machine', serial: 'TAG' },
          excluded: [{ id: 'line 4', why: 'backup space' }],
          ...OF,
        }
        const whole = listed ? { ...engagement, inventory } : engagement
        valueIn(await kit.engine.call('engagement.import-choose', null, { path: own('e.yaml', stringify(whole)) }))
        valueIn(await kit.engine.call('mappings.import-choose', null, { path: own('m.yaml', stringify(mapping)) }))
        const path = join(outside, 'fleet.yaml')
        expect(await save(path)).toMatchObject({ file: 'fleet.yaml', withoutDraft: false })
        const scope = await declaredIn(path)
        expect(scope.engagement).toEqual(stored('engagement.json'))
        expect(scope.mappings).toEqual((stored('mappings.json') as { mappings: unknown }).mappings)
        expect(scope.provider).toEqual(stored('provider.json'))
        expect(scope.engagement?.inventory?.rows.length ?? 0).toBe(listed ? 3 : 0)
      }),
      { numRuns: 25 },
    )
  })

  test('opened elsewhere, it gives the same declarations, and removes those that it does not name', async () => {
    const short = readFileSync('test/fixtures/engagement/short.yaml', 'utf8')
    valueIn(await kit.engine.call('engagement.import-choose', null, { path: own('e.yaml', short) }))
    const path = join(outside, 'fleet.yaml')
    expect((await save(path))?.named).toEqual(['fleet.yaml.declared/engagement.yaml'])
    const before = stored('engagement.json')
    valueIn(await kit.engine.call('provider.import-choose', null, { path: own('p.yaml', stringify(PROVIDER)) }))
    const preview = valueIn(await kit.engine.call('fleet.open-choose', null, { path }))
    expect(preview).toMatchObject({ problems: [], changes: [], includes: ['engagement'], removes: ['provider'] })
    await kit.get('fleet.open-accept', { handle: preview?.handle ?? '' })
    expect(stored('engagement.json')).toEqual(before)
    expect((await kit.get('provider.list', null)).chosen).toBeNull()
    const bare = own('bare.yaml', 'name: x\nnodes: [{ name: db-4, address: 192.0.2.4 }]\n')
    const next = valueIn(await kit.engine.call('fleet.open-choose', null, { path: bare }))
    expect([next?.includes, next?.removes]).toEqual([[], ['engagement']])
    await kit.get('fleet.open-accept', { handle: next?.handle ?? '' })
    expect((await kit.get('engagement.get', { of: 'run' })).counts).toBe(false)
  })

  test('states that a draft of the engagement is not in the file', async () => {
    const { engagement } = fc.sample(anyEngagement, 1)[0] ?? {}
    valueIn(await kit.engine.call('engagement.import-choose', null, { path: own('e.yaml', stringify(engagement)) }))
    const { form } = await kit.get('engagement.get', { of: 'run' })
    if (form === null) throw new Error('no form')
    await kit.get('engagement.set', { ...form, entity: '' })
    expect(await save(join(outside, 'fleet.yaml'))).toMatchObject({ withoutDraft: true })
  })

  test('is not written where a declaration cannot be read from its file', async () => {
    own('list.csv', LIST)
    const short = readFileSync('test/fixtures/engagement/short.yaml', 'utf8')
    const list = '{ source: s, kind: invoice, file: list.csv, columns: { id: null }, owner: a, on: 2026-11-18 }'
    const path = own('e.yaml', `${short}\ninventory: ${list.replace('id: null', 'id: null, name: Machine')}\n`)
    valueIn(await kit.engine.call('engagement.import-choose', null, { path }))
    const { inventory, ...rest } = stored('engagement.json') as { inventory: { rows: object[] } }
    const rows = inventory.rows.map((row) => ({ ...row, name: 'other' }))
    writeFileSync(join(kit.folder, 'engagement.json'), JSON.stringify({ ...rest, inventory: { ...inventory, rows } }))
    const target = join(outside, 'refused.yaml')
    const reply = await kit.engine.call('fleet.save-file', null, { path: target })
    expect(reply.ok ? null : reply.error.code).toBe('input.refused')
    expect(await ports.files.isThere(target)).toBe(false)
  })
})

describe('the columns of an inventory', () => {
  const heading = fc.uniqueArray(fc.constantFrom('ID', 'Hostname', 'IP', 'Serial', 'Foo', 'Bar', 'Name'), {
    minLength: 2,
    maxLength: 6,
  })
  const cell = fc.constantFrom('', '-', 'a', 'b-1', '192.0.2.1', '="007"', 'n/a')

  test('found for its rows give the same rows', () => {
    fc.assert(
      fc.property(
        heading,
        fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.option(fc.nat(5), { nil: null })),
        (titles, cells, choice) => {
          const line = (row: readonly string[]): string =>
            row
              .slice(0, titles.length)
              .map((one) => one.replaceAll('"', '""'))
              .map((one) => `"${one}"`)
              .join(',')
          const bytes = new TextEncoder().encode([titles, ...cells].map(line).join('\n'))
          const chosen = (): string | null => {
            const at = choice.next().value
            return at === null ? null : (titles[at] ?? null)
          }
          const columns = { id: chosen(), name: chosen(), address: chosen(), serial: chosen() }
          const { rows, problems } = inventoryRows(bytes, columns)
          fc.pre(problems.length === 0 && rows.length > 0)
          const found = inventoryColumns(bytes, rows)
          expect(found === null ? null : inventoryRows(bytes, found).rows).toEqual(rows)
        },
      ),
    )
  })

  test('are none where no column holds them', () => {
    const rows = [{ id: 'line 2', name: 'z', address: null, serial: null }]
    expect(inventoryColumns(new TextEncoder().encode('Name\na\n'), rows)).toBeNull()
  })
})
