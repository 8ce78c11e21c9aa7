import { describe, expect, test } from 'vitest'
import { otherLines, sampleRows, seedOf, sizeFrom, tallyLine } from '../../renderer/worksheet-model.ts'
import type { Worksheet } from '../../schemas/ipc-packs.ts'

const sheet: Worksheet = {
  file: 'a.worksheet.csv',
  sample: {
    seed: '20260602',
    population: 40,
    sampled: [
      { place: 7, node: 'web-1', check: 'isolation.layer', verdict: 'satisfied' },
      { place: 31, node: 'db-1', check: 'access.accounts', verdict: 'not-satisfied' },
    ],
  },
  lines: [
    { node: 'db-1', check: 'access.accounts', state: 'question', note: 'Who is ops2?', at: '2026-06-02T08:00:00Z' },
    { node: 'db-1', check: 'isolation.layer', state: 'accepted', note: '', at: '2026-06-01T08:00:00Z' },
  ],
}

test('the seed is the day of the review', () => expect(seedOf('2026-06-02T23:59:59Z')).toBe('20260602'))

test('sampled results keep the order of the sample and their notes', () => {
  expect(sampleRows(sheet)).toEqual([
    { place: 7, node: 'web-1', check: 'isolation.layer', verdict: 'satisfied', state: 'open', note: '', at: null },
    {
      place: 31,
      node: 'db-1',
      check: 'access.accounts',
      verdict: 'not-satisfied',
      state: 'question',
      note: 'Who is ops2?',
      at: '2026-06-02T08:00:00Z',
    },
  ])
  expect(sampleRows({ ...sheet, sample: null })).toEqual([])
})

test('notes outside the sample are not lost, also those of the same node or check', () => {
  expect(otherLines(sheet).map(({ node, check }) => [node, check])).toEqual([['db-1', 'isolation.layer']])
  expect(otherLines({ ...sheet, sample: null })).toHaveLength(2)
})

test('the tally keeps what is open in the denominator', () => {
  expect(tallyLine(sampleRows(sheet))).toBe('0 of 2 results inspected or accepted, 1 question, 1 open.')
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
