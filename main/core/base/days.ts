/** UTC days in period reports: `YYYY-MM-DD`, both ends included. */

export const dayOf = (instant: string): string => new Date(Date.parse(instant)).toISOString().slice(0, 10)

export const startOfDay = (day: string): string => `${day}T00:00:00.000Z`

const dayAfter = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * DAY_MS).toISOString())

/** Every day from the first to the last; none where the order is reversed. */
export function daysWithin(from: string, to: string): readonly string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  return Array.from({ length: Math.max(count, 0) }, (_, index) => dayAfter(from, index))
}

/** The longest period of a report: ten years, as in the schema. */
export const MOST_DAYS = 4000

/** UTC days, `YYYY-MM-DD`, that end with their last millisecond. */

const DAY_MS = 86_400_000

export const endOfDay = (day: string): string => `${day}T23:59:59.999Z`

/** Whether the date exists: 29 February only in leap years. */
export function isDay(text: string): boolean {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text)
}

/**
 * Milliseconds of a time in the format of registers; NaN for invalid times such as 30 February, 24:00 or a leap
 * second, which have no effect.
 */
export function millisOf(instant: string): number {
  const [, day, hour] = INSTANT.exec(instant) ?? []
  const at = day === undefined ? Number.NaN : Date.parse(instant)
  // A parser can carry an excess day or hour over.
  const read = new Date(at)
  return read.getUTCDate() === Number(day) && read.getUTCHours() === Number(hour) ? at : Number.NaN
}

const INSTANT = /^\d{4}-\d{2}-(\d{2})T(\d{2}):\d{2}:\d{2}(?:\.\d{3})?Z$/

/** Whole UTC days from one time’s day to another’s; NaN where either is invalid. */
export const daysBetween = (since: string, until: string): number =>
  (dayStart(millisOf(until)) - dayStart(millisOf(since))) / DAY_MS

const dayStart = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS

interface DayLimits {
  /** UTC, ISO 8601. */
  readonly now: string
  /** Maximum number of days from today; no limit if absent. */
  readonly longest?: number
}

/** The problem of a future end date, as text after its name; null when there is none. */
export function dayProblem(day: string, { now, longest }: DayLimits): string | null {
  if (!isDay(day)) return 'must be a date such as 2027-03-01'
  const days = daysBetween(now, endOfDay(day))
  if (Number.isNaN(days)) return 'is counted from an invalid time'
  if (days < 0) return 'is in the past'
  return longest !== undefined && days > longest ? `must be at most ${longest} days from today` : null
}
