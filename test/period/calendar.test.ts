import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { zones } from '../../main/adapters/ports.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { calendarOf } from '../../main/core/period/calendar.ts'
import type { RunFacts } from '../../main/core/period/seen.ts'
import type { ChainEntry, LoggedEntry } from '../../main/core/run-chain/entry.ts'
import { must } from '../support/outcomes.ts'

const SIGNER = 'cd'.repeat(32)
const BASE = { fleet: 'clinic', signer: SIGNER }
const nightly = (changes: object = {}): ChainEntry => ({
  kind: 'plan',
  schedule: 'nightly',
  cadence: 'every day at 02:00 in UTC',
  withinMinutes: 60,
  from: '2026-10-01T00:00:00.000Z',
  at: '2026-10-01T00:00:00.000Z',
  why: 'policy',
  ...BASE,
  ...changes,
})
const ran = (at: string, changes: object = {}): ChainEntry => ({
  kind: 'run',
  run: `r-${at.slice(5, 16).replace(/[^0-9]/g, '')}`,
  at,
  nodes: sha256('n'),
  tagManifest: sha256(at),
  ...BASE,
  ...changes,
})
const met = (due: string, at = due, schedule = 'nightly'): ChainEntry => ran(at, { planned: { schedule, due } })
const gap = (due: string, changes: object = {}): ChainEntry => ({
  kind: 'gap',
  schedule: 'nightly',
  due,
  at: due,
  why: 'down',
  ...BASE,
  ...changes,
})
const log = (...entries: readonly ChainEntry[]): readonly LoggedEntry[] =>
  entries.map((entry) =>
    entry.kind === 'run' || entry.kind === 'period' ? { entry, signature: null } : { entry, signature: 'c2lnbmVk' },
  )
const FACTS: RunFacts = { declared: 3, answered: 2, catalog: sha256('c'), rules: sha256('r') }
const factsFor = (entries: readonly LoggedEntry[]): Map<string, RunFacts> =>
  new Map(entries.flatMap(({ entry }) => (entry.kind === 'run' ? [[entry.tagManifest, FACTS] as const] : [])))
const at = (day: number, hour = '02:00'): string => `2026-10-${String(day).padStart(2, '0')}T${hour}:00.000Z`

function calendar(entries: readonly LoggedEntry[], from: string, to: string, facts = factsFor(entries)) {
  return must(calendarOf({ entries, facts, zones, from, to }))
}

/** planned, met, late, recorded, unrecorded, unplanned of each day. */
const rows = (entries: readonly LoggedEntry[], from: string, to: string): readonly string[] =>
  calendar(entries, from, to).calendar.days.map(
    ({ day, planned, completed: m, late, recorded, unrecorded, unplanned }) =>
      `${day.slice(8)} ${[planned, m, late, recorded, unrecorded, unplanned].join(' ')}`,
  )

