import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DeclaredEngagement, Ports } from '../main/core/all-ports.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { ok } from '../main/core/base/failure.ts'
import type { EngagementForm } from '../schemas/ipc-engagement.ts'
import type { Engagement, Mapping, ProviderProfile } from '../schemas/types.ts'
import { type EngineKit, kitsOfEachTest, valueIn, withNodes } from './support/engine-kit.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { fakeEngagement, fakeProvider } from './support/fake-provider.ts'

const { kitOver } = kitsOfEachTest()

const { schema: _, inventory: __, ...FORM } = fakeEngagement
const LIST = 'id,name\nsrv-1,db-3\nsrv-2,\n'
const WITH_LIST: DeclaredEngagement = {
  engagement: {
    ...fakeEngagement,
    inventory: {
      source: 'Portal export',
      kind: 'portal-export',
      file: { name: 'servers.csv', size: LIST.length, sha256: sha256(LIST) },
      rows: [
        { id: 'srv-1', name: 'db-3', address: null, serial: null },
        { id: 'srv-2', name: null, address: null, serial: null },
      ],
      excluded: [],
      owner: 'J. Chen',
      on: '2026-11-02',
    },
  },
  inventory: new TextEncoder().encode(LIST),
}

const TABLE = {
  file: { name: 'newer.csv', size: LIST.length, sha256: sha256(LIST) },
  rows: [
    { id: 'srv-1', name: 'db-3', address: null, serial: null },
    { id: 'srv-9', name: 'spare', address: null, serial: null },
  ],
  bytes: new TextEncoder().encode(LIST),
}

const ABOUT = { source: 'Portal', kind: 'portal-export', owner: 'J. Chen', on: '2026-11-20' } as const
const OWN_PROFILE: ProviderProfile = { ...fakeProvider, id: 'our-contract', name: 'Our contract' }

const OWN_RULES: Mapping = {
  id: 'house-rules',
  title: 'House rules',
  version: '2026',
  status: 'in-use',
  proposed: false,
  source: ['Our wiki'],
  notes: [],
  controls: [
    {
      key: 'house-rules:1',
      id: '1',
      title: 'Nobody logs in as root',
      summary: 'Root logins are off.',
      kind: 'rule',
      level: 'required',
      group: 'Access',
      parent: null,
      evidenceType: 'technical',
      nodeEvidence: 'primary',
      mappings: [{ check: 'access.sshd.root-login', shows: 'The setting of the server.' }],
      notCovered: 'Who knows the password.',
      documentsRequired: [],
      responsibility: [],
      refs: {},
    },
  ],
}

/** Files that a person chooses hold these declarations. */
function declaring(declared: DeclaredEngagement = WITH_LIST, mapping: Mapping = OWN_RULES): Ports {
  const ports = createFakePorts()
  const declarations = {
    ...ports.declarations,
    engagement: async () => ok(declared),
    provider: async () => ok(OWN_PROFILE),
    mapping: async () => ok(mapping),
    inventory: async () => ok(TABLE),
  }
  return { ...ports, declarations }
}

const CHOSEN = { path: '/chosen/by/a/person' }
const imported = async (kit: EngineKit) => valueIn(await kit.engine.call('engagement.import-choose', null, CHOSEN))

/** Host keys of these nodes are known, see the stand-ins for the ports. */
async function collected(kit: EngineKit, names = ['db-3', 'db-4', 'db-5']): Promise<void> {
  await withNodes(kit, names)
  await kit.get('run.start', { nodes: [], only: 'all' })
  await kit.heard('run-done')
}

const inFolder = (kit: EngineKit): readonly string[] => readdirSync(kit.folder).sort()

