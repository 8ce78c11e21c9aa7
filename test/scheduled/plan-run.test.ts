import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { zones } from '../../main/adapters/ports.ts'
import { MOST_GAPS, planRun, type RunPlan } from '../../main/app/scheduled/plan-run.ts'
import type { LoggedEntry } from '../../main/core/run-chain/entry.ts'
import type { Schedule } from '../../schemas/types.ts'
import { must } from '../support/outcomes.ts'
import { FLEET, logged, planned, ranAt, scheduleOf } from '../support/schedule-kit.ts'

const plan = (now: string, entries: readonly LoggedEntry[] = [], changes: Partial<Schedule> = {}): RunPlan => {
  return must(planRun({ schedule: scheduleOf(changes), entries, now, zones }))
}

describe('a daily run at 02:00 UTC, planned since 1 March', () => {
  test('is served when its timer fires', () => {
    expect(plan('2026-03-02T02:00:03.000Z', [ranAt('2026-03-01T02:00:00.000Z')])).toEqual({
      serves: { due: '2026-03-02T02:00:00.000Z', minutesAfter: 0, late: false },
      missed: [],
      left: 0,
      tooLate: null,
      next: '2026-03-03T02:00:00.000Z',
      notes: [],
    })
  })
  test.each([
    ['2026-03-02T01:55:00.000Z', '2026-03-02T02:00:00.000Z', -5],
    ['2026-03-02T01:54:59.000Z', null, null],
  ])('a timer that fires at %s serves %s', (now, due, minutesAfter) => {
    const { serves } = plan(now, [ranAt('2026-03-01T02:00:00.000Z')])
    expect([serves?.due ?? null, serves?.minutesAfter ?? null]).toEqual([due, minutesAfter])
  })
  test('is served once', () => {
    const { serves, missed } = plan('2026-03-02T02:10:00.000Z', [
      ranAt('2026-03-01T02:00:00.000Z'),
      ranAt('2026-03-02T02:00:00.000Z'),
    ])
    expect([serves, missed]).toEqual([null, []])
  })
  test('is served late, and the ones before it are missed, oldest first', () => {
    const made = plan('2026-03-04T14:00:00.000Z', [ranAt('2026-03-01T02:00:00.000Z')])
    expect(made).toMatchObject({
      serves: { due: '2026-03-04T02:00:00.000Z', minutesAfter: 720, late: true },
      missed: ['2026-03-02T02:00:00.000Z', '2026-03-03T02:00:00.000Z'],
    })
    expect(made.notes).toEqual(['This run starts 720 minutes after it was due.'])
  })
  test('one in the middle that has no entry is found later too', () => {
    const entries = [ranAt('2026-03-01T02:00:00.000Z'), ranAt('2026-03-03T02:00:00.000Z')]
    expect(plan('2026-03-04T02:00:00.000Z', entries).missed).toEqual(['2026-03-02T02:00:00.000Z'])
  })
  test.each([
    ['2026-03-02T04:30:00.000Z', '2026-03-02T02:00:00.000Z', null],
    ['2026-03-02T04:31:00.000Z', null, '2026-03-02T02:00:00.000Z'],
  ])('without catching up, a start at %s', (now, due, tooLate) => {
    const made = plan(now, [ranAt('2026-03-01T02:00:00.000Z')], { catchUp: false, jitterMinutes: 30 })
    expect([made.serves?.due ?? null, made.tooLate]).toEqual([due, tooLate])
    expect(made.missed).toEqual(tooLate === null ? [] : [tooLate])
  })
  test('no more gaps than one start can sign are recorded at once', () => {
    const made = plan('2026-08-01T02:00:00.000Z')
    expect([made.missed.length, made.left]).toEqual([MOST_GAPS, 153 - MOST_GAPS])
    expect(made.missed[0]).toBe('2026-03-01T02:00:00.000Z')
  })
})

describe('a clock that was set back', () => {
  const entries = [ranAt('2026-03-02T02:00:00.000Z'), ranAt('2026-03-05T02:00:00.000Z')]
  test('invents no gap, serves nothing twice, and reports this', () => {
    const made = plan('2026-03-04T02:00:00.000Z', entries)
    expect(made).toMatchObject({ serves: { due: '2026-03-04T02:00:00.000Z' }, missed: [] })
    expect(made.notes[0]).toContain('2026-03-05T02:00:00.000Z. Correct the clock')
    expect(plan('2026-03-02T02:00:00.000Z', entries).serves).toBeNull()
  })
})

describe('a clock that ran ahead', () => {
  test('keeps no run of that time from happening, whatever gaps were signed under it', () => {
    const ahead = planned('every day at 02:00 in UTC', '2026-03-01T00:00:00.000Z')
    const gap = (due: string): LoggedEntry =>
      logged({
        kind: 'gap',
        schedule: 'nightly',
        due,
        at: '2027-03-01T02:00:00.000Z',
        fleet: FLEET,
        why: 'off',
        signer: '0'.repeat(64),
      })
    const entries = [ahead, gap('2026-03-02T02:00:00.000Z'), gap('2026-03-03T02:00:00.000Z')]
    const made = plan('2026-03-03T02:00:10.000Z', entries)
    expect([made.serves?.due, made.missed]).toEqual(['2026-03-03T02:00:00.000Z', []])
    const ran = plan('2026-03-03T02:10:00.000Z', [...entries, ranAt('2026-03-03T02:00:00.000Z')])
    expect(ran.serves).toBeNull()
  })
})

