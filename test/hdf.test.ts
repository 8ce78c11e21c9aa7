import { describe, expect, test } from 'vitest'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { hdfFiles } from '../main/present/formats/hdf.ts'
import { formatSample, shownAgain } from './support/format-sample.ts'
import { hdfProblems } from './support/hdf-shape.ts'

interface Part {
  [name: string]: unknown
}

const input = formatSample()
const documents = [...hdfFiles(input)]
const bare = shownAgain({
  ...input,
  register: EMPTY_REGISTER,
  recordings: [],
  signer: null,
  remediations: [],
  assessment: {
    ...input.assessment,
    controls: [],
    nodes: input.assessment.nodes.slice(0, 1).map((node) => ({ ...node, results: [], observedAt: null })),
  },
})
const hostile = shownAgain({
  ...input,
  run: ' run/../\u0000\ud800 ',
  recordings: input.recordings.map((one) => ({
    ...one,
    recording: { ...one.recording, startedAt: 'never', endedAt: '2026-11-20T25:00:00Z' },
  })),
  assessment: {
    ...input.assessment,
    nodes: input.assessment.nodes.map((node, at) => ({
      ...node,
      node: ` \u202e${at}`,
      results: node.results.map((one) => ({ ...one, check: `${one.check}\n` })),
    })),
  },
})

describe('HDF documents have the published shape', () => {
  test.each(documents)('%s', (_, document) => {
    expect(hdfProblems(document)).toEqual([])
  })

  test.each([
    ['a node without results', bare],
    ['hostile names, times and checks', hostile],
  ])('of %s', (_, from) => {
    const made = [...hdfFiles(from)]
    expect(made.length).toBeGreaterThan(0)
    expect(made.flatMap(([, document]) => hdfProblems(document))).toEqual([])
  })
})

describe('the shape refuses', () => {
  const changed = (change: (document: Part, control: Part, result: Part) => void): readonly string[] => {
    const copy = structuredClone(documents[0]?.[1]) as Part & {
      profiles: { controls: (Part & { results: Part[] })[] }[]
    }
    const control = copy.profiles[0]?.controls[0]
    const result = control?.results[0]
    if (control === undefined || result === undefined) throw new Error('nothing to change')
    change(copy, control, result)
    return hdfProblems(copy)
  }

  test.each<[string, (document: Part, control: Part, result: Part) => void, string]>([
    ['no platform', (document) => delete document.platform, " must have required property 'platform'"],
    ['no version', (document) => delete document.version, " must have required property 'version'"],
    ['no statistics', (document) => delete document.statistics, " must have required property 'statistics'"],
    [
      'an impact above 1',
      (_, control) => {
        control.impact = 1.1
      },
      '/profiles/0/controls/0/impact must be <= 1',
    ],
    [
      'an impact in words',
      (_, control) => {
        control.impact = 'high'
      },
      '/profiles/0/controls/0/impact must be number',
    ],
    ['no tags', (_, control) => delete control.tags, "/profiles/0/controls/0 must have required property 'tags'"],
    [
      'a status that Heimdall does not know',
      (_, __, result) => {
        result.status = 'satisfied'
      },
      '/profiles/0/controls/0/results/0/status must be equal to one of the allowed values',
    ],
    [
      'a result without a start',
      (_, __, result) => delete result.start_time,
      "/profiles/0/controls/0/results/0 must have required property 'start_time'",
    ],
    [
      'a member that the schema does not describe',
      (_, control) => {
        control.verdict = 'satisfied'
      },
      '/profiles/0/controls/0 must NOT have additional properties',
    ],
  ])('%s', (_, change, problem) => {
    expect(changed(change)).toEqual([problem])
  })
})
