import type { Schedule } from '../../../schemas/types.ts'
import { type Cadence, parseCadence } from '../period/cadence.ts'

/** The cadence of a schedule with its zone, as chains hold it: `every day at 02:00 in UTC`. */
export const plannedCadence = ({ cadence, zone }: Pick<Schedule, 'cadence' | 'zone'>): string => `${cadence} in ${zone}`

/** When a schedule is due; null where its words are no cadence. */
export const cadenceOf = (schedule: Pick<Schedule, 'cadence' | 'zone'>): Cadence | null =>
  parseCadence(plannedCadence(schedule))

/** What a run itself may take, beyond all that its schedule allows it to wait. */
const RUN_MINUTES = 120

/** A run of this schedule counts as in time when it is sealed within so many minutes after it was due. */
export const withinMinutesOf = ({ jitterMinutes, retries }: Pick<Schedule, 'jitterMinutes' | 'retries'>): number =>
  jitterMinutes + retries.times * retries.waitMinutes + RUN_MINUTES