describe('what is planned', () => {
  test('is what the chain states, not what the file states now', () => {
    const made = plan('2026-03-03T02:00:00.000Z', [planned('every day at 06:00 in UTC', '2026-03-01T12:00:00.000Z')])
    expect([made.serves?.due, made.missed]).toEqual(['2026-03-02T06:00:00.000Z', []])
    expect(made.notes[0]).toBe(
      'The schedule file states “every day at 02:00 in UTC”, but the run chain states “every day at 06:00 in UTC”; the run chain applies.',
    )
  })
  test('a plan that was ended plans nothing', () => {
    const entries = [
      planned('every day at 02:00 in UTC', '2026-03-01T00:00:00.000Z'),
      planned(null, '2026-03-01T12:00:00.000Z'),
    ]
    const made = plan('2026-03-03T02:00:00.000Z', [
      ...entries,
      ranAt('2026-03-01T02:00:00.000Z', '2026-03-01T02:01:00.000Z'),
    ])
    expect(made).toMatchObject({ serves: null, missed: [], next: null })
    expect(made.notes[0]).toContain('schedules no more runs')
  })
  test('nothing was planned before the schedule was made', () =>
    expect(plan('2026-03-01T00:00:00.000Z')).toMatchObject({ serves: null, missed: [] }))
  test('an unknown zone is refused', () =>
    expect(
      planRun({ schedule: scheduleOf({ zone: 'Mars/Olympus' }), entries: [], now: '2026-03-02T00:00:00Z', zones }).ok,
    ).toBe(false))
})

describe('clock changes in Berlin', () => {
  const berlin = { zone: 'Europe/Berlin', cadence: 'every day at 02:30', createdAt: '2026-01-01T00:00:00.000Z' }
  const due = (now: string, before: string) => plan(now, [ranAt(before)], berlin).serves?.due
  test('in spring, 02:30 is due when the clock jumps over it, once', () => {
    expect(due('2026-03-29T01:00:10.000Z', '2026-03-28T01:30:00.000Z')).toBe('2026-03-29T01:00:00.000Z')
    // Woken again at 03:30 local, as a timer may be: nothing is due.
    expect(due('2026-03-29T01:30:00.000Z', '2026-03-29T01:00:00.000Z')).toBeUndefined()
    expect(due('2026-03-30T00:30:00.000Z', '2026-03-29T01:00:00.000Z')).toBe('2026-03-30T00:30:00.000Z')
  })
  test('in autumn, 02:30 comes twice and is due the first time', () => {
    expect(due('2026-10-25T00:30:00.000Z', '2026-10-24T00:30:00.000Z')).toBe('2026-10-25T00:30:00.000Z')
    expect(due('2026-10-25T01:30:00.000Z', '2026-10-25T00:30:00.000Z')).toBeUndefined()
    expect(due('2026-10-26T01:30:00.000Z', '2026-10-25T00:30:00.000Z')).toBe('2026-10-26T01:30:00.000Z')
  })
})

describe('the time zone of the computer', () => {
  const before = process.env.TZ
  afterEach(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })
  test('changes nothing', () => {
    const made = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'].map((zone) => {
      process.env.TZ = zone
      return plan('2026-03-04T14:00:00.000Z', [ranAt('2026-03-01T01:00:00.000Z')], { zone: 'Europe/Berlin' })
    })
    expect(new Set(made.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(made[0]?.serves?.due).toBe('2026-03-04T01:00:00.000Z')
  })
})

test('whatever starts happen when: every due time is answered exactly once, and none that was not planned', () => {
  const HOUR = 3_600_000
  const first = Date.parse('2026-03-01T00:00:00Z')
  const start = fc.record({ after: fc.integer({ min: 1, max: 90 * HOUR }), back: fc.boolean() })
  fc.assert(
    fc.property(fc.array(start, { maxLength: 12 }), (starts) => {
      const entries: LoggedEntry[] = []
      let now = first
      for (const { after, back } of starts) {
        now = back ? Math.max(first, now - Math.floor(after / 3)) : now + after
        const at = new Date(now).toISOString()
        const { serves, missed } = plan(at, entries)
        for (const due of missed) entries.push(ranAt(due, at))
        if (serves !== null) entries.push(ranAt(serves.due, at))
      }
      const answered = entries.map(({ entry }) => (entry.kind === 'run' ? entry.planned?.due : null))
      expect(new Set(answered).size).toBe(answered.length)
      expect(answered.every((due) => due?.endsWith('T02:00:00.000Z'))).toBe(true)
    }),
    { numRuns: 60 },
  )
})
