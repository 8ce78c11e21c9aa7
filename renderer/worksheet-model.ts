import type { WorkState, Worksheet, WorksheetLine } from '../schemas/ipc-packs.ts'
import type { AssessmentView } from '../schemas/ipc-results.ts'
import type { Property, Verdict } from '../schemas/words.ts'
import { plural } from './text.ts'

export const WORK_WORDS: Readonly<Record<WorkState, string>> = {
  open: 'Open',
  'looked-at': 'Inspected',
  question: 'Question',
  accepted: 'Accepted',
}

export const LARGEST_SAMPLE = 1000

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

export interface SampleRow {
  readonly place: number
  readonly node: string
  readonly check: string
  readonly verdict: Verdict
  readonly state: WorkState
  readonly note: string
  /** When the note was last changed, or null. */
  readonly at: string | null
}

const lineFor = (lines: readonly WorksheetLine[], node: string, check: string): WorksheetLine | undefined =>
  lines.find((line) => line.node === node && line.check === check)

/** The sampled results in sample order, each with the auditor’s note. */
export const sampleRows = ({ sample, lines }: Worksheet): readonly SampleRow[] =>
  (sample?.sampled ?? []).map(({ place, node, check, verdict }) => {
    const line = lineFor(lines, node, check)
    return { place, node, check, verdict, state: line?.state ?? 'open', note: line?.note ?? '', at: line?.at ?? null }
  })

/** Notes on results outside the current sample: from an earlier sample, or written on a result’s page. */
export const otherLines = ({ sample, lines }: Worksheet): readonly WorksheetLine[] =>
  lines.filter(
    ({ node, check }) => !(sample?.sampled ?? []).some((drawn) => drawn.node === node && drawn.check === check),
  )

/** "2 of 5 results inspected or accepted, 1 question, 2 open." Questions and open results remain in the denominator. */
export function tallyLine(rows: readonly SampleRow[]): string {
  const count = (state: WorkState): number => rows.filter((row) => row.state === state).length
  const questions = count('question')
  const seen = count('looked-at') + count('accepted')
  return `${seen} of ${plural(rows.length, 'result')} inspected or accepted, ${plural(questions, 'question')}, ${count('open')} open.`
}