describe('A calendar', () => {
  test('a run whose pack was never written, as a later gap states, is a recorded gap; a gap before a run that came is none', () => {
    const lost = log(nightly(), met(at(1)), gap(at(1), { at: at(1, '05:00') }))
    expect(rows(lost, '2026-10-01', '2026-10-01')).toEqual(['01 1 0 0 1 0 0'])
    const caught = log(nightly(), gap(at(1)), met(at(1), at(1, '05:00')))
    expect(rows(caught, '2026-10-01', '2026-10-01')).toEqual(['01 1 1 1 0 0 0'])
  })
  test('one row a day: met, late, recorded, unrecorded, unplanned', () => {
    const entries = log(nightly(), met(at(1)), met(at(2), at(2, '03:01')), gap(at(3)), ran(at(4, '15:00')))
    expect(rows(entries, '2026-10-01', '2026-10-05')).toEqual([
      '01 1 1 0 0 0 0',
      '02 1 1 1 0 0 0',
      '03 1 0 0 1 0 0',
      '04 1 0 0 0 1 1',
      '05 1 0 0 0 1 0',
    ])
    const { calendar: found, unrecorded } = calendar(entries, '2026-10-01', '2026-10-05')
    expect(found.counts).toMatchObject({
      planned: 5,
      completed: 2,
      late: 1,
      recorded: 1,
      unrecorded: 2,
      unplanned: 1,
      days: 5,
      daysWith: 3,
    })
    expect(found.without).toEqual([
      { from: '2026-10-03', to: '2026-10-03', days: 1 },
      { from: '2026-10-05', to: '2026-10-05', days: 1 },
    ])
    expect(unrecorded.map(({ due }) => due)).toEqual([at(4), at(5)])
  })

  test('a gap without a signature records nothing', () => {
    const entries = log(nightly(), gap(at(1))).map((one) =>
      one.entry.kind === 'gap' ? ({ ...one, signature: null } as LoggedEntry) : one,
    )
    expect(rows(entries, '2026-10-01', '2026-10-01')).toEqual(['01 1 0 0 0 1 0'])
  })

  test('a gap without a schedule accounts for one of the runs due then', () => {
    const two = log(nightly(), nightly({ schedule: 'second' }), gap(at(1), { schedule: undefined }))
    const bare = two.map(
      ({ entry, signature }) => ({ entry: JSON.parse(JSON.stringify(entry)), signature }) as LoggedEntry,
    )
    expect(rows(bare, '2026-10-01', '2026-10-01')).toEqual(['01 2 0 0 1 1 0'])
  })

  test('a plan that is changed or removed ends no earlier than that was entered', () => {
    const changed = log(nightly(), nightly({ cadence: 'every day at 05:00 in UTC', at: at(3, '03:00') }))
    expect(calendar(changed, '2026-10-01', '2026-10-04').unrecorded.map(({ due }) => due)).toEqual([
      at(1),
      at(2),
      at(3),
      at(3, '05:00'),
      at(4, '05:00'),
    ])
    const removed = log(nightly(), nightly({ cadence: null, at: at(3, '03:00') }))
    expect(calendar(removed, '2026-10-01', '2026-10-09').calendar.counts.planned).toBe(3)
  })

  test('a clock that was set back takes back nothing that was due', () => {
    const entries = log(nightly(), met(at(3)), nightly({ cadence: null, at: at(1, '01:00'), from: at(1, '01:00') }))
    expect(rows(entries, '2026-10-01', '2026-10-04')).toEqual([
      '01 1 0 0 0 1 0',
      '02 1 0 0 0 1 0',
      '03 1 1 0 0 0 0',
      '04 0 0 0 0 0 0',
    ])
  })

  test('a run that came late, and after the period, did not test its nodes within it', () => {
    const entries = log(nightly(), met(at(1)), met(at(2)), met(at(3), at(20)))
    const missedIn = (to: string): readonly string[] => calendar(entries, '2026-10-01', to).missed.map(({ due }) => due)
    expect(calendar(entries, '2026-10-01', '2026-10-03').calendar.counts).toMatchObject({ completed: 3, late: 1 })
    expect(missedIn('2026-10-03')).toEqual([at(3)])
    expect(missedIn('2026-10-20')).not.toContain(at(3))
    // In time, and sealed after midnight: the run before the period was sealed within it in the same way.
    const late = log(nightly({ cadence: 'every day at 23:30 in UTC' }), met(at(1, '23:30'), at(2, '00:10')))
    expect(calendar(late, '2026-10-01', '2026-10-01').missed).toEqual([])
  })

  test('daylight saving: a local time is due once a day, an hour later in UTC', () => {
    const berlin = log(nightly({ cadence: 'every day at 02:30 in Europe/Berlin' }))
    expect(calendar(berlin, '2026-10-24', '2026-10-26').unrecorded.map(({ due }) => due)).toEqual([
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ])
  })

  test('a run sealed twice counts once, and is reported', () => {
    const entries = log(
      nightly(),
      met(at(1)),
      ran(at(1, '09:00'), { run: 'r-10010200', planned: { schedule: 'nightly', due: at(1) } }),
    )
    expect(rows(entries, '2026-10-01', '2026-10-01')).toEqual(['01 1 1 0 0 0 0'])
    expect(calendar(entries, '2026-10-01', '2026-10-01').notes).toEqual([
      'Run “r-10010200” was sealed 2 times, as entries 2, 3. It counts once, by its first seal.',
    ])
  })

  test('a run that names a plan which the chain does not have is unplanned, and is reported', () => {
    const { calendar: found, notes } = calendar(log(met(at(1))), '2026-10-01', '2026-10-01')
    expect(found.counts).toMatchObject({ planned: 0, completed: 0, unplanned: 1 })
    expect(notes).toEqual([expect.stringMatching(/It counts as unscheduled/)])
  })

  test('a run without facts supports nothing', () => {
    const entries = log(nightly(), met(at(1)))
    const { calendar: found, runs } = calendar(entries, '2026-10-01', '2026-10-01', new Map())
    expect(found.counts).toMatchObject({ completed: 1, daysWith: 0 })
    expect(found.without).toHaveLength(1)
    expect(runs[0]).toMatchObject({ catalog: null, rules: null, answered: 0 })
  })

  test('an unknown zone is refused', () => {
    const entries = log(nightly({ cadence: 'every day at 02:30 in Nowhere/Else' }))
    expect(calendarOf({ entries, facts: new Map(), zones, from: '2026-10-01', to: '2026-10-02' }).ok).toBe(false)
  })

  test('met, recorded and unrecorded add up to planned; the order of facts has no meaning', () => {
    const day = fc.integer({ min: 1, max: 28 })
    const entry = fc.oneof(
      day.map((one) => met(at(one))),
      fc.tuple(day, fc.integer({ min: 2, max: 9 })).map(([one, hour]) => met(at(one), at(one, `0${hour}:10`))),
      day.map((one) => gap(at(one))),
      day.map((one) => ran(at(one, '11:00'))),
      day.map((one) => nightly({ at: at(one), cadence: 'every 12 hours at :15 in UTC' })),
      day.map((one) => nightly({ at: at(one), cadence: null })),
    )
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), (more) => {
        const entries = log(nightly(), ...more)
        const facts = [...factsFor(entries)]
        const found = calendar(entries, '2026-10-01', '2026-10-31', new Map(facts))
        const { planned, completed: m, recorded, unrecorded, late } = found.calendar.counts
        expect(m + recorded + unrecorded).toBe(planned)
        expect(late).toBeLessThanOrEqual(m)
        for (const one of found.calendar.days) expect(one.completed + one.recorded + one.unrecorded).toBe(one.planned)
        expect(calendar(entries, '2026-10-01', '2026-10-31', new Map(facts.reverse()))).toEqual(found)
      }),
      { numRuns: 150 },
    )
  })
})

