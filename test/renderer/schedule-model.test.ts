import { describe, expect, test } from 'vitest'
import {
  cadenceWords,
  clockText,
  draftProblems,
  firstDraft,
  integrationsOptions,
  mannerWords,
  minutesOf,
  passphraseOptions,
  stampWords,
  statusLines,
} from '../../renderer/models/schedule-model.ts'
import type { ScheduleStatus } from '../../schemas/ipc-schedules.ts'
import schedules from '../../schemas/schedule.schema.json' with { type: 'json' }

const draft = firstDraft('Europe/Berlin')
const NEXT = '2026-05-04T02:00:00.000Z'
const status: ScheduleStatus = {
  name: 'nightly',
  next: NEXT,
  awaited: null,
  last: null,
  installed: [],
  credentials: [],
  waiting: [],
  missed: [],
  notes: [],
}

describe('a schedule in words', () => {
  test('what is chosen is read back', () => {
    const { cadence } = draft
    expect(cadenceWords(cadence, 'UTC')).toBe('A run is due every day at 02:00, in UTC.')
    expect(cadenceWords({ ...cadence, every: 'hours', at: 15 }, 'UTC')).toBe(
      'A run is due every 6 hours, 15 minutes past, in UTC.',
    )
    expect(cadenceWords({ ...cadence, every: 'week', weekday: 7 }, 'UTC')).toBe(
      'A run is due every Sunday at 02:00, in UTC.',
    )
    expect(cadenceWords({ ...cadence, every: 'month', day: 28 }, 'UTC')).toBe(
      'A run is due on day 28 of every month at 02:00, in UTC.',
    )
  })

  test('times of day', () => {
    expect([minutesOf('02:00'), minutesOf('2:05'), minutesOf('23:59')]).toEqual([120, 125, 1439])
    expect([minutesOf('24:00'), minutesOf('2'), minutesOf('')]).toEqual([null, null, null])
    expect(clockText(1439)).toBe('23:59')
  })

  test('problems are listed by field', () => {
    expect(draftProblems(draft, '02:00', [])).toEqual({})
    const wrong = {
      ...draft,
      name: 'Night',
      zone: '',
      jitterMinutes: Number.NaN,
      retries: { times: 11, waitMinutes: 0 },
    }
    expect(Object.keys(draftProblems(wrong, '25:00', []))).toEqual(['name', 'zone', 'at', 'jitter', 'times', 'wait'])
    expect(draftProblems(draft, '02:00', ['nightly'])).toEqual({ name: 'A schedule with this name exists.' })
  })

  test('a passphrase file can be kept, made or chosen', () => {
    const ids = (has: string | null) => passphraseOptions(has, null).map(({ id }) => id)
    expect(ids(null)).toEqual(['make', 'file'])
    expect(ids('office')).toEqual(['kept', 'make', 'file'])
    expect(passphraseOptions(null, 'p.txt').at(-1)?.title).toBe('Use the file p.txt')
  })

  test('the time-stamp is that of the settings', () => {
    expect(stampWords('https://tsa.example/', 'timers')).toContain('https://tsa.example/')
    expect(stampWords(null, 'timers')).toMatch(/no time-stamp/)
  })

  test('on a team server, a run has a time-stamp from its export, not from its schedule', () => {
    for (const authority of ['https://tsa.example/', null])
      expect(stampWords(authority, 'server')).toMatch(
        /^Scheduled runs are neither sealed nor time-stamped until an officer exports them/,
      )
    expect(stampWords('https://tsa.example/', 'server')).toContain('https://tsa.example/')
  })

  test('a missing timer is reported', () => {
    expect(statusLines(status)[0]).toBe('The next run is due on 4 May 2026 02:00 UTC, but no timer is installed.')
    expect(statusLines({ ...status, installed: [{ kind: 'cron', state: 'installed' }] })[0]).toBe(
      'The next run is due on 4 May 2026 02:00 UTC.',
    )
    expect(statusLines(status)[1]).toBe('No run of this schedule has started.')
  })

  test('how it behaves', () => {
    expect(
      mannerWords({
        ...draft,
        jitterMinutes: 0,
        retries: { times: 0, waitMinutes: 1 },
        catchUp: false,
        gapsExitZero: false,
        graceMinutes: 120,
        notifies: [],
        integrationsFile: null,
      }),
    ).toEqual([
      'Starts on time.',
      'Unreachable nodes are not retried.',
      'A run is in time if it is sealed within 2 hours after it was due; later it counts as missed.',
      'Runs missed while this computer was off are skipped.',
      'No notifications are sent.',
      'Packs are not sent to other systems.',
    ])
    const sending = { ...draft, graceMinutes: 120, notifies: [], integrationsFile: 'send\u202e.yaml' }
    expect(mannerWords(sending).at(-1)).toMatch(/^The pack of each run is sent .* as send⟦.*⟧\.yaml states\.$/)
  })
})

test('how packs can be sent: not at all, as before, or by a file that is chosen', () => {
  const ids = (has: string | null, chosen: string | null) => integrationsOptions(has, chosen).map(({ id }) => id)
  expect(ids(null, null)).toEqual(['none', 'file'])
  expect(ids('send.yaml', null)).toEqual(['none', 'kept', 'file'])
  expect(integrationsOptions(null, 'other.yaml').at(-1)?.title).toContain('other.yaml')
})

test('every member of a schedule is in the form, or stated not to be', () => {
  const { properties } = schedules.$defs.Schedule
  // The fleet, its folder and what the window declares are the window’s own; a zone is part of the cadence.
  const elsewhere = ['fleet', 'fleetName', 'out', 'createdAt', 'notify', 'options', 'cadence', 'zone']
  const inForm = Object.keys(firstDraft('UTC'))
  expect(Object.keys(properties).filter((name) => !inForm.includes(name) && !elsewhere.includes(name))).toEqual([])
})
