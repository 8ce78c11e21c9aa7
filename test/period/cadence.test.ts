import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { zones } from '../../main/adapters/ports.ts'
import {
  type Cadence,
  cadenceText,
  dueTimes,
  HOURS,
  parseCadence,
  WEEKDAYS,
} from '../../main/core/run-chain/cadence.ts'

const due = (text: string, from: string, to: string): readonly string[] => {
  const cadence = parseCadence(text)
  if (cadence === null) throw new Error(`no cadence: ${text}`)
  return dueTimes(cadence, zones, `${from}T00:00:00.000Z`, `${to}T00:00:00.000Z`) ?? []
}

const minute = (moment: string): string => moment.replace(':00.000Z', '')

describe('the text of a cadence', () => {
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Etc/GMT+5')
  const cadence: fc.Arbitrary<Cadence> = fc.oneof(
    fc.record({
      every: fc.constant('hours' as const),
      hours: fc.constantFrom(...HOURS),
      at: fc.integer({ min: 0, max: 59 }),
      zone,
    }),
    fc.record({ every: fc.constant('day' as const), at: fc.integer({ min: 0, max: 1439 }), zone }),
    fc.record({
      every: fc.constant('week' as const),
      weekday: fc.integer({ min: 1, max: 7 }),
      at: fc.integer({ min: 0, max: 1439 }),
      zone,
    }),
    fc.record({
      every: fc.constant('month' as const),
      day: fc.integer({ min: 1, max: 28 }),
      at: fc.integer({ min: 0, max: 1439 }),
      zone,
    }),
  )
  test('is read as what it was written from', () => {
    fc.assert(
      fc.property(cadence, (one) => {
        expect(parseCadence(cadenceText(one))).toEqual(one)
      }),
    )
  })
  test.each([
    'every 6 hours at :15 in UTC',
    'every day at 02:00 in Europe/Berlin',
    ...WEEKDAYS.map((day) => `every ${day} at 23:59 in UTC`),
    'on day 28 of every month at 00:00 in UTC',
  ])('%s', (text) => {
    expect(cadenceText(parseCadence(text) as Cadence)).toBe(text)
  })
  test.each([
    '',
    'every day',
    'every day at 24:00 in UTC',
    'every day at 2:00 in UTC',
    'every 5 hours at :00 in UTC',
    'on day 29 of every month at 00:00 in UTC',
    'on day 0 of every month at 00:00 in UTC',
    'every day at 02:00 in UTC; reboot',
    'every day at 02:00 in $(reboot)',
    'every day at 02:00 in ../../etc',
  ])('is not: %s', (text) => expect(parseCadence(text)).toBeNull())
  test('any text is read or refused, never thrown over', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseCadence(text)))
  })
})

describe('due times', () => {
  test('a night that has no half past two: when the clock jumps over it', () => {
    expect(due('every day at 02:30 in Europe/Berlin', '2026-03-27', '2026-03-31').map(minute)).toEqual([
      '2026-03-27T01:30',
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
  })
  test('a night that has it twice: once, the first time', () => {
    expect(due('every day at 02:30 in Europe/Berlin', '2026-10-24', '2026-10-27').map(minute)).toEqual([
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
  })
  test('on the other side of the earth, and by half an hour', () => {
    expect(due('every day at 02:15 in Australia/Lord_Howe', '2026-10-02', '2026-10-05').map(minute)).toEqual([
      '2026-10-02T15:45',
      // Clocks go from 02:00 to 02:30 on the fourth.
      '2026-10-03T15:30',
      '2026-10-04T15:15',
    ])
  })
  test('weekly and monthly', () => {
    expect(due('every monday at 06:00 in UTC', '2026-11-01', '2026-11-20').map(minute)).toEqual([
      '2026-11-02T06:00',
      '2026-11-09T06:00',
      '2026-11-16T06:00',
    ])
    expect(due('on day 1 of every month at 00:30 in Africa/Cairo', '2026-01-15', '2026-04-15').map(minute)).toEqual([
      '2026-01-31T22:30',
      '2026-02-28T22:30',
      '2026-03-31T22:30',
    ])
  })
  test('an unknown zone, and moments that are none, have no answer', () => {
    const cadence = parseCadence('every day at 02:00 in Mars/Olympus') as Cadence
    expect(dueTimes(cadence, zones, '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')).toBeNull()
    expect(dueTimes({ ...cadence, zone: 'UTC' }, zones, 'yesterday', '2026-01-02T00:00:00Z')).toBeNull()
  })
  test('UTC asks for no zone data', () => {
    const none = (): never => {
      throw new Error('asked')
    }
    const cadence = parseCadence('every day at 02:00 in UTC') as Cadence
    expect(dueTimes(cadence, none, '2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z')).toHaveLength(2)
  })
  test('one a local day, whatever the clocks do, and the same whether asked at once or in two halves', () => {
    const zone = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'Pacific/Apia',
    )
    fc.assert(
      fc.property(zone, fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 364 }), (name, at, cut) => {
        const cadence: Cadence = { every: 'day', at, zone: name }
        const [from, to] = ['2026-01-01T12:00:00.000Z', '2027-01-01T12:00:00.000Z']
        const middle = new Date(Date.parse(from) + cut * 86_400_000).toISOString()
        const whole = dueTimes(cadence, zones, from, to) ?? []
        expect(whole).toHaveLength(365)
        expect([
          ...(dueTimes(cadence, zones, from, middle) ?? []),
          ...(dueTimes(cadence, zones, middle, to) ?? []),
        ]).toEqual(whole)
      }),
      { numRuns: 40 },
    )
  })
})
