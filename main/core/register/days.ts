/** Days as people choose them: whole days in UTC, `YYYY-MM-DD`, that end with their last millisecond. */

const DAY_MS = 86_400_000

export const endOfDay = (day: string): string => `${day}T23:59:59.999Z`

/** Whether the calendar has it: 29 February only in leap years. */
export function isDay(text: string): boolean {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text)
}

export interface DayLimits {
  /** UTC, ISO 8601. */
  readonly now: string
  /** How many days after today it may be; no limit without. */
  readonly longest?: number
}

/** What is wrong with an end that is still to come, to go on after its name; null when nothing is. */
export function dayProblem(day: string, { now, longest }: DayLimits): string | null {
  if (!isDay(day)) return 'must be a day such as 2027-03-01'
  const days = (Date.parse(`${day}T00:00:00.000Z`) - Date.parse(`${now.slice(0, 10)}T00:00:00.000Z`)) / DAY_MS
  if (days < 0) return 'lies in the past'
  return longest !== undefined && days > longest ? `must be at most ${longest} days from today` : null
}
