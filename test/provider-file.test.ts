import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readProvider } from '../main/adapters/declarations/index.ts'
import { createSchemaValidator } from '../main/adapters/schema-validator.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { problemsIn } from '../main/core/rules/provider.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provider-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function read(text: string, file = 'own.yaml') {
  await writeFile(join(folder, file), text)
  const found = await readProvider(file, join(folder, 'fleet.yaml'), catalog)
  return found.ok ? found.value : found.error.detail.replaceAll(`${folder}/`, '')
}

const HEAD = `schema: barewitness.provider/1
id: own
name: Own
asOf: 2026-11-01
notes: []
sources:
  - { id: contract, kind: contract, title: Contract 17, where: Schedule A, on: 2026-02-01 }
claims:
`
const REST = 'otherwise: null, why: null, documentRequired: null'
const claims = (...rows: readonly string[]): string => `${HEAD}${rows.map((row) => `  - ${row}\n`).join('')}`

describe('a provider file', () => {
  test('is read from YAML, and from JSON alike', async () => {
    const text = claims(
      `{ id: a, text: Eight GPUs., source: contract, tests: [{ test: gpu.count, value: 8 }], nodes: [gpu-01], ${REST} }`,
      `{ id: b, text: No hypervisor., source: contract, tests: [{ check: tenancy.no-hypervisor }], ${REST} }`,
      '{ id: c, text: Destroyed., source: contract, tests: [], otherwise: document-required, why: It is gone., documentRequired: A certificate }',
    )
    const own = await read(text)
    expect(own).toMatchObject({ id: 'own', asOf: '2026-11-01', claims: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] })
    expect(await read(JSON.stringify(own), 'own.json')).toEqual(own)
  })

  test('may cite its sources, state conditions and note statements that do not agree', async () => {
    const own = {
      schema: 'barewitness.provider/1',
      id: 'own',
      name: 'Own',
      asOf: '2026-11-01',
      notes: [],
      sources: [
        {
          id: 'page',
          kind: 'page',
          title: 'GPU servers',
          where: 'Second paragraph',
          on: '2026-02-01',
          publisher: 'Own Ltd',
          address: 'https://own.example/gpu',
          sha256: '0'.repeat(64),
        },
      ],
      conflicts: [
        { text: 'A.', source: 'page', against: 'B.', againstSource: 'page', why: 'W.', documentRequired: 'The list' },
      ],
      claims: [
        {
          id: 'a',
          text: 'InfiniBand runs at 200 Gbit/s.',
          quote: '200G HDR',
          source: 'page',
          condition: { text: 'Where there is InfiniBand.', tests: [{ test: 'network.rdma', value: 'infiniband' }] },
          tests: [
            { test: 'network.infiniband-rate', value: 200 },
            { check: 'tenancy.user-census', supportsOnly: true },
          ],
          whenUndecided: 'document-required',
          otherwise: null,
          why: null,
          documentRequired: 'The order',
        },
      ],
    }
    expect(await read(JSON.stringify(own), 'own.json')).toEqual(own)
  })

  test.each<[string, string, string]>([
    ['an address that is none', 'address: own.example', 'sources[0].address'],
    ['a digest that is none', 'sha256: abc', 'sources[0].sha256'],
    ['a field that is not there', 'copy: yes', 'sources[0].copy is not a known field'],
  ])('names the place of %s in a source', async (_, field, problem) => {
    const row = `  - { id: a, text: S., source: contract, tests: [{ check: tenancy.no-hypervisor }], ${REST} }\n`
    expect(await read(HEAD.replace('on: 2026-02-01', `on: 2026-02-01, ${field}`) + row)).toContain(problem)
  })

  test('a conflict names its sources', async () => {
    const row = `  - { id: a, text: S., source: contract, tests: [{ check: tenancy.no-hypervisor }], ${REST} }\n`
    const note =
      'conflicts: [{ text: A., source: contract, against: B., againstSource: page, why: W., documentRequired: L }]\n'
    expect(await read(HEAD.replace('claims:\n', `${note}claims:\n`) + row)).toContain(
      'conflicts[0].againstSource names “page”, which is not a listed source',
    )
  })

  test('a day that no calendar has is reported with its line', async () => {
    const rest = `  - { id: a, text: S., source: contract, tests: [{ check: tenancy.no-hypervisor }], ${REST} }\n`
    expect(await read(HEAD.replace('asOf: 2026-11-01', 'asOf: 2026-02-31') + rest)).toBe(
      'own.yaml:4:1: asOf is “2026-02-31”, which is not a valid date',
    )
    expect(await read(HEAD.replace('on: 2026-02-01', 'on: 2026-02-30') + rest)).toMatch(
      /^own\.yaml:7:\d+: sources\[0\]\.on is “2026-02-30”, which is not a valid date$/,
    )
  })

  test.each<[string, string, string]>([
    [
      'a check that is not there',
      `{ id: a, text: S., source: contract, tests: [{ check: tenancy.alone }], ${REST} }`,
      'own.yaml:9:52: claims[0].tests[0].check is “tenancy.alone”, which is not in the catalog',
    ],
    [
      'a check that no node can answer',
      `{ id: a, text: S., source: contract, tests: [{ check: lifecycle.sanitization-record }], ${REST} }`,
      'which is not tested on nodes: remove it and use document-required',
    ],
    [
      'a check that only records',
      `{ id: a, text: S., source: contract, tests: [{ check: inventory.disks }], ${REST} }`,
      'which is informational and cannot test a claim',
    ],
    [
      'a reading that is not there',
      `{ id: a, text: S., source: contract, tests: [{ test: gpu.speed, value: 1 }], ${REST} }`,
      'own.yaml:9:52: claims[0].tests[0].test is “gpu.speed”, which is not a claim test',
    ],
    [
      'a word where a number belongs',
      `{ id: a, text: S., source: contract, tests: [{ test: gpu.count, value: eight }], ${REST} }`,
      'claims[0].tests[0].value is "eight", but gpu.count requires a number (GPUs)',
    ],
    [
      'a word that is none of those known',
      `{ id: a, text: S., source: contract, tests: [{ test: network.rdma, value: iwarp }], ${REST} }`,
      'is "iwarp", but network.rdma requires one of roce-v2, infiniband, either',
    ],
    [
      'a value where none belongs',
      `{ id: a, text: S., source: contract, tests: [{ test: gpu.mig, value: 1 }], ${REST} }`,
      'is 1, but gpu.mig requires no value: null',
    ],
    [
      'a source that is not there',
      `{ id: a, text: S., source: page, tests: [{ check: tenancy.no-hypervisor }], ${REST} }`,
      'own.yaml:9:24: claims[0].source names “page”, which is not a listed source',
    ],
    [
      'nothing that answers it',
      `{ id: a, text: S., source: contract, tests: [], ${REST} }`,
      'claims[0].otherwise must be document-required or not-observable where the claim has no tests',
    ],
    [
      'a record without its name',
      '{ id: a, text: S., source: contract, tests: [], otherwise: document-required, why: null, documentRequired: null }',
      'claims[0].why must state why it is not observable from nodes; own.yaml:9:94: claims[0].documentRequired must name the required document',
    ],
    [
      'both at once',
      '{ id: a, text: S., source: contract, tests: [{ check: tenancy.no-hypervisor }], otherwise: document-required, why: W., documentRequired: B }',
      'claims[0].otherwise must be null where the claim has tests',
    ],
    [
      'a field that is not there',
      `{ id: a, text: S., source: contract, tests: [], ever: 1, ${REST} }`,
      'claims[0].ever is not a known field',
    ],
    [
      'a condition without a reading',
      `{ id: a, text: S., source: contract, condition: { text: W., tests: [] }, tests: [{ check: tenancy.no-hypervisor }], ${REST} }`,
      'claims[0].condition.tests must name at least one test',
    ],
    [
      'a condition that no reading has',
      `{ id: a, text: S., source: contract, condition: { text: W., tests: [{ test: gpu.speed, value: 1 }] }, tests: [{ check: tenancy.no-hypervisor }], ${REST} }`,
      'claims[0].condition.tests[0].test is “gpu.speed”, which is not a claim test',
    ],
    [
      'a condition that is a check',
      `{ id: a, text: S., source: contract, condition: { text: W., tests: [{ check: tenancy.no-hypervisor }] }, tests: [], ${REST} }`,
      'claims[0].condition.tests[0]',
    ],
    [
      'a quotation of two lines',
      `{ id: a, text: S., source: contract, quote: "a\\nb", tests: [{ check: tenancy.no-hypervisor }], ${REST} }`,
      'claims[0].quote',
    ],
    [
      'a document that is not named',
      `{ id: a, text: S., source: contract, tests: [{ check: tenancy.no-hypervisor }], whenUndecided: document-required, ${REST} }`,
      'claims[0].documentRequired must name the required document where the result can be inconclusive',
    ],
    [
      'a document where nothing is read',
      '{ id: a, text: S., source: contract, tests: [], whenUndecided: document-required, otherwise: document-required, why: W., documentRequired: B }',
      'claims[0].whenUndecided must be absent where the claim has no tests',
    ],
    [
      'a value that is a list',
      `{ id: a, text: S., source: contract, tests: [{ test: gpu.mig, value: [] }], ${REST} }`,
      'own.yaml:9:',
    ],
  ])('names the place of %s', async (_, row, problem) => {
    expect(await read(claims(row))).toContain(problem)
  })

  test('names every id that occurs twice', async () => {
    const row = `{ id: a, text: S., source: contract, tests: [{ check: tenancy.no-hypervisor }], ${REST} }`
    expect(await read(claims(row, row))).toBe('own.yaml:10:7: claims[1].id is “a”, which occurs twice')
    const twice = HEAD.replace(
      'claims:\n',
      '  - { id: contract, kind: page, title: T, where: W, on: 2026-02-01 }\nclaims: []\n',
    )
    expect(await read(twice)).toContain('own.yaml:8:7: sources[1].id is “contract”')
  })

  test('takes no id of a profile that ships', async () => {
    expect(await read(HEAD.replace('id: own', 'id: rackbank').replace('claims:\n', 'claims: []\n'))).toContain(
      'own.yaml:2:1: id is “rackbank”, the id of a built-in profile',
    )
  })

  test.each([
    ['a broken quotation', '"\\"'],
    ['a zero byte', '\u0000'],
    ['a list', '- a'],
    ['nothing', ''],
    ['itself through an alias', 'a: &a [*a, *a]\nb: *a'],
    ['brackets without end', '{'.repeat(5000)],
  ])('refuses %s with its place', async (_, text) => {
    expect(await read(text)).toMatch(/^own\.yaml:\d+:\d+: /)
  })
})

