import type { Verdict } from './words.ts'

export const QUESTIONS = ['intact', 'signed-by', 'existed-by', 'complete', 'reproducible', 'chain-continuous'] as const
export type Question = (typeof QUESTIONS)[number]

/** `yes`: shown. `no`: shown to be otherwise; the pack is rejected. `not-shown`: this pack cannot say, and says so. */
export type AnswerOutcome = 'yes' | 'no' | 'not-shown'

/** One of the six answers about a pack. `details` name the files and findings concerned, one per line. */
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

/** By which rules it was judged, as it states, and whether the reader has those. */
export interface RulesReading {
  readonly standing: 'same' | 'falsified' | 'unknown'
  readonly version: string
  /** Results that it states, as far as they are enclosed. */
  readonly results: number
  /** Of these, how many did not come out the same with the rules of the reader. */
  readonly unconfirmed: number
}

/** What `verify` prints with --json and what the review window shows. `ok` is false when any answer is `no`. */
export interface VerificationReport {
  readonly schema: 'barewitness.verification/2'
  readonly file: string
  readonly kind: VerifiedKind
  readonly verifiedAt: string
  readonly ok: boolean
  readonly demo: boolean
  readonly answers: readonly VerificationAnswer[]
  /** Null where nothing states by which rules it was judged. */
  readonly rules: RulesReading | null
  readonly differences: readonly Difference[]
  readonly signer: {
    readonly subject: string
    readonly fingerprint: string
    readonly trusted: boolean
    readonly standing: SignerStanding
    /** The certificate, or one of its issuers, had ended at the moment that the seal is judged at. */
    readonly ended: boolean
  } | null
}

/** `pinned`: the reader named this very key. `known`: the reader named its root. `unknown`: neither. */
export type SignerStanding = 'pinned' | 'known' | 'unknown'

/** What was verified: a sealed pack, one of our signed reports alone, a pack with parts withheld, an account of a period, an excerpt, or somebody else's PDF. */
export type VerifiedKind = 'pack' | 'report' | 'disclosure' | 'period' | 'excerpt' | 'foreign-pdf'

export const questionWords: Readonly<Record<Question, { readonly label: string; readonly asks: string }>> = {
  intact: { label: 'Intact', asks: 'Is every file as it was when the pack was sealed?' },
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
  'chain-continuous': {
    label: 'Chain continuous',
    asks: 'Does the history of runs that it states extend the one you last saw?',
  },
}
