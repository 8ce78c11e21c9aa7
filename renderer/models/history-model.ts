import type { HistoryDay, HistoryRun, HistoryView } from '../../schemas/ipc-history.ts'
import type { DaySpan } from '../../schemas/types.ts'
import { dayCount } from '../../schemas/words.ts'
import { daysLater } from './history-calendar.ts'
import { day as dayWords, plural, when } from './text.ts'

/** Status of a day, worst first: unexplained missed runs, then missing evidence, then collected evidence. */
export const DAY_STATES = [
  'unrecorded',
  'recorded',
  'silent',
  'late',
  'part',
  'collected',
  'whole',
  'moved',
  'awaited',
  'nothing',
  'to-come',
] as const
export type DayState = (typeof DAY_STATES)[number]

interface DayWord {
  /** Short form for a calendar cell. */
  readonly short: string
  readonly label: string
  readonly meaning: string
  readonly mark: string
  readonly tone: string
}

export const dayStateWords: Readonly<Record<DayState, DayWord>> = {
  unrecorded: {
    short: 'missed',
    label: 'Missed, unexplained',
    meaning: 'A scheduled run did not take place; no reason is recorded.',
    mark: 'square-cross',
    tone: 'not-satisfied',
  },
  recorded: {
    short: 'noted',
    label: 'Missed, explained',
    meaning: 'A scheduled run did not take place; a signed entry gives the reason.',
    mark: 'bar',
    tone: 'not-applicable',
  },
  silent: {
    short: '',
    label: 'No node collected',
    meaning: 'A run took place, but no node was collected.',
    mark: 'dotted-ring',
    tone: 'not-tested',
  },
  late: {
    short: 'late',
    label: 'Late',
    meaning: 'A scheduled run took place later than its schedule allows.',
    mark: 'disc-late',
    tone: 'inconclusive',
  },
  part: {
    short: '',
    label: 'Some nodes collected',
    meaning: 'A sealed run collected some of the declared nodes.',
    mark: 'disc-half',
    tone: 'inconclusive',
  },
  collected: {
    short: '',
    label: 'Collected, not sealed',
    meaning: 'Collected but not sealed. Export an evidence pack to seal it.',
    mark: 'ring',
    tone: 'informational',
  },
  whole: {
    short: '',
    label: 'All nodes collected',
    meaning: 'A sealed run collected every declared node.',
    mark: 'disc',
    tone: 'informational',
  },
  moved: {
    short: 'later',
    label: 'Took place later',
    meaning: 'The run scheduled for this day was sealed on a later day.',
    mark: 'speck',
    tone: 'not-applicable',
  },
  awaited: {
    short: 'due',
    label: 'Overdue',
    meaning: 'A scheduled run is due and has not arrived. It may still arrive in time.',
    mark: 'dotted-ring',
    tone: 'inconclusive',
  },
  nothing: {
    short: '',
    label: 'No run',
    meaning: 'No run was scheduled, and none took place.',
    mark: 'speck',
    tone: 'not-applicable',
  },
  'to-come': {
    short: '',
    label: 'Future',
    meaning: 'This date is in the future.',
    mark: 'none',
    tone: 'not-applicable',
  },
}

/** The mark of a day. A missed run takes precedence over collected evidence. */
export function dayState(one: HistoryDay, today: string): DayState {
  const { unrecorded, recorded, late, completed, sealed, collected, answered, declared, awaited } = one
  if (one.day > today) return 'to-come'
  if (unrecorded > 0) return 'unrecorded'
  if (recorded > 0) return 'recorded'
  if (sealed + collected === 0) return completed > 0 ? 'moved' : awaited > 0 ? 'awaited' : 'nothing'
  if (answered === 0) return 'silent'
  if (sealed === 0) return 'collected'
  if (late > 0) return 'late'
  return answered < declared ? 'part' : 'whole'
}

/** The accessible name of a calendar cell. */
export const daySentence = (one: HistoryDay, today: string): string => `${dayWords(one.day)}: ${dayOutcome(one, today)}`

/** What became of a day, below its heading. */
export function dayOutcome(one: HistoryDay, today: string): string {
  const { planned, completed, late, recorded, unrecorded, unplanned, collected, declared, answered, awaited } = one
  const parts = [
    declared > 0 ? `${answered} of ${plural(declared, 'node')} collected` : '',
    planned > 0 ? `${completed} of ${plural(planned, 'scheduled run')} took place` : '',
    late > 0 ? `${late} late` : '',
    awaited > 0 ? `${plural(awaited, 'run')} overdue` : '',
    unrecorded > 0 ? `${unrecorded} missed, unexplained` : '',
    recorded > 0 ? `${recorded} missed, explained` : '',
    unplanned > 0 ? `${plural(unplanned, 'unscheduled run')}` : '',
    collected > 0 ? `${plural(collected, 'run')} not sealed` : '',
  ].filter((part) => part !== '')
  const { label } = dayStateWords[dayState(one, today)]
  return `${label}${parts.length === 0 ? '' : `. ${parts.join(', ')}`}.`
}

