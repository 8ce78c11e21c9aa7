import type { Severity } from './conclusion-words.ts'
import type { FindingRow, FindingsView, FrameworkCounts } from './ipc-findings.ts'
import type { AssessmentView } from './ipc-results.ts'
import type { FrameworkName } from './ipc-views.ts'
import type { SamplePopulation, Stratum, WorkState } from './review-words.ts'
import type { Explanation, ManagementResponse } from './types.ts'
import type { VerificationCheckResult, VerificationReport } from './verification.ts'
import type { Verdict } from './words.ts'

/** Data in replies of the engine: packs, reviews, keys, and the register. */

/** The content of an export before it is sealed. */
export interface ExportPlan {
  readonly run: string
  /** Whether it is the shown run rather than one chosen by name. */
  readonly isShown: boolean
  readonly demo: boolean
  readonly declared: number
  /** Declared nodes without evidence, each with the reason. */
  readonly missing: readonly { readonly node: string; readonly why: string }[]
  readonly captures: number
  readonly results: ExportResults
  readonly frameworks: readonly ExportFramework[]
  /** Additional outputs that can be written next to pack and report. */
  readonly also: readonly ExportAlso[]
  readonly acceptances: number
  readonly attachments: number
  readonly identities: readonly IdentityView[]
  /** The organization that the engagement names; null without one. */
  readonly organization: string | null
  /** Null: no authority is set, and the time is from this computer only. */
  readonly authority: string | null
  /** Classes of content that can be withheld from a redacted copy. */
  readonly redactable: readonly { readonly id: string; readonly title: string }[]
}

/** Results of the run of an export, with the same numbers as on its screens. */
export interface ExportResults extends Pick<FindingsView, 'asOf' | 'counts' | 'deviations' | 'deviatingNodes'> {
  /** The most severe first, without informational results. */
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
/** One item to review before an export. */
export interface PreflightItem {
  readonly id: (typeof PREFLIGHT_IDS)[number]
  readonly state: 'done' | 'open' | 'blocks'
  readonly title: string
  /** What is open, and how it appears to a reader; empty where nothing is open. */
  readonly text: string
}

export interface ExportFramework {
  readonly id: FrameworkName
  readonly title: string
  readonly chosen: boolean
  /** `more`: a proposed rule, or a framework of which only rows related to ours are included. `own`: a framework of the customer. */
  readonly kind: 'usual' | 'more' | 'own'
}

interface ExportAlso {
  readonly id: string
  readonly title: string
  readonly note: string
  readonly chosen: boolean
}

/** A sealed pack that is stored until it is saved or discarded. */
export interface ExportDraft {
  readonly handle: string
  readonly files: readonly ExportedFileView[]
  readonly signer: string
  /** Notes for readers, such as no independent time-stamp, withheld parts or demo data. */
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
  /** For display only. */
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
  /** The checkpoint that this computer keeps of the run chain; null where the file names no run chain that can be kept. */
  readonly checkpoint: CheckpointView | null
  /** The assessment in the pack; null where it cannot be read. */
  readonly view: AssessmentView | null
  /** Verdicts stated and verdicts derived again here that agree. */
  readonly verdicts: { readonly stated: number; readonly identical: number }
  /** The recorded decision to trust the signer, or null. */
  readonly trust: TrustAnchor | null
}

/** One line for the six verification checks, never stronger than their outcomes. */
export interface VerificationHeadline {
  readonly tone: 'passed' | 'failed' | 'open'
  /** Without a period at the end. */
  readonly word: string
  readonly text: string
}

export interface VerificationAnswer extends VerificationCheckResult {
  readonly word: string
  /** Null where the reader can do nothing about it. */
  readonly step: string | null
}

/** The checkpoint of a run chain that this computer keeps automatically. */
export interface CheckpointView {
  /** Number of entries of the checkpoint that this pack was compared with; null where there was none. */
  readonly comparedWith: number | null
  /** Number of entries of the checkpoint that is kept for the next pack. */
  readonly entries: number
  readonly lastRun: string
  readonly keptAt: string
  /** Whether the reader confirmed the signer. Otherwise the checkpoint is compared only with packs of the same signer. */
  readonly confirmed: boolean
}

/** A pack that was opened before. */
export interface RecentPack {
  readonly handle: string
  readonly file: string
  readonly openedAt: string
  /** Whether the file still exists at its path. */
  readonly here: boolean
}

/** Results selected from a stated population by a printed seed, so that anyone can repeat the selection. */
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
  /** Severity of the finding, for a result that is not satisfied; otherwise null. */
  readonly severity: Severity | null
}

/** An auditor’s notes on a pack, stored outside the pack. */
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

/** A management response before it is recorded. */
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
  /** How its private key is stored on this computer and protected, in words. */
  readonly keptHow: string
  /** Text for auditors with subject and fingerprint. */
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
