import type { Deviation, PeriodChange, PeriodRun, PopulationFile } from '../../../schemas/types.ts'
import type { DueRun } from './plans.ts'
import { type AccessRow, type NodeRow, type NodeRunRow, yesNo } from './seen.ts'

export type PopulationName = PopulationFile['name']

/** Metadata of a population item: its sampling key, and the location of its captures. */
interface PopulationRow {
  readonly key: string
  readonly run: string | null
  readonly node: string | null
  /** The first is the key. */
  readonly cells: readonly string[]
}

export interface Population {
  readonly name: PopulationName
  readonly columns: readonly string[]
  readonly rows: readonly PopulationRow[]
}

export const populationPath = (name: PopulationName): string => `data/populations/${name}.csv`

/** Rows of text as one CSV file: Ports.csv. */
export type CsvWriter = (rows: Iterable<readonly string[]>) => string

interface PopulationInput {
  readonly runs: readonly PeriodRun[]
  readonly late: readonly (DueRun & { readonly run: string })[]
  readonly nodeRuns: readonly NodeRunRow[]
  readonly nodes: readonly NodeRow[]
  readonly accounts: readonly AccessRow[]
  readonly keys: readonly AccessRow[]
  readonly changes: readonly PeriodChange[]
  readonly deviations: readonly Deviation[]
}

const text = (value: string | number | null): string => (value === null ? '' : String(value))

/** Complete populations of a period, each in a stable order. */
export function populationsOf(input: PopulationInput): readonly Population[] {
  return [
    runsPopulation(input),
    nodesPopulation(input),
    nodeRunsPopulation(input.nodeRuns),
    accessPopulation('accounts', ACCOUNT_COLUMNS, input.accounts),
    accessPopulation('keys', KEY_COLUMNS, input.keys),
    changesPopulation(input.changes),
  ]
}

function runsPopulation({ runs, late }: PopulationInput): Population {
  const isLate = new Set(late.map(({ run }) => run))
  return {
    name: 'runs',
    columns: [
      'key',
      'entry',
      'at',
      'schedule',
      'due',
      'late',
      'declared',
      'answered',
      'trace',
      'catalog',
      'rules',
      'tag manifest',
      'signer',
    ],
    rows: runs.map((one) => ({
      key: one.run,
      run: one.run,
      node: null,
      cells: [
        one.run,
        text(one.entry),
        one.at,
        text(one.planned?.schedule ?? null),
        text(one.planned?.due ?? null),
        one.planned === null ? '' : yesNo(isLate.has(one.run)),
        ...(one.catalog === null ? ['', ''] : [text(one.declared), text(one.answered)]),
        one.catalog === null ? 'not available' : 'available',
        text(one.catalog),
        text(one.rules),
        one.tagManifest,
        one.signer,
      ],
    })),
  }
}

function nodesPopulation({ nodes, deviations }: PopulationInput): Population {
  const counted = (node: string, wanted: (one: Deviation) => boolean): string =>
    text(deviations.filter((one) => one.node === node && wanted(one)).length)
  return {
    name: 'nodes',
    columns: [
      'key',
      'first run',
      'first at',
      'last run',
      'last at',
      'runs declared',
      'runs collected',
      'at the beginning',
      'at the end',
      'deviations',
      'open deviations',
    ],
    rows: nodes.map((one) => ({
      key: one.node,
      run: one.lastRead,
      node: one.node,
      cells: [
        one.node,
        one.first.run,
        one.first.at,
        one.last.run,
        one.last.at,
        text(one.declared),
        text(one.answered),
        yesNo(one.atBeginning),
        yesNo(one.atEnd),
        counted(one.node, () => true),
        counted(one.node, ({ open }) => open),
      ],
    })),
  }
}

const nodeRunsPopulation = (rows: readonly NodeRunRow[]): Population => ({
  name: 'node-runs',
  columns: [
    'key',
    'run',
    'at',
    'node',
    'status',
    'failure',
    'collected at',
    'supported',
    'contradicted',
    'undecided',
    'not applicable',
    'not tested',
    'recorded',
    'host key',
    'recording',
  ],
  rows: rows.map((one) => ({
    key: `${one.run}/${one.node}`,
    run: one.run,
    node: one.node,
    cells: [
      `${one.run}/${one.node}`,
      one.run,
      one.at,
      one.node,
      one.status,
      text(one.failure),
      text(one.observedAt),
      ...one.verdicts.map(text),
      text(one.hostKey),
      text(one.recording),
    ],
  })),
})

const SEEN = ['first run', 'first at', 'last run', 'last at', 'runs present', 'at the beginning', 'at the end']
const ACCOUNT_COLUMNS = [
  'key',
  'node',
  'account',
  'uid',
  'may log in',
  'administrator',
  'administrator at any time',
  ...SEEN,
]
const KEY_COLUMNS = ['key', 'node', 'account', 'type', 'fingerprint', ...SEEN]

const accessPopulation = (
  name: 'accounts' | 'keys',
  columns: readonly string[],
  rows: readonly AccessRow[],
): Population => ({
  name,
  columns,
  rows: rows.map((one) => ({
    key: one.key,
    run: one.last.run,
    node: one.node,
    cells: [
      one.key,
      one.node,
      ...one.about,
      one.first.run,
      one.first.at,
      one.last.run,
      one.last.at,
      text(one.runs),
      yesNo(one.atBeginning),
      yesNo(one.atEnd),
    ],
  })),
})

const changesPopulation = (changes: readonly PeriodChange[]): Population => ({
  name: 'changes',
  columns: ['key', 'list', 'node', 'subject', 'before', 'after', 'from run', 'from', 'to run', 'to'],
  rows: changes.map((one) => ({
    key: one.id,
    run: one.to.run,
    node: one.node,
    cells: [
      one.id,
      one.list,
      text(one.node),
      one.subject,
      text(one.before),
      text(one.after),
      one.from.run,
      one.from.at,
      one.to.run,
      one.to.at,
    ],
  })),
})
