import { populationWords } from '../../../schemas/period-words.ts'
import type { ControlCheck, Period, PeriodChange, PeriodSample } from '../../../schemas/types.ts'
import { of, plain } from '../../core/base/plain-text.ts'
import {
  type Block,
  code,
  heading,
  list,
  monoCell,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import type { Check } from '../../core/rules/check.ts'
import type { Framework } from '../../core/rules/framework.ts'
import { CHAIN_PATHS } from '../../core/run-chain/notes.ts'
import type { ReportInput } from '../input.ts'
import { when } from '../report/parts/wording.ts'
import { dayState, dayStateWords } from './day-states.ts'

export interface PeriodReportInput
  extends Pick<ReportInput, 'producer' | 'signer' | 'packName' | 'evidenceDigest' | 'demo'> {
  readonly period: Period
  /** Source of the expected conditions. A check missing from it is printed by its ID. */
  readonly catalog: Catalog
  /** Every item of the population “changes”, in order. */
  readonly changes: readonly PeriodChange[]
  /** The frameworks that were concluded on, as the last run chose them. */
  readonly frameworks: readonly Framework[]
}

export const PERIOD_TITLES = {
  cover: 'Report information',
  contents: 'Contents',
  reading: 'Method and terms',
  coverage: 'Schedules and coverage',
  gaps: 'Missed runs and days without evidence',
  runs: 'Runs',
  rules: 'Rules in effect',
  conclusions: 'Conclusions on controls',
  deviations: 'Deviations',
  changes: 'Changes',
  lists: 'Populations and samples',
  limits: 'Limitations',
  howto: 'Independent verification',
} as const
export const seePart = (part: keyof typeof PERIOD_TITLES): string => `“${PERIOD_TITLES[part]}”`

type Population = Period['populations'][number]
const populationOf = ({ populations }: Period, name: Population['name']): Population | null =>
  populations.find((one) => one.name === name) ?? null

/** The line below a table that was cut at its limit: how many rows of a population are left, and the file that has all. */
export function restIn({ period }: PeriodReportInput, name: Population['name'], left: number): readonly Block[] {
  const path = populationOf(period, name)?.path ?? 'data/period.json'
  return left > 0 ? [quiet(`For the other ${left}, see ${plain(path)} in the pack.`)] : []
}

/** The same line for rows that are in no population, with the member of data/period.json that has all. */
export const restBlock = (left: number, member?: string): readonly Block[] =>
  left > 0
    ? [quiet(`And ${left} more, in data/period.json in the pack${member === undefined ? '' : `, under “${member}”`}.`)]
    : []

/** Nodes declared in any run of the period; the maximum of one run where no list of them is enclosed. */
export const nodeCount = ({ period }: PeriodReportInput): number =>
  populationOf(period, 'nodes')?.rows ?? Math.max(0, ...period.runs.map(({ declared }) => declared))

export const checkOf = ({ catalog }: PeriodReportInput, id: string): Check | undefined =>
  catalog.checks.find((check) => check.id === id)

/** Lines of the run chain are numbered from 1. */
export const entryWords = (entry: number): string => `line ${entry} of ${CHAIN_PATHS.entries}`

/** Row limit of a printed table; the files in the pack have all rows. */
export const MOST_ROWS = 100

const MOST_DRAWN = 60

/** Complete populations as files, with the parameters required for information produced by the entity (IPE), and the samples selected from them. */
export function listSection(input: PeriodReportInput): Section {
  const { populations, samples } = input.period
  return {
    id: 'lists',
    title: PERIOD_TITLES.lists,
    blocks: [
      text(
        'Each population is a file in the pack with every item; no filter was applied. Anyone who holds the pack can reproduce the files, byte for byte, from the run chain and the run traces. The files do not show completeness beyond that, such as servers that were never declared.',
      ),
      ...populations.flatMap(populationBlocks),
      heading(3, 'Samples', true),
      ...(samples.length === 0
        ? [
            text(
              'No sample was selected when this pack was created. Samples can be selected from the files at any time by the rule below.',
            ),
          ]
        : [
            text(
              'Sample size and seed were specified by the requester of the pack. The captures of sampled nodes are in the pack under data/runs, each covered by the seal of its run.',
            ),
          ]),
      ...samples.flatMap((sample, index) => sampleBlocks(input, sample, index + 1)),
      heading(3, 'Re-performing the selection'),
      text(
        'For each row of the file, hash the seed, a line feed and the key (the first column). Sort by digest: the rows with the smallest digests are the sample, smallest first. Only the key is used, so results cannot influence the selection. For one row:',
      ),
      code(['printf \'%s\\n%s\' "$seed" "$key" | sha256sum']),
      text('For an unpredictable sample, choose the seed after the pack is sealed and select from the files.'),
    ],
  }
}

function populationBlocks({
  name,
  path,
  rows,
  sha256,
  unit,
  source,
  how,
}: Period['populations'][number]): readonly Block[] {
  return [
    heading(3, `Population: ${populationWords[name]}`, true),
    {
      kind: 'facts',
      rows: [
        { label: 'Item', value: plainCell(plain(unit)) },
        { label: 'Items', value: plainCell(String(rows)) },
        { label: 'Source', value: plainCell(plain(source, 1000)) },
        { label: 'Parameters', value: plainCell(plain(how, 2000)) },
        { label: 'File', value: [{ text: plain(path), style: 'mono' }] },
        { label: 'SHA-256', value: monoCell(sha256) },
      ],
    },
  ]
}

function sampleBlocks({ period }: PeriodReportInput, sample: PeriodSample, number: number): readonly Block[] {
  const { population, seed, of: rows, sampled } = sample
  const path = populationOf(period, population)?.path ?? population
  const left = sampled.length - MOST_DRAWN
  return [
    heading(4, `Sample ${number}, of ${populationWords[population]}`, true),
    {
      kind: 'facts',
      rows: [
        {
          label: 'Selected',
          value: plainCell(`${of(sampled.length, rows)} items of ${plain(path)}; ${sample.size} requested`),
        },
        { label: 'Seed', value: monoCell(plain(seed)) },
      ],
    },
    table(
      { Row: 8, Key: 40, 'Captures: run': 32, Node: 20 },
      sampled
        .slice(0, MOST_DRAWN)
        .map(({ place, key, run, node }) => [
          plainCell(String(place)),
          monoCell(plain(key, 300)),
          run === null ? [{ text: 'not available', style: 'strong' }] : monoCell(plain(run, 100)),
          plainCell(node === null ? 'entire run' : plain(node, 80)),
        ]),
    ),
    quiet('Row numbers the rows of the file from 1, without its header line.'),
    ...restBlock(left, 'samples'),
  ]
}

/** Where no run is missing without explanation. Without a schedule, none could be. */
export const noneMissed = ({ calendar }: Period): string =>
  calendar.counts.planned === 0
    ? 'None: no scheduled run was due in the period.'
    : 'None. The run chain accounts for every scheduled run.'

/** Further notes from the run chain: runs sealed twice, evidence deleted. */
export function noteBlocks({ period }: PeriodReportInput): readonly Block[] {
  const { notes = [] } = period
  if (notes.length === 0) return []
  const left = notes.length - MOST_DRAWN
  return [
    heading(3, 'Further notes from the run chain', true),
    text(`Entry numbers refer to ${entryWords(0).replace('line 0 of ', '')}, numbered from 1.`),
    list(notes.slice(0, MOST_DRAWN).map((note) => ({ text: datedText(plain(note, 2000)) }))),
    ...restBlock(left, 'notes'),
  ]
}

/** Instants within a sentence, in the form of every other time of the report. */
const datedText = (words: string): string => words.replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, when)

