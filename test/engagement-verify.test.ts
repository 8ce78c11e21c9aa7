import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createSchemaValidator } from '../main/adapters/schema-validator.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { canonicalJson, jsonBytes } from '../main/core/base/canonical-json.ts'
import { sha256 } from '../main/core/base/digest.ts'
import type { PackScope } from '../main/core/conclusion/assess.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { listProblems } from '../main/core/engagement/list-text.ts'
import { catalogBytes, PATHS } from '../main/core/pack/pack-files.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { type Catalog, catalogDigest } from '../main/core/rules/catalog.ts'
import { tooLarge } from '../main/core/rules/mapping.ts'
import { engagementOfPack } from '../main/verify/steps/engagement.ts'
import { readPack } from '../main/verify/steps/read.ts'
import type { Assessment, Engagement, InventoryRow, MappedControl, Mapping } from '../schemas/types.ts'
import { engagementOf, inventoryOf } from './support/engagement.ts'
import { folderOfTests } from './support/folders.ts'
import {
  AS_OF,
  outcomes,
  sampleCatalog,
  samplePack,
  sampleRecording,
  sampleSigner,
  sourceOf,
  verifySource,
} from './support/sample-pack.ts'

const LIST = new TextEncoder().encode('id,name\nS-1,node-a\nS-2,node-b\n')
const ROWS = ['a', 'b'].map((one, at) => ({ id: `S-${at + 1}`, name: `node-${one}`, address: null, serial: null }))
const NAMED = { name: 'invoice.csv', size: LIST.length, sha256: sha256(LIST) }
const BY = { owner: 'M. Ortiz', on: '2026-11-18' }
const declared = engagementOf({ nodes: ['node-a', 'node-b'], inventory: inventoryOf(ROWS, [], NAMED) })
const scope: PackScope = {
  asOf: AS_OF,
  fleet: 'sample',
  population: ['node-a', 'node-b'],
  frameworks: ['soc2'],
  inFleet: ['node-a', 'node-b'],
  engagement: declared,
}

/** As a catalog stands in a pack: canonical, and without a line end. */
const asCatalog = (value: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(value))
const CATALOG = asCatalog({
  checks: [{ id: 'encryption.at-rest.swap' }],
  frameworks: [{ id: 'soc2', controls: [{ key: 'C1' }] }],
})
const problemsOf = (
  changes: Partial<PackScope>,
  files: Readonly<Record<string, Uint8Array>> = {},
  rules: Catalog | null = null,
) =>
  engagementOfPack(
    sourceOf(new Map(Object.entries({ [PATHS.catalog]: CATALOG, [PATHS.inventory]: LIST, ...files }))),
    { scope: { ...scope, ...changes } },
    rules,
  )
const rowOf = (id: string, ...checks: readonly string[]): MappedControl => ({
  key: `own:${id}`,
  id,
  title: 'A row',
  summary: '',
  kind: 'row',
  level: 'mapped',
  group: 'G',
  parent: null,
  evidenceType: 'mixed',
  nodeEvidence: 'supporting',
  mappings: checks.map((check) => ({ check, shows: 'Something.' })),
  notCovered: 'The rest.',
  documentsRequired: [],
  responsibility: ['customer'],
  refs: {},
})
const mappingOf = (changes: Partial<Mapping> = {}): Mapping => ({
  id: 'own',
  title: 'House rules',
  version: '1',
  status: 'in-use',
  proposed: false,
  source: [],
  notes: [],
  controls: [rowOf('X1', 'encryption.at-rest.swap')],
  ...changes,
})
const catalogWith = (mappings: readonly Mapping[]): Uint8Array =>
  asCatalog({
    checks: [{ id: 'encryption.at-rest.swap' }],
    frameworks: [{ id: 'soc2', controls: [{ key: 'C1' }] }, ...mappings],
  })
const asking = (framework: string, control: string, check: string): Engagement => ({
  ...declared,
  complementaryUserEntityControls: [
    { id: 'U1', of: 'Host', text: 'Keep it.', controls: [{ framework, control }], checks: [check], ...BY },
  ],
})

const folder = folderOfTests('engagement-pack')
let signer: Signer
beforeAll(async () => {
  signer = await sampleSigner(folder, 'signer')
})