describe('an engagement that is filled in', () => {
  test('is kept while parts are missing, counts when none is, and then judges the shown run again', async () => {
    const kit = await kitOver()
    await collected(kit)
    expect(await kit.get('engagement.get', { of: 'run' })).toEqual({
      form: null,
      lacks: [],
      counts: false,
      waits: false,
      inventory: null,
    })
    const begun: EngagementForm = { ...FORM, audience: ' ', boundary: { ...FORM.boundary, owner: '' } }
    const half = await kit.get('engagement.set', begun)
    expect(half).toMatchObject({ form: begun, counts: false, waits: true })
    expect(half.lacks).toEqual([
      { section: 'who', text: 'Enter the audience.' },
      { section: 'boundary', text: 'Enter the owner of this section.' },
    ])
    const before = await kit.get('assessment.get', { of: 'run' })
    expect(before?.scope.population).toEqual(['db-3', 'db-4', 'db-5'])

    const whole = await kit.get('engagement.set', FORM)
    expect(whole).toMatchObject({ form: FORM, lacks: [], counts: true, waits: false })
    expect(inFolder(kit)).not.toContain('engagement-draft.json')
    const after = await kit.get('assessment.get', { of: 'run' })
    expect(after?.scope).toMatchObject({
      population: ['db-3', 'db-4', 'db-5', 'db-7'],
      inFleet: ['db-3', 'db-4', 'db-5'],
      engagement: { entity: FORM.entity },
    })
    expect(after?.rows.map(({ verdicts }) => verdicts).slice(0, 3)).toEqual(
      before?.rows.map(({ verdicts }) => verdicts),
    )
    expect(after?.rows.at(-1)).toMatchObject({ node: 'db-7', status: 'missing' })
    expect(await kit.get('coverage.get', { of: 'run' })).toMatchObject({
      asked: true,
      population: { source: 'Asset register' },
      coverage: { declared: 3, inFleet: 3, inventory: null },
    })
  })

  test('goes on counting while a later change of it waits', async () => {
    const kit = await kitOver()
    await kit.get('engagement.set', FORM)
    const waiting = await kit.get('engagement.set', { ...FORM, entity: '' })
    expect(waiting).toMatchObject({ form: { entity: '' }, counts: true, waits: true })
    const again = await kit.reopened()
    expect(await again.get('engagement.get', { of: 'run' })).toEqual(waiting)
    expect(JSON.parse(readFileSync(join(kit.folder, 'engagement.json'), 'utf8'))).toEqual(fakeEngagement)
    await again.close()
  })

  test('names what each list lacks, and what this catalog does not have', async () => {
    const kit = await kitOver()
    const { form, lacks } = await kit.get('engagement.set', {
      ...FORM,
      reportingBasis: { kind: 'period', from: '2026-12-01', to: '2026-11-01' },
      responsibilities: [{ area: 'Firmware', provider: 'All', customer: '', owner: '', on: '2026-11-01' }],
      complementaryUserEntityControls: [
        {
          id: '4',
          of: 'Example Metal',
          text: 'Keep roots out.',
          controls: [
            { framework: 'soc2', control: 'CC6.1' },
            { framework: 'soc2', control: 'soc2:CC99' },
          ],
          checks: ['access.sshd.root-login', 'no.such-check'],
          owner: 'M. Ortiz',
          on: '2026-11-01',
        },
      ],
      ephi: { ...FORM.ephi, stores: [{ name: 'Images', path: 'data', nodes: [], what: 'Scans' }] },
    })
    expect(lacks.map(({ section, text }) => `${section}: ${text}`)).toEqual([
      'who: The end date is “2026-11-01”, before the start date, “2026-12-01”.',
      'responsibilities: Area 1: enter the customer’s responsibility, or a dash for none.',
      'responsibilities: Area 1: enter its owner.',
      'user-entity: Control 1: a control is “soc2:CC99”, which is not in “soc2”.',
      'user-entity: Control 1: a check is “no.such-check”, a check that is not in the catalog.',
      'ephi: ePHI location 1: enter its path, beginning with a slash.',
    ])
    // A row is written as it is printed, and kept under its key.
    expect(form?.complementaryUserEntityControls[0]?.controls[0]).toEqual({ framework: 'soc2', control: 'soc2:CC6.1' })
  })

  test('keeps a copy of the one before, and writes nothing where nothing changed', async () => {
    const kit = await kitOver()
    await kit.get('engagement.set', FORM)
    await kit.get('engagement.set', FORM)
    expect(inFolder(kit)).toEqual(['engagement.json'])
    await kit.get('engagement.set', { ...FORM, status: 'final' })
    const [copy, ...more] = readdirSync(join(kit.folder, 'engagement-earlier'))
    expect(more).toEqual([])
    const earlier = JSON.parse(readFileSync(join(kit.folder, 'engagement-earlier', copy ?? ''), 'utf8')) as Engagement
    expect(earlier.status).toBe('draft')
  })

  test('of the demo fleet is stored apart', async () => {
    const kit = await kitOver()
    await kit.get('engagement.set', FORM)
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    expect((await kit.get('engagement.get', { of: 'run' })).form?.entity).toContain('(demo)')
    await kit.get('engagement.set', { ...FORM, entity: 'Demo' })
    expect(existsSync(join(kit.folder, 'demo', 'engagement.json'))).toBe(true)
    expect((await kit.get('assessment.get', { of: 'run' }))?.scope.engagement?.entity).toBe('Demo')
    // What a person changed is kept when the demo is opened again.
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    expect((await kit.get('assessment.get', { of: 'run' }))?.scope.engagement?.entity).toBe('Demo')
    await withNodes(kit, ['db-3'])
    expect((await kit.get('engagement.get', { of: 'run' })).form?.entity).toBe(FORM.entity)
  })
})

