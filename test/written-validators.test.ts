import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, describe, expect, test } from 'vitest'
import { callValidatorOf, METHODS } from '../main/adapters/call-compiler.ts'
import { type Extent, SCHEMA_NAMES, validatorOf } from '../main/adapters/schema-compiler.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { VALID } from './electron/valid-inputs.ts'
import { fixtureRecording } from './support/fixtures.ts'
import { memberOf, writtenCallValidators, writtenFile, writtenValidators } from './support/written-validators.ts'

const EXTENTS: readonly Extent[] = ['first', 'all']
const folder = mkdtempSync(join(tmpdir(), 'written-validators-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const texts = new Map<Extent | 'calls', string>([
  ...EXTENTS.map((extent) => [extent, writtenValidators(extent)] as const),
  ['calls', writtenCallValidators()],
])
const written = new Map(
  [...texts].map(([what, text]) => {
    const file = join(folder, `${what}.cjs`)
    writeFileSync(file, text)
    return [what, createRequire(import.meta.url)(file) as Readonly<Record<string, ValidateFunction>>]
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
const answers = (validate: ValidateFunction | undefined, to = documents): readonly string[] =>
  to.map((document) => {
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
})

describe('what the build compiles from the schemas of calls', () => {
  test('has a member for each method', () => expect(new Set(METHODS.map(memberOf)).size).toBe(METHODS.length))

  test.each(METHODS)('finds what is found in the source tree: %s', (method) => {
    const inputs = [VALID[method], ...altered(VALID[method]), null, {}, [], 'text', 1]
    const found = answers(written.get('calls')?.[memberOf(method)], inputs)
    expect(found).toEqual(answers(callValidatorOf(method), inputs))
    expect(found[0]).toBe('[true,[]]')
  })
})

describe.each([...texts])('what the build compiles, %s', (what, text) => {
  // V8 holds any other text with two bytes for each of its characters.
  test('is ASCII', () => expect(text.search(/[^\0-\x7f]/)).toBe(-1))

  const built = join('out/main', writtenFile(what))
  test.skipIf(!existsSync(built))(
    `is what the built program has${existsSync(built) ? '' : ': it is not built'}`,
    () => {
      expect(readFileSync(built, 'utf8') === text, 'build again: npm run build').toBe(true)
    },
  )
})
