import { beforeAll, describe, expect, test } from 'vitest'
import { jsonBytes } from '../main/core/base/canonical-json.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { attachmentPath } from '../main/core/register/attachments.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { catalogSnapshot } from '../main/core/rules/catalog.ts'
import { registerOfPack } from '../main/verify/steps/register.ts'
import type { Register } from '../schemas/types.ts'
import { validator } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import {
  acceptanceRequestOf,
  decisionOf,
  documentOf,
  POLICY,
  registerOf,
  riskAcceptanceOf,
} from './support/register.ts'
import {
  AS_OF,
  outcomes,
  sampleCatalog,
  samplePack,
  sampleSigner,
  sealing,
  sourceOf,
  verifySource,
} from './support/sample-pack.ts'

const folder = folderOfTests('register-pack')
const PATH = attachmentPath(documentOf())
const good = registerOf({ riskAcceptances: [riskAcceptanceOf()], documents: [documentOf()] })
let signer: Signer
let root: Uint8Array

beforeAll(async () => {
  signer = await sampleSigner(folder, 'signer')
  root = signer.chain[0] ?? new Uint8Array()
})

const packed = (register: Register, attachments: ReadonlyMap<string, Uint8Array>): Promise<Map<string, Uint8Array>> =>
  samplePack({ signer, register, attachments })

async function completeness(files: ReadonlyMap<string, Uint8Array>): Promise<readonly string[]> {
  const verified = await verifySource(sourceOf(files), [root])
  expect(outcomes(verified)).toMatchObject({ integrity: 'passed', signature: 'passed', reproducibility: 'passed' })
  const answer = verified.report.checks.find(({ check }) => check === 'completeness')
  expect(verified.report.ok).toBe(answer?.outcome === 'passed')
  return answer?.outcome === 'failed' ? answer.details : []
}

/** What a register says in a pack of the sample nodes, without the rest of the pack. */
const readAlone = (register: Register, catalog = JSON.stringify(catalogSnapshot(sampleCatalog))) => {
  const files = new Map([
    [PATHS.register, jsonBytes(register)],
    [PATHS.catalog, new TextEncoder().encode(catalog)],
  ])
  const scope = { fleet: 'sample', population: ['node-a', 'node-b'], frameworks: ['soc2'], asOf: AS_OF }
  return registerOfPack({ source: sourceOf(files), validator, seal: sealing.reader }, { scope })
}

