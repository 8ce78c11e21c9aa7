import type { Planned, RunTrace } from '../../schemas/types.ts'
import type { Sha256 } from './digest.ts'
import type { Outcome } from './failure.ts'
import { answeredIn } from './trace.ts'

/** The seal that covers a run. */
export interface SealedAs {
  /** SHA-256 of the pack's tag manifest: what the chain of runs names. */
  readonly tagManifest: Sha256
  readonly signer: Sha256
  /** Where the pack was written, from the root of the history; it may have been moved since. */
  readonly pack: string
  /** UTC, ISO 8601. */
  readonly at: string
}

/** What is kept of a run: its trace, and the seal over the pack that holds it. Null: nothing was sealed, and nothing may present it as such. */
export interface KeptRun {
  readonly trace: RunTrace
  readonly sealed: SealedAs | null
}

/** A kept run without its nodes. */
export interface KeptHead {
  readonly run: string
  readonly fleet: string
  readonly asOf: string
  readonly demo: boolean
  readonly planned: Planned | null
  readonly declared: number
  /** Nodes that answered, in full or in part. Names that are one machine count once. */
  readonly answered: number
  readonly catalog: Sha256
  readonly rules: Sha256
  readonly sealed: SealedAs | null
}

/** The history of runs below one folder: `history/`. */
export interface HistoryStore {
  /** Keeps a run for good. The same again is no change; another trace for the same run and seal is refused. */
  readonly keep: (kept: KeptRun) => Promise<Outcome<null>>
  /** Oldest first: by `asOf`, then by run, then by seal. */
  readonly list: () => Promise<Outcome<readonly KeptHead[]>>
  /** Checked in full: schema, canonical form, and that it is the run asked for. */
  readonly load: (run: string, tagManifest: Sha256 | null) => Promise<Outcome<KeptRun>>
  /** Takes a kept run away, and does nothing when it is not there: only for what the retention policy lets go. */
  readonly forget: (run: string, tagManifest: Sha256 | null) => Promise<Outcome<null>>
  /** Puts files that cannot be read aside under another name; gives what they were called. */
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
