import type { Calendar, CalendarDay, MissedRunRecord, PeriodRun, PlannedSpan } from '../../../schemas/types.ts'
import { dayOf, daysWithin, startOfDay } from '../base/days.ts'
import type { Sha256 } from '../base/digest.ts'
import { type Outcome, ok } from '../base/failure.ts'
import { quote } from '../base/plain-text.ts'
import type { Zones } from '../run-chain/cadence.ts'
import type { LoggedEntry } from '../run-chain/entry.ts'
import { CLOCK_TOLERANCE_MINUTES, shortened } from '../run-chain/notes.ts'
import { type DueRun, dueRuns, planSpans } from './plans.ts'
import { type EnteredRun, enteredRuns, type RunFacts, runsWithin } from './seen.ts'

interface CalendarInput {
  readonly entries: readonly LoggedEntry[]
  /** By the tag manifest in the run chain. A run without facts supports nothing. */
  readonly facts: ReadonlyMap<Sha256, RunFacts>
  readonly zones: Zones
  /** Days of UTC, both included. */
  readonly from: string
  readonly to: string
  /** Runs due later are not missing yet; the end of the period when absent. */
  readonly asOf?: string
}

/** A scheduled run that is due and whose time limit has not passed. */
export interface AwaitedRun extends DueRun {
  readonly until: string
}

