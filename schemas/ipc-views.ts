import type { CallFailure, EngineEvent } from './ipc.ts'
import type {
  Assessment,
  Attachment,
  Capture,
  ControlAssessment,
  Exception,
  Isolation,
  NodeAssessment,
  Recording,
  RecordRequest,
} from './types.ts'
import type { VerificationReport } from './verification.ts'
import type { Property, Verdict } from './words.ts'

/** Plain data that the engine answers the window with. */

/** What the main process asks a person to choose. */
export type Dialog = 'import-file' | 'export-folder' | 'pack-file' | 'any-file' | 'certificate-file' | 'save-file'

export const IMPORT_KINDS = ['ssh-config', 'csv', 'ansible'] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]
export const FRAMEWORK_NAMES = ['hipaa', 'soc2', 'nprm'] as const
export type FrameworkName = (typeof FRAMEWORK_NAMES)[number]
/** `run`: the current fleet's latest run. `pack`: the pack that is open for review. */
export const SOURCES = ['run', 'pack'] as const
export type Source = (typeof SOURCES)[number]

export interface AppInfo {
  readonly version: string
  readonly catalogVersion: string
  readonly probes: number
  readonly checks: number
}

export interface RunTicket {
  readonly run: string
  readonly nodes: readonly string[]
}

export interface FleetView {
  readonly name: string
  readonly demo: boolean
  readonly frameworks: readonly FrameworkName[]
  readonly nodes: readonly FleetNodeView[]
}
export interface FleetNodeView {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly user: string
  readonly sudo: boolean
  readonly jump: readonly string[]
  readonly place: string | null
  readonly role: string | null
}

export interface ImportPreview {
  readonly handle: string
  /** The file's name for display, or null for pasted text. */
  readonly file: string | null
  readonly rows: readonly ImportRow[]
  readonly willAdd: number
}
/** Every line or entry of the source is accounted for. */
export interface ImportRow {
  readonly line: number
  readonly text: string
  readonly outcome: 'will-add' | 'already-here' | 'skipped' | 'used'
  /** The node's name where the line yields one. */
  readonly node: string | null
  /** Why it was skipped, or what it was used for. */
  readonly note: string
}

export interface HostKeyRow {
  readonly node: string
  readonly state: 'not-asked' | 'confirmed' | 'unknown' | 'changed' | 'revoked' | 'unreachable'
  readonly keyType: string | null
  /** What the node presented when last asked, `SHA256:…`. */
  readonly fingerprint: string | null
  /** What we had on record, where it differs. */
  readonly onRecord: string | null
  /** Who or what confirms the key: a known_hosts file, the fleet file, a recorded decision. Null when nobody does. */
  readonly confirmedBy: string | null
  /** Which line of a pasted list holds this very key, or null. */
  readonly matched: string | null
  readonly failure: CallFailure | null
}

export interface RunPreview {
  readonly nodes: readonly string[]
  readonly questions: readonly QuestionView[]
}
export interface QuestionView {
  readonly probe: string
  readonly title: string
  readonly why: string
  readonly lines: readonly CommandLine[]
}
export interface CommandLine {
  readonly name: string
  /** Exactly as it will run; empty for a measurement made from this computer. */
  readonly argv: readonly string[]
  readonly by: 'user' | 'root' | 'this-computer'
  readonly timeoutSeconds: number
}

