import type { Period, PeriodChange } from '../../../../schemas/types.ts'
import type { Catalog } from '../../catalog.ts'
import type { Check } from '../../check.ts'
import type { Sha256 } from '../../digest.ts'
import { plain } from '../../plain-text.ts'
import type { Line } from '../../report/model.ts'
import { when } from '../../report/wording.ts'
import { CHAIN_PATHS } from '../../run-chain/files.ts'

export interface PeriodReportInput {
  readonly period: Period
  /** Names what checks claim. A check that it does not have stands by its id. */
  readonly catalog: Catalog
  /** Every row of the population “changes”, in its order. */
  readonly changes: readonly PeriodChange[]
  /** Name and version of what made the report. */
  readonly producer: string
  /** Null: the copy is not signed. */
  readonly signer: { readonly subject: string; readonly fingerprint: string } | null
  readonly packName: string
  /** SHA-256 over the pack's list of digests without the lines of the report itself. */
  readonly evidenceDigest: Sha256
  readonly demo: boolean
}

export const PERIOD_TITLES = {
  cover: 'About this report',
  reading: 'How to read it',
  coverage: 'What was planned, and what took place',
  gaps: 'Gaps and days without evidence',
  runs: 'Runs',
  rules: 'Rules in force',
  deviations: 'Deviations',
  changes: 'What changed',
  lists: 'Populations and samples',
  limits: 'What a period of runs does not show',
  howto: 'How to check this yourself',
} as const
export const seePart = (part: keyof typeof PERIOD_TITLES): string => `“${PERIOD_TITLES[part]}”`

type Population = Period['populations'][number]
export const populationOf = ({ populations }: Period, name: Population['name']): Population | null =>
  populations.find((one) => one.name === name) ?? null

/** Where the rows are that a table on paper leaves out. */
export function restIn({ period }: PeriodReportInput, name: Population['name'], left: number): Line {
  const path = populationOf(period, name)?.path ?? 'data/period.json'
  return { text: `The other ${left} are in ${plain(path)}, in the pack.`, style: 'quiet' }
}

/** Nodes that were declared in any run of the period; the most of one run where no list of them is enclosed. */
export const nodeCount = ({ period }: PeriodReportInput): number =>
  populationOf(period, 'nodes')?.rows ?? Math.max(0, ...period.runs.map(({ declared }) => declared))

export const checkOf = ({ catalog }: PeriodReportInput, id: string): Check | undefined =>
  catalog.checks.find((check) => check.id === id)

/** Lines of the chain are counted from 1. */
export const entryWords = (entry: number): string => `line ${entry} of ${CHAIN_PATHS.entries}`

/** Rows of a table on paper; nobody reads more, and the files in the pack have them all. */
export const MOST_ROWS = 100
/** A moment where the column says UTC. */
export const moment = (instant: string): string => when(instant).replace(/ UTC$/, '')
