import { describe, expect, test } from 'vitest'
import { summaryText } from '../main/app/evaluate/summary.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { jsonBytes } from '../main/core/base/canonical-json.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import { explain, explanationsFor, withdrawExplanation } from '../main/core/register/explanations.ts'
import { registerProblems } from '../main/core/register/problems.ts'
import { EMPTY_REGISTER, registerFor } from '../main/core/register/register.ts'
import { catalogSnapshot } from '../main/core/rules/catalog.ts'
import { documentText } from '../main/present/report.ts'
import { registerOfPack } from '../main/verify/steps/register.ts'
import type { ExplanationDraft } from '../schemas/ipc-packs.ts'
import type { Register } from '../schemas/types.ts'
import { validator } from './support/deps.ts'
import { fixtureRecording } from './support/fixtures.ts'
import { must } from './support/outcomes.ts'
import { explanationOf, registerOf } from './support/register.ts'
import { sampleInput } from './support/report/sample.ts'
import { wholeReport } from './support/report/whole.ts'
import { AS_OF, sealing, sourceOf } from './support/sample-pack.ts'

const NOW = '2026-11-21T15:00:00.000Z'
const ID = '0123456789abcdef'.repeat(2)
const LETTER = new TextEncoder().encode('Twelve cores are switched off in the firmware.')
const draft = (changes: Partial<ExplanationDraft> = {}): ExplanationDraft => ({
  signal: 'cpu.cores',
  nodes: ['gpu-01', 'gpu-01'],
  text: ' Cores are switched off for a licence. ',
  explainedBy: 'P. Lind',
  role: 'Hardware lead',
  until: '2027-03-01',
  ...changes,
})
const make = (changes: Partial<ExplanationDraft> = {}, bytes = LETTER) =>
  explain(
    EMPTY_REGISTER,
    draft(changes),
    { name: '/home/lind/letter.pdf', bytes },
    {
      now: NOW,
      id: ID,
      hasSignal: (id) => catalog.signals.some((one) => one.id === id),
      hasNode: (name) => name === 'gpu-01',
    },
  )
describe('explanations of readings', () => {
  test('are kept with the digest of their document, and fit the schema', () => {
    const register = must(make())
    expect(register.explanations).toEqual([
      {
        id: ID,
        signal: 'cpu.cores',
        nodes: ['gpu-01'],
        text: 'Cores are switched off for a licence.',
        document: { name: 'letter.pdf', size: LETTER.length, sha256: sha256(LETTER) },
        explainedBy: 'P. Lind',
        role: 'Hardware lead',
        explainedAt: NOW,
        expiresAt: '2027-03-01T23:59:59.999Z',
        withdrawn: null,
      },
    ])
    expect(validator.problems('register', register)).toEqual([])
    expect(registerProblems(register)).toEqual([])
  })
  test.each([
    ['of no signal', { signal: 'cpu.none' }, LETTER],
    ['on no node', { nodes: [] }, LETTER],
    ['on a node that nobody declared', { nodes: ['gpu-09'] }, LETTER],
    ['without words', { text: '  ' }, LETTER],
    ['of nobody', { explainedBy: '' }, LETTER],
    ['without a role', { role: ' ' }, LETTER],
    ['for more than a year', { until: '2028-01-01' }, LETTER],
    ['that has ended', { until: '2026-11-01' }, LETTER],
    ['without a document', {}, new Uint8Array()],
  ] as const)('%s are refused', (_, changes, bytes) => {
    const made = make(changes, bytes)
    expect(made.ok ? 'accepted' : made.error.code).toBe('input.refused')
  })
  test('stand from when they were made to their end, or until they are withdrawn', () => {
    const register = must(make())
    const statusAt = (at: string, of: Register = register) => explanationsFor(of, 'gpu-01', at).size
    expect([statusAt('2026-11-21T14:59:59.000Z'), statusAt(NOW), statusAt('2027-03-02T00:00:00.000Z')]).toEqual([
      0, 1, 0,
    ])
    expect(explanationsFor(register, 'gpu-02', NOW).size).toBe(0)
    const withdrawn = withdrawExplanation(register, { id: ID, by: 'P. Lind', reason: 'Cores are on again.' }, NOW)
    expect(withdrawn.ok && [withdrawn.value.explanations?.length, statusAt(NOW, withdrawn.value)]).toEqual([1, 0])
  })
  test('go into a pack with the nodes of that pack alone', () => {
    const register = registerOf({
      explanations: [explanationOf({ nodes: ['node-a', 'other'] }), explanationOf({ nodes: ['other'] })],
    })
    const kept = registerFor(register, { nodes: ['node-a'], checks: [], frameworks: [] })
    expect(kept.explanations?.map(({ nodes }) => nodes)).toEqual([['node-a']])
  })
})