test('documents and risk acceptances of the demo fleet are entered once, and what a person changes stays', async () => {
  const kit = await kitOver(createFakePorts({ demoRegister: true }))
  await kit.get('demo.open', null)
  await kit.heard('run-done')
  const { documents, riskAcceptances, documentRequests } = await kit.get('register.get', { of: 'run' })
  expect([documents.length, riskAcceptances.length, documentRequests.length]).toEqual([3, 2, 2])
  const [first] = documents
  expect(existsSync(join(kit.folder, 'demo', 'documents', first?.sha256 ?? ''))).toBe(true)
  await kit.get('documents.withdraw', { id: first?.id ?? '', reason: 'Replaced.', by: 'J. Chen' })
  await kit.get('demo.open', null)
  await kit.heard('run-done')
  const after = await kit.get('register.get', { of: 'run' })
  expect(after.documents.filter(({ withdrawn }) => withdrawn !== null)).toHaveLength(1)
})

describe('an engagement from a file', () => {
  test('brings the provider’s own list, and an uncovered row is reported before any run', async () => {
    const kit = await kitOver(declaring())
    expect(await kit.get('engagement.import-choose', null)).toBeNull()
    await withNodes(kit, ['db-3', 'db-5'])
    expect(await imported(kit)).toMatchObject({
      counts: true,
      inventory: { rows: 2, excluded: 0, source: 'Portal export' },
    })
    const view = await kit.get('coverage.get', { of: 'run' })
    expect(view).toMatchObject({
      asked: false,
      coverage: { declared: 3, inFleet: 2, collected: 0, inventory: 2, unreconciled: 1 },
    })
    expect(view?.coverage.nodes.map(({ node, inFleet }) => [node, inFleet])).toEqual([
      ['db-3', true],
      ['db-4', false],
      ['db-5', true],
      ['db-7', false],
    ])
    // Filling in by hand keeps the list.
    expect((await kit.get('engagement.set', { ...FORM, status: 'final' })).inventory?.rows).toBe(2)
  })

  test('goes into the pack with the list as it was read, and the pack is read the same way', async () => {
    const kit = await kitOver(declaring())
    await collected(kit)
    await imported(kit)
    await kit.get('provider.choose', { id: fakeProvider.id })
    await kit.get('identities.create', { name: 'default', subject: 'Clinic (M. Ortiz)' })
    const wanted = { frameworks: ['soc2'] as const, identity: null, timestamp: false, also: [], redact: null }
    const draft = await kit.get('export.build', wanted)
    const review = await kit.get('export.review', { handle: draft.handle })
    expect(review.report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(await kit.get('engagement.get', { of: 'pack' })).toMatchObject({
      counts: true,
      form: { entity: FORM.entity },
    })
    const [own, stated] = [await kit.get('coverage.get', { of: 'run' }), await kit.get('coverage.get', { of: 'pack' })]
    expect(stated).toEqual(own)
    expect((await kit.get('claims.get', { of: 'pack' }))?.claims).toEqual(
      (await kit.get('claims.get', { of: 'run' }))?.claims,
    )
  })

  test.each([
    ['engagement.json', '{"schema":"barewitness.engagement/1"}'],
    ['provider.json', 'not JSON'],
    ['engagement-draft.json', '[]'],
  ])('%s that cannot be read is reported, counts nowhere and is never written over', async (file, text) => {
    const kit = await kitOver(declaring())
    await collected(kit)
    writeFileSync(join(kit.folder, file), text)
    expect(await kit.refusal('engagement.get', { of: 'run' })).toBe('engagement.unreadable')
    expect(await kit.get('assessment.get', { of: 'run' })).toMatchObject({ scope: { fleet: 'My servers' } })
    expect(await kit.refusal('engagement.set', FORM)).toBe('engagement.unreadable')
    if (file !== 'engagement-draft.json') {
      const wanted = { frameworks: ['soc2'] as const, identity: null, timestamp: false, also: [], redact: null }
      expect(await kit.refusal('export.build', wanted)).toBe('engagement.unreadable')
      expect(await kit.refusal('claims.get', { of: 'run' })).toBe('engagement.unreadable')
    }
    expect(readFileSync(join(kit.folder, file), 'utf8')).toBe(text)
  })

  test('whose list was changed on disk is not sealed', async () => {
    const kit = await kitOver(declaring())
    await collected(kit)
    await imported(kit)
    const folder = join(kit.folder, 'inventories')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, sha256(LIST)), `${LIST}srv-3,\n`)
    const wanted = { frameworks: ['soc2'] as const, identity: null, timestamp: false, also: [], redact: null }
    expect(await kit.refusal('export.build', wanted)).toBe('engagement.unreadable')
  })

  test('repairs one that cannot be read, which stays beside it', async () => {
    const kit = await kitOver(declaring())
    writeFileSync(join(kit.folder, 'engagement.json'), 'not JSON')
    expect((await imported(kit))?.counts).toBe(true)
    expect(readdirSync(join(kit.folder, 'engagement-earlier'))).toHaveLength(1)
  })
})

