import { describe, expect, test } from 'vitest'
import {
  findingOn,
  firstOpen,
  otherLines,
  sampleRows,
  sampleTitle,
  seedOf,
  sizeFrom,
  tallyLine,
} from '../../renderer/models/worksheet-model.ts'
import type { FindingRow } from '../../schemas/ipc-findings.ts'
import type { SampledResult, Worksheet } from '../../schemas/ipc-packs.ts'

const good: SampledResult = {
  place: 7,
  node: 'web-1',
  check: 'isolation.layer',
  verdict: 'satisfied',
  stratum: 'satisfied',
  severity: null,
}

const bad: SampledResult = {
  place: 31,
  node: 'db-1',
  check: 'access.accounts',
  verdict: 'not-satisfied',
  stratum: 'severe',
  severity: 'high',
}

const sheet: Worksheet = {
  file: 'a.worksheet.csv',
  auditor: 'R. Vega',
  sample: { seed: '20260602', from: 'deciding', stratified: true, population: 40, strata: [], sampled: [good, bad] },
  lines: [
    {
      node: 'db-1',
      check: 'access.accounts',
      state: 'needs-more-evidence',
      note: 'Who is ops2?',
      at: '2026-06-02T08:00:00Z',
    },
    { node: 'db-1', check: 'isolation.layer', state: 'agrees', note: '', at: '2026-06-01T08:00:00Z' },
  ],
}

test('the seed is the day of the review', () => expect(seedOf('2026-06-02T23:59:59Z')).toBe('20260602'))

test('sampled results keep the order of the sample and their notes', () => {
  expect(sampleRows(sheet)).toEqual([
    { ...good, state: 'open', note: '', at: null },
    { ...bad, state: 'needs-more-evidence', note: 'Who is ops2?', at: '2026-06-02T08:00:00Z' },
  ])
  expect(sampleRows({ ...sheet, sample: null })).toEqual([])
})

test('notes outside the sample are not lost, also those of the same node or check', () => {
  expect(otherLines(sheet).map(({ node, check }) => [node, check])).toEqual([['db-1', 'isolation.layer']])
  expect(otherLines({ ...sheet, sample: null })).toHaveLength(2)
})

test('the tally keeps what is open in the denominator', () => {
  expect(tallyLine(sampleRows(sheet))).toBe('1 decided, 1 open')
})

test('work begins at the first sample without a decision, or again at the first', () => {
  const [first, second] = sampleRows(sheet)
  const decided = { ...first, state: 'agrees' } as never
  expect(firstOpen(sampleRows(sheet))).toBe(0)
  expect(firstOpen([decided, { ...second, state: 'open' } as never])).toBe(1)
  expect(firstOpen([decided])).toBe(0)
})

test('the finding is shown over a deviation only, with its condition and node', () => {
  const finding = { check: 'access.accounts', title: 'Accounts exist that nobody authorized' } as FindingRow
  expect(findingOn({ rows: [finding], informational: [] }, bad)).toBe(finding)
  expect(findingOn({ rows: [], informational: [finding] }, bad)).toBe(finding)
  expect(findingOn({ rows: [{ ...finding, check: 'isolation.layer' }], informational: [] }, good)).toBeNull()
  expect(findingOn(null, bad)).toBeNull()
  expect(sampleTitle(bad, finding, 'Every account is authorized.')).toBe('Accounts exist that nobody authorized: db-1')
  expect(sampleTitle(good, null, 'No hypervisor.')).toBe('No hypervisor.')
  expect(sampleTitle(good, null, '')).toBe('isolation.layer')
})

describe('a size', () => {
  test.each([
    [5, 40, { ok: true, size: 5 }],
    [40, 40, { ok: true, size: 40 }],
    [41, 40, { ok: false, why: 'The population has 40 results.' }],
    [0, 40, { ok: false, why: 'Enter a whole number of at least 1.' }],
    [1.5, 40, { ok: false, why: 'Enter a whole number of at least 1.' }],
    [Number.NaN, 40, { ok: false, why: 'Enter a whole number of at least 1.' }],
    [1001, 5000, { ok: false, why: 'Enter at most 1000.' }],
    [1, 0, { ok: false, why: 'There are no results to sample.' }],
  ])('%d of %d', (typed, population, found) => expect(sizeFrom(typed, population)).toEqual(found))
})
