import type { Schedule } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { cadenceText, type Zones } from '../../core/period/cadence.ts'
import { ok } from '../../core/result.ts'
import { cadenceOf } from '../../core/schedule/schedule.ts'
import type { StartedBy, TimerKind, TimerUnits } from '../../core/schedule/store.ts'
import { cronUnits } from './cron.ts'
import { launchdUnits } from './launchd.ts'
import { systemdUnits } from './systemd.ts'
import { taskUnits } from './task-scheduler.ts'
import type { UnitInput } from './unit-input.ts'
import { wakesOf } from './wake.ts'

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
