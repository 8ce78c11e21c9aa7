import type { EvidenceChange, RulesChange, RunDrift, ScopeChange } from '../../../schemas/drift.ts'
import type { HardwareChange, PeriodChange, RunTrace, TracedNode } from '../../../schemas/types.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { sha256 } from '../base/digest.ts'
import { driftOf } from '../drift/compare.ts'

/** Changes from run to run: every difference, and hardware changes. */
interface ChangeFold {
  /** The next run in chain order whose run trace is available. */
  readonly add: (trace: RunTrace) => void
  readonly finish: () => { readonly changes: readonly PeriodChange[]; readonly moves: readonly HardwareChange[] }
}

/**
 * Compares each run with the one before it, and a node not collected in that run with the run that last collected it, so that no change
 * is missed because of a run without the node. At most two runs are in memory, with the last collected facts of the nodes.
 */
export function changeFold(): ChangeFold {
  const changes: PeriodChange[] = []
  const moves: HardwareChange[] = []
  let before: RunTrace | null = null
  /** Nodes not collected in the last run, and the run that last collected them. */
  const away = new Map<string, Held>()
  return {
    add: (trace) => {
      if (before !== null) {
        const drift = driftOf(before, trace)
        changes.push(...rowsOf(drift))
        moves.push(...drift.moves)
        for (const drift of behind(away, trace)) {
          changes.push(...rowsOf(drift))
          moves.push(...drift.moves)
        }
        hold(away, before, trace)
      }
      for (const { node } of trace.nodes.filter(wasRead)) away.delete(node)
      before = trace
    },
    finish: () => ({ changes, moves }),
  }
}

interface Held {
  /** Without its nodes. */
  readonly head: RunTrace
  readonly node: TracedNode
}

const wasRead = ({ recording, status }: TracedNode): boolean =>
  recording !== null && (status === 'complete' || status === 'partial')

/** Keeps nodes that were collected before but not in this run. */
function hold(away: Map<string, Held>, before: RunTrace, now: RunTrace): void {
  const read = new Set(now.nodes.filter(wasRead).map(({ node }) => node))
  const head = { ...before, nodes: [] }
  for (const node of before.nodes.filter(wasRead)) if (!read.has(node.node)) away.set(node.node, { head, node })
}

/** Changes on nodes since the run that last collected them, where that is not the previous run. Rules and scope were compared already. */
function behind(away: ReadonlyMap<string, Held>, now: RunTrace): readonly RunDrift[] {
  return now.nodes.filter(wasRead).flatMap((node) => {
    const held = away.get(node.node)
    if (held === undefined) return []
    const drift = driftOf({ ...held.head, nodes: [held.node] }, { ...now, nodes: [node] })
    return [{ ...drift, rules: [], scope: [] }]
  })
}

function rowsOf({ before: from, after: to, evidence, rules, scope }: RunDrift): readonly PeriodChange[] {
  const row = (parts: Pick<PeriodChange, 'list' | 'node' | 'subject' | 'before' | 'after'>): PeriodChange => {
    const content = {
      ...parts,
      subject: parts.subject.slice(0, 200),
      before: parts.before?.slice(0, 200) ?? null,
      after: parts.after?.slice(0, 200) ?? null,
      from,
      to,
    }
    return { id: sha256(canonicalJson(content)).slice(0, 16), ...content }
  }
  return [
    ...evidence.map((one) => row(ofEvidence(one))),
    ...rules.map((one) => row(ofRules(one))),
    ...scope.map((one) => row(ofScope(one))),
  ]
}

type Parts = Pick<PeriodChange, 'list' | 'node' | 'subject' | 'before' | 'after'>

const ofEvidence = ({ node, what, is, before, after }: EvidenceChange): Parts => ({
  list: 'evidence',
  node,
  subject: what.kind === 'reading' ? what.probe : what.kind,
  before: before ?? (is === 'came' ? 'not collected' : is === 'lost' ? 'collected' : null),
  after: after ?? (is === 'came' ? 'collected' : is === 'lost' ? 'not collected' : null),
})

const ofRules = ({ what, before, after }: RulesChange): Parts => ({
  list: 'rules',
  node: null,
  subject: what,
  before,
  after,
})

const ofScope = ({ what, node, part }: ScopeChange): Parts => ({
  list: 'scope',
  node,
  subject: part === null ? what : `${what} ${part}`,
  before: null,
  after: null,
})
