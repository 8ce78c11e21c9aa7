import type { Severity } from './conclusion-words.ts'
import type { FindingRow, FindingsView, FrameworkCounts } from './ipc-findings.ts'
import type { AssessmentView } from './ipc-results.ts'
import type { FrameworkName } from './ipc-views.ts'
import type { SamplePopulation, Stratum, WorkState } from './review-words.ts'
import type { Explanation, ManagementResponse } from './types.ts'
import type { VerificationCheckResult, VerificationReport } from './verification.ts'
import type { Verdict } from './words.ts'

/** Plain data that the engine answers the window with: packs, reviews, keys, and the register. */

/** What an export would hold, before anything is sealed. */
export interface ExportPlan {
  readonly run: string
  /** It is the run that is shown, and not one that was chosen by name. */
  readonly isShown: boolean
  readonly demo: boolean
  readonly declared: number
  /** Declared nodes without evidence, each with the reason. */
  readonly missing: readonly { readonly node: string; readonly why: string }[]
  readonly captures: number
  readonly results: ExportResults
  readonly frameworks: readonly ExportFramework[]
  /** What can be written beside pack and report. */
  readonly also: readonly ExportAlso[]
  readonly acceptances: number
  readonly attachments: number
  readonly identities: readonly IdentityView[]
  /** The organization that the engagement names; null without one. */
  readonly organization: string | null
  /** Null: no authority is set, and the time is from this computer only. */
  readonly authority: string | null
  /** What can be withheld from the copy that is handed out, with how many places hold it. */
  readonly redactable: readonly { readonly id: string; readonly title: string }[]
}

/** What the run of an export comes to, with the numbers of its own screens. */
export interface ExportResults extends Pick<FindingsView, 'asOf' | 'counts' | 'deviations' | 'deviatingNodes'> {
  /** The most severe first; informational results are not among them. */
  readonly findings: readonly Pick<
    FindingRow,
    'reference' | 'severity' | 'condition' | 'deviations' | 'tested' | 'refused'
  >[]
  readonly frameworks: readonly FrameworkCounts[]
}

export const PREFLIGHT_IDS = [
  'signer',
  'engagement',
  'population',
  'nodes',
  'places',
  'findings',
  'documents',
  'signatures',
  'time',
] as const
/** One thing to look at before an export. */
export interface PreflightItem {
  readonly id: (typeof PREFLIGHT_IDS)[number]
  readonly state: 'done' | 'open' | 'blocks'
  readonly title: string
  /** What is open, and what a reader will see of it; empty where nothing is. */
  readonly text: string
}

export interface ExportFramework {
  readonly id: FrameworkName
  readonly title: string
  readonly chosen: boolean
  /** `more`: a proposed rule, or a framework of which only the rows are known that ours relate to. `own`: the customer's. */
  readonly kind: 'usual' | 'more' | 'own'
}

interface ExportAlso {
  readonly id: string
  readonly title: string
  readonly note: string
  readonly chosen: boolean
}

/** A sealed pack that is kept here until it is saved. */
export interface ExportDraft {
  readonly handle: string
  readonly files: readonly ExportedFileView[]
  readonly signer: string
  /** What a reader must know: no outside time, parts withheld, demo data. */
  readonly notes: readonly string[]
  /** Verdicts that an auditor cannot derive again from the copy with withheld parts; empty without one. */
  readonly notDerivable: readonly { readonly node: string; readonly check: string; readonly why: string }[]
}

export interface ExportedFileView {
  readonly name: string
  readonly size: number
  readonly sha256: string
}

export interface ExportView {
  /** For display; the window never sends it back. */
  readonly folder: string
  readonly files: readonly ExportedFileView[]
}

export interface PackReview {
  readonly handle: string
  /** The file's name for display. */
  readonly file: string
  readonly report: VerificationReport
  readonly headline: VerificationHeadline
  /** The checks of the report in their order, with their outcomes in words. */
  readonly answers: readonly VerificationAnswer[]
  /** What this computer keeps of the run chain; null where the file names none that can be kept. */
  readonly checkpoint: CheckpointView | null
  /** What the pack states; null when that part cannot be read. */
  readonly view: AssessmentView | null
  /** Verdicts stated and verdicts derived again here that agree. */
  readonly verdicts: { readonly stated: number; readonly identical: number }
  /** How we came to trust the signer, or null. */
  readonly trust: TrustAnchor | null
}

