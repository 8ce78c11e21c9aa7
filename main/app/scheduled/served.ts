import type { Schedule } from '../../../schemas/types.ts'
import { sha256 } from '../../core/base/digest.ts'
import { type Outcome, ok } from '../../core/base/failure.ts'
import {
  type Attempt,
  entryAfter,
  explainedDue,
  isPlanned,
  type PlanRunInput,
  type PlanRunSchedule,
  planRun,
} from './plan-run.ts'
import { type MissedRun, whyMissed } from './states.ts'

/** The action of a team server, which starts scheduled runs itself, for a schedule at a time. */
export type ServedStart =
  /** `until`: the latest time of the next check; null where nothing is due any more. */
  | { readonly is: 'wait'; readonly until: string | null }
  | { readonly is: 'start'; readonly due: string }
  /** A start that a process before this one did not end, and that still serves the latest due time. */
  | { readonly is: 'continue'; readonly attempt: Attempt }
  /** The same, for a due time that has passed. */
  | { readonly is: 'end'; readonly attempt: Attempt }
  /** Nothing is collected for this due time: the server was not running, or another run took too long. */
  | { readonly is: 'too-late'; readonly due: string }

interface ServedInput extends Pick<PlanRunInput, 'now' | 'zones'> {
  readonly schedule: PlanRunSchedule
  /**
   * Null where the run chain, which an export may lock, was not read: only the schedule then decides what may be due.
   */
  readonly entries: PlanRunInput['entries'] | null
  /** In order of their start. */
  readonly attempts: readonly Attempt[]
}

/**
 * Determines which due time must be started now. The run chain decides what is due, as for planRun(): a schedule that
 * is not in it starts nothing. A due time is started once: with the run that was stored for it, or not again. Fails
 * as planRun() does.
 */
export function servedStart({ schedule, entries, attempts, now, zones }: ServedInput): Outcome<ServedStart> {
  const plan = planRun({ schedule, entries: entries ?? [], now, zones, earlyMinutes: 0 })
  if (!plan.ok) return plan
  const { serves, tooLate, next } = plan.value
  const wait = ok<ServedStart>({ is: 'wait', until: next })
  const begun = attempts.findLast(({ code }) => code === 'going')
  if (begun !== undefined) return ok({ is: begun.due === serves?.due ? 'continue' : 'end', attempt: begun })
  if (entries !== null && !isPlanned(schedule, entries)) return wait
  const isKnown = (due: string): boolean => attempts.some((one) => one.due === due)
  if (tooLate !== null) return isKnown(tooLate) ? wait : ok({ is: 'too-late', due: tooLate })
  if (serves === null || isKnown(serves.due)) return wait
  const { due } = serves
  const begin = Date.parse(due) + delayOf(schedule, due)
  return Date.parse(now) < begin ? ok({ is: 'wait', until: new Date(begin).toISOString() }) : ok({ is: 'start', due })
}

interface ServedMissedInput extends Omit<ServedInput, 'entries'> {
  readonly entries: PlanRunInput['entries']
  /** Due times of stored runs, sealed or not. */
  readonly collected: ReadonlySet<string>
}

/** The missed runs that a team server must record for a schedule at a time. */
interface ServedMissed {
  /** Due times that nothing was collected for and that no run can serve any more, oldest first. */
  readonly missed: readonly MissedRun[]
  /** When the next run is due; null where nothing is scheduled any more. */
  readonly next: string | null
}

/**
 * The missed runs that one machine would record: those of planRun(), and the latest due time where its start failed.
 * Collected runs are left to a person, who can still seal them, and runs in progress are not missed. Fails as
 * planRun() does.
 */
export function servedMissed(input: ServedMissedInput): Outcome<ServedMissed> {
  const { schedule, entries, attempts, collected, now, zones } = input
  // All: those that were collected and are not sealed must not hide the ones after them.
  const plan = planRun({ schedule, entries, now, zones, earlyMinutes: 0, mostMissed: Number.POSITIVE_INFINITY })
  if (!plan.ok) return plan
  const { missed, serves, tooLate, next } = plan.value
  if (!isPlanned(schedule, entries) || entryAfter(entries, now) !== null) return ok({ missed: [], next })
  const lastOf = (due: string): Attempt | undefined => attempts.findLast((one) => one.due === due)
  const isLatest = (due: string): boolean => due === tooLate || due === serves?.due
  const isOver = (due: string): boolean => {
    const last = lastOf(due)
    if (last === undefined) return !isLatest(due)
    return last.code !== 'going' && last.code !== 'ran'
  }
  const open = serves === null ? missed : [...missed, serves.due]
  const explained = explainedDue(entries)
  return ok({
    missed: open
      .filter((due) => isOver(due) && !collected.has(due) && !explained.has(Date.parse(due)))
      .map((due) => ({ due, why: whyMissed(due, attempts, 'server') })),
    next,
  })
}

/**
 * The random delay of a due time, in milliseconds. It is always the same for one schedule and due time, so that a
 * restart neither shortens nor repeats it.
 */
export function delayOf(
  { name, createdAt, jitterMinutes }: Pick<Schedule, 'name' | 'createdAt' | 'jitterMinutes'>,
  due: string,
): number {
  const part = Number.parseInt(sha256(`${name} ${createdAt} ${due}`).slice(0, 8), 16) / 2 ** 32
  return Math.floor(part * jitterMinutes * 60_000)
}
