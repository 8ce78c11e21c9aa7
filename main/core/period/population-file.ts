import type { PopulationFile } from '../../../schemas/types.ts'
import { sha256 } from '../digest.ts'
import { type CsvWriter, type Population, type PopulationName, populationPath } from './populations.ts'

/** The file of a population, and what an auditor asks of a list that the entity produced. */
export function populationFile(
  population: Population,
  csv: CsvWriter,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly file: PopulationFile; readonly bytes: Uint8Array } {
  const { name, columns, rows } = population
  const bytes = new TextEncoder().encode(csv([columns, ...rows.map(({ cells }) => cells)]))
  const { unit, source, order } = ABOUT[name]
  const how = `Of the chain of this fleet’s runs, every run sealed from ${from} to ${to}, both days of UTC included, once each; nothing was left out by any other rule. ${order} The first column is the key that a draw uses.`
  return {
    file: { name, path: populationPath(name), rows: rows.length, sha256: sha256(bytes), unit, source, how },
    bytes,
  }
}

const TRACES = 'the sealed traces of the period’s runs (data/trace.json in each), which follow from the raw answers'

const ABOUT: Readonly<Record<PopulationName, Record<'unit' | 'source' | 'order', string>>> = {
  runs: {
    unit: 'One run that was sealed and entered into the chain.',
    source:
      'Entries of the chain of runs (data/log/entries.jsonl); the counts of nodes are from the sealed trace of each run.',
    order: 'In the order of entering.',
  },
  nodes: {
    unit: 'One node that at least one of the period’s runs declares.',
    source: `The declared nodes in ${TRACES}. Nodes that no run declared are not in it.`,
    order:
      'Sorted by name. The beginning and the end are the first and the last run of the period whose trace is at hand.',
  },
  'node-runs': {
    unit: 'One node in one run that declares it, whether or not it answered.',
    source: `The declared nodes, their states and verdicts in ${TRACES}.`,
    order: 'In the order of the runs, then by node.',
  },
  accounts: {
    unit: 'One local account on one node: a name with a numeric id.',
    source: `The lists of accounts that the nodes gave, in ${TRACES}. A run in which a node’s list could not be read says nothing of it.`,
    order:
      'Sorted by node, account and id. The beginning and the end are the first and the last run that read the list of that node.',
  },
  keys: {
    unit: 'One public key that opens one account on one node.',
    source: `The lists of keys that the nodes gave, in ${TRACES}. A run in which a node’s list could not be read says nothing of it.`,
    order:
      'Sorted by node, account and fingerprint. The beginning and the end are the first and the last run that read the list of that node.',
  },
  changes: {
    unit: 'One difference between a run and the one before it: of an answer, of the rules, or of what was declared.',
    source: `Comparison of ${TRACES}. What changes by itself on an untouched host is left out, as the catalog says for each question. A node that a run did not read is compared with the run that read it last.`,
    order: 'In the order of the runs.',
  },
}
