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