test('declared nodes are no part of what a stored run was begun with', async () => {
  const kit = await kitOver(declaring())
  await imported(kit)
  await collected(kit, ['db-3'])
  const [run] = await kit.get('runs.list', null)
  const note = JSON.parse(readFileSync(join(kit.folder, 'runs', `${run?.run}.json`), 'utf8')) as { population: unknown }
  expect(note.population).toEqual(['db-3'])
  await kit.get('engagement.set', { ...FORM, population: { ...FORM.population, nodes: [] } })
  const again = await kit.reopened()
  expect((await again.get('assessment.get', { of: 'run' }))?.scope.population).toEqual(['db-3'])
  await again.close()
})

describe('the provider’s list by itself', () => {
  const brought = async (kit: EngineKit) => valueIn(await kit.engine.call('inventory.import-choose', ABOUT, CHOSEN))

  test('belongs to an engagement that counts', async () => {
    const kit = await kitOver(declaring())
    expect(await kit.refusal('inventory.leave-out', { id: 'srv-1', why: 'a spare' })).toBe('input.refused')
    const reply = await kit.engine.call('inventory.import-choose', ABOUT, CHOSEN)
    expect(reply).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(valueIn(await kit.engine.call('inventory.import-choose', ABOUT))).toBeNull()
  })

  test('is compared at once, keeps what is being filled in, and its rows are left out with a reason', async () => {
    const kit = await kitOver(declaring())
    await imported(kit)
    await kit.get('engagement.set', { ...FORM, entity: '' })
    expect((await brought(kit))?.inventory).toMatchObject({
      ...ABOUT,
      rows: 2,
      excluded: 0,
      file: { name: 'newer.csv' },
    })
    expect(await kit.get('engagement.get', { of: 'run' })).toMatchObject({ waits: true, form: { entity: '' } })
    const uncovered = async () => (await kit.get('coverage.get', { of: 'run' }))?.coverage.unreconciled
    const before = await uncovered()
    expect(before).toBeGreaterThan(0)
    await kit.get('inventory.leave-out', { id: 'srv-9', why: ' a spare that runs nothing ' })
    expect(await uncovered()).toBe((before ?? 0) - 1)
    const listed = (await kit.get('coverage.get', { of: 'run' }))?.coverage.inventoryOnly
    expect(listed).toContainEqual({ row: TABLE.rows[1], excluded: 'a spare that runs nothing' })
    // A newer list keeps what was said of rows that it still holds.
    expect((await brought(kit))?.inventory).toMatchObject({ excluded: 1 })
    await kit.get('inventory.leave-out', { id: 'srv-9', why: null })
    expect(await uncovered()).toBe(before)
    expect(await kit.refusal('inventory.leave-out', { id: 'srv-7', why: 'not there' })).toBe('input.refused')
  })
})

