import type { Verdict } from './words.ts'

export const QUESTIONS = ['unaltered', 'signed-by', 'existed-by', 'complete', 'reproducible'] as const
export type Question = (typeof QUESTIONS)[number]

/** `yes`: shown. `no`: shown to be otherwise; the pack is rejected. `not-shown`: this pack cannot say, and says so. */
export type AnswerOutcome = 'yes' | 'no' | 'not-shown'

/** One of the five answers about a pack. `details` name the files and findings concerned, one per line. */
export interface VerificationAnswer {
  readonly question: Question
  readonly outcome: AnswerOutcome
  readonly summary: string
  readonly details: readonly string[]
}

/** A verdict that came out differently, or could not be re-derived. */
export interface Difference {
  readonly node: string
  readonly check: string
  readonly stated: Verdict | null
  readonly derived: Verdict | null
}

/** What `verify` prints with --json and what the review window shows. `ok` is false when any answer is `no`. */
export interface VerificationReport {
  readonly schema: 'barewitness.verification/1'
  readonly file: string
  readonly verifiedAt: string
  readonly ok: boolean
  readonly demo: boolean
  readonly answers: readonly VerificationAnswer[]
  readonly differences: readonly Difference[]
  readonly signer: { readonly subject: string; readonly fingerprint: string; readonly trusted: boolean } | null
}

export const questionWords: Readonly<Record<Question, { readonly label: string; readonly asks: string }>> = {
  unaltered: { label: 'Unaltered', asks: 'Is every file as it was when the pack was sealed?' },
  'signed-by': { label: 'Signed by', asks: 'Whose key sealed it, and do you trust that key?' },
  'existed-by': { label: 'Existed by', asks: 'By when did it exist, according to someone else’s clock?' },
  complete: {
    label: 'Complete',
    asks: 'Is every declared node present, and does every finding point to evidence in the pack?',
  },
  reproducible: {
    label: 'Reproducible',
    asks: 'Does evaluating the raw evidence again, here, give the same verdicts?',
  },
}
