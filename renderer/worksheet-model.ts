import type { WorkState, Worksheet, WorksheetLine } from '../schemas/ipc-packs.ts'
import type { AssessmentView } from '../schemas/ipc-results.ts'
import type { Property, Verdict } from '../schemas/words.ts'
import { plural } from './text.ts'

export const WORK_WORDS: Readonly<Record<WorkState, string>> = {
  open: 'Open',
  'looked-at': 'Looked at',
  question: 'Question',
  accepted: 'Accepted',
}

export const LARGEST_SAMPLE = 1000

/** The seed that a form begins with: the day of the review, as digits. */
export const seedOf = (verifiedAt: string): string => verifiedAt.slice(0, 10).replaceAll('-', '')

/** A sample's size from what was typed, or why it cannot be drawn. */
export function sizeFrom(
  typed: number,
  population: number,
): { readonly ok: true; readonly size: number } | { readonly ok: false; readonly why: string } {
  if (population === 0) return { ok: false, why: 'There are no findings to draw from.' }
  if (!Number.isInteger(typed) || typed < 1) return { ok: false, why: 'Give a whole number of at least 1.' }
  if (typed > LARGEST_SAMPLE) return { ok: false, why: `At most ${LARGEST_SAMPLE} findings can be drawn at once.` }
  if (typed > population) return { ok: false, why: `There are ${plural(population, 'finding')} to draw from.` }
  return { ok: true, size: typed }
}

/** The property that a check is about, or null when the catalog here does not have it. */
export const propertyOf = ({ checks }: AssessmentView, check: string): Property | null =>
  checks.find(({ id }) => id === check)?.property ?? null

export interface SampleRow {
  readonly place: number
  readonly node: string
  readonly check: string
  readonly verdict: Verdict
  readonly state: WorkState
  readonly note: string
  /** When its note was last changed, or null. */
  readonly at: string | null
}

const lineFor = (lines: readonly WorksheetLine[], node: string, check: string): WorksheetLine | undefined =>
  lines.find((line) => line.node === node && line.check === check)

/** The drawn findings in the order they were drawn, each with what the auditor wrote beside it. */
export const sampleRows = ({ sample, lines }: Worksheet): readonly SampleRow[] =>
  (sample?.drawn ?? []).map(({ place, node, check, verdict }) => {
    const line = lineFor(lines, node, check)
    return { place, node, check, verdict, state: line?.state ?? 'open', note: line?.note ?? '', at: line?.at ?? null }
  })

/** Notes on findings that the present sample does not hold: from an earlier draw, or written beside a finding. */
export const otherLines = ({ sample, lines }: Worksheet): readonly WorksheetLine[] =>
  lines.filter(
    ({ node, check }) => !(sample?.drawn ?? []).some((drawn) => drawn.node === node && drawn.check === check),
  )

/** "2 of 5 findings looked at or accepted, 1 question, 2 open." Questions and open ones stay in the denominator. */
export function tallyLine(rows: readonly SampleRow[]): string {
  const count = (state: WorkState): number => rows.filter((row) => row.state === state).length
  const questions = count('question')
  const seen = count('looked-at') + count('accepted')
  return `${seen} of ${plural(rows.length, 'finding')} looked at or accepted, ${plural(questions, 'question')}, ${count('open')} open.`
}