/** A CSV file: a header, and one row per item with the value of each column. */
export const rowsOf = <T>(
  items: readonly T[],
  columns: Readonly<Record<string, (one: T) => string | number>>,
): readonly (readonly string[])[] => [
  Object.keys(columns),
  ...items.map((one) => Object.values(columns).map((cellOf) => String(cellOf(one)))),
]

/** calendar.csv: one row per UTC day. */
export const calendarRows = ({ calendar }: Pick<Period, 'calendar'>): readonly (readonly string[])[] =>
  rowsOf(calendar.days, {
    day: ({ day }) => day,
    shows: (day) => dayStateWords[dayState(day)].label,
    planned: ({ planned }) => planned,
    'took place': ({ completed }) => completed,
    late: ({ late }) => late,
    'missed, explained': ({ recorded }) => recorded,
    'missed, unexplained': ({ unrecorded }) => unrecorded,
    unscheduled: ({ unplanned }) => unplanned,
    'nodes declared': ({ declared }) => declared,
    'nodes collected': ({ answered }) => answered,
  })

/** deviations.csv: one row per deviation. */
export const deviationRows = ({ deviations }: Pick<Period, 'deviations'>): readonly (readonly string[])[] =>
  rowsOf(deviations, {
    node: ({ node }) => node,
    check: ({ check }) => check,
    'found in run': ({ found }) => found.run,
    'found at': ({ found }) => found.at,
    'last seen in run': ({ lastSeen }) => lastSeen.run,
    'last seen at': ({ lastSeen }) => lastSeen.at,
    'remediated in run': ({ fixed }) => fixed?.run ?? '',
    'remediated at': ({ fixed }) => fixed?.at ?? '',
    'open at period end': ({ open }) => (open ? 'yes' : 'no'),
    'runs with deviation': ({ runs }) => runs,
    'inconclusive runs': ({ unknown }) => unknown,
  })

/**
 * Counts of checks over a period, in node tests: one node in one run is one test. A control limited to nodes with ePHI counts fewer, so the largest
 * count of a check is used.
 */
export function nodeTestsIn({ conclusions }: Pick<Period, 'conclusions'>): (check: string) => string {
  const found = new Map<string, ControlCheck>()
  for (const { conclusion } of conclusions?.controls ?? [])
    for (const one of conclusion.checks) {
      const known = found.get(one.check)
      if (known === undefined || one.population > known.population) found.set(one.check, one)
    }
  return (check) => {
    const one = found.get(check)
    return one === undefined
      ? 'not counted in this period'
      : `deviations in ${of(one.notSatisfied, one.tested)} node tests, ${one.inconclusive} inconclusive, ${one.notTested} not tested`
  }
}
