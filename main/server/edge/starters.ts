import type { MissedDue } from '../../app/engine/missed-runs.ts'
import type { DueStart } from '../../app/engine/scheduled-starts.ts'
import type { Outcome } from '../../core/failure.ts'
import { asServer, type ServedEngagement } from './engagements.ts'
import { type Log, type Repeated, repeated } from './repeated.ts'

/** How the server looks for scheduled runs that are due. */
export interface Starting {
  /** Between two looks. */
  readonly everyMs: number
}

/** What starts the scheduled runs of every engagement, and has missed ones recorded. */
export interface Starters {
  /**
   * Looks no more, and waits for the look in progress; a run in progress ends with its engine. A missed run that a sealer was asked to sign is
   * asked for again by the next start of the server.
   */
  readonly close: () => Promise<void>
}

/** What is awaited before it is done; where it rejects, nothing is done, and it is looked at again. */
interface StarterNotes {
  readonly started: (engagement: string, start: DueStart) => Promise<void>
  /** Before a sealer is asked to sign a missed run. */
  readonly missed: (engagement: string, missed: MissedDue) => Promise<void>
}

/**
 * Looks at the schedules of each engagement at once, and then from time to time: for runs that are due, and besides, because a signer may take
 * long, for missed ones.
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