describe('a register in a pack', () => {
  test('verifies, is read, changes no verdict, and states exactly by the model', async () => {
    const files = await packed(good, new Map([[PATH, POLICY]]))
    expect(await completeness(files)).toEqual([])
    const verified = await verifySource(sourceOf(files), [root])
    expect(verified.contents.register).toEqual(good)
    const bare = await verifySource(sourceOf(await packed(EMPTY_REGISTER, new Map())), [root])
    const [said, unsaid] = [verified.contents.assessment, bare.contents.assessment]
    expect(said?.nodes).toEqual(unsaid?.nodes)
    expect(said?.nodes.flatMap(({ results }) => results.map(({ verdict }) => verdict))).toEqual([
      'satisfied',
      'not-satisfied',
    ])
    expect(unsaid?.controls.map(({ state }) => state)).toEqual(['deviations'])
    expect(said?.controls).toEqual(
      unsaid?.controls.map((control) => ({
        ...control,
        server: { ...control.server, accepted: 1 },
        checks: control.checks.map((check) => ({ ...check, accepted: 1 })),
      })),
    )
    expect(bare.contents.register).toEqual(EMPTY_REGISTER)
    expect(files.get(PATHS.register)).toEqual(jsonBytes(good))
  })

  test('that was left out of the states it was packed with does not come out the same', async () => {
    const files = await samplePack({
      signer,
      register: registerOf({ riskAcceptances: [riskAcceptanceOf()] }),
      forge: (assessment) => ({
        ...assessment,
        controls: assessment.controls.map((control) => ({ ...control, state: 'supported' })),
      }),
    })
    const verified = await verifySource(sourceOf(files), [root])
    expect(outcomes(verified)).toMatchObject({
      integrity: 'passed',
      completeness: 'indeterminate',
      reproducibility: 'failed',
    })
    const [control] = verified.contents.assessment?.controls ?? []
    expect(control?.state).toBe('supported')
  })

  test.each<[string, Partial<Register>, string]>([
    [
      'a decision about a row that is not there',
      { decisions: [decisionOf({ framework: 'soc2', control: 'C9' })] },
      `${PATHS.register}: decision ${'c'.repeat(32)} about “soc2 C9”: there is no such control.`,
    ],
    [
      'a choice where the row leaves none',
      { decisions: [decisionOf({ framework: 'soc2', control: 'C1' })] },
      'only an addressable specification permits this decision',
    ],
    [
      'a decision with a later end than allowed',
      {
        decisions: [
          decisionOf({
            framework: 'soc2',
            control: 'C1',
            decision: 'not-applicable',
            expiresAt: '2036-01-01T23:59:59.999Z',
          }),
        ],
      },
      'it must be at most 366 days from today',
    ],
    [
      'a request on a strange node',
      { acceptanceRequests: [acceptanceRequestOf({ nodes: ['node-x'] })] },
      'names node “node-x”',
    ],
    [
      'a request about no check',
      { acceptanceRequests: [acceptanceRequestOf({ check: 'no.such' })] },
      'names check “no.such”',
    ],
    [
      'an approval without its exception',
      { acceptanceRequests: [acceptanceRequestOf({ resolved: { at: AS_OF, by: 'x', as: 'approved', reason: null } })] },
      'is marked approved, but there is no such risk acceptance.',
    ],
  ])('with %s is not complete', async (_, parts, problem) => {
    const read = await readAlone({ ...registerOf({}), ...parts })
    expect(read.problems).toEqual([expect.stringContaining(problem)])
  })

  test.each(['{"checks":[]}', '{"checks":[],"frameworks":[{"controls":5}]}', 'null', '\u0000'])(
    'beside the catalog %j knows no row and no check, and is read all the same',
    async (text) => {
      const register = registerOf({ riskAcceptances: [riskAcceptanceOf()], decisions: [decisionOf()] })
      const read = await readAlone(register, text)
      expect(read.register).toEqual(register)
      expect(read.problems.join()).toContain(
        'names check “encryption.at-rest.swap”, which is not in the pack’s catalog',
      )
      expect(read.problems.join()).toContain('there is no such control')
    },
  )

  test('states what is asked for, decided, unsigned, and of one person', async () => {
    const register = registerOf({
      riskAcceptances: [riskAcceptanceOf({ requestedBy: 'M. Ortiz ' })],
      acceptanceRequests: [acceptanceRequestOf()],
      decisions: [decisionOf({ framework: 'soc2', control: 'C1', decision: 'not-applicable' })],
    })
    const { notes: details } = await readAlone(register)
    expect(details).toEqual(
      expect.arrayContaining([
        'The pack lists 1 risk acceptance and 0 documents; none changes a verdict.',
        'The pack lists 1 control decision; none changes a verdict.',
        'The pack lists 1 request pending approval; requests have no effect until approved.',
        '3 of 3 risk acceptances, requests and decisions are not digitally signed; approval is not independently evidenced.',
        '1 of 3 risk acceptances, requests and decisions is requested and approved by the same person (no segregation of duties).',
      ]),
    )
  })

  test.each([
    ['missing', new Map(), [`The document “Key Policy 2026.pdf” is missing: there is no “${PATH}”.`]],
    [
      'changed',
      new Map([[PATH, new TextEncoder().encode('%PDF-1.7 a Policy')]]),
      [`The document “Key Policy 2026.pdf” was changed: “${PATH}” has a different digest or size.`],
    ],
    [
      'joined by another',
      new Map([
        [PATH, POLICY],
        ['data/documents/other.pdf', POLICY],
      ]),
      ['“data/documents/other.pdf” is not listed in the register.'],
    ],
  ])('with the attached file %s is not complete, even sealed so', async (_, attachments, problems) => {
    expect(await completeness(await packed(good, attachments))).toEqual(problems)
  })

  test('that states another size than its file has is not complete', async () => {
    const register = registerOf({ documents: [documentOf({ size: 3 })] })
    expect(await completeness(await packed(register, new Map([[PATH, POLICY]])))).toEqual([
      expect.stringContaining('has a different digest or size'),
    ])
  })

  test.each([
    [
      riskAcceptanceOf({ nodes: ['node-b', 'node-x'] }),
      `${PATHS.register}: risk acceptance ${'a'.repeat(32)} names node “node-x”, which is not declared in the pack.`,
    ],
    [
      riskAcceptanceOf({ check: 'no.such' }),
      `${PATHS.register}: risk acceptance ${'a'.repeat(32)} names check “no.such”, which is not in the pack’s catalog.`,
    ],
    [riskAcceptanceOf({ nodes: [] }), `${PATHS.register}: risk acceptance ${'a'.repeat(32)} names no node.`],
  ])('with an exception that does not fit is not complete: %#', async (exception, problem) => {
    expect((await readAlone(registerOf({ riskAcceptances: [exception] }))).problems).toEqual([problem])
  })

  test('that does not fit its schema is no register, and states that rest on it do not come out the same', async () => {
    const files = await packed(registerOf({ riskAcceptances: [riskAcceptanceOf({ owner: '' })] }), new Map())
    const verified = await verifySource(sourceOf(files), [root])
    expect(outcomes(verified)).toMatchObject({ integrity: 'passed', completeness: 'failed', reproducibility: 'failed' })
    const complete = verified.report.checks.find(({ check }) => check === 'completeness')
    expect(complete?.details).toEqual([`${PATHS.register}: riskAcceptances[0].owner must not be empty.`])
  })

  test('with an acceptance that is longer than the permitted term is not complete', async () => {
    const forever = registerOf({ riskAcceptances: [riskAcceptanceOf({ expiresAt: '2036-01-01T23:59:59.999Z' })] })
    expect((await readAlone(forever)).problems).toEqual([
      expect.stringContaining('it must be at most 366 days from today'),
    ])
  })

  test('names a record that was withdrawn without its file', async () => {
    const withdrawn = { at: '2026-11-12T09:30:00.000Z', by: 'x', reason: 'y' }
    const register = registerOf({ documents: [documentOf({ withdrawn })] })
    expect(await completeness(await packed(register, new Map()))).toEqual([])
    expect(await completeness(await packed(register, new Map([[PATH, POLICY]])))).toEqual([
      `“${PATH}” is not listed in the register.`,
    ])
  })

  test('of an earlier version, an empty list, verifies and reads as empty', async () => {
    const files = await samplePack({ signer, extra: new Map([[PATHS.register, new TextEncoder().encode('[]\n')]]) })
    expect(await completeness(files)).toEqual([])
    expect((await verifySource(sourceOf(files), [root])).contents.register).toEqual(EMPTY_REGISTER)
  })

  test.each(['[1]\n', '{}\n', '[]', '{"schema":"barewitness.register/1"}\n', '\u0000'])(
    'that reads %j is none',
    async (text) => {
      const files = new Map([[PATHS.register, new TextEncoder().encode(text)]])
      const read = await registerOfPack({ source: sourceOf(files), validator, seal: sealing.reader }, { scope: null })
      expect(read.register).toBe(null)
      expect(read.problems).toEqual([expect.stringMatching(/^data\/register\.json: /)])
    },
  )

  test('changed after sealing is caught by the seal', async () => {
    const files = await packed(good, new Map([[PATH, POLICY]]))
    const longer = registerOf({
      ...good,
      riskAcceptances: [riskAcceptanceOf({ expiresAt: '2036-03-01T23:59:59.999Z' })],
    })
    const verified = await verifySource(sourceOf(new Map([...files, [PATHS.register, jsonBytes(longer)]])), [root])
    expect(outcomes(verified)).toMatchObject({ integrity: 'failed' })
    expect(verified.report.checks[0]?.details).toEqual([
      '“data/register.json” was altered: its digest differs from the listed one.',
    ])
  })
})