/** The text under the mark in a cell. */
export function dayShort(one: HistoryDay, today: string): string {
  const state = dayState(one, today)
  const { short } = dayStateWords[state]
  return short === '' && one.declared > 0 && state !== 'to-come' ? `${one.answered}/${one.declared}` : short
}

/** 3–9 May 2026, 28 April – 2 May 2026, or one day. */
export function spanWords({ from, to }: Pick<DaySpan, 'from' | 'to'>): string {
  if (from === to) return dayWords(from)
  const [first, last] = [dayWords(from).split(' '), dayWords(to).split(' ')]
  if (first[2] !== last[2]) return `${first.join(' ')} – ${last.join(' ')}`
  return first[1] === last[1] ? `${first[0]}–${last.join(' ')}` : `${first[0]} ${first[1]} – ${last.join(' ')}`
}

const MOST_SPANS = 6

/** “No evidence 3–9 May 2026, 12 May 2026, and 4 more spans”; null where every day has some. */
export function withoutWords(spans: readonly DaySpan[]): string | null {
  if (spans.length === 0) return null
  const more = spans.length - MOST_SPANS
  const named = spans.slice(-MOST_SPANS).map(spanWords)
  return `No evidence ${named.join(', ')}${more > 0 ? `, and ${plural(more, 'earlier span')}` : ''}.`
}

/** The heading of the screen: counts with their denominators. */
export function historyLine({
  counts,
  unrecorded,
  recordedMisses,
  awaited,
}: Pick<HistoryView, 'counts' | 'unrecorded' | 'recordedMisses' | 'awaited'>): string {
  const { days, daysWith, planned, completed: met, late } = counts
  const parts = [`Evidence on ${daysWith} of ${dayCount(days)}.`]
  if (planned > 0) {
    const tardy = late > 0 ? `, ${late} of them late` : ''
    parts.push(`${met} of ${plural(planned, 'scheduled run')} took place${tardy}.`)
  }
  if (awaited.length > 0) parts.push(`${plural(awaited.length, 'run')} overdue.`)
  if (unrecorded.length > 0) parts.push(`${unrecorded.length} missed, unexplained.`)
  if (recordedMisses.length > 0) parts.push(`${recordedMisses.length} missed, explained.`)
  return parts.join(' ')
}

/** A run that is due and may still arrive: “Due 22 November 2026 16:51 UTC, may still arrive until …”. */
export const awaitedWords = ({ due, until }: { readonly due: string; readonly until: string }): string =>
  `Due ${when(due)}, may still arrive until ${when(until)}`

/** Whether there is nothing to show. */
export const nothingYet = ({ runs, recordedMisses, plans, unrecorded }: HistoryView): boolean =>
  runs.length + recordedMisses.length + plans.length + unrecorded.length === 0

export const SEAL_WORDS: Readonly<Record<HistoryRun['seal'], { label: string; mark: string; tone: string }>> = {
  sealed: { label: 'Sealed', mark: 'disc', tone: 'informational' },
  demo: { label: 'Sealed with a demo key', mark: 'disc-half', tone: 'informational' },
  none: { label: 'Not sealed', mark: 'ring', tone: 'informational' },
}

export const PRESETS = [
  { id: 'quarter', title: 'Last 13 weeks', days: 91 },
  { id: 'half', title: 'Last 26 weeks', days: 182 },
  { id: 'year', title: `Last ${dayCount(366)}`, days: 366 },
] as const
export type Preset = (typeof PRESETS)[number]['id'] | 'chosen'
const MOST_DAYS = 400

/** Why a window cannot be shown, or null. */
export function windowProblem(from: string, to: string): string | null {
  if (from === '' || to === '') return 'Enter both dates.'
  if (from > to) return 'The start date is after the end date.'
  return daysLater(from, MOST_DAYS - 1) < to ? `Choose at most ${dayCount(MOST_DAYS)}.` : null
}

/** The default pair: the newest comparable run, with the baseline or with the run before it. */
export function startPair(runs: readonly HistoryRun[]): { readonly before: string; readonly after: string } | null {
  const able = runs.filter(({ comparable }) => comparable)
  const [after, earlier] = able
  const before = able.find(({ baseline, run }) => baseline && run !== after?.run) ?? earlier
  return after === undefined || before === undefined ? null : { before: before.run, after: after.run }
}
