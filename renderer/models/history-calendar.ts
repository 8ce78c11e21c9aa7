import type { HistoryDay, HistoryView } from '../../schemas/ipc-history.ts'

export interface Month {
  /** YYYY-MM. */
  readonly id: string
  readonly title: string
  /** Weeks from Monday to Sunday; null for days of other months, and outside the window. */
  readonly weeks: readonly (readonly (HistoryDay | null)[])[]
}

const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** 0 for Monday. */
const weekdayOf = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7

/** The days of a view, month by month, in weeks. */
export function monthsOf(days: readonly HistoryDay[]): readonly Month[] {
  const months = new Map<string, HistoryDay[]>()
  for (const one of days) {
    const id = one.day.slice(0, 7)
    const own = months.get(id)
    if (own === undefined) months.set(id, [one])
    else own.push(one)
  }
  return [...months].map(([id, own]) => ({ id, title: monthTitle(id), weeks: weeksOf(own) }))
}

const monthTitle = (id: string): string => `${MONTH_NAMES[Number(id.slice(5)) - 1] ?? id} ${id.slice(0, 4)}`

function weeksOf(days: readonly HistoryDay[]): readonly (readonly (HistoryDay | null)[])[] {
  const weeks: (HistoryDay | null)[][] = []
  for (const one of days) {
    const place = weekdayOf(one.day)
    if (weeks.length === 0 || place === 0) weeks.push(Array.from({ length: 7 }, () => null))
    const week = weeks.at(-1)
    if (week !== undefined) week[place] = one
  }
  return weeks
}

/** The date a number of days later, or earlier. */
export const daysLater = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)

/** The day that an arrow key leads to, within the window; the same day where the key would leave it. */
export function dayReached(
  from: string,
  key: string,
  { from: first, to: last }: Pick<HistoryView, 'from' | 'to'>,
): string {
  const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }
  const within = (day: string): string => (day < first ? first : day > last ? last : day)
  if (key === 'Home') return within(daysLater(from, -weekdayOf(from)))
  if (key === 'End') return within(daysLater(from, 6 - weekdayOf(from)))
  if (key === 'PageUp') return within(monthAway(from, -1))
  if (key === 'PageDown') return within(monthAway(from, 1))
  const reached = daysLater(from, steps[key] ?? 0)
  return reached < first || reached > last ? from : reached
}

/** The same day of another month, or that month’s last one. */
function monthAway(day: string, step: -1 | 1): string {
  const [year, month, date] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + step, Number(day.slice(8))]
  const most = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month, Math.min(date, most))).toISOString().slice(0, 10)
}
