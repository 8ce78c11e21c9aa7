import { expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import type { ControlAssessment } from '../../schemas/types.ts'
import type { Verdict } from '../../schemas/words.ts'
import { AS_OF, allDocuments, concluded, engagement, inState, registerWith } from '../support/conclusion-kit.ts'
import { fixtureRecording } from '../support/fixtures.ts'

/** The worked example of the conclusion model: the recorded model node, with every category of SOC 2. */
const EVERY = engagement({ categories: ['availability', 'confidentiality', 'processing-integrity', 'privacy'] })

const [assessed] = assess({
  catalog,
  scope: { fleet: 'the model node', population: ['demo-gpu-01'], frameworks: ['hipaa', 'soc2'] },
  recordings: [fixtureRecording('demo-gpu-01', catalog.probes)],
  asOf: AS_OF,
}).nodes
if (assessed === undefined) throw new Error('the model node was not assessed')
const node = {
  ...assessed,
  results: [
    // Nothing is promised about its place in this engagement, so that there is nothing to compare with.
    ...assessed.results.map(({ check, verdict }) => ({
      check,
      verdict: check === 'location.residency' ? ('not-applicable' as Verdict) : verdict,
    })),
  ],
}

const without = concluded({ nodes: [node], matter: { engagement: EVERY } })
const documented = concluded({ nodes: [node], register: registerWith(allDocuments()), matter: { engagement: EVERY } })

const serverStates = (rows: readonly ControlAssessment[], framework: string): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { server } of rows.filter((one) => one.framework === framework && one.state !== 'out-of-scope'))
    counts[server.state] = (counts[server.state] ?? 0) + 1
  return counts
}

test('without documents, no row of HIPAA deviates and every one waits for documents', () => {
  expect(serverStates(without, 'hipaa')).toEqual({ 'no-deviations': 21, 'no-server-test': 45 })
  expect(inState(without, 'documents-outstanding', 'hipaa')).toHaveLength(66)
})

test('without documents, the one deviation of SOC 2 is the driver that is out of support', () => {
  expect(inState(without, 'deviations')).toEqual(['CC7.1'])
  expect(inState(without, 'documents-outstanding', 'soc2')).toHaveLength(50)
  const cc71 = without.find(({ control }) => control === 'soc2:CC7.1')
  expect(
    cc71?.checks.filter(({ decides, notSatisfied }) => decides && notSatisfied > 0).map(({ check }) => check),
  ).toEqual(['vuln.eol'])
})

test('with every document, all other rows are supported', () => {
  expect(inState(documented, 'supported', 'hipaa')).toHaveLength(66)
  expect(inState(documented, 'supported', 'soc2')).toHaveLength(50)
  expect(inState(documented, 'deviations')).toEqual(['CC7.1'])
})

test('single-factor SSH is an observation at three rows, and decides none', () => {
  const rows = documented.filter(({ checks }) =>
    checks.some(
      ({ check, role, notSatisfied }) => check === 'access.sshd.mfa' && role === 'supporting' && notSatisfied > 0,
    ),
  )
  expect(rows.map(({ control }) => control)).toEqual(
    expect.arrayContaining(['hipaa:164.312(d)', 'soc2:CC6.1', 'soc2:CC6.6']),
  )
  expect(rows.every(({ state }) => state === 'supported')).toBe(true)
})
