import type { Planned, RunTrace } from '../../../schemas/types.ts'
import type { Sha256 } from '../base/digest.ts'
import type { Outcome } from '../base/failure.ts'
import { answeredIn } from './trace.ts'

/** The seal that covers a run. */
export interface SealedAs {
  /** SHA-256 of the pack’s tag manifest, which the run chain names. */
  readonly tagManifest: Sha256
  readonly signer: Sha256
  /** Where the pack was written, relative to the root of the history; it may have been moved since. */
  readonly pack: string
  /** UTC, ISO 8601. */
  readonly at: string
}

/**
 * The stored data of a run: its trace, and the seal of the pack that contains it. Null: not sealed, and nothing may
 * present it as sealed.
 */
export interface KeptRun {
  readonly trace: RunTrace
  readonly sealed: SealedAs | null
}

/** A stored run without its nodes. */
export interface KeptHead {
  readonly run: string
  readonly fleet: string
  readonly asOf: string
  readonly demo: boolean
  readonly planned: Planned | null
  readonly declared: number
  /** Nodes that were collected completely or partially. Several names of one machine count once. */
  readonly answered: number
  readonly catalog: Sha256
  readonly rules: Sha256
  readonly sealed: SealedAs | null
}

/** The history of runs of one output folder: `history/`. */
export interface HistoryStore {
  /**
   * Stores a run permanently. Storing the same run again has no effect; a different trace for the same run and seal
   * is refused.
   */
  readonly keep: (kept: KeptRun) => Promise<Outcome<null>>
  /** Oldest first: by `asOf`, then by run, then by seal. */
  readonly list: () => Promise<Outcome<readonly KeptHead[]>>
  /** Fully checked: schema, canonical form, and that it is the requested run. */
  readonly load: (run: string, tagManifest: Sha256 | null) => Promise<Outcome<KeptRun>>
  /** Removes a stored run, without effect where there is none; used only for runs past their retention period. */
  readonly forget: (run: string, tagManifest: Sha256 | null) => Promise<Outcome<null>>
  /** Renames files that cannot be read, and returns their former names. */
  readonly putAside: () => Promise<Outcome<readonly string[]>>
}

export const headOfKept = ({ trace, sealed }: KeptRun): KeptHead => ({
  run: trace.run,
  fleet: trace.fleet,
  asOf: trace.asOf,
  demo: trace.demo,
  planned: trace.planned,
  declared: trace.nodes.length,
  answered: answeredIn(trace),
  catalog: trace.catalog.digest,
  rules: trace.rules,
  sealed,
})
