import type { HistoryDay, HistoryRun, HistoryView } from '../schemas/ipc-history.ts'
import type { DaySpan } from '../schemas/types.ts'
import { daysLater } from './history-calendar.ts'
import { day as dayWords, plural, when } from './text.ts'

/** What a day shows, worst first: what nobody accounts for, then what is missing, then what is there. */
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
  /** In a cell, where there is no room for more. */
  readonly short: string
  readonly label: string
  readonly meaning: string
  readonly mark: string
  readonly tone: string
}

export const dayStateWords: Readonly<Record<DayState, DayWord>> = {
  unrecorded: {
    short: 'missed',
    label: 'Missed, no record',
    meaning: 'A planned run did not happen, and nobody recorded why.',
    mark: 'square-cross',
    tone: 'not-met',
  },
  recorded: {
    short: 'noted',
    label: 'Missed, recorded',
    meaning: 'A planned run did not happen; a signed record says why.',
    mark: 'bar',
    tone: 'not-applicable',
  },
  silent: {
    short: '',
    label: 'No node answered',
    meaning: 'There was a run, and no node answered in it.',
    mark: 'dotted-ring',
    tone: 'not-tested',
  },
  late: {
    short: 'late',
    label: 'Late',
    meaning: 'A planned run took place later than its schedule allows.',
    mark: 'disc-late',
    tone: 'inconclusive',
  },
  part: {
    short: '',
    label: 'Some nodes answered',
    meaning: 'A sealed run reached some of the declared nodes.',
    mark: 'disc-half',
    tone: 'inconclusive',
  },
  collected: {
    short: '',
    label: 'Collected, not sealed',
    meaning: 'Evidence was collected and is under no seal. Export a pack to seal it.',
    mark: 'ring',
    tone: 'informational',
  },
  whole: {
    short: '',
    label: 'Every node answered',
    meaning: 'A sealed run reached every declared node.',
    mark: 'disc',
    tone: 'informational',
  },
  moved: {
    short: 'later',
    label: 'Took place later',
    meaning: 'The run that was planned for this day was sealed on a later day.',
    mark: 'speck',
    tone: 'not-applicable',
  },
  awaited: {
    short: 'due',
    label: 'Overdue',
    meaning: 'A planned run is due and has not arrived. It may still arrive in time.',
    mark: 'dotted-ring',
    tone: 'inconclusive',
  },
  nothing: {
    short: '',
    label: 'No run',
    meaning: 'No run was planned, and none was made.',
    mark: 'speck',
    tone: 'not-applicable',
  },
  'to-come': { short: '', label: 'To come', meaning: 'The day is yet to come.', mark: 'none', tone: 'not-applicable' },
}

/** The one mark of a day. A gap is said louder than what is there beside it. */
export function dayState(one: HistoryDay, today: string): DayState {
  const { unrecorded, recorded, late, met, sealed, collected, answered, declared, awaited } = one
  if (one.day > today) return 'to-come'
  if (unrecorded > 0) return 'unrecorded'
  if (recorded > 0) return 'recorded'
  if (sealed + collected === 0) return met > 0 ? 'moved' : awaited > 0 ? 'awaited' : 'nothing'
  if (answered === 0) return 'silent'
  if (sealed === 0) return 'collected'
  if (late > 0) return 'late'
  return answered < declared ? 'part' : 'whole'
}

/** The sentence that a cell of the calendar is read as. */
export function daySentence(one: HistoryDay, today: string): string {
  const { planned, met, late, recorded, unrecorded, unplanned, collected, declared, answered, awaited } = one
  const parts = [
    declared > 0 ? `${answered} of ${plural(declared, 'node')} answered` : '',
    planned > 0 ? `${met} of ${plural(planned, 'planned run')} took place` : '',
    late > 0 ? `${late} late` : '',
    awaited > 0 ? `${plural(awaited, 'run')} overdue` : '',
    unrecorded > 0 ? `${unrecorded} missed without a record` : '',
    recorded > 0 ? `${recorded} missed with a record` : '',
    unplanned > 0 ? `${plural(unplanned, 'run')} outside the plan` : '',
    collected > 0 ? `${plural(collected, 'run')} not sealed` : '',
  ].filter((part) => part !== '')
  const { label } = dayStateWords[dayState(one, today)]
  return `${dayWords(one.day)}: ${label}${parts.length === 0 ? '' : `. ${parts.join(', ')}`}.`
}

/** What stands under the mark in a cell. */
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
  return `No evidence ${named.join(', ')}${more > 0 ? `, and ${plural(more, 'span')} before` : ''}.`
}

/** What the head of the screen says: counts, with what they are out of. */
export function historyLine({
  counts,
  unrecorded,
  gaps,
  awaited,
}: Pick<HistoryView, 'counts' | 'unrecorded' | 'gaps' | 'awaited'>): string {
  const { days, daysWith, planned, met, late } = counts
  const parts = [`Evidence on ${daysWith} of ${plural(days, 'day')}.`]
  if (planned > 0) {
    const tardy = late > 0 ? `, ${late} of them late` : ''
    parts.push(`${met} of ${plural(planned, 'planned run')} took place${tardy}.`)
  }
  if (awaited.length > 0) parts.push(`${plural(awaited.length, 'run')} overdue.`)
  if (unrecorded.length > 0) parts.push(`${unrecorded.length} missed without a record.`)
  if (gaps.length > 0) parts.push(`${gaps.length} missed with a signed record.`)
  return parts.join(' ')
}

/** A run that is due and may still arrive: “Due 22 November 2026 16:51 UTC, may still arrive until …”. */
export const awaitedWords = ({ due, until }: { readonly due: string; readonly until: string }): string =>
  `Due ${when(due)}, may still arrive until ${when(until)}`

/** Whether there is nothing at all to show. */
export const nothingYet = ({ runs, gaps, plans, unrecorded }: HistoryView): boolean =>
  runs.length + gaps.length + plans.length + unrecorded.length === 0

export const SEAL_WORDS: Readonly<Record<HistoryRun['seal'], { label: string; mark: string; tone: string }>> = {
  sealed: { label: 'Sealed', mark: 'disc', tone: 'informational' },
  demo: { label: 'Sealed with a demo key', mark: 'disc-half', tone: 'informational' },
  none: { label: 'Not sealed', mark: 'ring', tone: 'informational' },
}

export const PRESETS = [
  { id: 'quarter', title: 'Last 13 weeks', days: 91 },
  { id: 'half', title: 'Last 26 weeks', days: 182 },
  { id: 'year', title: 'Last 366 days', days: 366 },
] as const
export type Preset = (typeof PRESETS)[number]['id'] | 'chosen'
export const MOST_DAYS = 400

/** Why a window cannot be shown, or null. */
export function windowProblem(from: string, to: string): string | null {
  if (from === '' || to === '') return 'Give both days.'
  if (from > to) return 'The first day is after the last.'
  return daysLater(from, MOST_DAYS - 1) < to ? `Choose at most ${MOST_DAYS} days.` : null
}

/** The two runs to begin with: the newest that can be compared, with the baseline or with the one before it. */
export function startPair(runs: readonly HistoryRun[]): { readonly before: string; readonly after: string } | null {
  const able = runs.filter(({ comparable }) => comparable)
  const [after, earlier] = able
  const before = able.find(({ baseline, run }) => baseline && run !== after?.run) ?? earlier
  return after === undefined || before === undefined ? null : { before: before.run, after: after.run }
}
