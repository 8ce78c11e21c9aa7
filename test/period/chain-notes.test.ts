import { describe, expect, test } from 'vitest'
import { zones } from '../../main/adapters/ports.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { calendarOf, chainNotes } from '../../main/core/period/calendar.ts'
import { openNotes } from '../../main/core/period/period.ts'
import { withoutTrace } from '../../main/core/period/seen.ts'
import type { ChainEntry, LoggedEntry } from '../../main/core/run-chain/entry.ts'
import type { Deviation } from '../../schemas/types.ts'

const BASE = { fleet: 'clinic', signer: 'cd'.repeat(32) }
const at = (day: number): string => `2026-10-${String(day).padStart(2, '0')}T02:00:00.000Z`
const ran = (day: number, changes: object = {}): LoggedEntry => {
  const entry: ChainEntry = {
    kind: 'run',
    run: `r-${day}`,
    at: at(day),
    nodes: sha256('n'),
    tagManifest: sha256(`${day}`),
    ...BASE,
    ...changes,
  }
  return { entry, signature: null } as LoggedEntry
}

const plan = (signature: string | null, changes: object = {}): LoggedEntry =>
  ({
    entry: {
      kind: 'plan',
      schedule: 'nightly',
      cadence: 'every day at 02:00 in UTC',
      withinMinutes: 60,
      from: '2026-10-01T00:00:00.000Z',
      at: '2026-10-01T00:00:00.000Z',
      why: 'policy',
      ...BASE,
      ...changes,
    },
    signature,
  }) as LoggedEntry
const OCTOBER = { from: '2026-10-01', to: '2026-10-31', asOf: '2026-11-01T00:00:00.000Z' }

describe('What else a chain shows of a period', () => {
  test('nothing where all is in order', () => expect(chainNotes([ran(1), ran(2)], OCTOBER)).toEqual([]))
  test('that it is empty, or begins later', () => {
    expect(chainNotes([], OCTOBER)).toEqual(['The run chain has no entries and covers no day.'])
    expect(chainNotes([ran(5)], OCTOBER)).toEqual([expect.stringMatching(/^The run chain begins at 2026-10-05T/)])
  })
  test('that a run is of the future, and one of the past', () => {
    const future = ran(9, { at: '2030-01-01T00:00:00.000Z' })
    expect(chainNotes([ran(1), future, ran(2)], OCTOBER)).toEqual([
      'Entry 2 is dated 2030-01-01T00:00:00.000Z, later than this period report, 2026-11-01T00:00:00.000Z. A clock was wrong.',
      `Entry 3 is dated ${at(2)} but follows entry 2, dated 2030-01-01T00:00:00.000Z. A clock was set back, or the entry was added afterwards.`,
    ])
  })
  test('that a run is by a key that nothing before names', () => {
    const other = 'ef'.repeat(32)
    expect(chainNotes([ran(1), ran(2, { signer: other }), ran(3, { signer: other })], OCTOBER)).toEqual([
      `Entry 2, run “r-2”, was sealed by a key not used in earlier entries: ${other}.`,
    ])
  })
  test('that a plan is not signed, which plans nothing and ends nothing', () => {
    const entries = [plan('c2lnbmVk'), plan(null, { cadence: null, at: at(2) }), plan(null, { schedule: 'second' })]
    expect(chainNotes(entries, OCTOBER)).toContain('Entry 2, for schedule “nightly”, is not signed and has no effect.')
    const read = calendarOf({ entries, facts: new Map(), zones, from: '2026-10-01', to: '2026-10-05' })
    expect(read.ok && read.value.calendar.counts).toMatchObject({ planned: 5, unrecorded: 5 })
  })
})

describe('What stays open', () => {
  const moment = { run: 'r-1', at: at(1) }
  const open = (node: string, check: string): Deviation => ({
    node,
    check,
    found: moment,
    lastSeen: moment,
    fixed: null,
    open: true,
    runs: 1,
    unknown: 3,
  })
  const row = (node: string, atEnd: boolean) => ({
    node,
    first: moment,
    last: moment,
    lastRead: 'r-1',
    declared: 1,
    answered: 1,
    atBeginning: true,
    atEnd,
  })
  test('on a node that no later run declares, and of a claim that later rules lack', () => {
    const nodes = [row('node-a', false), row('node-b', true)]
    expect(
      openNotes([open('node-a', 'x'), open('node-a', 'y'), open('node-b', 'x')], { nodes, checks: ['x'] }),
    ).toEqual([
      'Node “node-a” is in no run after “r-1”. 2 deviations on it stayed open: no run shows remediation.',
      'The last run has no check “y”. Its deviations stayed open: no run shows remediation.',
    ])
  })
  test('and nothing is reported where the last run looked', () =>
    expect(openNotes([open('node-b', 'x')], { nodes: [row('node-b', true)], checks: ['x'] })).toEqual([]))
})

test('A run whose evidence was removed names by whom, and one whose pack is missing states that it is', () => {
  const tagManifest = sha256('1')
  const retired = {
    entry: { kind: 'retired', run: 'r-1', tagManifest, at: at(9), why: 'six years', ...BASE },
    signature: 'c2lnbmVk',
  } as LoggedEntry
  const lost = [
    { run: 'r-1', entry: 1, at: at(1), tagManifest },
    { run: 'r-2', entry: 2, at: at(2), tagManifest: sha256('2') },
  ]
  const supports = 'It supports no result and no day.'
  expect(withoutTrace(lost, [retired])).toEqual([
    `Run “r-1”, entry 1, dated ${at(1)}: only its seal is stated. Its evidence was deleted at ${at(9)}: “six years”. ${supports}`,
    `Run “r-2”, entry 2, dated ${at(2)}: only its seal is stated. Its pack was not available. ${supports}`,
  ])
})
