import { describe, expect, test } from 'vitest'
import { deviationFold } from '../../main/core/period/deviations.ts'
import type { RunTrace } from '../../schemas/types.ts'

/** One trace for each letter string: the verdicts of node-a on checks x and y; `.` stands for a run without the node. */
const traces = (...letters: readonly (string | null)[]): readonly (RunTrace | null)[] =>
  letters.map((verdicts, index) =>
    verdicts === null
      ? null
      : ({
          run: `r${index + 1}`,
          asOf: `2026-10-0${index + 1}T00:00:00.000Z`,
          checks: ['x', 'y'],
          nodes: verdicts === '.' ? [] : [{ node: 'node-a', verdicts }],
        } as unknown as RunTrace),
  )
function deviationsOf(all: readonly (RunTrace | null)[]) {
  const fold = deviationFold()
  for (const trace of all) fold.add(trace)
  return fold.finish()
}
const deviationLines = (...letters: readonly (string | null)[]): readonly string[] =>
  deviationsOf(traces(...letters)).map(
    ({ check, found, lastSeen, fixed, open, runs, unknown }) =>
      `${check} ${found.run}-${lastSeen.run} ${fixed?.run ?? 'none'} ${open ? 'open' : 'closed'} ${runs}+${unknown}`,
  )

describe('Deviations', () => {
  test('found, seen last, fixed', () => expect(deviationLines('cm', 'cm', 'mm')).toEqual(['x r1-r2 r3 closed 2+0']))
  test('one that opens again is two', () =>
    expect(deviationLines('cm', 'mm', 'cm')).toEqual(['x r1-r1 r2 closed 1+0', 'x r3-r3 none open 1+0']))
  test('runs that do not decide it fix nothing', () => {
    for (const none of ['im', 'tm', 'rm', '-m', '.', null])
      expect(deviationLines('cm', none)).toEqual(['x r1-r1 none open 1+1'])
    expect(deviationLines('cm', null, '.', 'mm')).toEqual(['x r1-r1 r4 closed 1+2'])
  })
  test('a claim that cannot apply any more ends it', () =>
    expect(deviationLines('cc', 'nc')).toEqual(['x r1-r1 r2 closed 1+0', 'y r1-r2 none open 2+0']))
})
