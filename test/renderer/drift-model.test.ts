import { describe, expect, test } from 'vitest'
import { captureLine, driftLine, flipSteps, partMoveWords, runTitle } from '../../renderer/drift-model.ts'

const NONE = { rows: [], total: 0 }

describe('a comparison in words', () => {
  test('what became of a part', () => {
    expect(partMoveWords({ from: 'db-3', to: 'db-4' })).toBe('Moved from db-3 to db-4.')
    expect(partMoveWords({ from: 'db-3', to: null })).toBe('Is gone from db-3.')
    expect(partMoveWords({ from: null, to: 'db-4' })).toBe('Came to db-4.')
  })

  test('the head says of how many nodes nothing differs', () => {
    expect(driftLine({ compared: 12, unchanged: 12, flips: NONE })).toBe(
      '12 of 12 nodes that answered in both runs answer alike. No verdict came out otherwise.',
    )
    expect(driftLine({ compared: 0, unchanged: 0, flips: NONE })).toBe(
      'No node answered in both runs, so no answers can be compared.',
    )
  })

  test('a run that is not sealed is named so', () => {
    const at = '2026-05-04T02:00:00.000Z'
    expect(runTitle({ at, seal: 'none', baseline: false })).toBe('4 May 2026 02:00 UTC, not sealed')
    expect(runTitle({ at, seal: 'sealed', baseline: true })).toBe('4 May 2026 02:00 UTC, baseline')
  })

  test('the step that made the difference is the one that is marked', () => {
    const steps = { stated: 'met', rules: 'met', scope: 'met', evidence: 'not-met' } as const
    expect(flipSteps({ steps }).map(({ verdict, turns }) => [verdict, turns])).toEqual([
      ['Supported', false],
      ['Supported', false],
      ['Supported', false],
      ['Contradicted', true],
    ])
  })

  test('bytes that are no text are said to differ, and not shown', () => {
    const capture = {
      probe: 'p',
      command: 'c',
      stream: 'stdout',
      title: 'T',
      before: 'a'.repeat(64),
      after: 'b'.repeat(64),
      removed: [],
      added: [],
      more: 0,
    } as const
    expect(captureLine(capture)).toBe('Its bytes differ and are not shown as text.')
    expect(captureLine({ ...capture, before: null })).toBe('There was no such answer before.')
    expect(captureLine({ ...capture, after: null })).toBe('There is no such answer any more.')
    expect(captureLine({ ...capture, removed: ['x'], added: ['y', 'z'], more: 3 })).toBe(
      '1 line gone, 2 lines new, 3 more not shown.',
    )
  })
})
