import type { Schedule } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../failure.ts'
import { cadenceText, type Zones } from '../period/cadence.ts'
import { ok } from '../result.ts'
import { cronUnits } from './cron.ts'
import { launchdUnits } from './launchd.ts'
import { cadenceOf } from './schedule.ts'
import { systemdUnits } from './systemd.ts'
import { taskUnits } from './task-scheduler.ts'
import { type Wake, wakesOf } from './wake.ts'

/** What starts programs at a time: systemd for this user, systemd for the whole computer, cron, launchd, Windows Task Scheduler. */
export const TIMER_KINDS = ['systemd', 'systemd-system', 'cron', 'launchd', 'task-scheduler'] as const
export type TimerKind = (typeof TIMER_KINDS)[number]

/** One file, or one block of a file. Its adapter knows the folder. */
export interface Unit {
  readonly name: string
  readonly text: string
}
export interface TimerUnits {
  readonly kind: TimerKind
  readonly schedule: string
  readonly units: readonly Unit[]
  /** What this kind of timer cannot hold, and what happens instead; sentences. */
  readonly warnings: readonly string[]
}

/** Where and as whom the program is started. Paths start at the root. */
export interface StartedBy {
  /** The Node.js program, then our own. */
  readonly program: readonly [node: string, cli: string]
  /** The schedule file. */
  readonly file: string
  /** The time zone of this computer. */
  readonly zone: string
  /** The account that the job runs as; on Windows with its domain. */
  readonly user: string
  /** What the job has to find in its environment. */
  readonly environment: Readonly<Record<string, string>>
}

/** What each kind of unit is made from. */
export interface UnitInput extends StartedBy {
  readonly schedule: Schedule
  /** The cadence in full. */
  readonly cadence: string
  /** Times of the clock that this kind of timer follows. */
  readonly wakes: readonly Wake[]
  readonly clock: string
  readonly argv: readonly string[]
}

/**
 * The units that start a schedule's runs, as they would be written at `now`: the same input gives the same text. Fails with
 * input.refused for a cadence or zone that there is none of, and for paths that this kind of unit cannot hold.
 */
export function unitsFor(
  kind: TimerKind,
  schedule: Schedule,
  by: StartedBy,
  { zones, now }: { readonly zones: Zones; readonly now: string },
): Outcome<TimerUnits> {
  const cadence = cadenceOf(schedule)
  if (cadence === null) return fail('input.refused', `${schedule.name}: “${schedule.cadence}” is no cadence`)
  const ofSystemd = kind === 'systemd' || kind === 'systemd-system'
  // Only systemd follows the clock of another zone; Debian’s cron passes over CRON_TZ.
  const clock = ofSystemd ? cadence.zone : by.zone
  const wakes = wakesOf(cadence, zones, clock, now)
  if (wakes === null) return fail('input.refused', `${schedule.name}: ${cadence.zone} or ${by.zone} is no time zone`)
  const argv = [...by.program, 'run', '--schedule', schedule.name, '--schedules', by.file]
  const input: UnitInput = { ...by, schedule, cadence: cadenceText(cadence), wakes, clock, argv }
  const units = unitsOfKind(kind, input)
  if (!units.ok || by.user !== 'root') return units
  return ok({ ...units.value, warnings: [AS_ROOT, ...units.value.warnings] })
}

const AS_ROOT =
  'The job runs as root, which it does not need: plan and install it as an account that can read the fleet file, its keys and the passphrase.'

function unitsOfKind(kind: TimerKind, input: UnitInput): Outcome<TimerUnits> {
  if (kind === 'systemd' || kind === 'systemd-system') return systemdUnits(kind, input)
  if (kind === 'cron') return cronUnits(input)
  return kind === 'launchd' ? launchdUnits(input) : taskUnits(input)
}

/** What to say where a timer knows only the time zone of the computer, and the schedule is told in another. */
export const zoneWarnings = (timer: string, { clock, schedule }: UnitInput): readonly string[] =>
  clock === schedule.zone
    ? []
    : [
        `${timer} knows only the time zone of this computer, ${clock}; the schedule is told in ${schedule.zone}. It starts the program at each time of ${clock} at which a run can be due, and the program ends at once when none is. Install it again after a change of the computer’s time zone.`,
      ]
