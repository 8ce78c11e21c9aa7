import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Attempt, MOST_GAPS } from '../../main/app/scheduled/plan-run.ts'
import { delayOf, servedMissed, servedStart } from '../../main/app/scheduled/served.ts'
import { WHY_TOO_LATE } from '../../main/app/scheduled/states.ts'
import type { Schedule } from '../../schemas/types.ts'
import { must } from '../support/outcomes.ts'
import { FLEET, logged, planned, ranAt, scheduleOf } from '../support/schedule-kit.ts'

const ADDED = '2026-03-01T10:00:00.000Z'
const DUE = '2026-03-02T02:00:00.000Z'
const PLANNED = planned('every day at 02:00 in UTC', ADDED)
const attempt = (code: Attempt['code'], due: string | null = DUE): Attempt => ({
  ...{ id: '0'.repeat(16), schedule: 'nightly', due, startedAt: DUE, run: 'run-1', exit: null, code, detail: '' },
  endedAt: code === 'going' ? null : DUE,
})

interface Case {
  readonly now: string
  readonly schedule?: Partial<Schedule>
  readonly entries?: Parameters<typeof servedStart>[0]['entries']
  readonly attempts?: readonly Attempt[]
}

const decided = ({ now, schedule = {}, entries = [PLANNED], attempts = [] }: Case) =>
  must(
    servedStart({
      schedule: scheduleOf({ createdAt: ADDED, ...schedule }),
      ...{ entries, attempts, now, zones: () => null },
    }),
  )

test.each<[string, Case, string]>([
  ['nothing before the first is due', { now: '2026-03-02T01:59:59.999Z' }, 'wait'],
  ['the run that is due', { now: DUE }, 'start'],
  ['the same, an hour later', { now: '2026-03-02T03:00:00.000Z' }, 'start'],
  ['nothing within its random delay', { now: DUE, schedule: { jitterMinutes: 60 } }, 'wait'],
  ['the run after its random delay', { now: '2026-03-02T03:00:00.000Z', schedule: { jitterMinutes: 60 } }, 'start'],
  ['a late one, where the schedule catches up', { now: '2026-03-02T05:00:00.000Z' }, 'start'],
  ['nothing where it does not', { now: '2026-03-02T05:00:00.000Z', schedule: { catchUp: false } }, 'too-late'],
  [
    'nothing more once that is noted',
    { now: '2026-03-02T05:00:00.000Z', schedule: { catchUp: false }, attempts: [attempt('too-late')] },
    'wait',
  ],
  ['nothing twice', { now: DUE, attempts: [attempt('ran')] }, 'wait'],
  ['nothing again after a failure', { now: DUE, attempts: [attempt('failed')] }, 'wait'],
  ['nothing that is sealed', { now: '2026-03-02T03:00:00.000Z', entries: [PLANNED, ranAt(DUE)] }, 'wait'],
  ['the next after one that was started', { now: '2026-03-03T02:00:00.000Z', attempts: [attempt('ran')] }, 'start'],
  ['the latest alone after several that were missed', { now: '2026-03-05T02:30:00.000Z' }, 'start'],
  ['a start that was not ended', { now: '2026-03-02T02:30:00.000Z', attempts: [attempt('going')] }, 'continue'],
  ['no such start once another is due', { now: '2026-03-03T02:00:00.000Z', attempts: [attempt('going')] }, 'end'],
  [
    'no such start that is too late',
    { now: '2026-03-02T09:00:00.000Z', schedule: { catchUp: false }, attempts: [attempt('going')] },
    'end',
  ],
  ['nothing that the run chain does not state', { now: DUE, entries: [] }, 'wait'],
  ['what may be due, where the run chain was not read', { now: DUE, entries: null }, 'start'],
  [
    'nothing that is due after the schedule was removed',
    { now: '2026-03-03T02:30:00.000Z', entries: [PLANNED, ranAt(DUE), planned(null, '2026-03-02T10:00:00.000Z')] },
    'wait',
  ],
])('%s', (_, input, is) => {
  expect(decided(input).is).toBe(is)
})

test('the latest due time is served', () => {
  expect(decided({ now: '2026-03-05T02:30:00.000Z' })).toEqual({ is: 'start', due: '2026-03-05T02:00:00.000Z' })
})

