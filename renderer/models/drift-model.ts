import type { PartTwice } from '../../schemas/drift.ts'
import type { Bounded, CaptureLine, DriftView, FlipView, HistoryRun } from '../../schemas/ipc-history.ts'
import { startedAt } from '../../schemas/run-start.ts'
import type { HardwareChange } from '../../schemas/types.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import { plural, visible, when } from './text.ts'

/** A hardware change as a sentence. */
export function partMoveWords({ from, to }: Pick<HardwareChange, 'from' | 'to'>): string {
  if (from === null) return `Added to ${visible(to ?? 'a node')}.`
  return to === null ? `Removed from ${visible(from)}.` : `Moved from ${visible(from)} to ${visible(to)}.`
}

/** One part that several nodes report, with the nodes of each run that shows it. */
export interface PartInRuns {
  readonly part: string
  readonly value: string
  readonly runs: readonly Pick<PartTwice, 'nodes' | 'at'>[]
}

/** Parts that several nodes report, each once: one in both runs is one part. Where rows are left out, their total stays. */
export function partsTwice({ rows, total }: Bounded<PartTwice>): Bounded<PartInRuns> {
  const parts = new Map<string, PartInRuns>()
  for (const { part, value, nodes, at } of rows) {
    const key = JSON.stringify([part, value])
    parts.set(key, { part, value, runs: [...(parts.get(key)?.runs ?? []), { nodes, at }] })
  }
  return { rows: [...parts.values()], total: rows.length < total ? total : parts.size }
}

/** The heading of a comparison: on how many nodes no evidence changed, and how many results did. */
export function driftLine({ compared, unchanged, flips }: Pick<DriftView, 'compared' | 'unchanged' | 'flips'>): string {
  if (compared === 0) return 'No node was collected in both runs.'
  const evidence = `No change in the evidence of ${unchanged} of ${plural(compared, 'node')} collected in both runs`
  return flips.results === 0
    ? `${evidence}. No result changed.`
    : `${evidence}, apart from values that always vary. ${plural(flips.results, 'result')} changed.`
}

/** The name of a run in a list. */
export const runTitle = ({ run, at, seal, baseline }: Pick<HistoryRun, 'run' | 'at' | 'seal' | 'baseline'>): string =>
  `${when(startedAt({ run, at }))}${baseline ? ', baseline' : ''}${seal === 'none' ? ', not sealed' : ''}`

const STEPS = [
  ['stated', 'As evaluated in the earlier run'],
  ['rules', 'Same evidence, current rules'],
  ['scope', 'Same evidence, current rules and scope'],
  ['evidence', 'Current evidence'],
] as const

/** A changed result step by step: the verdict after each step, and which step changed it. */
export const flipSteps = ({
  steps,
}: Pick<FlipView, 'steps'>): readonly { readonly title: string; readonly verdict: string; readonly turns: boolean }[] =>
  STEPS.map(([key, title], index) => {
    const before = STEPS[index - 1]?.[0]
    return { title, verdict: verdictText(steps[key]), turns: before !== undefined && steps[before] !== steps[key] }
  })

const verdictText = (verdict: Verdict | null): string =>
  verdict === null ? 'No such check' : verdictWords[verdict].label

/** The summary of a changed capture, above its lines. */
export function captureLine({ before, after, removed, added, more }: CaptureLine): string {
  if (before === null) return 'No such capture in the earlier run.'
  if (after === null) return 'No such capture in the later run.'
  if (removed.length + added.length + more === 0) return 'The bytes differ and cannot be shown as text.'
  return `${plural(removed.length, 'line')} removed, ${plural(added.length, 'line')} added${more > 0 ? `, ${more} more not shown` : ''}.`
}
