import type { EvidenceLevel, findingStatusWords, RiskArea, RowState, Severity } from './conclusion-words.ts'
import type { RiskAcceptanceDraft } from './ipc-register.ts'
import type { FrameworkName, SavedFile, Source } from './ipc-views.ts'
import type { NodeRemedy } from './node-remedies.ts'
import type { ManagementResponse, Observation, RemediationVariant } from './types.ts'
import type { Property } from './words.ts'

/** Data in replies of the engine: results of an assessment, prepared by main/present/presentation.ts. */

/** The rows that a number counts; the number opens exactly these rows. */
export type CountedRows =
  /** `severe`: critical or high. */
  | {
      readonly rows: 'findings'
      readonly severity: Severity | 'severe' | null
      readonly node: string | null
      readonly owner: 'with' | 'without' | null
    }
  | { readonly rows: 'finding'; readonly reference: string }
  | { readonly rows: 'nodes'; readonly state: 'all' | 'tested' | 'not-tested' }
  /** Checks that were decided on at least one node; `in-order`: only those without a deviation. */
  | { readonly rows: 'checks'; readonly state: 'decided' | 'in-order' }
  /** Nodes with their result of one check. */
  | { readonly rows: 'check'; readonly check: string; readonly nodes: readonly string[] }
  | { readonly rows: 'node'; readonly node: string }
  /** The declared day of fieldwork, for a count of days until it. */
  | { readonly rows: 'fieldwork' }
  | { readonly rows: 'population' }
  | { readonly rows: 'documents'; readonly state: 'all' | 'outstanding' }
  | { readonly rows: 'controls'; readonly framework: FrameworkName; readonly state: RowState | null }
  /** Scheduled runs that were missed or are overdue. */
  | { readonly rows: 'missed-runs' }
  /** Requests of auditors on a team server. */
  | { readonly rows: 'requests' }
  /** Differences between two runs. */
  | { readonly rows: 'changes'; readonly before: string; readonly after: string }

/** A part of a sentence. With `counts`, it is a number that opens the counted rows. */
export interface Phrase {
  readonly text: string
  readonly counts: CountedRows | null
}

/** The next step of a person; exactly one at a time. */
const NEXT_STEPS = [
  'import',
  'collect',
  'view-collection',
  'missed-runs',
  'requests',
  'assign',
  'reconcile',
  'engagement',
  'audit-day',
  'assign-documents',
  'identity',
  'sealer',
  'export',
] as const
export type NextStepKind = (typeof NEXT_STEPS)[number]
export interface NextStep {
  readonly is: NextStepKind
  /** Verb, count and object: the label of the one primary button. */
  readonly label: string
  /** Reason why it is the next step. */
  readonly reason: string
}

const HOME_STEPS = ['collect', 'respond', 'reconcile', 'documents', 'export'] as const
export interface HomeStep {
  readonly id: (typeof HOME_STEPS)[number]
  readonly title: string
  readonly state: 'done' | 'open' | 'to-do'
  /** Whether it contains the next step. */
  readonly current: boolean
  readonly lines: readonly (readonly Phrase[])[]
}

/** The first screen of an assessment. */
export interface HomeView {
  readonly fleet: string | null
  readonly entity: string | null
  /** Null before the first run. */
  readonly run: string | null
  readonly asOf: string | null
  readonly title: string
  readonly lead: readonly Phrase[]
  readonly next: NextStep
  /** Requests of auditors that await the officer, and scheduled runs that are missing. */
  readonly notices: readonly HomeNotice[]
  readonly steps: readonly HomeStep[]
  readonly results: HomeResults | null
  /** Nothing is declared and nothing collected: the demo fleet shows what results look like. */
  readonly isDemoOffered: boolean
}

/** A sentence about requests of auditors or about runs, with the place where a person handles it. */
export interface HomeNotice {
  readonly is: 'requests' | 'late-requests' | 'missed' | 'overdue' | 'unknown' | 'explained' | 'changed' | 'unchanged'
  readonly phrases: readonly Phrase[]
  readonly action: { readonly label: string; readonly opens: CountedRows }
}

export interface HomeResults {
  /** Findings that are neither informational nor accepted on every node. */
  readonly openFindings: number
  readonly findings: number
  /** The sentence shown where there is no finding. */
  readonly noFinding: string
  /** At most seven, the most severe first. */
  readonly leading: readonly LeadingFinding[]
  /** Critical and high findings that are not among the leading ones. */
  readonly furtherSevere: number
  /** Deviations that closing the leading findings closes: the sum of theirs. */
  readonly leadingCloses: number
  readonly deviations: number
  readonly byNode: readonly DeviationCount[]
  readonly inOrder: readonly InOrder[]
  readonly notSeen: readonly NotSeenLine[]
  readonly frameworks: readonly FrameworkCounts[]
  /** Thresholds that the fleet relaxed from its profile. */
  readonly relaxedThresholds: number
  /** Machines that were collected under several names. */
  readonly sharedMachines: number
}

