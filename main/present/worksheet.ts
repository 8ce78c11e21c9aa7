import { severityWords } from '../../schemas/conclusion-words.ts'
import type { SampledResult, Worksheet } from '../../schemas/ipc-packs.ts'
import { samplePopulationWords, stratumWords, workStateWords } from '../../schemas/review-words.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import type { Sheet } from '../core/all-ports.ts'
import { of, plain, plural } from '../core/base/plain-text.ts'
import {
  type Block,
  heading,
  monoCell,
  type Paper,
  plainCell,
  quiet,
  type ReportDocument,
  type Section,
  text,
} from '../core/base/report-document.ts'
import { columns, type Grid, gridOf, sheetOf } from './formats/grids/grid.ts'

/** An auditor's worksheet with what it is about. */
export interface WorksheetInput {
  readonly sheet: Worksheet
  /** Digest of the pack. */
  readonly sha256: string
  readonly demo: boolean
  readonly producer: string
  readonly paper: Paper
  /** UTC, ISO 8601: when the worksheet is written. */
  readonly writtenAt: string
  /** Stated verdict of a result; undefined where the pack has no such result. */
  readonly verdictOf: (node: string, check: string) => Verdict | undefined
  /** Expected condition of a check; empty for a check that this catalog does not have. */
  readonly expectedOf: (check: string) => string
}

/** One result with the auditor's decision: sampled ones in their order, then others that were noted. */
interface Row {
  readonly node: string
  readonly check: string
  readonly drawn: SampledResult | null
  readonly verdict: Verdict | undefined
  readonly decision: string
  readonly state: Worksheet['lines'][number]['state']
  readonly note: string
  readonly at: string
}

function rowsOf({ sheet: { sample, lines }, verdictOf }: WorksheetInput): readonly Row[] {
  const drawn = sample?.sampled ?? []
  const row = (node: string, check: string, sampled: SampledResult | null): Row => {
    const line = lines.find((one) => one.node === node && one.check === check)
    const state = line?.state ?? 'open'
    return {
      node,
      check,
      drawn: sampled,
      verdict: verdictOf(node, check),
      state,
      decision: workStateWords[state],
      note: line?.note ?? '',
      at: line?.at ?? '',
    }
  }
  const others = lines.filter((line) => !drawn.some(({ node, check }) => node === line.node && check === line.check))
  return [
    ...drawn.map((one) => row(one.node, one.check, one)),
    ...others.map(({ node, check }) => row(node, check, null)),
  ]
}

/** One line per result. Notes are text in every format. */
export function worksheetGrid(input: WorksheetInput): Grid {
  const { sheet, sha256, expectedOf } = input
  const { sample, auditor, file } = sheet
  return gridOf(rowsOf(input), {
    pack: [30, () => file],
    'pack SHA-256': [20, () => sha256],
    seed: [14, () => sample?.seed ?? ''],
    population: [12, () => (sample === null ? '' : String(sample.population))],
    'position in population': [12, ({ drawn }) => (drawn === null ? 'not sampled' : String(drawn.place))],
    node: [20, ({ node }) => node],
    check: [34, ({ check }) => check],
    verdict: [14, ({ verdict }) => verdict ?? ''],
    'verdict label': [14, ({ verdict }) => (verdict === undefined ? '' : verdictWords[verdict].label)],
    state: [16, ({ state }) => state],
    note: [60, ({ note }) => note],
    'noted at (UTC)': [24, ({ at }) => at],
    decision: [24, ({ decision }) => decision],
    'population sampled': [20, () => (sample === null ? '' : samplePopulationWords[sample.from].label)],
    stratum: [28, ({ drawn }) => (drawn === null ? '' : stratumWords[drawn.stratum])],
    severity: [12, ({ drawn }) => (drawn?.severity == null ? '' : severityWords[drawn.severity])],
    auditor: [24, () => auditor],
    'expected condition': [60, ({ check }) => expectedOf(check)],
  })
}

/** The worksheet as a workbook: the results, and what they were selected from. */
export function worksheetSheets(input: WorksheetInput): readonly Sheet[] {
  const about: Grid = {
    columns: columns({ Item: 30, Value: 80 }),
    rows: [
      ...factsOf(input),
      ...(input.sheet.sample?.strata ?? []).map(
        ({ stratum, population, sampled }) => [`Stratum: ${stratumWords[stratum]}`, of(sampled, population)] as const,
      ),
      ['Selection', selectionText(input)],
    ],
  }
  return [sheetOf('Worksheet', worksheetGrid(input), 'the CSV file'), sheetOf('About', about, 'the CSV file')]
}

