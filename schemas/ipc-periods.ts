import type { DayWindow } from './ipc-history.ts'
import type { ExportDraft, IdentityView } from './ipc-packs.ts'
import type { PeriodSample } from './types.ts'

/** Period reports: signed reports on the runs of a period that has ended. Days are in UTC. */
export interface PeriodMethods {
  /** Options for a period report of the current fleet. Null without a fleet. */
  'period.plan': { in: null; out: PeriodPlan | null }
  /**
   * Seals report and pack of a period into a folder of ours. It is reviewed, saved and discarded as the draft of `export.build`. `identity`
   * null: the only one.
   */
  'period.build': {
    in: DayWindow & {
      readonly samples: readonly PeriodSampling[]
      readonly identity: string | null
      readonly timestamp: boolean
    }
    out: ExportDraft
  }
}

/** Items that a printed seed selects from a list of the period; the raw evidence of each is enclosed. */
export type PeriodSampling = Pick<PeriodSample, 'population' | 'size' | 'seed'>

export interface PeriodPlan {
  readonly fleet: string
  readonly demo: boolean
  /** Number of runs in the run chain. With 0, no report is possible. */
  readonly runs: number
  /** The part of the declared period that has ended; without a declared period, from the first run to yesterday. Null where there is no such day. */
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
