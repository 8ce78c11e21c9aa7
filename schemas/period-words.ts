import type { PopulationFile } from './types.ts'

/** Complete lists of a period, from which items are sampled. */
export const POPULATIONS = [
  'runs',
  'nodes',
  'node-runs',
  'accounts',
  'keys',
  'changes',
] as const satisfies readonly PopulationFile['name'][]

export const populationWords: Readonly<Record<PopulationFile['name'], string>> = {
  runs: 'runs',
  nodes: 'nodes',
  'node-runs': 'nodes in runs',
  accounts: 'accounts',
  keys: 'authorized keys',
  changes: 'changes',
}

/** What a pack covers, by its name in the engine: a run, or a period by its days. */
export function packSubject(run: string): string {
  const [, from, to] = /^period-(\d{4}-\d{2}-\d{2})-(\d{4}-\d{2}-\d{2})$/.exec(run) ?? []
  return from === undefined || to === undefined ? `run ${run}` : `period ${from} to ${to}`
}