const THIRD = '2026-03-03T02:30:00.000Z'
const MARCH_3 = '2026-03-03T02:00:00.000Z'
const LATE = '2026-03-02T05:00:00.000Z'
const EXPLAINED = logged({ kind: 'gap', due: DUE, at: DUE, fleet: FLEET, why: 'Power cut.', signer: 'a'.repeat(64) })
const ONCE = { catchUp: false }
const missedAt = ({ now, schedule = {}, entries, attempts = [] }: Case, collected: readonly string[] = []) =>
  must(
    servedMissed({
      schedule: scheduleOf({ createdAt: ADDED, ...schedule }),
      ...{ entries: entries ?? [PLANNED], attempts, now, zones: () => null, collected: new Set(collected) },
    }),
  ).missed.map(({ due }) => due)

describe('missed runs that a team server records', () => {
  test.each<[string, Case, readonly string[]]>([
    ['the latest due time, which is yet to be started', { now: DUE }, []],
    ['one before the latest that was not started', { now: THIRD }, [DUE]],
    ['several', { now: '2026-03-04T02:00:00.000Z' }, [DUE, MARCH_3]],
    ['one in progress', { now: THIRD, attempts: [attempt('going')] }, []],
    ['one that was collected and can still be sealed', { now: THIRD, attempts: [attempt('ran')] }, []],
    ['one that failed, without waiting for the next', { now: LATE, attempts: [attempt('failed')] }, [DUE]],
    ['one that was stopped, after the next', { now: THIRD, attempts: [attempt('stopped')] }, [DUE]],
    ['one that came too late', { now: LATE, schedule: ONCE, attempts: [attempt('too-late')] }, [DUE]],
    ['one that came too late and was not looked at yet', { now: LATE, schedule: ONCE }, []],
    [
      'one that failed, and that a person recorded without naming the schedule',
      { now: LATE, attempts: [attempt('failed')], entries: [PLANNED, EXPLAINED] },
      [],
    ],
    ['one that is sealed', { now: THIRD, entries: [PLANNED, ranAt(DUE)] }, []],
    ['one of a schedule that is only in a file', { now: THIRD, entries: [] }, []],
    [
      'one that failed, while the clock is behind the run chain',
      { now: LATE, attempts: [attempt('failed')], entries: [PLANNED, ranAt(ADDED, THIRD)] },
      [],
    ],
  ])('%s', (_, input, missed) => {
    expect(missedAt(input)).toEqual(missed)
  })
  test('one whose evidence is stored, although the list of starts was lost', () => {
    expect(missedAt({ now: THIRD }, [DUE])).toEqual([])
  })
  test('one after more collected ones than one machine records at once', () => {
    const days = Array.from({ length: MOST_GAPS + 1 }, (_, day) => new Date(Date.parse(DUE) + day * 86_400_000))
    const dues = days.map((day) => day.toISOString())
    const [last = ''] = dues.slice(-1)
    const now = new Date(Date.parse(last) + 86_400_000).toISOString()
    expect(missedAt({ now }, dues.slice(0, -1))).toEqual([last])
  })
  test('states why, as far as the starts show it', () => {
    const whyAfter = (...attempts: readonly Attempt[]) =>
      must(
        servedMissed({
          schedule: scheduleOf({ createdAt: ADDED }),
          ...{ entries: [PLANNED], attempts, now: THIRD, zones: () => null, collected: new Set<string>() },
        }),
      ).missed[0]?.why
    expect(whyAfter(attempt('too-late'))).toBe(WHY_TOO_LATE)
    expect(new Set([whyAfter(), whyAfter(attempt('failed')), whyAfter(attempt('stopped'))]).size).toBe(3)
    expect(whyAfter()).not.toMatch(/timer/)
  })
})

describe('the random delay', () => {
  const schedule = { name: 'nightly', createdAt: ADDED, jitterMinutes: 60 }
  test('is within its limit, and the same each time', () => {
    const times = fc.integer({ min: 0, max: 4e12 }).map((at) => new Date(at).toISOString())
    fc.assert(
      fc.property(times, fc.nat(720), (due, jitterMinutes) => {
        const delay = delayOf({ ...schedule, jitterMinutes }, due)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThan(Math.max(1, jitterMinutes * 60_000))
        expect(delayOf({ ...schedule, jitterMinutes }, due)).toBe(delay)
      }),
    )
  })
  test('differs by schedule and by due time', () => {
    const days = Array.from({ length: 9 }, (_, day) => `2026-03-0${day + 1}T02:00:00.000Z`)
    const delays = new Set(days.map((due) => delayOf(schedule, due)))
    expect(delays.size).toBe(days.length)
    expect(delays.has(delayOf({ ...schedule, name: 'other' }, DUE))).toBe(false)
  })
})
