import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, describe, expect, test } from 'vitest'
import { type Extent, SCHEMA_NAMES, validatorOf } from '../main/adapters/schema-compiler.ts'
import { catalog } from '../main/catalog/index.ts'
import { fixtureRecording } from './support/fixtures.ts'
import { memberOf, writtenFile, writtenValidators } from './support/written-validators.ts'

const EXTENTS: readonly Extent[] = ['first', 'all']
const folder = mkdtempSync(join(tmpdir(), 'written-validators-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const texts = new Map(EXTENTS.map((extent) => [extent, writtenValidators(extent)]))
const written = new Map(
  EXTENTS.map((extent) => {
    const file = join(folder, `${extent}.cjs`)
    writeFileSync(file, texts.get(extent) ?? '')
    return [extent, createRequire(import.meta.url)(file) as Readonly<Record<string, ValidateFunction>>]
  }),
)

const { recording, captures } = fixtureRecording('demo-gpu-01', catalog.probes)
/** Whole documents, and such that differ from one in each of their members. */
const documents: readonly unknown[] = [
  ...[recording, captures[0]?.meta, null, [], 'text', {}].flatMap((one) => [one, ...altered(one)]),
  ...['', 'x', '😀', {}, [{}, {}], -1, 1.5, true].map((some) => ({ schema: some, nodes: some, scope: some })),
]

function altered(document: unknown): readonly unknown[] {
  if (typeof document !== 'object' || document === null) return []
  return Object.keys(document).flatMap((name) =>
    [undefined, null, 0, '', '😀', [], [1, 1], {}].map((other) =>
      JSON.parse(JSON.stringify({ ...document, [name]: other })),
    ),
  )
}

/** As text, since there are thousands. */
const answers = (validate: ValidateFunction | undefined): readonly string[] =>
  documents.map((document) => {
    const isValid = validate?.(document)
    const errors = (validate?.errors ?? []).map(({ schema: _, parentSchema: __, ...error }) => error)
    return JSON.stringify([isValid, errors])
  })

describe.each(EXTENTS)('what the build compiles from the schemas, %s', (extent) => {
  test.each(SCHEMA_NAMES)('finds what is found in the source tree: %s', (name) => {
    expect(answers(written.get(extent)?.[memberOf(name)])).toEqual(answers(validatorOf(name, extent)))
  })

  test('accepts and refuses', () => {
    const found = SCHEMA_NAMES.flatMap((name) => answers(written.get(extent)?.[memberOf(name)]))
    expect(new Set(found.map((one) => one.slice(0, 5)))).toEqual(new Set(['[true', '[fals']))
  })

  const built = join('out/main', writtenFile(extent))
  test.skipIf(!existsSync(built))(
    `is what the built program has${existsSync(built) ? '' : ': it is not built'}`,
    () => {
      expect(readFileSync(built, 'utf8') === texts.get(extent), 'build again: npm run build').toBe(true)
    },
  )
})