const factsOf = ({ sheet, sha256, writtenAt }: WorksheetInput): readonly (readonly [string, string])[] => {
  const { sample, auditor, file } = sheet
  return [
    ['Auditor', auditor === '' ? 'Not named' : auditor],
    ['Written (UTC)', writtenAt],
    ['Pack', file],
    ['Pack SHA-256', sha256],
    ...(sample === null
      ? [['Sample', 'None selected'] as const]
      : [
          [
            'Population',
            `${samplePopulationWords[sample.from].label}: ${plural(sample.population, 'result')}`,
          ] as const,
          ['Population means', samplePopulationWords[sample.from].note] as const,
          ['Sample size', String(sample.sampled.length)] as const,
          ['Seed', sample.seed] as const,
        ]),
  ]
}

/** How anyone selects the same sample again. */
function selectionText({ sheet: { sample } }: WorksheetInput): string {
  if (sample === null) return 'No sample was selected.'
  const order = 'Results are ordered by the SHA-256 of seed, node and check, each on a line, without a final line end.'
  return sample.stratified
    ? `${order} The strata take turns in the order listed, one result from each, until the size is reached.`
    : `${order} The first ones are the sample.`
}

/** The worksheet as a document: what was sampled, then one block for each result. */
export function worksheetDocument(input: WorksheetInput): ReportDocument {
  const { sheet, demo, producer, paper } = input
  const title = 'Audit worksheet'
  return {
    title,
    language: 'en',
    subject: `Sampled results of ${plain(sheet.file)}`,
    producer,
    demo,
    paper,
    density: 'reading',
    runningHead: `${title}: ${plain(sheet.file, 80)}`,
    runningFoot: `Pack SHA-256 ${input.sha256}`,
    sections: [sampleSection(input), resultsSection(input)],
  }
}

function sampleSection(input: WorksheetInput): Section {
  const { sample } = input.sheet
  return {
    id: 'sample',
    title: 'Audit worksheet',
    blocks: [
      {
        kind: 'facts',
        rows: factsOf(input).map(([label, value]) => ({
          label,
          value: label === 'Pack SHA-256' || label === 'Seed' ? monoCell(plain(value)) : plainCell(plain(value, 400)),
        })),
      },
      ...(sample === null || sample.strata.length === 0
        ? []
        : [
            {
              kind: 'table',
              columns: [
                { title: 'Stratum', width: 60 },
                { title: 'Results', width: 20, align: 'right' },
                { title: 'Sampled', width: 20, align: 'right' },
              ],
              rowHeaders: true,
              rows: sample.strata.map(({ stratum, population, sampled }) => [
                plainCell(stratumWords[stratum]),
                plainCell(String(population)),
                plainCell(String(sampled)),
              ]),
            } as const,
          ]),
      quiet(selectionText(input)),
      text('Decisions and notes are the auditor’s. They are not part of the pack and change no verdict.'),
    ],
  }
}

function resultsSection(input: WorksheetInput): Section {
  const rows = rowsOf(input)
  return {
    id: 'results',
    title: 'Results',
    flows: true,
    blocks: rows.length === 0 ? [text('No result was sampled or noted.')] : rows.flatMap(resultBlocks(input)),
  }
}

const resultBlocks =
  ({ expectedOf }: WorksheetInput) =>
  ({ node, check, drawn, verdict, decision, note, at }: Row, index: number): readonly Block[] => {
    const stated = verdict === undefined ? 'No such result in the pack' : verdictWords[verdict].label
    const severity = drawn?.severity == null ? '' : `, ${severityWords[drawn.severity]}`
    return [
      heading(3, `${index + 1}. ${plain(node, 80)}: ${plain(check, 100)}`),
      {
        kind: 'facts',
        rows: [
          { label: 'Expected condition', value: plainCell(plain(expectedOf(check), 1000)) },
          { label: 'Stated verdict', value: plainCell(`${stated}${severity}`) },
          {
            label: 'Position',
            value: plainCell(
              drawn === null ? 'Not sampled' : `${drawn.place} of the population (${stratumWords[drawn.stratum]})`,
            ),
          },
          { label: 'Decision', value: [{ text: decision, style: 'strong' }] },
          { label: 'Note', value: plainCell(note === '' ? 'None' : plain(note, 4000)) },
          { label: 'Saved (UTC)', value: plainCell(at === '' ? 'No decision' : at) },
        ],
      },
    ]
  }
