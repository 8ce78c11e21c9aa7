import type { Period } from '../../../schemas/types.ts'
import { dayState, dayStateWords } from './day-states.ts'

const CALENDAR = [
  'day',
  'shows',
  'planned',
  'took place',
  'late',
  'missed, explained',
  'missed, unexplained',
  'unscheduled',
  'nodes declared',
  'nodes collected',
]

/** calendar.csv: a header and one row per UTC day. */
export const calendarRows = ({ calendar }: Pick<Period, 'calendar'>): readonly (readonly string[])[] => [
  CALENDAR,
  ...calendar.days.map((day) => [
    day.day,
    dayStateWords[dayState(day)].label,
    ...[
      day.planned,
      day.completed,
      day.late,
      day.recorded,
      day.unrecorded,
      day.unplanned,
      day.declared,
      day.answered,
    ].map(String),
  ]),
]

const DEVIATIONS = [
  'node',
  'check',
  'found in run',
  'found at',
  'last seen in run',
  'last seen at',
  'remediated in run',
  'remediated at',
  'open at period end',
  'runs with deviation',
  'inconclusive runs',
]

/** deviations.csv: a header and one row per deviation. */
export const deviationRows = ({ deviations }: Pick<Period, 'deviations'>): readonly (readonly string[])[] => [
  DEVIATIONS,
  ...deviations.map(({ node, check, found, lastSeen, fixed, open, runs, unknown }) => [
    node,
    check,
    found.run,
    found.at,
    lastSeen.run,
    lastSeen.at,
    fixed?.run ?? '',
    fixed?.at ?? '',
    open ? 'yes' : 'no',
    String(runs),
    String(unknown),
  ]),
]