export interface CalendarReading {
  readonly plans: readonly PlannedSpan[]
  readonly calendar: Calendar
  readonly runs: readonly PeriodRun[]
  readonly missedRuns: readonly MissedRunRecord[]
  /** Scheduled runs that did not take place, explained or not, or only late and after the period; by schedule and time. */
  readonly missed: readonly DueRun[]
  /** Scheduled runs without any entry in the run chain (unexplained missed runs). */
  readonly unrecorded: readonly DueRun[]
  /** Scheduled runs that are due and not sealed yet: each can still be in time until `until`; none is missing or counted. */
  readonly awaited: readonly AwaitedRun[]
  /** Late ones. */
  readonly late: readonly (DueRun & { readonly run: string; readonly at: string })[]
  /** Further notes for the reader, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Which scheduled runs took place, which were missed, and on which days there is no evidence. Every scheduled run is exactly one of met, recorded and
 * unrecorded, or awaited while it may still arrive in time. Fails as dueRuns() does. The order of `facts` has no meaning.
 */
export function calendarOf(input: CalendarInput): Outcome<CalendarReading> {
  const { entries, facts, zones, from, to } = input
  const [begin, end] = [Date.parse(startOfDay(from)) - 1, Date.parse(`${to}T23:59:59.999Z`)]
  const asOf = input.asOf === undefined ? end : Date.parse(input.asOf)
  const isoOf = (moment: number): string => new Date(moment).toISOString()
  const spans = planSpans(entries)
  const due = dueRuns(spans, zones, { after: isoOf(begin), until: isoOf(Math.max(begin, Math.min(end, asOf))) })
  if (!due.ok) return due
  const { first, notes } = enteredRuns(entries)
  const settled = settle(due.value, first, entries, asOf)
  const found = settled.filter(({ is }) => is !== 'awaited')
  const within = (instant: string): boolean => Date.parse(instant) > begin && Date.parse(instant) <= end
  const own = runsWithin(entries, { from, to })
  const runs = own.map((one) => runOf(one, facts.get(one.entry.tagManifest) ?? null))
  const planned = new Set(found.flatMap(({ by }) => (by === null ? [] : [by.tagManifest])))
  const [dueOn, ranOn] = [byDay(found, ({ run }) => run.due), byDay(runs, ({ at }) => at)]
  const days = daysWithin(from, to).map((day) => dayIn(day, { due: dueOn.get(day), ran: ranOn.get(day), planned }))
  return ok({
    plans: spans.filter(
      (span) => Date.parse(span.from) <= end && (span.until === null || Date.parse(span.until) > begin),
    ),
    calendar: { days, counts: countsOf(days), without: spansWithout(days) },
    runs,
    missedRuns: gapsIn(entries, within),
    missed: found
      .filter(({ is, by, late }) => (by === null ? is !== 'completed' : late && Date.parse(by.at) > end))
      .map(({ run }) => run),
    unrecorded: found.filter(({ is }) => is === 'unrecorded').map(({ run }) => run),
    awaited: settled.flatMap(({ run, is }) => (is === 'awaited' ? [{ ...run, until: isoOf(latestOf(run)) }] : [])),
    late: found.flatMap(({ run, by, late }) => (late && by !== null ? [{ ...run, run: by.run, at: by.at }] : [])),
    notes: [...chainNotes(entries, input), ...notes(within), ...strangers(planned, own)],
  })
}

interface Settled {
  readonly run: DueRun
  readonly is: 'completed' | 'recorded' | 'unrecorded' | 'awaited'
  readonly late: boolean
  readonly by: EnteredRun['entry'] | null
}

/**
 * Outcome of each scheduled run. A run that took place takes precedence over an earlier missed-run entry; a later entry states that
 * its pack was not written.
 */
function settle(
  due: readonly DueRun[],
  runs: readonly EnteredRun[],
  entries: readonly LoggedEntry[],
  asOf: number,
): readonly Settled[] {
  const keyOf = (schedule: string, moment: string): string => `${schedule} ${Date.parse(moment)}`
  const met = new Map<string, EnteredRun>()
  for (const { entry, place } of runs) {
    if (entry.planned === undefined) continue
    const key = keyOf(entry.planned.schedule, entry.planned.due)
    const early = Date.parse(entry.planned.due) - Date.parse(entry.at) > CLOCK_TOLERANCE_MINUTES * 60_000
    // Only one run can be the scheduled one, and none that was sealed before it was due.
    if (!met.has(key) && !early) met.set(key, { entry, place })
  }
  const missedRuns = new Map<string, number>()
  const loose = new Map<number, number>()
  for (const [index, { entry, signature }] of entries.entries()) {
    // Unsigned entries have no effect.
    if (entry.kind !== 'gap' || signature === null) continue
    if (entry.schedule !== undefined) missedRuns.set(keyOf(entry.schedule, entry.due), index + 1)
    else loose.set(Date.parse(entry.due), (loose.get(Date.parse(entry.due)) ?? 0) + 1)
  }
  return due.flatMap((run): readonly Settled[] => {
    const key = keyOf(run.schedule, run.due)
    const moment = Date.parse(run.due)
    const latest = latestOf(run)
    const [took, gap] = [met.get(key), missedRuns.get(key) ?? 0]
    if (took !== undefined && took.place > gap)
      return [{ run, is: 'completed', late: Date.parse(took.entry.at) > latest, by: took.entry }]
    if (gap > 0) return [{ run, is: 'recorded', late: false, by: took?.entry ?? null }]
    const left = loose.get(moment) ?? 0
    if (left > 0) {
      loose.set(moment, left - 1)
      return [{ run, is: 'recorded', late: false, by: null }]
    }
    return [{ run, is: latest > asOf ? 'awaited' : 'unrecorded', late: false, by: null }]
  })
}

/** The time after which a scheduled run is late, or missed where there is none. */
const latestOf = ({ due, withinMinutes }: DueRun): number => Date.parse(due) + withinMinutes * 60_000

const runOf = ({ entry, place }: EnteredRun, facts: RunFacts | null): PeriodRun => ({
  run: entry.run,
  entry: place,
  at: entry.at,
  planned: entry.planned ?? null,
  declared: facts?.declared ?? 0,
  answered: facts?.answered ?? 0,
  catalog: facts?.catalog ?? null,
  rules: facts?.rules ?? null,
  tagManifest: entry.tagManifest,
  signer: entry.signer,
})

function byDay<T>(all: readonly T[], momentOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const days = new Map<string, T[]>()
  for (const one of all) {
    const day = dayOf(momentOf(one))
    const before = days.get(day)
    if (before === undefined) days.set(day, [one])
    else before.push(one)
  }
  return days
}

interface OnDay {
  readonly due: readonly Settled[] | undefined
  readonly ran: readonly PeriodRun[] | undefined
  /** Tag manifests of scheduled runs. */
  readonly planned: ReadonlySet<string>
}

function dayIn(day: string, { due = [], ran: on = [], planned }: OnDay): CalendarDay {
  const count = (wanted: Settled['is']): number => due.filter(({ is }) => is === wanted).length
  const most = on.reduce<PeriodRun | null>(
    (best, one) => (best === null || one.answered > best.answered ? one : best),
    null,
  )
  return {
    day,
    planned: due.length,
    completed: count('completed'),
    late: due.filter(({ late }) => late).length,
    recorded: count('recorded'),
    unrecorded: count('unrecorded'),
    unplanned: on.filter(({ tagManifest }) => !planned.has(tagManifest)).length,
    declared: most?.declared ?? 0,
    answered: most?.answered ?? 0,
  }
}

function countsOf(days: readonly CalendarDay[]): Calendar['counts'] {
  const sum = (of: (day: CalendarDay) => number): number => days.reduce((total, day) => total + of(day), 0)
  return {
    planned: sum(({ planned }) => planned),
    completed: sum(({ completed }) => completed),
    late: sum(({ late }) => late),
    recorded: sum(({ recorded }) => recorded),
    unrecorded: sum(({ unrecorded }) => unrecorded),
    unplanned: sum(({ unplanned }) => unplanned),
    days: days.length,
    daysWith: days.filter(({ answered }) => answered > 0).length,
  }
}

/** Ranges of days on which no node was collected. */
export function spansWithout(days: readonly Pick<CalendarDay, 'day' | 'answered'>[]): Calendar['without'] {
  const spans: { from: string; to: string; days: number }[] = []
  let last: (typeof spans)[number] | null = null
  for (const { day, answered } of days) {
    if (answered > 0) last = null
    else if (last === null) {
      last = { from: day, to: day, days: 1 }
      spans.push(last)
    } else {
      last.to = day
      last.days += 1
    }
  }
  return spans
}

/** Missed-run entries by due time, in order of entry. */
const gapsIn = (entries: readonly LoggedEntry[], within: (instant: string) => boolean): readonly MissedRunRecord[] =>
  entries.flatMap(({ entry, signature }, index) => {
    if (entry.kind !== 'gap' || !within(entry.due)) return []
    const { due, at, why, signer, schedule = null } = entry
    return [{ entry: index + 1, schedule, due, at, why, signer, signed: signature !== null }]
  })

/** Runs marked as scheduled that are not in any schedule. */
function strangers(planned: ReadonlySet<string>, runs: readonly EnteredRun[]): readonly string[] {
  return runs.flatMap(({ entry, place }) =>
    entry.planned === undefined || planned.has(entry.tagManifest)
      ? []
      : [
          `Entry ${place}, run ${entry.run}, states that schedule ${entry.planned.schedule} required it at ${entry.planned.due}. No schedule in the run chain requires it then, another run already fulfills it, or it was sealed before that time. It counts as unscheduled.`,
        ],
  )
}

interface Window {
  /** Days of UTC, both included. */
  readonly from: string
  readonly to: string
  readonly asOf?: string
}

/** Notes on the order, dates and keys of run chain entries in a period, one sentence each. Entries are numbered from 1. */
export function chainNotes(entries: readonly LoggedEntry[], window: Window): readonly string[] {
  return [
    ...begunLater(entries, window),
    ...shortened(unsignedPlans(entries)),
    ...shortened(datedLater(entries, window)),
    ...shortened(enteredLater(entries, window)),
    ...shortened(newKeys(entries, window)),
  ]
}

const TOLERANCE = CLOCK_TOLERANCE_MINUTES * 60_000
const isIn = (at: string, { from, to }: Window): boolean => dayOf(at) >= from && dayOf(at) <= to

function begunLater(entries: readonly LoggedEntry[], { from }: Window): readonly string[] {
  const [first] = entries
  if (first === undefined) return ['The run chain has no entries and covers no day.']
  return dayOf(first.entry.at) <= from
    ? []
    : [
        `The run chain begins at ${first.entry.at}, after the first day of the period. It does not cover earlier schedules and runs.`,
      ]
}

const unsignedPlans = (entries: readonly LoggedEntry[]): readonly string[] =>
  entries.flatMap(({ entry, signature }, index) =>
    entry.kind === 'plan' && signature === null
      ? [`Entry ${index + 1}, for schedule ${quote(entry.schedule)}, is not signed and has no effect.`]
      : [],
  )

/** Entries dated in the future. A run dated after the period is not in it, whenever it took place. */
function datedLater(entries: readonly LoggedEntry[], { asOf }: Window): readonly string[] {
  if (asOf === undefined) return []
  return entries.flatMap(({ entry }, index) =>
    Date.parse(entry.at) - Date.parse(asOf) <= TOLERANCE
      ? []
      : [`Entry ${index + 1} is dated ${entry.at}, later than this period report, ${asOf}. A clock was wrong.`],
  )
}

/** Entries dated before a preceding entry: a clock was behind, or the entry was added afterwards. */
function enteredLater(entries: readonly LoggedEntry[], window: Window): readonly string[] {
  const notes: string[] = []
  let latest = { at: Number.NEGATIVE_INFINITY, place: 0 }
  for (const [index, { entry }] of entries.entries()) {
    const at = Date.parse(entry.at)
    if (latest.at - at > TOLERANCE && isIn(entry.at, window))
      notes.push(
        `Entry ${index + 1} is dated ${entry.at} but follows entry ${latest.place}, dated ${new Date(latest.at).toISOString()}. A clock was set back, or the entry was added afterwards.`,
      )
    if (at > latest.at) latest = { at, place: index + 1 }
  }
  return notes
}

/** Runs of the period sealed by a key that no earlier entry names. */
function newKeys(entries: readonly LoggedEntry[], window: Window): readonly string[] {
  const known = new Set<string>()
  return entries.flatMap(({ entry }, index) => {
    const isNew = index > 0 && !known.has(entry.signer)
    known.add(entry.signer)
    return isNew && entry.kind === 'run' && isIn(entry.at, window)
      ? [
          `Entry ${index + 1}, run ${quote(entry.run)}, was sealed by a key not used in earlier entries: ${entry.signer}.`,
        ]
      : []
  })
}
