import type { PopulationFile } from '../../../schemas/types.ts'
import { sha256 } from '../digest.ts'
import { type CsvWriter, type Population, type PopulationName, populationPath } from './populations.ts'

/** The file of a population, with the parameters that auditors require for information produced by the entity (IPE). */
export function populationFile(
  population: Population,
  csv: CsvWriter,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly file: PopulationFile; readonly bytes: Uint8Array } {
  const { name, columns, rows } = population
  const bytes = new TextEncoder().encode(csv([columns, ...rows.map(({ cells }) => cells)]))
  const { unit, source, order } = ABOUT[name]
  const how = `Every run in the run chain of this fleet sealed from ${from} to ${to} (UTC days, both included), once each; no other filter was applied. ${order} The first column is the key used for sampling.`
  return {
    file: { name, path: populationPath(name), rows: rows.length, sha256: sha256(bytes), unit, source, how },
    bytes,
  }
}

const TRACES = 'the sealed run traces of the period (data/trace.json in each run), which are derived from the captures'

const ABOUT: Readonly<Record<PopulationName, Record<'unit' | 'source' | 'order', string>>> = {
  runs: {
    unit: 'One run that was sealed and entered in the run chain.',
    source:
      'Entries of the run chain (data/log/entries.jsonl); node counts come from the sealed run trace of each run.',
    order: 'In order of entry.',
  },
  nodes: {
    unit: 'One node declared in at least one run of the period.',
    source: `The declared nodes in ${TRACES}. Nodes not declared in any run are not included.`,
    order:
      'Sorted by name. Beginning and end are the first and the last run of the period with an available run trace.',
  },
  'node-runs': {
    unit: 'One node in one run that declares it, whether or not it was collected.',
    source: `The declared nodes, their collection status and verdicts in ${TRACES}.`,
    order: 'In run order, then by node.',
  },
  accounts: {
    unit: 'One local account on one node: a name with a numeric ID.',
    source: `The account lists of the nodes in ${TRACES}. A run in which a node’s list could not be read is not used for that node.`,
    order:
      'Sorted by node, account and ID. Beginning and end are the first and the last run that read the list of that node.',
  },
  keys: {
    unit: 'One public key that grants access to one account on one node.',
    source: `The authorized key lists of the nodes in ${TRACES}. A run in which a node’s list could not be read is not used for that node.`,
    order:
      'Sorted by node, account and fingerprint. Beginning and end are the first and the last run that read the list of that node.',
  },
  changes: {
    unit: 'One difference between a run and the one before it: in evidence, rules or scope.',
    source: `Comparison of ${TRACES}. Values that change on an unmodified host are excluded, as defined by the catalog for each probe. A node not collected in a run is compared with the run that last collected it.`,
    order: 'In run order.',
  },
}
