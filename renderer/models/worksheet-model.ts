import type { FindingRow, FindingsView } from '../../schemas/ipc-findings.ts'
import type { SampledResult, Worksheet, WorksheetLine } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { WorkState } from '../../schemas/review-words.ts'
import type { Property } from '../../schemas/words.ts'
import { plural } from './text.ts'

export const LARGEST_SAMPLE = 1000

/** The decisions on a result, in the order of their keys 1, 2 and 3. */
export const DECISIONS = ['agrees', 'does-not-agree', 'needs-more-evidence'] as const satisfies readonly WorkState[]

/** The default seed: the date of the review, as digits. */
export const seedOf = (verifiedAt: string): string => verifiedAt.slice(0, 10).replaceAll('-', '')

/** The sample size from the input, or why it is not valid. */
export function sizeFrom(
  typed: number,
  population: number,
): { readonly ok: true; readonly size: number } | { readonly ok: false; readonly why: string } {
  if (population === 0) return { ok: false, why: 'There are no results to sample.' }
  if (!Number.isInteger(typed) || typed < 1) return { ok: false, why: 'Enter a whole number of at least 1.' }
  if (typed > LARGEST_SAMPLE) return { ok: false, why: `Enter at most ${LARGEST_SAMPLE}.` }
  if (typed > population) return { ok: false, why: `The population has ${plural(population, 'result')}.` }
  return { ok: true, size: typed }
}

/** The property of a check, or null when this catalog does not have it. */
export const propertyOf = ({ checks }: AssessmentView, check: string): Property | null =>
  checks.find(({ id }) => id === check)?.property ?? null

export interface SampleRow extends SampledResult {
  readonly state: WorkState
  readonly note: string
  /** When the decision was last changed, or null. */
  readonly at: string | null
}

const lineFor = (lines: readonly WorksheetLine[], node: string, check: string): WorksheetLine | undefined =>
  lines.find((line) => line.node === node && line.check === check)

/** The sampled results in sample order, each with the auditor’s decision and note. */
export const sampleRows = ({ sample, lines }: Worksheet): readonly SampleRow[] =>
  (sample?.sampled ?? []).map((drawn) => {
    const line = lineFor(lines, drawn.node, drawn.check)
    return { ...drawn, state: line?.state ?? 'open', note: line?.note ?? '', at: line?.at ?? null }
  })

/** Notes on results outside the current sample: from an earlier sample, or written on a result’s page. */
export const otherLines = ({ sample, lines }: Worksheet): readonly WorksheetLine[] =>
  lines.filter(
    ({ node, check }) => !(sample?.sampled ?? []).some((drawn) => drawn.node === node && drawn.check === check),
  )

/** "2 decided, 3 open". */
export function tallyLine(rows: readonly SampleRow[]): string {
  const open = rows.filter(({ state }) => state === 'open').length
  return `${rows.length - open} decided, ${open} open`
}

/** Where to begin: the first sample without a decision, or the first. */
export const firstOpen = (rows: readonly SampleRow[]): number =>
  Math.max(
    0,
    rows.findIndex(({ state }) => state === 'open'),
  )

/** The finding that a sampled deviation belongs to, or null. */
export const findingOn = (
  findings: Pick<FindingsView, 'rows' | 'informational'> | null,
  { check, verdict }: SampledResult,
): FindingRow | null =>
  verdict === 'not-satisfied' && findings !== null
    ? ([...findings.rows, ...findings.informational].find((one) => one.check === check) ?? null)
    : null

/** The heading of the evidence: the condition found, or the expected condition. */
export const sampleTitle = (row: SampledResult, finding: Pick<FindingRow, 'title'> | null, expected: string): string =>
  finding === null ? expected || row.check : `${finding.title}: ${row.node}`
