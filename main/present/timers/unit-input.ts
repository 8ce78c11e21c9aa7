import type { Schedule } from '../../../schemas/types.ts'
import type { StartedBy } from '../../core/schedule/schedule.ts'
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

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text of an XML 1.0 element; null for characters that XML cannot represent. Line ends and tabs become references. */
export function xmlText(text: string): string | null {
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u.test(text)) return null
  return text.replaceAll(/[&<>"\t\n\r]/g, (one) => ENTITIES[one] ?? `&#${one.codePointAt(0)};`)
}
