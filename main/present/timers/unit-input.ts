import type { Schedule } from '../../../schemas/types.ts'
import { type Cadence, dueTimes, type Zones } from '../../core/run-chain/cadence.ts'
import type { StartedBy } from '../../core/schedule/schedule.ts'

/** Start times by one clock, per week, month or day. */
export interface Wake {
  /** 1 is Monday; null: any. */
  readonly weekday: number | null
  /** Of the month; null: any. */
  readonly day: number | null
  /** 0 to 59. */
  readonly minute: number
  /** 0 to 23, in order. */
  readonly hours: readonly number[]
}

/** A number in two digits. */
export const two = (number: number): string => String(number).padStart(2, '0')

const DAY_MS = 86_400_000
/** A year contains every clock change. A day of the month falls on each weekday, and so on each clock change, within 28 years. */
const DAYS = { hours: 366, day: 366, week: 366, month: 28 * 366 }

/**
 * Start times by the clock of `zone` that miss no run of the cadence: every time of that clock at which a run can
 * be due from the year of `now` on. Where the zones differ, or a clock change skips the time, there are more times than runs:
 * the program checks whether a run is due. Null for unknown zones.
 */
export function wakesOf(cadence: Cadence, zones: Zones, zone: string, now: string): readonly Wake[] | null {
  const offset = zone === 'UTC' ? () => 0 : zones(zone)
  const begin = Date.parse(`${now.slice(0, 4)}-01-01T00:00:00Z`)
  if (offset === null || Number.isNaN(begin)) return null
  const until = new Date(begin + DAYS[cadence.every] * DAY_MS).toISOString()
  const due = dueTimes(cadence, zones, new Date(begin).toISOString(), until)
  if (due === null) return null
  const byRest = new Map<string, Omit<Wake, 'hours'> & { readonly hours: Set<number> }>()
  for (const moment of due) {
    const local = new Date(Date.parse(moment) + offset(Date.parse(moment)))
    const weekday = cadence.every === 'week' ? ((local.getUTCDay() + 6) % 7) + 1 : null
    const day = cadence.every === 'month' ? local.getUTCDate() : null
    const minute = local.getUTCMinutes()
    const key = `${weekday} ${day} ${minute}`
    const wake = byRest.get(key) ?? { weekday, day, minute, hours: new Set<number>() }
    byRest.set(key, wake)
    wake.hours.add(local.getUTCHours())
  }
  return [...byRest.values()]
    .map((wake) => ({ ...wake, hours: [...wake.hours].sort((a, b) => a - b) }))
    .sort(
      (a, b) =>
        (a.weekday ?? 0) - (b.weekday ?? 0) ||
        (a.day ?? 0) - (b.day ?? 0) ||
        (a.hours[0] ?? 0) - (b.hours[0] ?? 0) ||
        a.minute - b.minute,
    )
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