export interface LeadingFinding {
  readonly reference: string
  readonly severity: Severity
  readonly condition: string
  /** The first observation of the evidence in one line; empty where there is none. */
  readonly proof: string
  /** Its deviations and those that the same change closes on the same nodes. No deviation is counted for two findings. */
  readonly closes: number
  readonly controls: number
  readonly fixedBy: FixedBy
}

export type FixedBy = 'tenant' | 'provider' | 'both'
/** Deviations on one node, on all further nodes, or in rows of the provider inventory. */
export interface DeviationCount {
  readonly of: 'node' | 'other-nodes' | 'inventory'
  readonly name: string
  readonly count: number
}

export interface InOrder {
  readonly text: string
  readonly part: number
  readonly whole: number
  readonly counts: CountedRows
}

export interface NotSeenLine {
  readonly text: string
  readonly is: 'not-tested' | 'inconclusive' | 'limit'
  readonly node: string | null
  /** What a person can do about it in the window. */
  readonly action: NodeRemedy | 'edit-node' | null
}

export interface FrameworkCounts {
  readonly id: FrameworkName
  readonly title: string
  readonly inScope: number
  readonly states: readonly (readonly [state: RowState, count: number])[]
}

/** One finding in a list. */
export interface FindingRow {
  readonly reference: string
  readonly check: string
  /** The property under which its result on a node is shown; null for the provider inventory. */
  readonly property: Property | null
  readonly severity: Severity
  readonly riskArea: RiskArea
  /** The condition found without nodes; `condition`: with nodes. */
  readonly title: string
  readonly condition: string
  readonly what: 'nodes' | 'inventory'
  readonly deviations: number
  readonly tested: number
  /** Deviating nodes that were refused before login, and so are not among those tested. */
  readonly refused: number
  readonly inconclusive: number
  /** Controls in scope that its check decides. */
  readonly controls: number
  readonly fixedBy: FixedBy
  readonly status: FindingStatusName
  /** The status with the day that belongs to it. */
  readonly statusText: string
  readonly owner: string | null
  /** A day in UTC, YYYY-MM-DD. */
  readonly due: string | null
  readonly isOverdue: boolean
  /** The current management response; null where there is none. */
  readonly response: ResponseView | null
}

export type FindingStatusName = keyof typeof findingStatusWords

export interface FindingsView {
  readonly of: Source
  readonly run: string
  readonly asOf: string
  readonly declared: number
  readonly tested: number
  /** Counts of all findings, regardless of filters. */
  readonly counts: Readonly<Record<Severity, number>>
  readonly deviations: number
  readonly deviatingNodes: number
  /** The most severe first; with a node, those that deviate on it. At most one for each check. */
  readonly rows: readonly FindingRow[]
  /** Informational results that are not satisfied; they are not part of any count. */
  readonly informational: readonly FindingRow[]
}

export interface FindingView extends FindingRow {
  readonly of: Source
  /** The expected condition, with the thresholds that were compared. */
  readonly criterion: { readonly expected: string; readonly thresholds: readonly string[]; readonly source: string }
  readonly effect: readonly string[]
  /** The cause that management states; null where it states none. */
  readonly cause: string | null
  readonly severityReasons: readonly string[]
  readonly recommendation: {
    readonly title: string
    readonly variants: readonly RemediationVariant[]
    readonly sideEffects: string
    readonly source: string
  }
  readonly limitations: string
  readonly concerns: readonly FindingControl[]
  /** Where it concerns no control because its nodes were refused before login: the controls in which these nodes are missing. */
  readonly limits: readonly Omit<FindingControl, 'isSettled'>[]
  /** The first deviating nodes or rows, with their observations. */
  readonly evidence: readonly FindingEvidence[]
  /** Names of the further deviating nodes or rows. */
  readonly furtherNodes: readonly string[]
  readonly satisfiedNodes: number
  readonly inconclusiveNodes: readonly string[]
  readonly notApplicableNodes: readonly string[]
  readonly untestedNodes: readonly string[]
  /** Other findings on the same nodes that the same change closes. */
  readonly alsoCloses: readonly Pick<FindingRow, 'reference' | 'condition' | 'severity'>[]
  readonly firstSeen: string | null
  readonly lastSeen: string | null
  /** The current response first, then earlier ones. */
  readonly responses: readonly ResponseView[]
  readonly place: {
    readonly at: number
    readonly all: number
    readonly previous: string | null
    readonly next: string | null
  }
}

