import { describe, expect, test } from 'vitest'
import { assess } from '../main/core/conclusion/assess.ts'
import { nodeProblems } from '../main/verify/steps/complete.ts'
import type { NodeReading } from '../main/verify/steps/entries.ts'
import type { PackReading } from '../main/verify/steps/read.ts'
import type { NodeAssessment, Observation } from '../schemas/types.ts'
import { AS_OF, sampleCatalog, sampleRecording } from './support/sample-pack.ts'

// Every cited capture is a line of the recording, wherever a node’s results cite it: also where the rules are unknown and nothing is derived again.

const recording = sampleRecording('node-a', 'Filename Type Size Used Priority\n')
const scope = { fleet: 'sample fleet', population: ['node-a'], frameworks: ['hipaa' as const] }
const [stated] = assess({ recordings: [recording], catalog: sampleCatalog, scope, asOf: AS_OF }).nodes as [
  NodeAssessment,
]
const reading: PackReading = { statement: null, scope: null, assessment: null, catalogDigest: null, problems: [] }

const problemsOf = (more: Partial<NodeAssessment>): readonly string[] => {
  const node: NodeReading = {
    node: 'node-a',
    recording,
    stated: { ...stated, ...more },
    derived: null,
    traced: null,
    problems: [],
  }
  return nodeProblems(node, reading)
}

const meta = recording.captures[0]?.meta
const cited = { command: meta?.command ?? '', sha256: meta?.stdout.sha256 ?? '' }
const observation = (sha256: string): Observation => ({
  direction: 'supports',
  text: 'Something was seen.',
  probe: meta?.probe ?? '',
  captures: [{ ...cited, sha256 }],
})
const claim = (sha256: string): Partial<NodeAssessment> => ({
  claims: [{ claim: 'no-hypervisor', result: 'corroborated', observations: [observation(sha256)] }],
})
const signal = (sha256: string): Partial<NodeAssessment> => ({
  location: {
    claim: null,
    results: [],
    distanceBounds: [],
    reachable: null,
    frontEnd: null,
    notes: [],
    signals: [
      {
        id: 'time-zone',
        class: 'E6',
        hint: true,
        country: null,
        place: null,
        text: 'The time zone.',
        probe: meta?.probe ?? '',
        captures: [{ ...cited, sha256 }],
      },
    ],
  },
})

const WHERE = [
  ['the observation of a claim', claim],
  ['a location signal', signal],
] as const

describe.each(WHERE)('a capture that %s cites', (_, citing) => {
  test('resolves where the recording holds it', () => {
    expect(problemsOf(citing(cited.sha256))).toEqual([])
  })
  test('is missed where the recording does not hold it', () => {
    expect(problemsOf(citing('0'.repeat(64))).join()).toMatch(
      /^Node “node-a”[:,] .* cites a capture that is not in the pack\.$/,
    )
  })
  test('is missed where there is no recording', () => {
    const none = {
      ...stated,
      ...citing(cited.sha256),
      recording: null,
      status: 'missing' as const,
      results: [],
      isolation: null,
    }
    const node: NodeReading = {
      node: 'node-a',
      recording: null,
      stated: none,
      derived: null,
      traced: null,
      problems: [],
    }
    expect(nodeProblems(node, reading).join()).toContain('is not in the pack')
  })
})
