import { describe, expect, test } from 'vitest'
import { checkGroups, suspendedLine } from '../../renderer/parts/ControlEntry.tsx'
import { checkLine } from '../../schemas/conclusion-words.ts'
import type { ControlCheck } from '../../schemas/types.ts'
import { concludedOf, controlOf, countOf, documentOf } from './made-up-view.ts'

const support = (check: string, role: ControlCheck['role']) => ({ check, shows: '', role, why: `why ${check}` })
const rowOf = (checks: readonly ControlCheck[], part = {}) =>
  controlOf('x', 'supported', {
    mappings: checks.map(({ check, role }) => support(check, role)),
    assessed: concludedOf('supported', { checks }),
    ...part,
  })

describe('checks by role', () => {
  test.each<[string, Partial<ControlCheck>, string]>([
    ['required, satisfied', { role: 'required', satisfied: 4 }, 'required'],
    ['required, not satisfied', { role: 'required', notSatisfied: 1, satisfied: 3 }, 'required'],
    ['counter, not satisfied', { role: 'counter', notSatisfied: 4 }, 'counter'],
    ['supporting, satisfied', { role: 'supporting', satisfied: 4 }, 'supporting'],
    ['supporting, not satisfied on one node', { role: 'supporting', satisfied: 3, notSatisfied: 1 }, 'observations'],
    ['supporting, undecided', { role: 'supporting', inconclusive: 4 }, 'supporting'],
    [
      'supporting, not satisfied and answered',
      { role: 'supporting', notSatisfied: 4, answeredByDocument: 4 },
      'observations',
    ],
    ['context, not satisfied', { role: 'context', notSatisfied: 4 }, 'context'],
  ])('%s', (_, part, group) => expect(checkGroups(rowOf([countOf('c', part)])).map(({ is }) => is)).toEqual([group]))

  test('come in the order of what decides, with the reason for each role, and empty groups are left out', () => {
    const groups = checkGroups(
      rowOf([
        countOf('a', { role: 'context' }),
        countOf('b', { role: 'supporting', notSatisfied: 1 }),
        countOf('c', { role: 'counter' }),
        countOf('d', { role: 'required' }),
        countOf('e', { role: 'required' }),
      ]),
    )
    expect(groups.map(({ is, checks }) => [is, checks.map(({ check, why }) => `${check}: ${why}`)])).toEqual([
      ['required', ['d: why d', 'e: why e']],
      ['counter', ['c: why c']],
      ['observations', ['b: why b']],
      ['context', ['a: why a']],
    ])
  })

  test('a check that a document of the control answers is listed with that document', () => {
    const checks = [countOf('d', { source: 'document', decides: false, population: 0, tested: 0 }), countOf('s')]
    const listed = (documents: readonly ReturnType<typeof documentOf>[]) =>
      checkGroups(rowOf(checks, { documents })).flatMap((group) => group.checks.map(({ check }) => check))
    expect(listed([documentOf('ER-01', { checks: ['d'] })])).toEqual(['s'])
    expect(listed([])).toEqual(['d', 's'])
  })

  test('without a conclusion in this run, checks keep their role and have no counts', () => {
    const [group] = checkGroups(rowOf([countOf('b', { role: 'supporting' })], { assessed: null }))
    expect([group?.is, group?.checks[0]?.counted]).toEqual(['supporting', null])
  })

  test.each<[string, Partial<ControlCheck>, string]>([
    ['decides', {}, ''],
    [
      'a series of runs at a point in time',
      { source: 'runs', decides: false },
      'Decides in period engagements only, not at a point in time.',
    ],
    ['a document', { source: 'document', decides: false }, 'Answered by a document; not tested on servers.'],
    ['supporting never decided', { role: 'supporting', decides: false }, ''],
  ])('suspended: %s', (_, part, line) => {
    const [group] = checkGroups(rowOf([countOf('c', part)]))
    expect(group?.checks.map(suspendedLine)).toEqual([line])
  })
})

describe('the line of a check', () => {
  test.each<[Partial<ControlCheck>, string]>([
    [{ tested: 3, satisfied: 2, notSatisfied: 1, notTested: 1 }, 'deviations 1 of 3 tested; satisfied 2; not tested 1'],
    [{ informational: 4 }, 'recorded on 4 of 4 tested'],
    [
      { notSatisfied: 2, satisfied: 2, answeredByDocument: 2 },
      'deviations 2 of 4 tested; satisfied 2; 2 answered by a document',
    ],
  ])('%o', (part, line) => expect(checkLine(countOf('c', part))).toBe(line))
})
