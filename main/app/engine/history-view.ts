import type { DayWindow, HistoryDay, HistoryRun, HistoryView } from '../../../schemas/ipc-history.ts'
import type { CalendarDay } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { baselineIn } from '../../core/drift/baseline.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { KeptHead } from '../../core/history.ts'
import { type AwaitedRun, calendarOf, type RunFacts, spansWithout } from '../../core/period/calendar.ts'
import { dayOf } from '../../core/period/days.ts'
import { planSpans } from '../../core/period/plans.ts'
import { enteredRuns } from '../../core/period/runs.ts'
import { compare } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'
import { isDay } from '../../core/run-chain/entry.ts'
import { type KnownRuns, sealKept } from './history-read.ts'

const FIRST_DAYS = 91
const MOST_DAYS = 400
const DAY_MS = 86_400_000

/** The requested days, or the last weeks up to today. Fails with input.refused. */
export function windowOf(asked: DayWindow | null, now: string): Outcome<DayWindow> {
  const today = dayOf(now)
  if (asked === null)
    return ok({ from: dayOf(new Date(Date.parse(now) - (FIRST_DAYS - 1) * DAY_MS).toISOString()), to: today })
  if (!isDay(asked.from) || !isDay(asked.to) || asked.from > asked.to)
    return fail('input.refused', 'first and last day must be calendar dates in chronological order')
  return Date.parse(asked.to) - Date.parse(asked.from) >= MOST_DAYS * DAY_MS
    ? fail('input.refused', `at most ${MOST_DAYS} days are shown`)
    : ok(asked)
}

/** What is known of the runs of these days. Fails as calendarOf() does. */
export function historyView(
  { zones, clock }: Pick<Ports, 'zones' | 'clock'>,
  known: KnownRuns,
  { from, to }: DayWindow,
): Outcome<HistoryView> {
  const asOf = clock.now()
  const today = dayOf(asOf)
  const entries = known.entries ?? []
  const read = calendarOf({ entries, facts: factsKept(known.heads), zones, from, to, asOf })
  if (!read.ok) return read
  const { calendar, missedRuns } = read.value
  const runs = runsKnown(known).filter(({ at }) => dayOf(at) >= from && dayOf(at) <= to)
  const days = daysWith(calendar.days, runs, read.value.awaited)
  const past = days.filter(({ day }) => day <= today)
  const cadences = new Map(planSpans(entries).map(({ schedule, cadence }) => [schedule, cadence]))
  return ok({
    fleet: known.fleet.name,
    demo: known.demo,
    asOf,
    today,
    from,
    to,
    entries: known.entries?.length ?? null,
    days,
    counts: {
      ...calendar.counts,
      days: past.length,
      daysWith: past.filter(({ answered }) => answered > 0).length,
    },
    without: spansWithout(past),
    runs,
    recordedMisses: missedRuns,
    unrecorded: read.value.unrecorded.map(({ schedule, due }) => ({
      schedule,
      due,
      cadence: cadences.get(schedule) ?? '',
    })),
    awaited: read.value.awaited.map(({ schedule, due, until }) => ({ schedule, due, until })),
    plans: read.value.plans,
    baseline: baselineIn({ entries }),
    shortfalls: known.shortfalls,
  })
}

const factsKept = (heads: readonly KeptHead[]): ReadonlyMap<string, RunFacts> =>
  new Map(heads.flatMap((head) => (head.sealed === null ? [] : [[head.sealed.tagManifest, head] as const])))

/** Runs that the chain names, and those that it does not: newest first, each once. */
export function runsKnown(known: KnownRuns): readonly HistoryRun[] {
  const baseline = baselineIn({ entries: known.entries ?? [] })?.run
  const facts = factsKept(known.heads)
  const all = new Map<string, HistoryRun>()
  const put = (one: Omit<HistoryRun, 'comparable' | 'baseline'>): void => {
    const { run } = one
    if (!all.has(run) && run !== known.going)
      all.set(run, { ...one, comparable: sealKept(known, run) !== undefined, baseline: run === baseline })
  }
  for (const { entry } of enteredRuns(known.entries ?? []).first) {
    const { run, at, planned, tagManifest } = entry
    const { declared, answered } = facts.get(tagManifest) ?? { declared: 0, answered: 0 }
    put({ run, at, declared, answered, seal: 'sealed', schedule: planned?.schedule ?? null })
  }
  // Outside a demo, a run that no chain names counts as not sealed: it would hide a missing run.
  for (const { run, asOf: at, declared, answered, planned, sealed } of [...known.heads].reverse()) {
    const seal = known.demo && sealed !== null ? 'demo' : 'none'
    put({ run, at, declared, answered, seal, schedule: planned?.schedule ?? null })
  }
  // From earlier versions, and where the trace could not be written.
  for (const { run, at, nodes, complete } of known.stored)
    put({ run, at, declared: nodes, answered: complete, seal: 'none', schedule: null })
  return [...all.values()].sort((a, b) => compare(b.at, a.at) || compare(b.run, a.run))
}

/** Days with unsealed runs. Their nodes count only where no sealed run covers that day. */
function daysWith(
  days: readonly CalendarDay[],
  runs: readonly HistoryRun[],
  awaited: readonly AwaitedRun[],
): readonly HistoryDay[] {
  const byDay = new Map<string, HistoryRun[]>(days.map(({ day }) => [day, []]))
  for (const run of runs) byDay.get(dayOf(run.at))?.push(run)
  return days.map((day) => {
    const own = byDay.get(day.day) ?? []
    const sealed = own.filter(({ seal }) => seal !== 'none')
    const told = sealed.length > 0 ? sealed : own
    const most = told.reduce<HistoryRun | null>(
      (best, one) => (best === null || one.answered > best.answered ? one : best),
      null,
    )
    return {
      ...day,
      awaited: awaited.filter(({ due }) => dayOf(due) === day.day).length,
      declared: most?.declared ?? 0,
      answered: most?.answered ?? 0,
      sealed: sealed.length,
      collected: own.length - sealed.length,
    }
  })
}