describe('a name', () => {
  test('of a profile that ships gives that profile', async () => {
    for (const own of catalog.providers)
      expect(await readProvider(own.id, null, catalog)).toEqual({ ok: true, value: own })
  })

  test('of neither a profile nor a file names the profiles', async () => {
    expect(await readProvider('hostaway', null, catalog)).toMatchObject({
      ok: false,
      error: {
        code: 'input.not-found',
        detail:
          'hostaway is neither a readable file nor a built-in profile: onesource-cloud, hostrunway, rackbank, common-statements',
      },
    })
    expect(await readProvider('./no.yaml', join(folder, 'fleet.yaml'), catalog)).toMatchObject({
      ok: false,
      error: { code: 'input.not-found', detail: `${folder}/no.yaml could not be read` },
    })
  })
})

test('profiles that ship fit the schema, and everything they name is there', () => {
  const validator = createSchemaValidator()
  for (const own of catalog.providers) {
    expect([own.id, validator.problems('provider', own)]).toEqual([own.id, []])
    expect([own.id, problemsIn(own, catalog)]).toEqual([own.id, []])
  }
  expect(catalog.providers.map(({ id }) => id)).toEqual([
    'onesource-cloud',
    'hostrunway',
    'rackbank',
    'common-statements',
  ])
})
