import type { Period } from '../../../schemas/types.ts'
import type { Practice, PracticesView } from '../../core/evidence-view.ts'
import { of, plural } from '../../core/phrases.ts'
import { nodeTestsIn } from './node-tests.ts'

const COLUMNS = [
  'part',
  'subject',
  'days',
  'days in the period',
  'days with evidence',
  'scheduled runs',
  'took place',
  'missed, explained',
  'missed, unexplained',
  'unscheduled',
  'first run',
  'last run',
  'evidence',
  'requested documents',
  'practice of the entity (entered by people)',
  'sources',
  'limitations',
]

/**
 * recognized-security-practices.csv: for which days of the twelve months before the end of a period evidence exists, by month, and what the checks
 * counted that relate to each practice of HICP. It states days and counts, and never that a practice was in place (Public Law 116-321 leaves it to
 * the entity to demonstrate that).
 */
export function practiceRows(
  period: Pick<Period, 'calendar' | 'conclusions' | 'from' | 'runs' | 'to'>,
  view: PracticesView,
): readonly (readonly string[])[] {
  const window = twelveMonthsTo(period.to)
  const days = new Map(period.calendar.days.map((day) => [day.day, day]))
  const runs = period.runs.map(({ at }) => at)
  const evidence = (span: readonly string[]): number => span.filter((day) => (days.get(day)?.answered ?? 0) > 0).length
  const limits = [view.sources.join('; '), view.notShown]
  const counted = (part: string, subject: string, span: readonly string[], text: string): readonly string[] => {
    const sum = (name: 'planned' | 'completed' | 'recorded' | 'unrecorded' | 'unplanned'): number =>
      span.reduce((total, day) => total + (days.get(day)?.[name] ?? 0), 0)
    const covered = new Set(span)
    const within = runs.filter((at) => covered.has(at.slice(0, 10))).sort()
    return [
      part,
      subject,
      ...[
        span.length,
        span.filter((day) => days.has(day)).length,
        evidence(span),
        sum('planned'),
        sum('completed'),
        sum('recorded'),
        sum('unrecorded'),
        sum('unplanned'),
      ].map(String),
      within[0] ?? '',
      within.at(-1) ?? '',
      text,
      '',
      '',
      ...limits,
    ]
  }
  const checks = nodeTestsIn(period)
  return [
    COLUMNS,
    counted('Statement', `${window[0]} to ${period.to}`, window, statement(evidence(window), window.length, period)),
    ...monthsOf(window).map(([month, span]) => counted('Month', month, span, '')),
    ...view.practices.map((practice) => [
      'Practice',
      `${practice.id} ${practice.title}`,
      ...Array.from({ length: 10 }, () => ''),
      practiceText(practice, checks),
      practice.requests.join(', '),
      '',
      ...limits,
    ]),
  ]
}

const statement = (held: number, all: number, { from, to }: Pick<Period, 'from' | 'to'>): string =>
  `Evidence exists for ${of(held, all)} days of the twelve months before ${to} (period of this account: ${from} to ${to}). ${
    held === all ? '' : `For ${plural(all - held, 'day')} there is none. `
  }Nothing is stated about practices between the runs.`

const practiceText = ({ checks }: Practice, counted: (check: string) => string): string =>
  checks.length === 0
    ? 'No check of a server relates to it; documents only.'
    : checks.map((check) => `${check}: ${counted(check)}`).join(' | ')

const DAY = 86_400_000
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The days of the twelve months that end with a day: from the day after the same day of the year before. */
function twelveMonthsTo(last: string): readonly string[] {
  const end = Date.parse(`${last}T00:00:00.000Z`)
  const before = Date.UTC(Number(last.slice(0, 4)) - 1, Number(last.slice(5, 7)) - 1, Number(last.slice(8, 10)))
  return Array.from({ length: Math.round((end - before) / DAY) }, (_, at) => dayText(before + (at + 1) * DAY))
}

/** Days by calendar month, in order; the first and the last may be incomplete. */
function monthsOf(days: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const found = new Map<string, string[]>()
  for (const day of days) {
    const month = day.slice(0, 7)
    const known = found.get(month)
    if (known === undefined) found.set(month, [day])
    else known.push(day)
  }
  return [...found]
}
