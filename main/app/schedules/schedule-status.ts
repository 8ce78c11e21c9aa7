import type { ScheduleStatus as ShownStatus } from '../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { dayOf } from '../../core/base/days.ts'
import { type Outcome, ok } from '../../core/base/failure.ts'
import { type CalendarReading, calendarOf } from '../../core/period/calendar.ts'
import { dueTimes } from '../../core/run-chain/cadence.ts'
import type { LoggedEntry } from '../../core/run-chain/entry.ts'
import { cadenceOf, type StartedBy } from '../../core/schedule/schedule.ts'
import { type UnattendedUse, unattendedUse } from '../collect/credentials.ts'
import { chainsBelow } from '../history/rebuild-history.ts'
import { type Attempt, isPlanned, readAttempts, unplanned } from '../scheduled/plan-run.ts'
import { unitsOf } from './schedules.ts'

export interface ScheduleStatus {
  readonly schedule: Schedule
  /** UTC; null for an unknown cadence or time zone. */
  readonly nextDue: string | null
  /** Since the schedule was added; null before the first. */
  readonly lastDue: string | null
  /** The run that is due and may still start in time, with the time after which it is missed; null where none is. */
  readonly awaited: { readonly due: string; readonly until: string } | null
  /** The last start; null where there was none. */
  readonly lastAttempt: Attempt | null
  /** The last start that had a result: of a timer that fires more often than runs are due, most starts have none. */
  readonly lastResult: Attempt | null
  readonly timers: readonly TimerStatus[]
  readonly unattended: readonly UnattendedUse[]
  /** Notices, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * `other`: the installed timer differs from the one for today's schedule. `inactive`: it does not differ, but the
 * operating system will not start it.
 */
export type TimerStatus = ShownStatus['installed'][number]

const DAY_MS = 86_400_000
/** Every cadence is due within this many days. */
const LONGEST_DAYS = 63

/** Status of a schedule. Anything that cannot be read becomes a notice, so a status never fails for it. */
export async function scheduleStatus(
  ports: Pick<Ports, 'clock' | 'files' | 'fleets' | 'identities' | 'openRunChain' | 'schedules' | 'timers' | 'zones'>,
  schedule: Schedule,
  by: Pick<StartedBy, 'program' | 'file'>,
): Promise<ScheduleStatus> {
  const notes: string[] = []
  const noted = <T>(outcome: Outcome<T>, otherwise: T): T => {
    if (outcome.ok) return outcome.value
    notes.push(`${outcome.error.detail}.`)
    return otherwise
  }
  const { lastDue, nextDue } = dueAround(ports, schedule)
  const attempts = noted(await readAttempts(ports, schedule.out, schedule.name), [])
  const kinds = await ports.timers.kinds()
  const timers: TimerStatus[] = []
  for (const kind of kinds) {
    const installed = noted(await ports.timers.installed(kind, schedule.name), null)
    if (installed === null) continue
    const wanted = unitsOf(ports, kind, schedule, by)
    const same = wanted.ok && JSON.stringify(wanted.value.units) === JSON.stringify(installed.units)
    timers.push({ kind, state: same ? (installed.active ? 'installed' : 'inactive') : 'other' })
  }
  if (timers.length === 0) notes.push('No timer is installed; install one, or every scheduled run will be missed.')
  if (timers.length > 1) notes.push('Several timers start it; each due time is still run only once.')
  if (timers.some(({ state }) => state === 'other')) notes.push('The installed timer is out of date; install it again.')
  if (timers.some(({ kind }) => kind === 'systemd') && (await ports.timers.lingers()) === false)
    notes.push(
      `Timers of ${ports.timers.host.user} run only while that user is logged in. To run them always, an administrator enters: loginctl enable-linger ${ports.timers.host.user}`,
    )
  const fleet = noted(await ports.fleets.read(schedule.fleet), null)
  const targets = fleet === null ? [] : fleet.targets({})
  if (fleet !== null && fleet.fleet.name !== schedule.fleetName)
    notes.push(
      `The fleet file is now named “${fleet.fleet.name}”, but the schedule is in the run chain of “${schedule.fleetName}”. Remove the schedule and add it again.`,
    )
  const unattended = await unattendedUse(ports, targets, schedule.options)
  const awaited = noted(await awaitedOf(ports, schedule), null)
  const lastAttempt = attempts.at(-1) ?? null
  const lastResult = attempts.findLast(({ code, endedAt }) => code !== 'nothing-due' && endedAt !== null) ?? null
  return { schedule, nextDue, lastDue, awaited, lastAttempt, lastResult, timers, unattended, notes }
}

/**
 * The awaited run, from the run chain in the schedule’s folder, which states what was scheduled and what took place.
 * Fails as a chain does, and with input.refused where none has the schedule.
 */
async function awaitedOf(
  ports: Pick<Ports, 'clock' | 'files' | 'openRunChain' | 'zones'>,
  schedule: Schedule,
): Promise<Outcome<ScheduleStatus['awaited']>> {
  const { name, out, fleetName } = schedule
  const chains = await chainsBelow(ports, out)
  if (!chains.ok) return chains
  const own = chains.value.filter(({ chain }) => chain.fleet === fleetName)
  if (!own.some(({ chain }) => isPlanned(schedule, chain.entries))) return unplanned(schedule)
  for (const { chain } of own) {
    const read = scheduledSince(ports, chain.entries, LONGEST_DAYS)
    if (!read.ok) return read
    const last = read.value.awaited.findLast((one) => one.schedule === name)
    if (last !== undefined) return ok({ due: last.due, until: last.until })
  }
  return ok(null)
}

/** The UTC day this many days before a time. */
export const daysBefore = (at: string, days: number): string =>
  dayOf(new Date(Date.parse(at) - days * DAY_MS).toISOString())

/** Scheduled runs from this many days ago until now. Fails as calendarOf() does. */
export function scheduledSince(
  { clock, zones }: Pick<Ports, 'clock' | 'zones'>,
  entries: readonly LoggedEntry[],
  days: number,
): Outcome<CalendarReading> {
  const asOf = clock.now()
  return calendarOf({ entries, facts: new Map(), zones, from: daysBefore(asOf, days), to: dayOf(asOf), asOf })
}

/** The due times before and after now, according to the schedule file. */
export function dueAround(
  { clock, zones }: Pick<Ports, 'clock' | 'zones'>,
  schedule: Schedule,
): Pick<ScheduleStatus, 'lastDue' | 'nextDue'> {
  const cadence = cadenceOf(schedule)
  if (cadence === null) return { lastDue: null, nextDue: null }
  const now = clock.now()
  const at = (days: number): string => new Date(Date.parse(now) + days * DAY_MS).toISOString()
  const before = dueTimes(cadence, zones, at(-LONGEST_DAYS), now) ?? []
  const after = dueTimes(cadence, zones, now, at(LONGEST_DAYS)) ?? []
  return { lastDue: before.findLast((due) => due > schedule.createdAt) ?? null, nextDue: after[0] ?? null }
}