/** One run's judgement, small enough for a thousand nodes: reasons come node by node, with `node.get`. */
export interface AssessmentView {
  readonly of: Source
  readonly run: string
  readonly asOf: string
  readonly engine: string
  readonly catalog: Assessment['catalog']
  readonly scope: Assessment['scope']
  readonly demo: boolean
  readonly checks: readonly CheckView[]
  readonly rows: readonly NodeRow[]
  readonly frameworks: readonly FrameworkView[]
}
/** One declared node in the matrix. */
export interface NodeRow {
  readonly node: string
  readonly status: NodeAssessment['status']
  readonly failure: NodeAssessment['failure']
  readonly privilege: NodeAssessment['privilege']
  readonly observedAt: string | null
  readonly ageDays: number | null
  readonly stale: boolean
  readonly layer: Isolation['layer'] | null
  readonly platform: string | null
  readonly concealed: boolean
  /** Where it is declared to be, or null. */
  readonly place: string | null
  /** In the order of `checks`. */
  readonly verdicts: readonly Verdict[]
  /** Checks whose finding on this node somebody accepts, as of `asOf`, with the end of the acceptance and its owner. */
  readonly accepted: readonly { readonly check: string; readonly until: string; readonly owner: string }[]
  /** Checks whose acceptance has ended. */
  readonly expired: readonly string[]
}
/** Everything about one node. */
export interface NodeView {
  readonly assessment: NodeAssessment
  readonly recording: Recording | null
  readonly declared: FleetNodeView | null
  /** Earlier runs of this node on this computer, newest first, with what changed in the verdicts since the one before. */
  readonly timeline: readonly NodeMoment[]
  readonly exceptions: readonly ExceptionView[]
}
export interface NodeMoment {
  readonly run: string
  readonly at: string
  readonly status: NodeAssessment['status']
  readonly changed: readonly { readonly check: string; readonly before: Verdict; readonly after: Verdict }[]
}
/** What the catalog says, the same for every run: probes and signals by id. */
export interface CatalogView {
  readonly version: string
  readonly digest: string
  readonly checks: readonly CheckView[]
  readonly probes: readonly ProbeView[]
  readonly signals: readonly SignalView[]
}
/** What the catalog says about one signal of isolation. */
export interface SignalView {
  readonly id: string
  readonly family: string
  readonly title: string
  readonly onMetal: string
  readonly onGuest: string
  readonly spoof: 'S0' | 'S1' | 'S2' | 'S3'
  readonly traps: readonly string[]
  readonly source: string
  /** Machines of known truth that read as on a guest, out of those read. */
  readonly counts: {
    readonly vm: readonly [number, number]
    readonly dressed: readonly [number, number]
    readonly metal: readonly [number, number]
  } | null
}
export interface CheckView {
  readonly id: string
  readonly property: Property
  readonly claim: string
  readonly limits: string
  /** Probe ids. */
  readonly needs: readonly string[]
  readonly wants: readonly string[]
}
export interface ProbeView {
  readonly id: string
  readonly title: string
  readonly why: string
}
export interface FrameworkView {
  readonly id: FrameworkName
  readonly title: string
  readonly version: string
  readonly status: string
  readonly overlay: boolean
  readonly controls: readonly ControlRow[]
}
/** One row of a framework with what this run says of it. */
export interface ControlRow extends ControlView {
  readonly assessed: ControlAssessment | null
}
export interface ControlView {
  readonly key: string
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly level: string
  readonly group: string
  readonly evidenceClass: 'automatable' | 'partial' | 'manual' | 'out-of-scope'
  readonly supports: readonly { readonly check: string; readonly shows: string }[]
  readonly notShown: string
  readonly needsAlso: readonly string[]
  readonly responsibility: readonly string[]
}

export interface EvidenceList {
  readonly recording: Recording | null
  readonly captures: readonly Capture[]
}
export interface EvidencePiece {
  readonly capture: Capture
  readonly stream: 'stdout' | 'stderr'
  /** Decoded as UTF-8; bytes that are not become U+FFFD. Cut at a character's edge. */
  readonly text: string
  readonly offset: number
  /** Byte offset of the next piece; null at the end. */
  readonly nextOffset: number | null
  readonly size: number
  /** Lines of `text`, counted from 0, that hold a value of what the probe read. */
  readonly marked: readonly number[]
  /** SHA-256 of the stored bytes, computed again for this answer. */
  readonly digestNow: string
  /** What the probe read from its captures: indented JSON, or why it gave no fact. */
  readonly reading: { readonly ok: true; readonly fact: string } | { readonly ok: false; readonly reason: string }
}

/** What an export would hold, before anything is sealed. */
export interface ExportPlan {
  readonly run: string
  readonly demo: boolean
  readonly declared: number
  /** Declared nodes without evidence, each with the reason. */
  readonly missing: readonly { readonly node: string; readonly why: string }[]
  readonly captures: number
  readonly frameworks: readonly { readonly id: FrameworkName; readonly title: string; readonly chosen: boolean }[]
  readonly exceptions: number
  readonly attachments: number
  readonly identities: readonly IdentityView[]
  /** Null: no authority is set, and the time is from this computer only. */
  readonly authority: string | null
  /** What can be withheld from the copy that is handed out, with how many places hold it. */
  readonly withholdable: readonly { readonly id: string; readonly title: string }[]
}
/** A sealed pack that lies with us until it is saved. */
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
/** A file that was saved where a person chose. */
export interface SavedFile {
  readonly file: string
}

