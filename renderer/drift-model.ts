import type { CaptureLine, DriftView, FlipView, HistoryRun } from '../schemas/ipc-history.ts'
import type { PartMove } from '../schemas/types.ts'
import { type Verdict, verdictWords } from '../schemas/words.ts'
import { plural, visible, when } from './text.ts'

/** What became of a part, as a sentence. */
export function partMoveWords({ from, to }: Pick<PartMove, 'from' | 'to'>): string {
  if (from === null) return `Came to ${visible(to ?? 'a node')}.`
  return to === null ? `Is gone from ${visible(from)}.` : `Moved from ${visible(from)} to ${visible(to)}.`
}

/** The head of a comparison: of how many nodes nothing differs. */
export function driftLine({ compared, unchanged, flips }: Pick<DriftView, 'compared' | 'unchanged' | 'flips'>): string {
  if (compared === 0) return 'No node answered in both runs, so no answers can be compared.'
  const verdicts = flips.total === 0 ? 'No verdict' : plural(flips.total, 'verdict')
  return `${unchanged} of ${plural(compared, 'node')} that answered in both runs answer alike. ${verdicts} came out otherwise.`
}

/** How a run is named in a list to choose from. */
export const runTitle = ({ at, seal, baseline }: Pick<HistoryRun, 'at' | 'seal' | 'baseline'>): string =>
  `${when(at)}${baseline ? ', baseline' : ''}${seal === 'none' ? ', not sealed' : ''}`

const STEPS = [
  ['stated', 'As it was stated then'],
  ['rules', 'The same answers, with the rules of now'],
  ['scope', 'The same answers, with what is declared now as well'],
  ['evidence', 'The answers of now'],
] as const

/** A flip step by step: what the verdict is after each, and which step made it another. */
export const flipSteps = ({
  steps,
}: Pick<FlipView, 'steps'>): readonly { readonly title: string; readonly verdict: string; readonly turns: boolean }[] =>
  STEPS.map(([key, title], index) => {
    const before = STEPS[index - 1]?.[0]
    return { title, verdict: verdictText(steps[key]), turns: before !== undefined && steps[before] !== steps[key] }
  })

export const verdictText = (verdict: Verdict | null): string =>
  verdict === null ? 'No such check' : verdictWords[verdict].label

/** What is said of a capture before its lines. */
export function captureLine({ before, after, removed, added, more }: CaptureLine): string {
  if (before === null) return 'There was no such answer before.'
  if (after === null) return 'There is no such answer any more.'
  if (removed.length + added.length + more === 0) return 'Its bytes differ and are not shown as text.'
  return `${plural(removed.length, 'line')} gone, ${plural(added.length, 'line')} new${more > 0 ? `, ${more} more not shown` : ''}.`
}
