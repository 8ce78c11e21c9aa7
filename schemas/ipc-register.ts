import type { EvidenceLevel } from './conclusion-words.ts'
import type {
  AcceptanceRequest,
  ControlDecision,
  DocumentRequest,
  EvidenceDocument,
  Explanation,
  FrameworkName,
  Resolution,
  RiskAcceptance,
} from './types.ts'
import type { PeriodCover, statusWords } from './words.ts'

export type EntryStatus = keyof typeof statusWords
export interface RegisterView {
  readonly riskAcceptances: readonly RiskAcceptanceView[]
  /** Requested risk acceptances, resolved ones included. */
  readonly acceptanceRequests: readonly AcceptanceRequestView[]
  readonly decisions: readonly DecisionView[]
  readonly documents: readonly DocumentView[]
  readonly documentRequests: readonly DocumentRequest[]
  readonly explanations: readonly ExplanationView[]
}

export interface RiskAcceptanceView extends RiskAcceptance {
  readonly status: EntryStatus
}

/** A request accepts nothing. `lapsed`: it expired before it was resolved. */
export interface AcceptanceRequestView extends AcceptanceRequest {
  readonly status: 'open' | 'lapsed' | Resolution['as']
}

export interface DecisionView extends ControlDecision {
  readonly status: EntryStatus
}

export interface DocumentView extends EvidenceDocument {
  /** Whether it is in force, at most one year old, inspected or reperformed, and has a supporting conclusion. */
  readonly supports: boolean
  readonly status: EntryStatus
  /** The later version that supersedes it. */
  readonly supersededBy: { readonly id: string; readonly name: string; readonly attachedAt: string } | null
  /** Null where no effective period, or no engagement, is declared. */
  readonly period: PeriodCover | null
}

export interface ExplanationView extends Explanation {
  readonly status: EntryStatus
}

export interface RiskAcceptanceDraft
  extends Pick<
    RiskAcceptance,
    'check' | 'nodes' | 'reason' | 'compensatingControl' | 'owner' | 'requestedBy' | 'approvedBy'
  > {
  readonly approverRole: string
  /** A day in UTC, YYYY-MM-DD; the acceptance ends with it. */
  readonly until: string
}

/** A requested risk acceptance. */
export type AcceptanceRequestDraft = Omit<RiskAcceptanceDraft, 'approvedBy' | 'approverRole'>
export interface ApprovalDraft extends Pick<RiskAcceptanceDraft, 'approvedBy' | 'approverRole'> {
  /** Id of the request. */
  readonly id: string
}

/** `control`: key of the control. `riskAnalysis`: reference to the risk analysis that it is based on. */
export interface DecisionDraft
  extends Omit<ControlDecision, 'id' | 'decidedAt' | 'expiresAt' | 'signatures' | 'withdrawn'> {
  /** A day in UTC, YYYY-MM-DD; the decision is due again when it ends. */
  readonly until: string
}

export interface DocumentDraft {
  readonly controls: readonly { readonly framework: FrameworkName; readonly control: string }[]
  readonly need: string | null
  readonly summary: string
  readonly providedBy: string
  readonly level: EvidenceLevel
  /** Required from level “inspected” on, otherwise null. */
  readonly inspection: {
    readonly by: string
    /** A day in UTC, YYYY-MM-DD, up to today. */
    readonly on: string
    /** Scope of the inspection: population, sample and comparisons. */
    readonly lookedAt: string
    readonly conclusion: 'supports' | 'does-not-support'
  } | null
  /** Check results that it answers as alternative evidence. */
  readonly answers: { readonly checks: readonly string[]; readonly nodes: readonly string[] } | null
  readonly owner: string
  /** A day in UTC, YYYY-MM-DD, or null. */
  readonly validUntil: string | null
  /** Days in UTC, YYYY-MM-DD; `to` null: no end. Null: not declared. */
  readonly effective: { readonly from: string; readonly to: string | null } | null
  /** The document that this version supersedes, or null. Without controls, it is attached to those of the earlier version. */
  readonly supersedes: string | null
}

/** `due`: a day in UTC, YYYY-MM-DD. */
export type RequestDraft = DocumentRequest

/** A withdrawal or rejection with its person and reason. */
export interface WithdrawalDraft {
  readonly id: string
  readonly by: string
  readonly reason: string
}