describe('a run that is due and has not arrived', () => {
  const reading = (entries: readonly LoggedEntry[], asOf: string) => {
    return must(calendarOf({ entries, facts: factsFor(entries), zones, from: '2026-10-02', to: '2026-10-02', asOf }))
  }
  const state = (entries: readonly LoggedEntry[], asOf: string) => {
    const { awaited, unrecorded, calendar: found } = reading(entries, asOf)
    return [
      awaited.map(({ due, until }) => [due, until]),
      unrecorded.length,
      found.counts.planned,
      found.counts.completed,
    ]
  }
  const until = at(2, '03:00')
  test.each([
    ['before it is due', log(nightly()), at(2, '01:59'), [[], 0, 0, 0]],
    ['the moment it is due', log(nightly()), at(2), [[[at(2), until]], 0, 0, 0]],
    ['within its time limit', log(nightly()), at(2, '02:59'), [[[at(2), until]], 0, 0, 0]],
    ['when the limit has passed', log(nightly()), until, [[], 1, 1, 0]],
    ['arrived in time', log(nightly(), met(at(2), at(2, '02:10'))), at(2, '02:30'), [[], 0, 1, 1]],
    ['recorded as missed meanwhile', log(nightly(), gap(at(2))), at(2, '02:30'), [[], 0, 1, 0]],
  ] as const)('%s', (_, entries, asOf, expected) => expect(state(entries, asOf)).toEqual(expected))

  test('every due run is exactly one of awaited, met, recorded and unrecorded, whenever it is asked', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 26 * 60 }), fc.boolean(), fc.boolean(), (minutes, runs, gaps) => {
        const asOf = new Date(Date.parse('2026-10-02T00:00:00.000Z') + minutes * 60_000).toISOString()
        const entries = log(nightly(), ...(gaps ? [gap(at(2))] : []), ...(runs ? [met(at(2), at(2, '02:10'))] : []))
        const { awaited, calendar: found } = reading(entries, asOf)
        const { planned, completed: took, recorded, unrecorded } = found.counts
        expect(took + recorded + unrecorded).toBe(planned)
        expect(planned + awaited.length).toBe(asOf >= at(2) ? 1 : 0)
      }),
    ))
})
