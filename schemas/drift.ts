import type { HardwareChange, RunMoment, TracedNode } from './types.ts'
import type { Verdict } from './words.ts'

/** What differs between two runs of a fleet: three lists that never mix, the parts that moved, and the verdicts that came out otherwise. */
export interface RunDrift {
  readonly before: RunMoment
  readonly after: RunMoment
  readonly evidence: readonly EvidenceChange[]
  readonly rules: readonly RulesChange[]
  readonly scope: readonly ScopeChange[]
  readonly moves: readonly HardwareChange[]
  /** Parts that one run found on several nodes and the other did not so find: no part is in two places. */
  readonly twice: readonly PartTwice[]
  /** Verdicts of nodes that both runs read. What differs only because one of them did not is in `uncollected`. */
  readonly flips: readonly Flip[]
  /** Nodes that one of the runs did not read, or only in part: one cause, however many verdicts rest on it. */
  readonly uncollected: readonly Uncollected[]
  /** Nodes that both runs read, and of how many of them no reading differs. */
  readonly compared: number
  readonly unchanged: number
}

/** How a run came to read a node, or not to. */
export interface CollectedAs {
  readonly status: TracedNode['status']
  /** Code of the failure that ended the collection. */
  readonly failure: string | null
}

/** A node that cannot be compared, or not in all: the verdicts that are others for that alone, and the questions that only one run has answers to. */
export interface Uncollected {
  readonly node: string
  readonly before: CollectedAs
  readonly after: CollectedAs
  readonly checks: readonly string[]
  readonly probes: readonly string[]
}

/** A serial number, fixed address or host key that several nodes of one run show. */
export interface PartTwice {
  readonly kind: string
  readonly part: string
  readonly value: string
  readonly nodes: readonly string[]
  readonly at: RunMoment
}

/** A node answers one question otherwise. Questions that only one of the catalogs has are no change of evidence. */
export interface EvidenceChange {
  readonly node: string
  /** A probe's id, or what the collection itself shows. */
  readonly what:
    | { readonly kind: 'reading'; readonly probe: string }
    | { readonly kind: 'status' | 'host-key' | 'address' }
  /** `lost` and `came`: it has a reading in one of the runs only. */
  readonly is: 'changed' | 'lost' | 'came'
  /** In words, where it is short; null for a reading. */
  readonly before: string | null
  readonly after: string | null
}

export interface RulesChange {
  readonly what: 'engine' | 'catalog' | 'profile' | 'check-added' | 'check-removed' | 'probe-added' | 'probe-removed'
  readonly before: string | null
  readonly after: string | null
}

export interface ScopeChange {
  /** `part`: a part of the declared scope, named in `part`; `declared`: what was declared of one node. */
  readonly what: 'node-added' | 'node-removed' | 'declared' | 'part'
  readonly node: string | null
  readonly part: string | null
}

/**
 * Why a verdict is another one than before. `time`: it rests on the same recording, under the same rules. `undecided`: more than one of them
 * changed, or nothing but what changes by itself, and only both recordings can tell them apart.
 */
const FLIP_CAUSES = ['evidence', 'rules', 'scope', 'time', 'undecided'] as const
export type FlipCause = (typeof FLIP_CAUSES)[number]

export interface Flip {
  readonly node: string
  readonly check: string
  /** Null: no such check then. */
  readonly before: Verdict | null
  readonly after: Verdict | null
  readonly because: FlipCause
  /** Questions that the check rests on and that the node answers otherwise. */
  readonly probes: readonly string[]
}

/** A flip taken apart with both recordings, step by step: the old answers under the rules of now, then with what is declared now, then the new ones. */
export interface FlipDetail extends Flip {
  /** The verdict after each step: as stated then, the rules of now, the declarations of now, the answers of now. */
  readonly steps: {
    readonly stated: Verdict | null
    readonly rules: Verdict | null
    readonly scope: Verdict | null
    readonly evidence: Verdict | null
  }
  /** Which bytes changed, of the questions that the check rests on. Empty for `time`. */
  readonly captures: readonly CaptureChange[]
}

export interface CaptureChange {
  readonly probe: string
  readonly command: string
  readonly stream: 'stdout' | 'stderr'
  /** SHA-256; null: no such answer. */
  readonly before: string | null
  readonly after: string | null
  /** Lines that only one of them has, the first few, as they may be shown; empty where the bytes are no text. */
  readonly removed: readonly string[]
  readonly added: readonly string[]
  /** Lines beyond those. */
  readonly more: number
}
