import type { PlannedSpan, Schedule } from '../../../schemas/types.ts'
import type { Outcome } from '../../core/failure.ts'
import type { Zones } from '../../core/period/cadence.ts'
import { dueRuns, planSpans } from '../../core/period/plans.ts'
import { ok } from '../../core/result.ts'
import type { LoggedEntry } from '../../core/run-chain/entry.ts'
import { plannedCadence, withinMinutesOf } from '../../core/schedule/schedule.ts'

/** What a start of a schedule has to do. Derived: see planRun(). */
export interface RunPlan {
  /** The due time of this start; null when there is none. */
  readonly serves: Served | null
  /** Due times without a run, oldest first, that must be recorded now. */
  readonly missed: readonly string[]
  /** Number of missed runs left for later starts. */
  readonly left: number
  /** The due time that this start came too late for, where the schedule skips missed runs. */
  readonly tooLate: string | null
  /** The next due time after this start; null where nothing is scheduled any more. */
  readonly next: string | null
  /** Notices, one sentence each. */
  readonly notes: readonly string[]
}

export interface Served {
  readonly due: string
  /** Minutes from the due time to this start; negative for an early start. */
  readonly minutesAfter: number
  /** Later than random delay and tolerance explain: the computer was off, or another run was in progress. */
  readonly late: boolean
}

export type PlanRunSchedule = Pick<
  Schedule,
  'name' | 'cadence' | 'zone' | 'jitterMinutes' | 'retries' | 'catchUp' | 'createdAt'
>

export interface PlanRunInput {
  readonly schedule: PlanRunSchedule
  /** All entries of the fleet’s chain, in order. */
  readonly entries: readonly LoggedEntry[]
  readonly now: string
  readonly zones: Zones
}

/** A timer may fire slightly early. */
const EARLY_MINUTES = 5
/** After its random delay, a start within this time still counts as in time. */
const PATIENCE_MINUTES = 120
/** More missed runs are recorded at the next starts: each needs a signature. */
export const MOST_GAPS = 100
/** Older due times are left for a person: the period view shows them as unrecorded. */
const LOOK_BACK_DAYS = 400
/** More than two months, so that every cadence has a due time in it. */
const LOOK_AHEAD_DAYS = 63

const MINUTE = 60_000
const DAY = 1440 * MINUTE

/**
 * Which due time a start at `now` serves, and which earlier ones had no run. The chain decides what was scheduled,
 * since a schedule stated afterwards could hide missed runs; the file counts only where the chain has no schedule. A
 * due time with an entry in the chain is never served again. Fails with input.refused for an unknown cadence or zone.
 */
export function planRun({ schedule, entries, now, zones }: PlanRunInput): Outcome<RunPlan> {
  const start = Date.parse(now)
  const spans = spansOf(schedule, entries)
  const reach = iso(start + EARLY_MINUTES * MINUTE)
  const due = dueRuns(spans, zones, { after: iso(start - LOOK_BACK_DAYS * DAY), until: reach })
  if (!due.ok) return due
  const coming = dueRuns(spans, zones, { after: reach, until: iso(start + LOOK_AHEAD_DAYS * DAY) })
  if (!coming.ok) return coming
  // A missed run that was signed under a clock ahead of time must not prevent the run of that time.
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
      ...(serves?.late === true ? [`This run starts ${minutesAfter} minutes after it was due.`] : []),
    ],
  })
}

/** Due times with a run or a missed run in the chain. */
export const answeredDue = (schedule: string, entries: readonly LoggedEntry[]): ReadonlySet<number> =>
  new Set(
    entries.flatMap(({ entry }) => {
      if (entry.kind === 'gap' && entry.schedule === schedule) return [Date.parse(entry.due)]
      return entry.kind === 'run' && entry.planned?.schedule === schedule ? [Date.parse(entry.planned.due)] : []
    }),
  )

/** Schedules over time. */
function spansOf(schedule: PlanRunSchedule, entries: readonly LoggedEntry[]): readonly PlannedSpan[] {
  const { name, createdAt } = schedule
  if (entries.some(({ entry }) => entry.kind === 'plan' && entry.schedule === name))
    return planSpans(entries).filter((span) => span.schedule === name)
  const withinMinutes = withinMinutesOf(schedule)
  return [{ schedule: name, cadence: plannedCadence(schedule), withinMinutes, from: createdAt, until: null, entry: 0 }]
}

const clockNote = (now: string, ahead: string): string =>
  `The clock of this computer shows ${now}, but the run chain has an entry of ${ahead}. Correct the clock. Until it is past that entry, missed runs are not recorded.`

function planNotes(schedule: PlanRunSchedule, spans: readonly PlannedSpan[]): readonly string[] {
  const [said, planned] = [plannedCadence(schedule), spans.find(({ until }) => until === null)?.cadence]
  if (planned === undefined)
    return [`According to the run chain, ${schedule.name} was removed and schedules no more runs.`]
  return said === planned
    ? []
    : [`The schedule file states “${said}”, but the run chain states “${planned}”; the run chain applies.`]
}

const iso = (moment: number): string => new Date(moment).toISOString()
