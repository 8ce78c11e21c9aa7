import { describe, expect, test } from 'vitest'
import {
  captureLine,
  driftLine,
  flipSteps,
  partMoveWords,
  partsTwice,
  runTitle,
} from '../../renderer/models/drift-model.ts'
import { verdictWords } from '../../schemas/words.ts'

const NONE = { rows: [], total: 0, results: 0 }

describe('a comparison in words', () => {
  test('a hardware change', () => {
    expect(partMoveWords({ from: 'db-3', to: 'db-4' })).toBe('Moved from db-3 to db-4.')
    expect(partMoveWords({ from: 'db-3', to: null })).toBe('Removed from db-3.')
    expect(partMoveWords({ from: null, to: 'db-4' })).toBe('Added to db-4.')
  })

  test('a part that several nodes report in both runs is one part', () => {
    const at = (run: string) => ({ run, at: '2026-05-04T02:00:00.000Z' })
    const row = (value: string, run: string, nodes: readonly string[]) => ({ part: 'Drive', value, nodes, at: at(run) })
    const rows = [row('S1', 'a', ['n1', 'n2']), row('S2', 'a', ['n1', 'n2']), row('S1', 'b', ['n1', 'n3'])] as never
    const { rows: parts, total } = partsTwice({ rows, total: 3 })
    expect(total).toBe(2)
    expect(parts.map(({ value, runs }) => [value, runs.map(({ nodes }) => nodes.join(' '))])).toEqual([
      ['S1', ['n1 n2', 'n1 n3']],
      ['S2', ['n1 n2']],
    ])
    expect(partsTwice({ rows, total: 9 }).total).toBe(9)
  })

  test('the heading counts the nodes without a change', () => {
    expect(driftLine({ compared: 12, unchanged: 12, flips: NONE })).toBe(
      'No change in the evidence of 12 of 12 nodes collected in both runs. No result changed.',
    )
    // Results also change with the evaluation date, where no evidence does.
    expect(driftLine({ compared: 5, unchanged: 4, flips: { ...NONE, results: 16 } })).toBe(
      'No change in the evidence of 4 of 5 nodes collected in both runs, apart from values that always vary. 16 results changed.',
    )
    expect(driftLine({ compared: 0, unchanged: 0, flips: NONE })).toBe('No node was collected in both runs.')
  })

  test('a run that is not sealed is named so', () => {
    const at = '2026-05-04T02:00:00.000Z'
    expect(runTitle({ run: 'a', at, seal: 'none', baseline: false })).toBe('4 May 2026 02:00 UTC, not sealed')
    expect(runTitle({ run: 'a', at, seal: 'sealed', baseline: true })).toBe('4 May 2026 02:00 UTC, baseline')
    // Sealed minutes after it started: the start is the time of a run everywhere.
    const sealed = { run: '20260504t0155z-7be8', at, seal: 'sealed' as const, baseline: false }
    expect(runTitle(sealed)).toBe('4 May 2026 01:55 UTC')
  })

  test('the step that changes the result is marked', () => {
    const steps = { stated: 'satisfied', rules: 'satisfied', scope: 'satisfied', evidence: 'not-satisfied' } as const
    expect(flipSteps({ steps }).map(({ verdict, turns }) => [verdict, turns])).toEqual([
      [verdictWords.satisfied.label, false],
      [verdictWords.satisfied.label, false],
      [verdictWords.satisfied.label, false],
      [verdictWords['not-satisfied'].label, true],
    ])
  })

  test('bytes that are not text are reported as different, and not shown', () => {
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
    expect(captureLine(capture)).toBe('The bytes differ and cannot be shown as text.')
    expect(captureLine({ ...capture, before: null })).toBe('No such capture in the earlier run.')
    expect(captureLine({ ...capture, after: null })).toBe('No such capture in the later run.')
    expect(captureLine({ ...capture, removed: ['x'], added: ['y', 'z'], more: 3 })).toBe(
      '1 line removed, 2 lines added, 3 more not shown.',
    )
  })
})