export interface PackReview {
  readonly handle: string
  /** The file's name for display. */
  readonly file: string
  readonly report: VerificationReport
  /** What the pack states; null when that part cannot be read. */
  readonly view: AssessmentView | null
  /** Verdicts stated and verdicts derived again here that agree. */
  readonly verdicts: { readonly stated: number; readonly identical: number }
  /** How we came to trust the signer, or null. */
  readonly trust: TrustAnchor | null
}
/** A pack that was opened before. */
export interface RecentPack {
  readonly handle: string
  readonly file: string
  readonly openedAt: string
  /** The file is where it was. */
  readonly here: boolean
}
/** Findings drawn from the whole population by a printed seed: anybody draws the same again. */
export interface Sample {
  readonly seed: string
  readonly population: number
  readonly drawn: readonly {
    readonly place: number
    readonly node: string
    readonly check: string
    readonly verdict: Verdict
  }[]
}
/** An auditor's own notes on a pack; kept beside it, never in it. */
export interface Worksheet {
  readonly file: string
  readonly sample: Sample | null
  readonly lines: readonly WorksheetLine[]
}
export const WORK_STATES = ['open', 'looked-at', 'question', 'accepted'] as const
export type WorkState = (typeof WORK_STATES)[number]
export interface WorksheetLine {
  readonly node: string
  readonly check: string
  readonly state: WorkState
  readonly note: string
  readonly at: string
}

export interface RegisterView {
  readonly exceptions: readonly ExceptionView[]
  readonly attachments: readonly AttachmentView[]
  readonly requests: readonly RecordRequest[]
}
export interface ExceptionView extends Exception {
  readonly standing: 'in-force' | 'expired' | 'withdrawn'
}
export interface AttachmentView extends Attachment {
  readonly standing: 'in-force' | 'expired' | 'withdrawn'
}
export interface ExceptionDraft {
  readonly check: string
  readonly nodes: readonly string[]
  readonly reason: string
  readonly compensatingMeasure: string
  readonly owner: string
  readonly requestedBy: string
  readonly approvedBy: string
  /** A day in UTC, YYYY-MM-DD; the acceptance ends with it. */
  readonly until: string
}
export interface AttachmentDraft {
  readonly controls: readonly { readonly framework: FrameworkName; readonly control: string }[]
  readonly need: string | null
  readonly shows: string
  readonly saidBy: string
  readonly method: 'examined' | 'asked' | 'received'
  readonly owner: string
  /** A day in UTC, YYYY-MM-DD, or null. */
  readonly validUntil: string | null
}
export interface RequestDraft {
  readonly framework: FrameworkName
  readonly control: string
  readonly need: string
  readonly owner: string
  /** A day in UTC, YYYY-MM-DD. */
  readonly due: string
}

export interface IdentityView {
  readonly name: string
  readonly kind: 'local' | 'imported' | 'token'
  readonly subject: string
  readonly fingerprint: string
  readonly notAfter: string
  /** How its secret is kept here, in words; what that is worth is said plainly. */
  readonly keptHow: string
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
/** What a person set. Nothing here is secret. */
export interface Settings {
  /** Nodes asked at a time. */
  readonly concurrency: number
  /** Address of a time-stamp authority (RFC 3161), or null for none. */
  readonly authority: string | null
  /** Single-key shortcuts (G then N, /, ?): WCAG 2.1.4. */
  readonly singleKeys: boolean
  readonly theme: 'system' | 'light' | 'dark'
}
export interface RunListItem {
  readonly run: string
  readonly at: string
  readonly nodes: number
  readonly complete: number
  /** The one the window shows. */
  readonly open: boolean
}
/** A run that goes on, or the last one, for a window that opens late. */
export interface RunStatus {
  readonly run: string
  readonly going: boolean
  readonly paused: boolean
  readonly startedAt: string
  readonly events: readonly EngineEvent[]
}