describe('what a provider promised', () => {
  test('is answered per node, with counts over the nodes that a claim applies to', async () => {
    const kit = await kitOver(declaring())
    expect(await kit.get('claims.get', { of: 'run' })).toBeNull()
    expect(await kit.get('provider.list', null)).toEqual({
      shipped: [{ id: fakeProvider.id, name: fakeProvider.name, asOf: '2026-11-01', claims: 4 }],
      chosen: null,
      own: false,
    })
    expect(await kit.get('provider.choose', { id: fakeProvider.id })).toMatchObject({ chosen: { id: fakeProvider.id } })
    expect(await kit.get('claims.get', { of: 'run' })).toMatchObject({
      evaluatedAt: null,
      claims: [{ nodes: 0 }, {}, {}, {}],
    })
    await collected(kit, ['db-3', 'db-5', 'db-8'])
    const view = await kit.get('claims.get', { of: 'run' })
    expect(view?.claims.map(({ id, nodes }) => [id, nodes])).toEqual([
      ['no-hypervisor', 3],
      ['one-tenant', 3],
      ['wiped-drives', 3],
      ['guarded-site', 3],
    ])
    expect(view?.claims[0]?.tests[0]?.check).toEqual({ id: 'tenancy.no-hypervisor', property: 'isolation' })
    expect(view?.claims[0]?.counts).toMatchObject({ corroborated: 2, contradicted: 1 })
    expect(view?.claims[2]?.counts).toMatchObject({ 'document-required': 3 })
    const answers = await kit.get('claims.answers', { of: 'run', claim: 'no-hypervisor' })
    expect(answers.map(({ result }) => result)).toEqual(['contradicted', 'corroborated', 'corroborated'])
    expect(answers[0]?.observations.some(({ direction }) => direction === 'contradicts')).toBe(true)
    expect(await kit.refusal('claims.answers', { of: 'run', claim: 'other' })).toBe('input.refused')
  })

  test('is the customer’s own list when one is imported, and nothing when none is chosen', async () => {
    const kit = await kitOver(declaring())
    expect(await kit.get('provider.import-choose', null)).toBeNull()
    expect(valueIn(await kit.engine.call('provider.import-choose', null, CHOSEN))).toMatchObject({
      chosen: { id: 'our-contract' },
      own: true,
    })
    expect(await kit.refusal('provider.choose', { id: 'unknown' })).toBe('input.refused')
    expect(await kit.get('provider.choose', { id: null })).toMatchObject({ chosen: null, own: false })
    expect(await kit.get('claims.get', { of: 'run' })).toBeNull()
    expect(readdirSync(join(kit.folder, 'provider-earlier'))).toHaveLength(1)
  })

  test('is not changed under a run that goes on', async () => {
    const kit = await kitOver(createFakePorts({ pace: 5 }))
    await withNodes(kit, ['db-3'])
    await kit.get('run.start', { nodes: [], only: 'all' })
    expect(await kit.refusal('provider.choose', { id: fakeProvider.id })).toBe('input.refused')
    await kit.heard('run-done')
    expect(await kit.get('provider.choose', { id: fakeProvider.id })).toMatchObject({ own: false })
  })
})