test('a pack with an engagement and its list verifies, coverage and all; with another list it is not complete', async () => {
  const recordings = [sampleRecording('node-a', ''), sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n')]
  const { asOf, ...honest } = scope
  const files = await samplePack({
    signer,
    recordings,
    extra: new Map([[PATHS.inventory, LIST]]),
    forge: () => assess({ catalog: sampleCatalog, scope: honest, recordings, asOf }),
  })
  const signers = [signer.chain[0] ?? new Uint8Array()]
  const pack = await verifySource(sourceOf(files), signers)
  expect(outcomes(pack)).toMatchObject({ integrity: 'passed', completeness: 'passed', reproducibility: 'passed' })
  expect(pack.contents.assessment?.reconciliation).toMatchObject({
    declared: 2,
    inFleet: 2,
    inventory: 2,
    unreconciled: 0,
  })
  files.set(PATHS.inventory, new TextEncoder().encode('id,name\nS-1,node-a\nS-2,node-x\n'))
  const other = await verifySource(sourceOf(files), signers)
  expect(other.report.checks.find(({ check }) => check === 'completeness')).toMatchObject({
    outcome: 'failed',
    details: [
      'The provider inventory “invoice.csv” of the engagement was changed: data/inventory.csv has a different digest or size.',
    ],
  })
})

test.each<[string, (honest: Assessment) => Assessment, RegExp]>([
  [
    'the comparison of lists',
    (honest) => ({
      ...honest,
      ...(honest.reconciliation && { reconciliation: { ...honest.reconciliation, collected: 9 } }),
    }),
    /population reconciliation differs/,
  ],
  [
    'the serial numbers of a node',
    (honest) => ({
      ...honest,
      nodes: honest.nodes.map((node) => ({ ...node, machine: { address: '203.0.113.9', serials: ['ZX81-4711'] } })),
    }),
    /node-a/,
  ],
])('a pack in which %s was changed does not come out the same', async (_, forge, said) => {
  const recordings = [sampleRecording('node-a', ''), sampleRecording('node-b', '')]
  const { asOf, ...honest } = scope
  const files = await samplePack({
    signer,
    recordings,
    extra: new Map([[PATHS.inventory, LIST]]),
    forge: () => forge(assess({ catalog: sampleCatalog, scope: honest, recordings, asOf })),
  })
  const pack = await verifySource(sourceOf(files), [signer.chain[0] ?? new Uint8Array()])
  const answer = pack.report.checks.find(({ check }) => check === 'reproducibility')
  expect(answer?.outcome).toBe('failed')
  expect(answer?.details.join(' ')).toMatch(said)
})

test('frameworks of the customer’s own that are too large to be judged are refused before anything is derived from them', async () => {
  const mappings = Array.from({ length: 400 }, (_, at) => ({ check: `c${at}`, shows: 'S.' }))
  const controls = Array.from({ length: 5000 }, (_, at) => ({ ...rowOf(`R${at}`), mappings }))
  expect(tooLarge([mappingOf({ controls })])).toBe(
    'have 5000 controls with 2000000 mapped checks; the limits are 20000 and 100000',
  )
  expect(tooLarge([mappingOf({ controls: controls.slice(0, 250) })])).toBeNull()
  const large = Array.from({ length: 5 }, (_, at) => mappingOf({ id: `m${at}`, controls: controls.slice(0, 60) }))
  expect(tooLarge(large)).toContain('120000 mapped checks')
  const text = jsonBytes({ ...scope, mappings: large })
  const { problems, scope: read } = await readPack(sourceOf(new Map([[PATHS.scope, text]])), createSchemaValidator())
  expect(read).toBeNull()
  expect(problems.join(' ')).toContain('mappings have 300 controls with 120000 mapped checks')
})

test.each<[string, Partial<PackScope>, readonly string[]]>([
  ['what fits', {}, []],
  [
    'a declared node that is not in the population',
    { population: ['node-a'], inFleet: ['node-a'] },
    ['data/scope.json: node “node-b” is declared but not in the population.'],
  ],
  [
    'an enrolled node that is not in the population',
    { inFleet: ['node-a', 'node-x'] },
    ['data/scope.json: node “node-x” is in the fleet file but not in the population.'],
  ],
  ['a row and a check that the catalog has', { engagement: asking('soc2', 'C1', 'encryption.at-rest.swap') }, []],
  [
    'a row and a check that it does not have',
    { engagement: asking('soc2', 'C2', 'no.such') },
    [
      'data/scope.json: engagement.complementaryUserEntityControls.0.controls.0.control is “C2”, which is not in “soc2”.',
      'data/scope.json: engagement.complementaryUserEntityControls.0.checks.0 is “no.such”, a check that is not in the catalog.',
    ],
  ],
  [
    'a day that no calendar has',
    { engagement: { ...declared, on: '2026-02-30' } },
    ['data/scope.json: engagement.on is “2026-02-30”, which is not a valid date.'],
  ],
  [
    'a list that no engagement names',
    { engagement: engagementOf({ nodes: [] }) },
    ['data/inventory.csv is present without an engagement.'],
  ],
])('a pack with %s', async (_, changes, problems) => {
  expect(await problemsOf(changes)).toEqual(problems)
})

test('a row of the customer’s own framework is known', async () => {
  const mappings = [mappingOf()]
  const packed = { [PATHS.catalog]: catalogWith(mappings) }
  const engagement = asking('own', 'own:X1', 'encryption.at-rest.swap')
  expect(await problemsOf({ mappings, engagement }, packed)).toEqual([])
})

test.each<[string, Partial<Mapping>, string]>([
  ['an id like ours', { id: 's0c-2' }, 'has an ID that imitates a built-in framework'],
  ['our id', { id: 'soc2' }, 'has an ID that imitates a built-in framework'],
  ['a title like ours', { title: 'НIРАA  security rule' }, 'has a title that imitates a built-in framework'],
  [
    'a title like ours with Greek capitals',
    { title: 'ΗΙΡΑΑ Security Rule' },
    'has a title that imitates a built-in framework',
  ],
  [
    'a title like ours in Cherokee',
    { title: '\u13bb\u13a5\u13e2\u13aa\u13aa' },
    'has a title that imitates a built-in framework',
  ],
  ['a title like ours in small capitals', { title: 'ʜɪᴘᴀᴀ' }, 'has a title that imitates a built-in framework'],
  ['a title like ours with a stroke', { title: 'ħIPAA' }, 'has a title that imitates a built-in framework'],
  ['a title that begins like ours', { title: 'HIPAA' }, 'has a title that imitates a built-in framework'],
  ['an unknown check', { controls: [rowOf('X1', 'no.such')] }, 'names “no.such”, a check that is not in the catalog'],
  [
    'one check twice',
    { controls: [rowOf('X1', 'encryption.at-rest.swap', 'encryption.at-rest.swap')] },
    'names a check twice for control “X1”',
  ],
  [
    'a key of ours',
    { controls: [{ ...rowOf('X1'), key: 'hipaa:164.312(a)(1)' }] },
    'contains controls with duplicate or invalid keys',
  ],
  ['two rows alike', { controls: [rowOf('X1'), rowOf('X1')] }, 'contains controls with duplicate or invalid keys'],
])('a framework of the customer’s own with %s does not pass for another', async (_, changes, problem) => {
  const mapping = mappingOf(changes)
  const packed = { [PATHS.catalog]: catalogWith([mapping]) }
  const problems = await problemsOf({ mappings: [mapping] }, packed, catalog)
  expect(problems).toContain(`data/scope.json: mapping “${mapping.id}” ${problem}.`)
  expect(
    await problemsOf({ mappings: [mappingOf()] }, { [PATHS.catalog]: catalogWith([mappingOf()]) }, catalog),
  ).toEqual([])
})

test('a framework of the customer’s own that differs in the pack’s catalog, and one that occurs twice', async () => {
  const mapping = mappingOf()
  const packed = { [PATHS.catalog]: catalogWith([{ ...mapping, title: 'Other' }]) }
  expect(await problemsOf({ mappings: [mapping, mapping] }, packed)).toEqual([
    'data/scope.json: mapping “own” differs from the framework of that name in data/catalog.json.',
    'data/scope.json: mapping “own” occurs twice.',
    'data/scope.json: mapping “own” differs from the framework of that name in data/catalog.json.',
  ])
})

test('a provider profile under the id of one that ships, and one with promises that nothing answers', async () => {
  const [shipped] = catalog.providers
  if (shipped === undefined) throw new Error('none ships')
  const packed = catalogBytes(catalog)
  const easy = {
    ...shipped,
    claims: shipped.claims.slice(0, 1).map((claim) => ({ ...claim, tests: [], otherwise: null })),
  }
  const { engagement: _, inFleet: __, ...bare } = scope
  const told = await engagementOfPack(
    sourceOf(new Map([[PATHS.catalog, packed]])),
    { scope: { ...bare, provider: easy }, catalogDigest: catalogDigest(catalog) },
    catalog,
  )
  expect(told).toEqual([
    `data/scope.json: provider “${shipped.id}” differs from the built-in profile with that ID.`,
    `data/scope.json: provider “${shipped.id}”: claims.0.otherwise must be document-required or not-observable where the claim has no tests.`,
  ])
})

test.each<[string, string, readonly InventoryRow[], readonly string[]]>([
  ['fit', 'id,name\r\nS-1,node-a\r\n\r\nS-2,node-b', ROWS, []],
  ['fit, quoted and in any order of columns', 'name;id;x\n"node-a";S-1;"a ""b"" c"\n"node-b";="S-2"\n', ROWS, []],
  ['fit, called by their line', 'name\nnode-a\n', [{ id: 'line 2', name: 'node-a', address: null, serial: null }], []],
  [
    'are fewer than the lines',
    'id,name\nS-1,node-a\nS-2,node-b\nS-3,node-c\n',
    ROWS,
    ['has 3 lines below its header, but the engagement states 2 rows'],
  ],
  [
    'state otherwise than the lines',
    'id,name\nS-1,node-a\nS-2,node-x\n',
    ROWS,
    ['does not contain row “S-2” at its position'],
  ],
  [
    'state otherwise than quoted lines',
    '"id","name"\n"S-1","node-a"\n',
    ROWS,
    ['does not contain row “S-2” at its position'],
  ],
  [
    'have changed places',
    'id,name\nS-2,node-b\nS-1,node-a\n',
    ROWS,
    ['does not contain row “S-1” at its position', 'does not contain row “S-2” at its position'],
  ],
])('rows that %s of the provider’s list', (_, text, rows, problems) => {
  expect(listProblems(new TextEncoder().encode(text), rows)).toEqual(problems)
})

test('rows with one id, and nodes that no list names', async () => {
  const [first] = ROWS
  if (first === undefined) throw new Error('no row')
  const list = new TextEncoder().encode('id,name\nS-1,node-a\nS-1,node-a\n')
  const named = { name: 'invoice.csv', size: list.length, sha256: sha256(list) }
  const engagement = engagementOf({ nodes: ['node-a', 'node-b'], inventory: inventoryOf([first, first], [], named) })
  expect(await problemsOf({ engagement }, { [PATHS.inventory]: list })).toEqual([
    'The provider inventory “invoice.csv” of the engagement contains duplicate row IDs, so an exclusion would apply to several rows.',
  ])
  expect(await problemsOf({ population: ['node-a', 'node-b', 'node-c'] })).toEqual([
    'data/scope.json: node “node-c” is in the population but neither declared nor in the fleet file.',
  ])
})

test('a list that is not there, or is there without any engagement', async () => {
  const { engagement: _, inFleet: __, ...bare } = scope
  const without = sourceOf(new Map([[PATHS.catalog, CATALOG]]))
  expect(await engagementOfPack(without, { scope })).toEqual([
    'The provider inventory “invoice.csv” of the engagement is missing: there is no data/inventory.csv.',
  ])
  expect(await engagementOfPack(without, { scope: bare })).toEqual([])
  expect(await engagementOfPack(sourceOf(new Map([[PATHS.inventory, LIST]])), { scope: bare })).toEqual([
    'data/inventory.csv is present without an engagement.',
  ])
  expect(await engagementOfPack(without, { scope: null })).toEqual([])
  expect(await engagementOfPack(without, { scope: { ...bare, inFleet: ['node-a'] } })).toEqual([
    'data/scope.json: nodes are listed as in the fleet file, but there is no engagement.',
  ])
})

test('many problems are reported in part', async () => {
  const population = Array.from({ length: 5000 }, (_, at) => `n${at}`)
  const problems = await problemsOf({ inFleet: population })
  expect(problems).toHaveLength(101)
  expect(problems.at(-1)).toBe('4900 more of this kind.')
})

test('whatever the catalog of a pack holds, nothing is thrown and no name is known from it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.json().map((text) => new TextEncoder().encode(text)),
        fc.uint8Array(),
      ),
      async (bytes) => {
        const engagement = asking('soc2', 'C1', 'encryption.at-rest.swap')
        expect(await problemsOf({ engagement }, { [PATHS.catalog]: bytes })).toHaveLength(2)
      },
    ),
  )
})
