import type { HardwareChange, RunMoment, TracedNode } from './types.ts'
import type { Verdict } from './words.ts'

/** Differences between two runs of a fleet: evidence, rules and scope in separate lists, moved parts, and changed verdicts. */
export interface RunDrift {
  readonly before: RunMoment
  readonly after: RunMoment
  readonly evidence: readonly EvidenceChange[]
  readonly rules: readonly RulesChange[]
  readonly scope: readonly ScopeChange[]
  readonly moves: readonly HardwareChange[]
  /** Parts that only one of the runs found on several nodes, although no part can be in two places. */
  readonly twice: readonly PartTwice[]
  /** Changed verdicts of nodes that both runs collected. Differences caused only by a missing collection are in `uncollected`. */
  readonly flips: readonly Flip[]
  /** Nodes that one of the runs did not collect, or only in part: one cause for any number of verdicts. */
  readonly uncollected: readonly Uncollected[]
  /** Number of nodes that both runs collected; `unchanged`: those of them without a different reading. */
  readonly compared: number
  readonly unchanged: number
}

/** The collection of a node in a run. */
export interface CollectedAs {
  readonly status: TracedNode['status']
  /** Code of the failure that ended the collection. */
  readonly failure: string | null
}

/**
 * A node that cannot be compared completely, with the verdicts that differ for this reason alone and the probes that only one run has readings
 * of.
 */
export interface Uncollected {
  readonly node: string
  readonly before: CollectedAs
  readonly after: CollectedAs
  readonly checks: readonly string[]
  readonly probes: readonly string[]
}

/** A serial number, fixed address or host key that several nodes of one run report. */
export interface PartTwice {
  readonly kind: string
  readonly part: string
  readonly value: string
  readonly nodes: readonly string[]
  readonly at: RunMoment
}

/** A changed reading of one probe on a node. Probes that only one of the catalogs has are not changes of evidence. */
export interface EvidenceChange {
  readonly node: string
  /** Id of a probe, or of a property of the collection itself. */
  readonly what:
    | { readonly kind: 'reading'; readonly probe: string }
    | { readonly kind: 'status' | 'host-key' | 'address' }
  /** `lost` and `came`: there is a reading in only one of the runs. */
  readonly is: 'changed' | 'lost' | 'came'
  /** In words where it is short; null for a reading. */
  readonly before: string | null
  readonly after: string | null
}

export interface RulesChange {
  readonly what: 'engine' | 'catalog' | 'profile' | 'check-added' | 'check-removed' | 'probe-added' | 'probe-removed'
  readonly before: string | null
  readonly after: string | null
}

export interface ScopeChange {
  /** `part`: the part of the declared scope that `part` names; `declared`: the declarations of one node. */
  readonly what: 'node-added' | 'node-removed' | 'declared' | 'part'
  readonly node: string | null
  readonly part: string | null
}

/**
 * Cause of a changed verdict. `time`: recording and rules are the same. `undecided`: several of evidence, rules and declarations changed, or only
 * volatile readings did; only both recordings can distinguish the causes.
 */
const FLIP_CAUSES = ['evidence', 'rules', 'scope', 'time', 'undecided'] as const
export type FlipCause = (typeof FLIP_CAUSES)[number]

export interface Flip {
  readonly node: string
  readonly check: string
  /** Null: the check did not exist in that run. */
  readonly before: Verdict | null
  readonly after: Verdict | null
  readonly because: FlipCause
  /** Probes of the check with changed readings on the node. */
  readonly probes: readonly string[]
}

/**
 * A changed verdict explained with both recordings in steps: the earlier captures under the later rules, then with the later declarations, then
 * the later captures.
 */
export interface FlipDetail extends Flip {
  /** The verdict after each step: as stated, with the later rules, with the later declarations, with the later captures. */
  readonly steps: {
    readonly stated: Verdict | null
    readonly rules: Verdict | null
    readonly scope: Verdict | null
    readonly evidence: Verdict | null
  }
  /** Changed captures of the probes of the check. Empty for `time`. */
  readonly captures: readonly CaptureChange[]
}

export interface CaptureChange {
  readonly probe: string
  readonly command: string
  readonly stream: 'stdout' | 'stderr'
  /** SHA-256; null: there is no such capture. */
  readonly before: string | null
  readonly after: string | null
  /** The first lines that only one of them has, ready for display; empty where the bytes are not text. */
  readonly removed: readonly string[]
  readonly added: readonly string[]
  /** Number of further lines. */
  readonly more: number
}