describe('a framework of the customer’s own', () => {
  test('is rolled up behind ours, named by nothing that is stored of a run, and gone when it is taken out', async () => {
    const kit = await kitOver(declaring())
    expect(await kit.get('mappings.import-choose', null)).toBeNull()
    await collected(kit, ['db-3'])
    const [run] = await kit.get('runs.list', null)
    expect(valueIn(await kit.engine.call('mappings.import-choose', null, CHOSEN))).toEqual([
      { id: 'house-rules', title: 'House rules', version: '2026', rows: 1, mapped: 1 },
    ])
    const view = await kit.get('assessment.get', { of: 'run' })
    expect(view?.scope.frameworks).toEqual(['hipaa', 'house-rules', 'soc2'])
    expect(view?.frameworks.at(-1)?.controls[0]).toMatchObject({
      key: 'house-rules:1',
      assessed: { checks: [{ check: 'access.sshd.root-login' }] },
    })
    expect((await kit.get('export.plan', null)).frameworks.at(-1)).toEqual({
      id: 'house-rules',
      title: 'House rules',
      chosen: true,
      kind: 'own',
    })
    // Begun again with it, and still the run names only what it was begun with.
    await kit.get('run.start', { nodes: [], only: 'all' })
    await kit.heard('run-done')
    for (const { run: name } of await kit.get('runs.list', null)) {
      const note = JSON.parse(readFileSync(join(kit.folder, 'runs', `${name}.json`), 'utf8')) as { frameworks: unknown }
      expect(note.frameworks).toEqual(['hipaa', 'soc2'])
    }
    expect((await kit.get('runs.open', { run: run?.run ?? '' })).scope.frameworks).toContain('house-rules')
    expect(await kit.refusal('mappings.remove', { id: 'soc2' })).toBe('input.refused')
    expect(await kit.get('mappings.remove', { id: 'house-rules' })).toEqual([])
    expect((await kit.get('assessment.get', { of: 'run' }))?.scope).not.toHaveProperty('mappings')
    expect((await kit.get('assessment.get', { of: 'run' }))?.scope.frameworks).toEqual(['hipaa', 'soc2'])
  })

  test('takes the place of no framework of ours', async () => {
    const kit = await kitOver(declaring(WITH_LIST, { ...OWN_RULES, id: 'soc2' }))
    expect(await kit.engine.call('mappings.import-choose', null, CHOSEN)).toMatchObject({
      ok: false,
      error: { code: 'input.refused' },
    })
    expect(await kit.get('mappings.list', null)).toEqual([])
  })
})

test('without an open pack there is nothing to read of one', async () => {
  const kit = await kitOver()
  for (const method of ['engagement.get', 'coverage.get', 'claims.get'] as const)
    expect(await kit.refusal(method, { of: 'pack' })).toBe('input.refused')
})
