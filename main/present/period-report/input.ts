import type { Period, PeriodChange } from '../../../schemas/types.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { Check } from '../../core/check.ts'
import type { Sha256 } from '../../core/digest.ts'
import type { Framework } from '../../core/framework.ts'
import { plain } from '../../core/plain-text.ts'
import type { Line } from '../../core/report-document.ts'
import { CHAIN_PATHS } from '../../core/run-chain/files.ts'
import { when } from '../report/wording.ts'

export interface PeriodReportInput {
  readonly period: Period
  /** Source of the expected conditions. A check missing from it is printed by its ID. */
  readonly catalog: Catalog
  /** Every item of the population “changes”, in order. */
  readonly changes: readonly PeriodChange[]
  /** The frameworks that were concluded on, as the last run chose them. */
  readonly frameworks: readonly Framework[]
  /** Name and version of the producing software. */
  readonly producer: string
  /** Null: the copy is not signed. */
  readonly signer: { readonly subject: string; readonly fingerprint: string } | null
  readonly packName: string
  /** SHA-256 over the pack’s manifest without the lines of the report itself. */
  readonly evidenceDigest: Sha256
  readonly demo: boolean
}

export const PERIOD_TITLES = {
  cover: 'Report information',
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
export const populationOf = ({ populations }: Period, name: Population['name']): Population | null =>
  populations.find((one) => one.name === name) ?? null

/** Location of the rows that a printed table omits. */
export function restIn({ period }: PeriodReportInput, name: Population['name'], left: number): Line {
  const path = populationOf(period, name)?.path ?? 'data/period.json'
  return { text: `For the other ${left}, see ${plain(path)} in the pack.`, style: 'quiet' }
}

/** Nodes declared in any run of the period; the maximum of one run where no list of them is enclosed. */
export const nodeCount = ({ period }: PeriodReportInput): number =>
  populationOf(period, 'nodes')?.rows ?? Math.max(0, ...period.runs.map(({ declared }) => declared))

export const checkOf = ({ catalog }: PeriodReportInput, id: string): Check | undefined =>
  catalog.checks.find((check) => check.id === id)

/** Lines of the run chain are numbered from 1. */
export const entryWords = (entry: number): string => `line ${entry} of ${CHAIN_PATHS.entries}`

/** Row limit of a printed table; the files in the pack have all rows. */
export const MOST_ROWS = 100
/** A time without its zone, for columns headed UTC. */
export const moment = (instant: string): string => when(instant).replace(/ UTC$/, '')