interface FindingControl {
  readonly framework: FrameworkName
  readonly key: string
  readonly id: string
  readonly title: string
  /** No other deciding check of the control is open. */
  readonly isSettled: boolean
}

export interface FindingEvidence {
  readonly subject: string
  readonly observedAt: string | null
  readonly isStale: boolean
  readonly acceptedUntil: string | null
  readonly observations: readonly Pick<Observation, 'direction' | 'text'>[]
  readonly furtherObservations: number
}

export interface ResponseView
  extends Pick<ManagementResponse, 'id' | 'status' | 'owner' | 'due' | 'plan' | 'statedBy' | 'statedAt'> {
  readonly cause: string | null
  readonly withdrawnAt: string | null
  /** With a digital signature of the person who states it. */
  readonly isSigned: boolean
}

/** A management response to several findings. Null keeps the value of each finding; an empty text clears it. */
export interface ResponsesDraft {
  readonly checks: readonly string[]
  readonly status: ManagementResponse['status'] | null
  readonly owner: string | null
  /** A day in UTC, YYYY-MM-DD. */
  readonly due: string | null
  readonly plan: string | null
  readonly cause: string | null
  readonly statedBy: string
  /** Signs each entry; null leaves them unsigned. */
  readonly identity: string | null
}

/** Accepts the deviations of several findings on several nodes on the same terms: one entry for each finding. */
export interface AcceptancesDraft extends Omit<RiskAcceptanceDraft, 'check' | 'nodes'> {
  readonly checks: readonly string[]
  /** Empty: every node that deviates. */
  readonly nodes: readonly string[]
  /** Signs each entry as its approver; null leaves them unsigned. */
  readonly identity: string | null
}

/** An outstanding document: once, however many controls require it. */
export interface PlannedDocument {
  /** The evidence request; null for a need of the customer’s own mapping. */
  readonly id: string | null
  readonly title: string
  readonly inspects: string | null
  readonly minimum: EvidenceLevel
  /** The level reached so far; null where nothing is on file. */
  readonly level: EvidenceLevel | null
  /** A day in UTC, YYYY-MM-DD. */
  readonly due: string | null
  readonly isOverdue: boolean
  /** Number of controls that require it. */
  readonly controls: number
}

export interface OwnerDocuments {
  /** Null: not requested yet. */
  readonly owner: string | null
  readonly documents: readonly PlannedDocument[]
  /** A message that requests them, as plain text; null without an owner. */
  readonly message: string | null
}

/** Outstanding documents by owner. */
export interface DocumentPlan {
  readonly outstanding: number
  readonly needed: number
  readonly owners: readonly OwnerDocuments[]
}

/** Recorded entries, so that a person can withdraw them immediately. */
export interface Recorded {
  readonly ids: readonly string[]
  readonly deviations: number
  readonly isSigned: boolean
}

/** Withdraws several entries. */
interface Withdrawals {
  readonly ids: readonly string[]
  readonly by: string
  readonly reason: string
}

/** The part of the contract about findings, see Methods. */
export interface FindingMethods {
  'home.get': { in: null; out: HomeView }
  /** Changes since the run before the shown one; empty without two runs to compare. Reads both run traces. */
  'home.changes': { in: null; out: readonly HomeNotice[] }
  /** Null before the first run. */
  'documents.plan': { in: null; out: DocumentPlan | null }
  /** Saves the message to one owner as a text file. Null where no file was chosen. Fails where no document is outstanding from that owner. */
  'documents.save-message': { in: { readonly owner: string }; out: SavedFile | null }
  /** Null before the first run, and for a pack without a readable assessment. With a node: the findings that deviate on it. */
  'findings.get': { in: { readonly of: Source; readonly node: string | null }; out: FindingsView | null }
  /** Null where the assessment has no such finding. */
  'finding.get': { in: { readonly of: Source; readonly reference: string }; out: FindingView | null }
  /** The nodes on which the named findings deviate, with the number of these findings for each node. */
  'findings.nodes': {
    in: { readonly checks: readonly string[] }
    out: readonly { readonly node: string; readonly findings: number }[]
  }
  /** Adds a response to each finding whose statement changes. Changes no verdict. Where one response is refused, none is recorded. */
  'responses.set': { in: ResponsesDraft; out: Recorded }
  'responses.withdraw': { in: Withdrawals; out: null }
  'acceptances.accept-many': { in: AcceptancesDraft; out: Recorded }
  'acceptances.withdraw-many': { in: Withdrawals; out: null }
}
