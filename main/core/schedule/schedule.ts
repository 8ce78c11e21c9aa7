import type { Schedule } from '../../../schemas/types.ts'
import { type Cadence, parseCadence } from '../period/cadence.ts'

/** The cadence of a schedule with its zone, as stored in run chains: `every day at 02:00 in UTC`. */
export const plannedCadence = ({ cadence, zone }: Pick<Schedule, 'cadence' | 'zone'>): string => `${cadence} in ${zone}`

/** Due times of a schedule; null for an invalid cadence. */
export const cadenceOf = (schedule: Pick<Schedule, 'cadence' | 'zone'>): Cadence | null =>
  parseCadence(plannedCadence(schedule))

/** Time allowed for a run itself, in addition to all delays permitted by its schedule. */
const RUN_MINUTES = 120

/** A run of this schedule is in time when it is sealed within this many minutes after it was due. */
export const withinMinutesOf = ({ jitterMinutes, retries }: Pick<Schedule, 'jitterMinutes' | 'retries'>): number =>
  jitterMinutes + retries.times * retries.waitMinutes + RUN_MINUTES
