import type { PlannedSpan, Schedule } from '../../../schemas/types.ts'
import type { Outcome } from '../../core/failure.ts'
import type { Zones } from '../../core/period/cadence.ts'
import { dueRuns, planSpans } from '../../core/period/plans.ts'
import { ok } from '../../core/result.ts'
import type { LoggedEntry } from '../../core/run-chain/entry.ts'
import { plannedCadence, withinMinutesOf } from '../../core/schedule/schedule.ts'

/** What a start of a schedule has to do. Derived: see planRun(). */
export interface RunPlan {
  /** The due time that this start is for; null when there is none. */
  readonly serves: Served | null
  /** Due times without a run, oldest first, that are to be recorded now. */
  readonly missed: readonly string[]
  /** As many more are left for the next start. */
  readonly left: number
  /** The due time that would be served, had the start not come too late for a schedule that does not catch up. */
  readonly tooLate: string | null
  /** The next due time after this start; null where nothing is planned any more. */
  readonly next: string | null
  /** What a person should know, one sentence each. */
  readonly notes: readonly string[]
}
export interface Served {
  readonly due: string
  /** Minutes from the due time to this start; below zero for one that came early. */
  readonly minutesAfter: number
  /** Later than jitter and patience explain: the computer was off, or another run was going. */
  readonly late: boolean
}

export type PlanRunSchedule = Pick<
  Schedule,
  'name' | 'cadence' | 'zone' | 'jitterMinutes' | 'retries' | 'catchUp' | 'createdAt'
>

export interface PlanRunInput {
  readonly schedule: PlanRunSchedule
  /** All entries of the fleet’s chain, in its order. */
  readonly entries: readonly LoggedEntry[]
  readonly now: string
  readonly zones: Zones
}

/** A timer may fire a little early. */
const EARLY_MINUTES = 5
/** After its jitter, a start may take this long to come and still counts as in time. */
const PATIENCE_MINUTES = 120
/** More gaps are recorded at the next starts: each is a signature. */
export const MOST_GAPS = 100
/** Due times further back are for a person to look at: they stand in the period view as unrecorded. */
const LOOK_BACK_DAYS = 400
/** Two months and more, so that there is one of every cadence. */
const LOOK_AHEAD_DAYS = 63

const MINUTE = 60_000
const DAY = 1440 * MINUTE

/**
 * Which due time a start at `now` serves, and which ones before it stayed without a run. What is planned is what the chain says, since a
 * plan that is told afterwards can be told so that nothing is missing; the file counts only where the chain has no plan. A due time that
 * the chain has an entry for is never served again. Fails with input.refused for a cadence or zone that is not known.
 */
export function planRun({ schedule, entries, now, zones }: PlanRunInput): Outcome<RunPlan> {
  const start = Date.parse(now)
  const spans = spansOf(schedule, entries)
  const reach = iso(start + EARLY_MINUTES * MINUTE)
  const due = dueRuns(spans, zones, { after: iso(start - LOOK_BACK_DAYS * DAY), until: reach })
  if (!due.ok) return due
  const coming = dueRuns(spans, zones, { after: reach, until: iso(start + LOOK_AHEAD_DAYS * DAY) })
  if (!coming.ok) return coming
  // A gap that was signed under a clock that ran ahead of time must not keep the run of that time from happening.
  const past = entries.filter(({ entry }) => entry.kind !== 'gap' || Date.parse(entry.at) <= start)
  const answered = answeredDue(schedule.name, past)
  const open = due.value.map((one) => one.due).filter((one) => !answered.has(Date.parse(one)))
  const latest = due.value.at(-1)?.due ?? null
  const minutesAfter = latest === null ? 0 : Math.round((start - Date.parse(latest)) / MINUTE)
  const late = minutesAfter > schedule.jitterMinutes + PATIENCE_MINUTES
  const isOpen = latest !== null && open.includes(latest)
  const tooLate = isOpen && late && !schedule.catchUp
  const serves = isOpen && !tooLate ? { due: latest, minutesAfter, late } : null
  const ahead = entries.find(({ entry }) => Date.parse(entry.at) > start)?.entry.at ?? null
  const missed = ahead === null ? open.filter((one) => one !== serves?.due) : []
  return ok({
    serves,
    missed: missed.slice(0, MOST_GAPS),
    left: Math.max(0, missed.length - MOST_GAPS),
    tooLate: tooLate ? latest : null,
    next: coming.value[0]?.due ?? null,
    notes: [
      ...(ahead === null ? [] : [clockNote(now, ahead)]),
      ...planNotes(schedule, spans),
      ...(serves?.late === true ? [`This start comes ${minutesAfter} minutes after the run was due.`] : []),
    ],
  })
}

/** Due times that have a run or a gap in the chain. */
export const answeredDue = (schedule: string, entries: readonly LoggedEntry[]): ReadonlySet<number> =>
  new Set(
    entries.flatMap(({ entry }) => {
      if (entry.kind === 'gap' && entry.schedule === schedule) return [Date.parse(entry.due)]
      return entry.kind === 'run' && entry.planned?.schedule === schedule ? [Date.parse(entry.planned.due)] : []
    }),
  )

/** What was planned when. */
function spansOf(schedule: PlanRunSchedule, entries: readonly LoggedEntry[]): readonly PlannedSpan[] {
  const { name, createdAt } = schedule
  if (entries.some(({ entry }) => entry.kind === 'plan' && entry.schedule === name))
    return planSpans(entries).filter((span) => span.schedule === name)
  const withinMinutes = withinMinutesOf(schedule)
  return [{ schedule: name, cadence: plannedCadence(schedule), withinMinutes, from: createdAt, until: null, entry: 0 }]
}

const clockNote = (now: string, ahead: string): string =>
  `The clock of this computer says ${now}, and the chain of runs has an entry of ${ahead}: one of the two is wrong. Until the clock is past that entry, due times without a run are not recorded.`

function planNotes(schedule: PlanRunSchedule, spans: readonly PlannedSpan[]): readonly string[] {
  const [said, planned] = [plannedCadence(schedule), spans.find(({ until }) => until === null)?.cadence]
  if (planned === undefined) return [`The chain of runs says that ${schedule.name} plans nothing any more.`]
  return said === planned
    ? []
    : [`The schedule says “${said}”, and its plan in the chain of runs “${planned}”: the plan in the chain counts.`]
}

const iso = (moment: number): string => new Date(moment).toISOString()
