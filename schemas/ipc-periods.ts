import type { DayWindow } from './ipc-history.ts'
import type { ExportDraft, IdentityView } from './ipc-packs.ts'
import type { PeriodSample } from './types.ts'

/** Period reports: signed reports on what the runs of a period show, once it has ended. Days are days of UTC. */
export interface PeriodMethods {
  /** What a period report of the window's fleet can cover. Null without a fleet. */
  'period.plan': { in: null; out: PeriodPlan | null }
  /** Seals report and pack of a period into a folder of ours. It is reviewed, saved and discarded as the draft of `export.build`. `identity` null: the only one. */
  'period.build': {
    in: DayWindow & {
      readonly samples: readonly PeriodSampling[]
      readonly identity: string | null
      readonly timestamp: boolean
    }
    out: ExportDraft
  }
}

/** Items that are drawn from a list of the period by a printed seed; the raw evidence of each is enclosed. */
export type PeriodSampling = Pick<PeriodSample, 'population' | 'size' | 'seed'>

export interface PeriodPlan {
  readonly fleet: string
  readonly demo: boolean
  /** Runs that the chain names. Without any, there is nothing to report on. */
  readonly runs: number
  /** The declared period as far as it has ended; without one, from the first run to yesterday. Null where no day fits. */
  readonly proposed: DayWindow | null
  /** Yesterday: the last day of a period that has ended. */
  readonly latest: string
  readonly identities: readonly IdentityView[]
  /** The organization that the engagement names; null without one. */
  readonly organization: string | null
  /** Null: no authority is set, and the time is from this computer only. */
  readonly authority: string | null
}

/** As in the schema of a period. */
export const MOST_SAMPLES = 20
export const LARGEST_PERIOD_SAMPLE = 100_000
export const LONGEST_SEED = 200
