import type { CalendarDay } from '../../../schemas/types.ts'

/** States of a calendar day, most severe first: a day with several states has the first. */
export const DAY_STATES = [
  'unrecorded',
  'recorded',
  'no-evidence',
  'partial',
  'late',
  'completed',
  'unplanned',
  'nothing',
] as const
export type DayState = (typeof DAY_STATES)[number]

export const dayStateWords: Readonly<
  Record<DayState, { readonly letter: string; readonly label: string; readonly meaning: string }>
> = {
  unrecorded: {
    letter: 'U',
    label: 'Missed, unexplained',
    meaning: 'A scheduled run did not take place; no reason is recorded.',
  },
  recorded: {
    letter: 'R',
    label: 'Missed, explained',
    meaning: 'A scheduled run did not take place; a signed entry of the run chain states the reason.',
  },
  'no-evidence': {
    letter: 'E',
    label: 'No evidence',
    meaning: 'A run took place, but no node was collected or its run trace is not available.',
  },
  partial: {
    letter: 'P',
    label: 'Some nodes not collected',
    meaning: 'Some declared nodes were not collected, even in the most complete run.',
  },
  late: { letter: 'L', label: 'Late', meaning: 'Every scheduled run took place; at least one was sealed late.' },
  completed: {
    letter: 'M',
    label: 'As scheduled',
    meaning: 'Every scheduled run took place in time, and every declared node was collected.',
  },
  unplanned: { letter: 'A', label: 'Unscheduled run', meaning: 'No run was scheduled; a run took place.' },
  nothing: { letter: 'N', label: 'Nothing scheduled', meaning: 'No run was scheduled and none took place.' },
}

export function dayState(day: CalendarDay): DayState {
  if (day.unrecorded > 0) return 'unrecorded'
  if (day.recorded > 0) return 'recorded'
  const took = day.completed + day.unplanned
  if (took > 0 && day.answered === 0) return 'no-evidence'
  if (took > 0 && day.answered < day.declared) return 'partial'
  if (day.late > 0) return 'late'
  if (day.planned > 0) return 'completed'
  return took > 0 ? 'unplanned' : 'nothing'
}

/** Consecutive days with the same state. */
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