/** One line for the six verification checks, never stronger than their outcomes. */
export interface VerificationHeadline {
  readonly tone: 'passed' | 'failed' | 'open'
  /** Without a full stop at its end. */
  readonly word: string
  readonly text: string
}

export interface VerificationAnswer extends VerificationCheckResult {
  readonly word: string
  /** Null where the reader can do nothing about it. */
  readonly step: string | null
}

/** The checkpoint of a run chain that this computer keeps by itself. */
export interface CheckpointView {
  /** Entries of the checkpoint that this pack was compared with; null where there was none. */
  readonly comparedWith: number | null
  /** Entries of the checkpoint that is kept for the next pack. */
  readonly entries: number
  readonly lastRun: string
  readonly keptAt: string
  /** Kept from a signer that the reader confirmed; otherwise it is compared with packs of the same signer only. */
  readonly confirmed: boolean
}

/** A pack that was opened before. */
export interface RecentPack {
  readonly handle: string
  readonly file: string
  readonly openedAt: string
  /** The file is where it was. */
  readonly here: boolean
}

/** Results drawn from a stated population by a printed seed, so that anyone can draw the same again. */
export interface Sample {
  readonly seed: string
  readonly from: SamplePopulation
  readonly stratified: boolean
  /** Results in the population. */
  readonly population: number
  /** Strata with at least one result, in the order of STRATA. */
  readonly strata: readonly { readonly stratum: Stratum; readonly population: number; readonly sampled: number }[]
  readonly sampled: readonly SampledResult[]
}

export interface SampledResult {
  /** Position in the population, sorted by node, then check; counted from 1. */
  readonly place: number
  readonly node: string
  readonly check: string
  readonly verdict: Verdict
  readonly stratum: Stratum
  /** Of the finding, for a result that is not satisfied; otherwise null. */
  readonly severity: Severity | null
}

/** An auditor's own notes on a pack; kept beside it, never in it. */
export interface Worksheet {
  readonly file: string
  /** The person who samples, as typed; empty where no name was given. */
  readonly auditor: string
  readonly sample: Sample | null
  readonly lines: readonly WorksheetLine[]
}

export interface WorksheetLine {
  readonly node: string
  readonly check: string
  readonly state: WorkState
  readonly note: string
  readonly at: string
}

/** Limits of one kind, in words. */
export interface LimitGroup {
  readonly id: 'verification' | 'not-tested' | 'inconclusive' | 'conclusion' | 'thresholds' | 'checks' | 'general'
  readonly title: string
  readonly lines: readonly { readonly about: string | null; readonly text: string }[]
}

export interface ExplanationDraft extends Pick<Explanation, 'signal' | 'nodes' | 'text' | 'explainedBy' | 'role'> {
  /** The last day, UTC: 2027-03-01. */
  readonly until: string
}

/** What management states about a finding. */
export interface ResponseDraft extends Pick<ManagementResponse, 'check' | 'status' | 'owner' | 'plan' | 'statedBy'> {
  /** The last day, UTC: 2027-03-01. */
  readonly due: string | null
  readonly cause: string | null
}

export interface IdentityView {
  readonly name: string
  readonly kind: 'local' | 'imported' | 'token' | 'sealer'
  readonly subject: string
  readonly fingerprint: string
  readonly notAfter: string
  /** How its secret is kept here, in words, with the protection that this gives. */
  readonly keptHow: string
  /** What the signer gives to auditors, as text: subject and fingerprint. */
  readonly card: string
  readonly retired: readonly { readonly fingerprint: string; readonly notAfter: string }[]
}

export interface TrustAnchor {
  /** SHA-256 of the certificate, 64 lower-case hex characters. */
  readonly fingerprint: string
  readonly subject: string
  readonly for: 'signers' | 'authorities'
  readonly howVerified: string
  readonly since: string
}
