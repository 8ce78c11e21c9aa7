import { zones } from '../../main/adapters/ports.ts'
import type { Outcome } from '../../main/core/base/failure.ts'
import type { StartedBy, TimerKind, TimerUnits } from '../../main/core/schedule/schedule.ts'
import { unitsFor } from '../../main/present/timers/units.ts'
import type { Schedule } from '../../schemas/types.ts'

export const NOW = '2026-11-22T05:00:00.000Z'

export const scheduleOf = (own: Partial<Schedule> = {}): Schedule => ({
  name: 'nightly',
  fleet: '/fleets/clinic.yaml',
  fleetName: 'Example Clinic',
  out: '/srv/evidence',
  cadence: 'every day at 02:30',
  zone: 'UTC',
  jitterMinutes: 15,
  retries: { times: 2, waitMinutes: 10 },
  catchUp: true,
  gapsExitZero: false,
  notify: [],
  options: {},
  createdAt: '2026-11-21T12:00:00.000Z',
  ...own,
})

export const startedBy = (own: Partial<StartedBy> = {}): StartedBy => ({
  program: ['/usr/bin/node', '/opt/barewitness/cli.js'],
  file: '/home/anna/.config/barewitness/schedules.json',
  zone: 'UTC',
  user: 'anna',
  environment: {},
  ...own,
})

export const units = (
  kind: TimerKind,
  schedule: Partial<Schedule> = {},
  by: Partial<StartedBy> = {},
): Outcome<TimerUnits> => unitsFor(kind, scheduleOf(schedule), startedBy(by), { zones, now: NOW })

/** The texts of units that must be. */
export function textsOf(outcome: Outcome<TimerUnits>): readonly string[] {
  if (!outcome.ok) throw new Error(outcome.error.detail)
  return outcome.value.units.map(({ text }) => text)
}
