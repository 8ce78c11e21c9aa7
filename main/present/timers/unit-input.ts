import type { Schedule } from '../../../schemas/types.ts'
import type { StartedBy } from '../../core/schedule/store.ts'
import type { Wake } from './wake.ts'

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

/** Warning where a timer supports only the computer’s time zone and the schedule uses another. */
export const zoneWarnings = (timer: string, { clock, schedule }: UnitInput): readonly string[] =>
  clock === schedule.zone
    ? []
    : [
        `${timer} supports only this computer’s time zone, ${clock}; the schedule uses ${schedule.zone}. It starts the program at each ${clock} time at which a run can be due; the program exits immediately if none is. Reinstall it after changing the computer’s time zone.`,
      ]
