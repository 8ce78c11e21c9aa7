import { observeAll, type Signal } from '../../../main/catalog/single-tenancy/isolation/signal.ts'
import { readFrom } from '../../../main/core/recording/readings.ts'
import type { Assessed } from './assess.ts'
import { isDressed } from './matrix.ts'

type Group = 'vm' | 'dressed' | 'metal'
type Tally = Record<Group, [hits: number, asked: number]>

const groupOf = (one: Assessed): Group | null => {
  if (one.truth === 'bare-metal') return 'metal'
  if (one.truth !== 'vm') return null
  return isDressed(one) ? 'dressed' : 'vm'
}

/** For every signal how often it read "virtual" among the cases of each group that it could read. */
export function countSignals(assessed: readonly Assessed[], signals: readonly Signal[]): ReadonlyMap<string, Tally> {
  const counts = new Map<string, Tally>(
    signals.map(({ id }) => [id, { vm: [0, 0], dressed: [0, 0], metal: [0, 0] }] as const),
  )
  for (const one of assessed) {
    const group = groupOf(one)
    if (group === null) continue
    for (const { signal, found } of observeAll(signals, readFrom(one.readings))) {
      const tally = counts.get(signal.id)?.[group]
      if (tally === undefined || (found.indicates !== 'virtual' && found.indicates !== 'bare-metal')) continue
      tally[1] += 1
      if (found.indicates === 'virtual') tally[0] += 1
    }
  }
  // Signals that could be read for none of them show nothing.
  return new Map([...counts].filter(([, { vm, dressed, metal }]) => vm[1] + dressed[1] + metal[1] > 0))
}

/** The counts, one signal a line, by its id. */
export function countsText(counts: ReadonlyMap<string, Tally>): string {
  const pair = ([hits, asked]: readonly [number, number]): string => `[${hits}, ${asked}]`
  const rows = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([id, { vm, dressed, metal }]) =>
        `  '${id}': { vm: ${pair(vm)}, dressed: ${pair(dressed)}, metal: ${pair(metal)} },`,
    )
  return `export const COUNTS: Readonly<Record<string, Counts>> = {\n${rows.join('\n')}\n}`
}
