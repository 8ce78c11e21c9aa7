import type { Engagement, RunTrace, Scope, TracedNode } from '../../../schemas/types.ts'
import { verdictLetters } from '../../../schemas/words.ts'
import { plural, quote } from '../base/plain-text.ts'
import { NOT_COMPARED } from '../history/trace.ts'
import { shortened } from '../run-chain/notes.ts'
import type { RunEvidence } from './conclusions.ts'

/** Finds recordings that a run has from an earlier one: a collection that is sealed in many runs took place once. */
interface RepeatFold {
  /** The evidence of the next run in chain order, with those nodes as not collected. */
  readonly add: (evidence: RunEvidence) => RunEvidence
  /** One sentence per run. */
  readonly notes: () => readonly string[]
}

export function repeatFold(): RepeatFold {
  const seen = new Set<string>()
  const notes: string[] = []
  return {
    add: (evidence) => {
      const { trace } = evidence
      const repeated = trace.nodes.filter(({ recording }) => recording !== null && seen.has(recording))
      for (const { recording } of trace.nodes) if (recording !== null) seen.add(recording)
      if (repeated.length === 0) return evidence
      notes.push(
        `Run ${quote(trace.run)} has the recordings of an earlier run for ${plural(repeated.length, 'node')}. They show no collection in this run; these nodes count as not tested.`,
      )
      return { ...evidence, trace: withoutThem(trace, new Set(repeated.map(({ node }) => node))) }
    },
    notes: () => shortened(notes),
  }
}

function withoutThem(trace: RunTrace, repeated: ReadonlySet<string>): RunTrace {
  const { sameMachines = [] } = trace
  const machines = sameMachines
    .map((names) => names.filter((node) => !repeated.has(node)))
    .filter((names) => names.length > 1)
  return {
    ...trace,
    nodes: trace.nodes.map((node) => (repeated.has(node.node) ? notCollected(node) : node)),
    ...(trace.sameMachines === undefined ? {} : { sameMachines: machines }),
  }
}

/** The node as in the trace of a run that has no recording of it. */
const notCollected = ({ node, declaresEphi, verdicts, readings }: TracedNode): TracedNode => ({
  node,
  ...(declaresEphi === undefined ? {} : { declaresEphi }),
  status: 'missing',
  failure: null,
  observedAt: null,
  recording: null,
  hostKey: null,
  address: null,
  declared: null,
  verdicts: verdicts.replace(/[^-]/g, verdictLetters['not-tested']),
  readings: NOT_COMPARED.repeat(readings.length / NOT_COMPARED.length),
  parts: [],
  accounts: null,
  keys: null,
})

/**
 * A note where the entity on the cover is not the one that the last run declares: the cover states it when the report is sealed, and nothing
 * else of the report depends on it.
 */
export function entityNotes(onCover: Engagement | null, lastRun: Scope | null): readonly string[] {
  if (onCover === null || lastRun === null) return []
  const declared = lastRun.engagement?.entity
  if (declared === onCover.entity) return []
  const inRun =
    declared === undefined ? 'the last run declares no engagement' : `the last run declares ${quote(declared)}`
  return [`The cover names the entity ${quote(onCover.entity)}, as stated when this report was sealed; ${inRun}.`]
}