describe('explanations in a pack', () => {
  const read = (register: Register) =>
    registerOfPack(
      {
        source: sourceOf(
          new Map([
            [PATHS.register, jsonBytes(register)],
            [PATHS.catalog, jsonBytes(catalogSnapshot(catalog))],
          ]),
        ),
        validator,
        seal: sealing.reader,
      },
      { scope: { fleet: 'sample', population: ['node-a', 'node-b'], frameworks: ['soc2'], asOf: AS_OF } },
    )
  test('of known readings on declared nodes are in order, and are noted', async () => {
    const { problems, notes } = await read(registerOf({ explanations: [explanationOf()] }))
    expect([problems.length, notes.length]).toEqual([0, 1])
  })
  test.each([
    ['a signal that the catalog lacks', { signal: 'cpu.none' }],
    ['a node that was not declared', { nodes: ['node-z'] }],
    ['no node', { nodes: [] }],
    ['an end that is later than allowed', { expiresAt: '2029-01-01T23:59:59.999Z' }],
    ['a moment that is none', { explainedAt: '2026-02-31T08:00:00.000Z' }],
  ])('that name %s are a problem', async (_, changes) => {
    expect((await read(registerOf({ explanations: [explanationOf(changes)] }))).problems.length).toBeGreaterThan(0)
  })
  test('two of one id are a problem', async () => {
    expect((await read(registerOf({ explanations: [explanationOf(), explanationOf()] }))).problems).toHaveLength(1)
  })
})

describe('an explanation beside the answer', () => {
  const { recording, captures } = fixtureRecording('fx-iso-dpu', catalog.probes)
  const node = recording.node.name
  const asOf = recording.endedAt
  const said = explanationOf({
    signal: 'pci.vendors',
    nodes: [node],
    explainedAt: asOf,
    expiresAt: asOf.replace(/T.*/, 'T23:59:59.999Z'),
  })
  const judged = (register: Register) =>
    assess({
      catalog,
      scope: { fleet: 'sample', population: [node], frameworks: ['soc2'] },
      recordings: [{ recording, captures }],
      asOf,
      register,
    })
  const register = registerOf({ explanations: [said] })

  test('changes nothing of the assessment', () => {
    expect(judged(register)).toEqual(judged(EMPTY_REGISTER))
    expect(judged(register).nodes[0]?.isolation?.environment).toBe('undetermined')
  })
  test('is shown in the report beside the answers of its node, and in the summary, while it is in force', () => {
    const shown = (of: Register): readonly boolean[] => {
      const assessment = judged(of)
      const report = wholeReport({ ...sampleInput(), catalog, assessment, register: of })
      const chapter = (id: string): string =>
        documentText({ ...report, sections: report.sections.filter((one) => one.id === id) }).join('\n')
      return [chapter('isolation'), summaryText({ assessment, catalog, register: of, recordings: [] })].map((text) =>
        [said.text, said.explainedBy, said.role, said.document.sha256].every((part) => text.includes(part)),
      )
    }
    expect(shown(register)).toEqual([true, true])
    expect(shown(EMPTY_REGISTER)).toEqual([false, false])
    const withdrawn = { at: asOf, by: 'P. Lind', reason: 'Wrong machine.' }
    expect(shown(registerOf({ explanations: [{ ...said, withdrawn }] }))).toEqual([false, false])
  })
})
