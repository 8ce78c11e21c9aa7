import type { Ports } from '../../core/all-ports.ts'
import type { Failure } from '../../core/failure.ts'
import { deliver, noticeOf, queued } from './notify.ts'
import type { RanOnce, ScheduledInput } from './scheduled-run.ts'
import { NOTHING_REMEMBERED, type Remembered, readRemembered, writeRemembered } from './state-file.ts'
import {
  changesBetween,
  countsOf,
  outcomeWords,
  statesAfter,
  statesAfterFailure,
  type WatchedStates,
} from './states.ts'

interface ToTell {
  /** The run, that it could not be exported, or that there was none. */
  readonly happened: RanOnce | 'failure' | 'nothing'
  readonly due: string | null
  /** Whether earlier scheduled runs were missed. */
  readonly missed: boolean
}

/**
 * Compares the monitored states with those after the previous run, stores them, and notifies the recipients of the
 * schedule of changes; the first time, of the start of monitoring. Undelivered notifications are kept for the next run.
 * Returns the errors.
 */
export async function tellOf<R extends RanOnce>(
  world: Pick<Ports, 'clock' | 'entropy' | 'files' | 'notify'>,
  { schedule, claimOf, say }: ScheduledInput<R>,
  { happened, due, missed }: ToTell,
): Promise<readonly Failure[]> {
  const remembered = await readRemembered(world, schedule)
  if (remembered === null) say('The stored state of earlier runs cannot be read; monitoring starts again.')
  const { run: runBefore, states: before, waiting } = remembered ?? NOTHING_REMEMBERED
  const after = statesOf(happened, before, missed)
  // Nothing was monitored before, and nothing happened.
  if (after === null) return []
  const run = typeof happened === 'string' ? null : happened.run
  const first = before === null
  const beginning = after.outcome === 'failed' ? [outcomeWords.failed] : []
  const changes = first ? beginning : changesBetween(before, after, claimOf)
  const about = { run, due, counts: countsOf(after) }
  const notice = first || changes.length > 0 ? noticeOf(world, schedule, about, { changes, first }) : null
  for (const change of changes) say(`Changed: ${change}`)
  const { queue, notes } = queued(schedule.notify, waiting, notice)
  for (const note of notes) say(note)
  // Before any notification is sent, so that it keeps its id should this process end meanwhile.
  const next: Remembered = { run: run ?? runBefore, states: after, waiting: queue }
  const kept = await writeRemembered(world, schedule, next)
  const delivered = await deliver(world, queue)
  const still =
    queue.length === 0 ? kept : await writeRemembered(world, schedule, { ...next, waiting: delivered.waiting })
  return [...delivered.failures, ...(kept.ok ? [] : [kept.error]), ...(kept.ok && !still.ok ? [still.error] : [])]
}

function statesOf(happened: ToTell['happened'], before: WatchedStates | null, missed: boolean): WatchedStates | null {
  if (happened === 'nothing') return before === null ? null : { ...before, missed }
  return happened === 'failure' ? statesAfterFailure(before, missed) : statesAfter(before, happened, missed)
}
