/** UTC days in period reports: `YYYY-MM-DD`, both ends included. */

const DAY_MS = 86_400_000

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
