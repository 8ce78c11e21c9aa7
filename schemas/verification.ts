import type { Verdict } from './words.ts'

export const VERIFICATION_CHECKS = [
  'integrity',
  'signature',
  'time',
  'completeness',
  'reproducibility',
  'continuity',
] as const
export type VerificationCheck = (typeof VERIFICATION_CHECKS)[number]

/** `failed`: the file is rejected. `indeterminate`: the summary states the reader’s next step. */
export type CheckOutcome = 'passed' | 'failed' | 'indeterminate'

/** Inputs with which a reader can decide an indeterminate check. */
const READER_INPUTS = ['signer', 'authority', 'checkpoint', 'pack'] as const
export type ReaderInput = (typeof READER_INPUTS)[number]

/** Result of one of the six verification checks. `details` list the files and results concerned, one per line. */
export interface VerificationCheckResult {
  readonly check: VerificationCheck
  readonly outcome: CheckOutcome
  readonly summary: string
  readonly details: readonly string[]
  /** For an indeterminate check: the input that the reader can supply. */
  readonly needs?: ReaderInput
  /** For a failed integrity check: all files are unchanged, and another program repacked the archive. */
  readonly isOnlyRepacked?: true
}

/** The final outcome of one check during a verification that is still in progress. */
export interface CheckSoFar {
  readonly check: VerificationCheck
  readonly outcome: CheckOutcome
  /** The outcome in words. */
  readonly word: string
}

/** A verdict that differs or could not be reproduced. */
export interface Difference {
  readonly node: string
  readonly check: string
  readonly stated: Verdict | null
  readonly derived: Verdict | null
}

/** The stated rules of the evaluation, and whether they are available here. */
export interface RulesReading {
  readonly status: 'same' | 'falsified' | 'unknown'
  readonly version: string
  /** Number of stated results that the file contains. */
  readonly results: number
  /** Number of these that were not reproduced with the rules available here. */
  readonly unconfirmed: number
}

/** Output of `verify --json`, also displayed in the review window. `ok` is false when any check fails. */
export interface VerificationReport {
  readonly schema: 'barewitness.verification/2'
  readonly file: string
  readonly kind: VerifiedKind
  readonly verifiedAt: string
  readonly ok: boolean
  readonly demo: boolean
  readonly checks: readonly VerificationCheckResult[]
  /** Null where no rules are stated. */
  readonly rules: RulesReading | null
  readonly differences: readonly Difference[]
  readonly signer: {
    readonly subject: string
    readonly fingerprint: string
    readonly trusted: boolean
    readonly trust: SignerTrust
    /** The certificate, or one of its issuers, had expired at the time at which the seal is evaluated. */
    readonly ended: boolean
  } | null
}

/** `pinned`: the reader trusts this key. `known`: the reader trusts its root. `unknown`: unconfirmed signer. */
export type SignerTrust = 'pinned' | 'known' | 'unknown'

/** Kind of file: evidence pack, Barewitness report alone, redacted copy, period report, pack excerpt, or unknown PDF. */
export type VerifiedKind = 'pack' | 'report' | 'disclosure' | 'period' | 'excerpt' | 'foreign-pdf'

/** Steps of a verification, in the order in which they are reported. */
export const VERIFICATION_STEPS = ['contents', 'seal', 'files', 'nodes', 'chain', 'pages'] as const
export type VerificationStep = (typeof VERIFICATION_STEPS)[number]

export const verificationStepWords: Readonly<Record<VerificationStep, { readonly does: string; readonly of: string }>> =
  {
    contents: { does: 'Reading the contents', of: '' },
    seal: { does: 'Reading seal and time-stamps', of: '' },
    files: { does: 'Comparing files with the sealed digests', of: 'files' },
    nodes: { does: 'Evaluating the captures again', of: 'nodes' },
    pages: { does: 'Comparing the report with the evidence', of: '' },
    chain: { does: 'Following the run chain', of: '' },
  }

/** Progress of a verification. `total` is 0 where nothing is counted. */
export interface VerificationProgress {
  readonly step: VerificationStep
  readonly done: number
  readonly total: number
}

/** Printed with every verification, whatever its outcome. */
export const VERIFICATION_SHOWS =
  'Verification shows that results follow from the recorded evidence, not that the nodes reported truthfully.'

/** The reader’s next step for what a check needs. */
export const nextStepWords: Readonly<Record<ReaderInput, string>> = {
  signer: 'Confirm signer…',
  authority: 'Trust an authority…',
  checkpoint: 'Import checkpoint…',
  pack: 'Open its pack…',
}

export const verificationCheckWords: Readonly<
  Record<VerificationCheck, { readonly label: string; readonly asks: string }>
> = {
  integrity: { label: 'Integrity', asks: 'Is every file unchanged since sealing?' },
  signature: { label: 'Signature', asks: 'Is the signature valid, and do you trust the signer?' },
  time: { label: 'Time', asks: 'Does an independent time-stamp show when it existed?' },
  completeness: {
    label: 'Completeness',
    asks: 'Is every declared node accounted for, and every cited capture present?',
  },
  reproducibility: {
    label: 'Reproducibility',
    asks: 'Does re-evaluating the raw evidence give the same results?',
  },
  continuity: {
    label: 'Continuity',
    asks: 'Does the run chain extend the checkpoint you kept?',
  },
}
