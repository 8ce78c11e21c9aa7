import type { MissedDue } from '../../../app/engine/schedules/missed-runs.ts'
import type { DueStart } from '../../../app/engine/schedules/scheduled-starts.ts'
import type { Outcome } from '../../../core/base/failure.ts'
import { asServer, type ServedEngagement } from './engagements.ts'
import { type Log, type Repeated, repeated } from './repeated.ts'

/** How the server checks for scheduled runs that are due. */
export interface Starting {
  /** Interval between two checks. */
  readonly everyMs: number
}

/** Starts the scheduled runs of every engagement and has missed ones recorded. */
export interface Starters {
  /**
   * Ends the checks and waits for those in progress; a run in progress ends with its engine. The next start of the server again asks a sealer
   * to sign a missed run that was not signed.
   */
  readonly close: () => Promise<void>
}

/** Awaited before each action. Where one rejects, the action is not taken and is tried again at the next check. */
interface StarterNotes {
  readonly started: (engagement: string, start: DueStart) => Promise<void>
  /** Before a sealer is asked to sign a missed run. */
  readonly missed: (engagement: string, missed: MissedDue) => Promise<void>
}

/**
 * Checks the schedules of each engagement at once and then periodically: for runs that are due and, separately, because a signer may take long,
 * for missed runs.
 */
export function startStarters(
  engagements: readonly Pick<ServedEngagement, 'engagement' | 'engine'>[],
  { everyMs }: Starting,
  { log, noted }: { readonly log: Log; readonly noted: StarterNotes },
): Starters {
  const ended = new AbortController()
  const looking = (engagement: string, look: () => Promise<Outcome<unknown>>): Repeated => {
    const work = async (): Promise<number> => {
      const failed = await look()
        .then((looked) => (looked.ok ? null : looked.error.code))
        .catch(() => 'bug')
      if (failed !== null && !ended.signal.aborted) log({ kind: 'schedules', engagement, failed })
      return everyMs
    }
    return repeated({ work, soonMs: everyMs })
  }
  const starters = engagements.flatMap(({ engagement: { name }, engine }) => [
    looking(name, () => engine.startDue((start) => noted.started(name, start))),
    looking(name, () => asServer(ended.signal, () => engine.recordMissedRun((missed) => noted.missed(name, missed)))),
  ])
  return {
    close: async () => {
      ended.abort()
      await Promise.all(starters.map((one) => one.close()))
    },
  }
}
