import type { Sheet } from '../../../core/all-ports.ts'
import { CARRIER_QUESTIONS, type CarrierQuestion, type ViewSource } from '../../../core/evidence-view.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { type Tally, tally } from '../../../core/tally.ts'
import type { FormatInput } from '../input.ts'
import { columns, type Grid, sheetOf } from './grid.ts'
import { checkText, limitsOf, requestedById, requestLines } from './population.ts'

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

const CARRIER_COLUMNS = columns({
  carrier: 40,
  'usual place': 40,
  'risk that auditors ask about': 50,
  'declared place and data class (entered by people)': 40,
  ...Object.fromEntries(CARRIER_QUESTIONS.map((one) => [QUESTIONS[one], 50])),
  findings: 24,
  'requested documents': 70,
  'as of (UTC)': 25,
  sources: 80,
  limitations: 90,
})

const NOT_OBSERVABLE = 'Not observable from the server.'

/** One row per carrier of an AI workload: the results that answer five questions in part. Whether it holds sensitive data is for people to state. */
export function carrierGrid(input: FormatInput): Grid {
  const { assessment, catalog, shown, views } = input
  const view = views.ai.carriers
  const requested = requestedById(input)
  const counted = tally(assessment, catalog.checks)
  return {
    columns: CARRIER_COLUMNS,
    rows: view.rows.map(({ title, where, risk, answers, requests }) => [
      title,
      where,
      risk,
      '',
      ...CARRIER_QUESTIONS.map((question) =>
        answers[question].length === 0 ? NOT_OBSERVABLE : resultLines(input, counted, answers[question]),
      ),
      findingsOf(shown.findings, Object.values(answers).flat()),
      requestLines(catalog, requested, requests),
      assessment.asOf,
      ...limitsOf(view),
    ]),
  }
}

const FRAMEWORK_COLUMNS = columns({
  framework: 44,
  status: 30,
  id: 16,
  title: 50,
  'results of related checks': 70,
  findings: 24,
  'requested documents': 70,
  'conclusion (entered by people)': 30,
  'as of (UTC)': 25,
  sources: 80,
  limitations: 90,
})

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
  return {
    columns: FRAMEWORK_COLUMNS,
    rows: views.ai.frameworks.flatMap((view) =>
      view.rows.map(({ id, title, checks, requests }) => [
        view.title,
        STATUS[view.status],
        id,
        title,
        checks.length === 0 ? NOT_OBSERVABLE : resultLines(input, counted, checks),
        findingsOf(shown.findings, checks),
        requestLines(catalog, requested, requests),
        '',
        assessment.asOf,
        ...limitsOf(view),
      ]),
    ),
  }
}

const resultLines = ({ catalog }: FormatInput, counted: Tally, checks: readonly string[]): readonly string[] =>
  checks.map((check) => checkText(catalog, counted, check))

const findingsOf = (findings: readonly Finding[], checks: readonly string[]): string =>
  findings.flatMap(({ check, reference }) => (checks.includes(check) ? [reference] : [])).join(', ')
