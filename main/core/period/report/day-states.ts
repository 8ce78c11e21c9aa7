import type { CalendarDay } from '../../../../schemas/types.ts'

/** What a day of the calendar shows, the loudest first: a day that is several of them counts as the first. */
export const DAY_STATES = [
  'unrecorded',
  'recorded',
  'no-evidence',
  'partial',
  'late',
  'met',
  'unplanned',
  'nothing',
] as const
export type DayState = (typeof DAY_STATES)[number]

export const dayStateWords: Readonly<
  Record<DayState, { readonly letter: string; readonly label: string; readonly meaning: string }>
> = {
  unrecorded: {
    letter: 'U',
    label: 'Missed, not recorded',
    meaning: 'A planned run did not take place, and no entry of the chain says so.',
  },
  recorded: {
    letter: 'R',
    label: 'Missed, recorded',
    meaning: 'A planned run did not take place, and a signed entry of the chain says so.',
  },
  'no-evidence': {
    letter: 'E',
    label: 'No evidence',
    meaning: 'A run took place, and no node answered, or nothing of the run is at hand.',
  },
  partial: {
    letter: 'P',
    label: 'Some nodes missing',
    meaning: 'Of the fullest run, some declared nodes did not answer.',
  },
  late: { letter: 'L', label: 'Late', meaning: 'Every planned run took place, and one was sealed later than planned.' },
  met: {
    letter: 'M',
    label: 'As planned',
    meaning: 'Every planned run took place in time, and every declared node answered.',
  },
  unplanned: {
    letter: 'A',
    label: 'Run without a plan',
    meaning: 'Nothing was planned; a run took place all the same.',
  },
  nothing: { letter: 'N', label: 'Nothing planned', meaning: 'Nothing was planned, and no run took place.' },
}

export function dayState(day: CalendarDay): DayState {
  if (day.unrecorded > 0) return 'unrecorded'
  if (day.recorded > 0) return 'recorded'
  const took = day.met + day.unplanned
  if (took > 0 && day.answered === 0) return 'no-evidence'
  if (took > 0 && day.answered < day.declared) return 'partial'
  if (day.late > 0) return 'late'
  if (day.planned > 0) return 'met'
  return took > 0 ? 'unplanned' : 'nothing'
}

/** Days that follow each other and show the same. */
export interface DayStretch {
  readonly state: DayState
  readonly days: readonly CalendarDay[]
}

export function stretches(days: readonly CalendarDay[]): readonly DayStretch[] {
  const found: { readonly state: DayState; readonly days: CalendarDay[] }[] = []
  for (const day of days) {
    const state = dayState(day)
    const last = found.at(-1)
    if (last?.state === state) last.days.push(day)
    else found.push({ state, days: [day] })
  }
  return found
}
