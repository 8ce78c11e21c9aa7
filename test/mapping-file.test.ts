import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readMapping } from '../main/adapters/declarations/index.ts'
import { createSchemaValidator } from '../main/adapters/schema-validator.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { oscalRows } from '../main/core/rules/mapping.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'

const folder = folderOfTests('mapping')

const OSCAL = {
  catalog: {
    uuid: '74c8ba1e-5cd4-4ad1-bbfd-d888e2f6c724',
    metadata: { title: 'House rules' },
    groups: [
      {
        id: 'h',
        title: 'Hosting',
        controls: [
          { id: 'h-1', title: 'Servers are ours alone', controls: [{ id: 'h-1.1', title: 'Also their GPUs' }] },
          { id: 'h-2', title: 'Retired rule', props: [{ name: 'status', value: 'withdrawn' }] },
        ],
      },
    ],
    controls: [{ id: 'x-1', title: 'Loose rule' }],
  },
}

const MAPPING = `id: house-rules
title: House rules
version: "3"
source: [Security handbook of 2026]
catalog: oscal.json
rest: listed
controls:
  - id: h-1
    checks:
      - tenancy.no-hypervisor
      - { check: tenancy.gpu-exclusive, shows: The GPUs of the server are whole. }
    notCovered: What the provider does outside the server.
    documentsRequired: [The hosting contract]
`
async function read(mapping: string, oscal: unknown = OSCAL) {
  writeFileSync(join(folder, 'mapping.yaml'), mapping)
  writeFileSync(join(folder, 'oscal.json'), typeof oscal === 'string' ? oscal : JSON.stringify(oscal))
  return await readMapping('mapping.yaml', join(folder, 'fleet.yaml'), catalog)
}

async function refusal(mapping: string, oscal?: unknown): Promise<string> {
  const found = await read(mapping, oscal)
  return found.ok ? 'it was read' : found.error.detail.replaceAll(folder, '')
}

