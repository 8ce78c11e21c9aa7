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

/** Timer kinds: systemd for this user, systemd for the whole computer, cron, launchd, Windows Task Scheduler. */
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
  /** Limitations of this kind of timer and their effect, as sentences. */
  readonly warnings: readonly string[]
}

/** Program, account and environment. Paths are absolute. */
export interface StartedBy {
  /** The Node.js executable, then the CLI. */
  readonly program: readonly [node: string, cli: string]
  /** The schedule file. */
  readonly file: string
  /** The time zone of this computer. */
  readonly zone: string
  /** The account that the job runs as; on Windows with its domain. */
  readonly user: string
  /** Environment variables of the job. */
  readonly environment: Readonly<Record<string, string>>
}

/** Input of each kind of unit. */
export interface UnitInput extends StartedBy {
  readonly schedule: Schedule
  /** The cadence in full. */
  readonly cadence: string
  /** Start times by the clock that this kind of timer uses. */
  readonly wakes: readonly Wake[]
  readonly clock: string
  readonly argv: readonly string[]
}

/**
 * The units that start the runs of a schedule, as written at `now`: the same input gives the same text. Fails with
 * input.refused for an invalid cadence or zone, and for paths that this kind of unit cannot contain.
 */
export function unitsFor(
  kind: TimerKind,
  schedule: Schedule,
  by: StartedBy,
  { zones, now }: { readonly zones: Zones; readonly now: string },
): Outcome<TimerUnits> {
  const cadence = cadenceOf(schedule)
  if (cadence === null) return fail('input.refused', `${schedule.name}: “${schedule.cadence}” is not a valid cadence`)
  const ofSystemd = kind === 'systemd' || kind === 'systemd-system'
  // Only systemd supports other time zones; Debian’s cron ignores CRON_TZ.
  const clock = ofSystemd ? cadence.zone : by.zone
  const wakes = wakesOf(cadence, zones, clock, now)
  if (wakes === null)
    return fail('input.refused', `${schedule.name}: ${cadence.zone} or ${by.zone} is not a known time zone`)
  const argv = [...by.program, 'run', '--schedule', schedule.name, '--schedules', by.file]
  const input: UnitInput = { ...by, schedule, cadence: cadenceText(cadence), wakes, clock, argv }
  const units = unitsOfKind(kind, input)
  if (!units.ok || by.user !== 'root') return units
  return ok({ ...units.value, warnings: [AS_ROOT, ...units.value.warnings] })
}

const AS_ROOT =
  'The job runs as root, which is not required: create and install it with an account that can read the fleet file, its keys and the passphrase.'

function unitsOfKind(kind: TimerKind, input: UnitInput): Outcome<TimerUnits> {
  if (kind === 'systemd' || kind === 'systemd-system') return systemdUnits(kind, input)
  if (kind === 'cron') return cronUnits(input)
  return kind === 'launchd' ? launchdUnits(input) : taskUnits(input)
}

/** Warning where a timer supports only the computer’s time zone and the schedule uses another. */
export const zoneWarnings = (timer: string, { clock, schedule }: UnitInput): readonly string[] =>
  clock === schedule.zone
    ? []
    : [
        `${timer} supports only this computer’s time zone, ${clock}; the schedule uses ${schedule.zone}. It starts the program at each ${clock} time at which a run can be due; the program exits immediately if none is. Reinstall it after changing the computer’s time zone.`,
      ]
