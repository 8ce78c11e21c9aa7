/** Days as people choose them: whole days in UTC, `YYYY-MM-DD`, that end with their last millisecond. */

const DAY_MS = 86_400_000

export const endOfDay = (day: string): string => `${day}T23:59:59.999Z`

/** Whether the calendar has it: 29 February only in leap years. */
export function isDay(text: string): boolean {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text)
}

/**
 * Milliseconds of a moment as registers write it; NaN for what only has the form of one, such as a 30th of February, 24:00 or a leap
 * second. Nothing rests on those.
 */
export function millisOf(instant: string): number {
  const [, day, hour] = INSTANT.exec(instant) ?? []
  const at = day === undefined ? Number.NaN : Date.parse(instant)
  // A parser may carry a day or an hour too many over into the next.
  const read = new Date(at)
  return read.getUTCDate() === Number(day) && read.getUTCHours() === Number(hour) ? at : Number.NaN
}

const INSTANT = /^\d{4}-\d{2}-(\d{2})T(\d{2}):\d{2}:\d{2}(?:\.\d{3})?Z$/

/** Whole days in UTC from one moment's day to another's; NaN where either is none. */
export const daysBetween = (since: string, until: string): number =>
  (startOfDay(millisOf(until)) - startOfDay(millisOf(since))) / DAY_MS

const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS

export interface DayLimits {
  /** UTC, ISO 8601. */
  readonly now: string
  /** How many days after today it may be; no limit without. */
  readonly longest?: number
}

/** What is wrong with an end that is still to come, to go on after its name; null when nothing is. */
export function dayProblem(day: string, { now, longest }: DayLimits): string | null {
  if (!isDay(day)) return 'must be a day such as 2027-03-01'
  const days = daysBetween(now, endOfDay(day))
  if (Number.isNaN(days)) return 'is counted from a moment that is none'
  if (days < 0) return 'lies in the past'
  return longest !== undefined && days > longest ? `must be at most ${longest} days from today` : null
}
