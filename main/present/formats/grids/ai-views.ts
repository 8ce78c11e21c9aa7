import type { Sheet } from '../../../core/all-ports.ts'
import { type Tally, tally } from '../../../core/conclusion/tally.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { CARRIER_QUESTIONS, type CarrierQuestion, type ViewSource } from '../../../core/recording/evidence-view.ts'
import type { FormatInput } from '../input.ts'
import { type Grid, type GridCell, gridOf, sheetOf } from './grid.ts'
import { checkText, limitColumns, requestedById, requestLines } from './population.ts'

/**
 * Carriers of AI workloads, and the evidence in the order of frameworks that no conclusion of ours uses. Each row has the results of related checks and
 * the documents; conclusions are left to people, and each framework states whether it is voluntary.
 */
export function viewSheets(input: FormatInput): readonly Sheet[] {
  return [
    sheetOf('AI carriers', carrierGrid(input), 'results.csv'),
    sheetOf('Framework views', frameworkGrid(input), 'results.csv'),
  ]
}

const QUESTIONS: Readonly<Record<CarrierQuestion, string>> = {
  location: 'where it is',
  access: 'who can reach it',
  encryption: 'encrypted at rest and in transit',
  copies: 'copies, retention and integrity',
  handover: 'what happens at hand-over',
}

const NOT_OBSERVABLE = 'Not observable from the server.'

/** One row per carrier of an AI workload: the results that answer five questions in part. Whether it holds sensitive data is for people to state. */
export function carrierGrid(input: FormatInput): Grid {
  const { assessment, catalog, shown, views } = input
  const view = views.ai.carriers
  const requested = requestedById(input)
  const counted = tally(assessment, catalog.checks)
  type Carrier = (typeof view.rows)[number]
  const answers = CARRIER_QUESTIONS.map((question) => {
    const answerOf = ({ answers: checks }: Carrier): GridCell => resultLines(input, counted, checks[question])
    return [QUESTIONS[question], [50, answerOf]] as const
  })
  return gridOf(view.rows, {
    carrier: [40, ({ title }) => title],
    'usual place': [40, ({ where }) => where],
    'risk that auditors ask about': [50, ({ risk }) => risk],
    'declared place and data class (entered by people)': [40, () => ''],
    ...Object.fromEntries(answers),
    findings: [24, (carrier) => findingsOf(shown.findings, Object.values(carrier.answers).flat())],
    'requested documents': [70, ({ requests }) => requestLines(catalog, requested, requests)],
    'as of (UTC)': [25, () => assessment.asOf],
    ...limitColumns(() => view),
  })
}

const STATUS: Readonly<Record<ViewSource['status'], string>> = {
  'in-force': 'In force for its addressees',
  guidance: 'Guidance',
  voluntary: 'Voluntary',
}

/** One row per id of each framework. A related check is not the requirement: nothing is concluded. */
export function frameworkGrid(input: FormatInput): Grid {
  const { assessment, catalog, shown, views } = input
  const requested = requestedById(input)
  const counted = tally(assessment, catalog.checks)
  const rows = views.ai.frameworks.flatMap((view) => view.rows.map((row) => ({ ...row, view })))
  return gridOf(rows, {
    framework: [44, ({ view }) => view.title],
    status: [30, ({ view }) => STATUS[view.status]],
    id: [16, ({ id }) => id],
    title: [50, ({ title }) => title],
    'results of related checks': [70, ({ checks }) => resultLines(input, counted, checks)],
    findings: [24, ({ checks }) => findingsOf(shown.findings, checks)],
    'requested documents': [70, ({ requests }) => requestLines(catalog, requested, requests)],
    'conclusion (entered by people)': [30, () => ''],
    'as of (UTC)': [25, () => assessment.asOf],
    ...limitColumns(({ view }) => view),
  })
}

const resultLines = ({ catalog }: FormatInput, counted: Tally, checks: readonly string[]): GridCell =>
  checks.length === 0 ? NOT_OBSERVABLE : checks.map((check) => checkText(catalog, counted, check))

const findingsOf = (findings: readonly Finding[], checks: readonly string[]): string =>
  findings.flatMap(({ check, reference }) => (checks.includes(check) ? [reference] : [])).join(', ')
