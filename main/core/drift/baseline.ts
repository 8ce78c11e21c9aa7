import type { BaselineEntry, RunChain } from '../run-chain/entry.ts'

export interface Baseline {
  readonly run: string
  /** Which line of entries.jsonl says so, counted from 1. */
  readonly entry: number
  readonly why: string
  /** When it was named. */
  readonly at: string
}

/** The run that later ones are compared with: what was said last. Null where nobody named one. */
export function baselineIn({ entries }: Pick<RunChain, 'entries'>): Baseline | null {
  const at = entries.findLastIndex(({ entry }) => entry.kind === 'baseline')
  const said = entries[at]?.entry as BaselineEntry | undefined
  return said === undefined ? null : { run: said.run, entry: at + 1, why: said.why, at: said.at }
}