test.each([
  [
    'id: house-rules',
    'id: h1paa',
    'mapping.yaml:1:1: id is “h1paa”, which imitates a built-in framework; choose another',
  ],
  [
    'title: House rules',
    'title: HIPAA security rule',
    'mapping.yaml:2:1: title is “HIPAA security rule”, which imitates a built-in framework; choose another',
  ],
  [
    'title: House rules',
    'title: The HIPAA Security Rule',
    'mapping.yaml:2:1: title is “The HIPAA Security Rule”, which imitates a built-in framework; choose another',
  ],
  [
    'id: house-rules',
    'id: hipaa-2013',
    'mapping.yaml:1:1: id is “hipaa-2013”, which imitates a built-in framework; choose another',
  ],
])('a mapping with %s written as %s does not pass for ours', async (before, after, problem) => {
  expect((await refusal(MAPPING.replace(before, after))).replace(/^\//, '')).toBe(problem)
})

describe('a mapping over an OSCAL catalog', () => {
  test('gives every row of it: mapped ones with their checks, the others as records', async () => {
    const found = must(await read(MAPPING))
    expect(createSchemaValidator().problems('mapping', found)).toEqual([])
    expect(found.controls.map(({ key, title, group, evidenceType }) => [key, title, group, evidenceType])).toEqual([
      ['house-rules:h-1', 'Servers are ours alone', 'Hosting', 'mixed'],
      ['house-rules:x-1', 'Loose rule', '–', 'documentary'],
      ['house-rules:h-1.1', 'Also their GPUs', 'Hosting', 'documentary'],
    ])
    expect(found.controls[0]?.mappings).toEqual([
      {
        check: 'tenancy.no-hypervisor',
        shows: catalog.checks.find(({ id }) => id === 'tenancy.no-hypervisor')?.expected,
        role: 'required',
      },
      { check: 'tenancy.gpu-exclusive', shows: 'The GPUs of the server are whole.', role: 'required' },
    ])
  })

  test.each<[string, string, RegExp]>([
    [
      'an unknown check',
      MAPPING.replace('tenancy.no-hypervisor', 'tenancy.nothing'),
      /mapping\.yaml:10:9: controls\[0\]\.checks\[0\] is “tenancy.nothing”, which is not in this catalog/,
    ],
    [
      'a check twice',
      MAPPING.replace('check: tenancy.gpu-exclusive', 'check: tenancy.no-hypervisor'),
      /:11:9: controls\[0\]\.checks\[1\] names “tenancy.no-hypervisor” twice/,
    ],
    [
      'a row that the catalog lacks',
      MAPPING.replace('id: h-1', 'id: h-9'),
      /:8:5: controls\[0\]\.id is “h-9”, which is not in the OSCAL catalog/,
    ],
    ['a withdrawn row', MAPPING.replace('id: h-1', 'id: h-2'), /“h-2”, which is not in the OSCAL catalog/],
    [
      'rows passed over without a word',
      MAPPING.replace('rest: listed\n', ''),
      /:5:1: catalog has 2 controls that are not mapped \(x-1, h-1\.1\)/,
    ],
    ['a row twice', `${MAPPING}  - id: h-1\n`, /controls\[1\]\.id is “h-1”, which another control has/],
    [
      'no word on what is not shown',
      MAPPING.replace(/ {4}notCovered.*\n/, ''),
      /:8:5: controls\[0\] lacks “notCovered”/,
    ],
    ['no other record', MAPPING.replace(/ {4}documentsRequired.*\n/, ''), /lacks “documentsRequired”/],
    [
      'a name of ours',
      MAPPING.replace('id: house-rules', 'id: hipaa'),
      /:1:1: id is “hipaa”, which is a built-in framework/,
    ],
    ['a field that does not exist', `${MAPPING}extra: 1\n`, /:14:1: extra is not a known field/],
    ['no YAML', 'id: [', /:1:\d+: /],
    [
      'a catalog that is not there',
      MAPPING.replace('oscal.json', 'gone.json'),
      /:5:1: catalog names .*gone\.json, which could not be read/,
    ],
  ])('%s is an error with its line', async (_, mapping, expected) => {
    expect(await refusal(mapping)).toMatch(expected)
  })

  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /is not JSON/],
    ['no catalog', { profile: {} }, /not an OSCAL catalog/],
    ['no controls', { catalog: {} }, /contains no controls/],
    ['a control without a title', { catalog: { controls: [{ id: 'h-1' }] } }, /no valid ID and title/],
    [
      'a control twice',
      {
        catalog: {
          controls: [
            { id: 'h-1', title: 'a' },
            { id: 'h-1', title: 'b' },
          ],
        },
      },
      /occurs twice/,
    ],
  ])('an OSCAL file with %s is refused', async (_, oscal, expected) => {
    expect(await refusal(MAPPING, oscal)).toMatch(expected)
  })

  test('rows that are left out are reported', async () => {
    const found = await read(MAPPING.replace('rest: listed', 'rest: excluded'))
    expect(found.ok && [found.value.controls.length, found.value.notes]).toEqual([
      1,
      ['2 controls of the catalog are excluded by the mapping.'],
    ])
  })
})

test('without a catalog, each row brings its title', async () => {
  const alone = MAPPING.replace(/catalog:.*\nrest:.*\n/, '')
  expect(await refusal(alone)).toMatch(/:6:5: controls\[0\] lacks “title”/)
  const found = await read(alone.replace('  - id: h-1\n', '  - id: h-1\n    title: Ours alone\n'))
  expect(found.ok && found.value.controls.map(({ title }) => title)).toEqual(['Ours alone'])
})

test('any value for a catalog gives rows or a reason', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => oscalRows({ catalog: value }) !== undefined),
    { numRuns: 200 },
  )
  let deep: unknown = { id: 'a', title: 'a' }
  for (let depth = 0; depth < 200; depth++) deep = { title: 'g', groups: [deep] }
  expect(oscalRows({ catalog: deep })).toEqual({ ok: false, error: 'its groups are nested too deeply' })
})
