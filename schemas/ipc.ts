import type { Figure, NodeFigureKind } from './figure.ts'
import type { DeclarationMethods } from './ipc-declarations.ts'
import type { EngagementMethods } from './ipc-engagement.ts'
import type { FindingMethods } from './ipc-findings.ts'
import type { HistoryMethods } from './ipc-history.ts'
import type {
  ExportDraft,
  ExportPlan,
  ExportView,
  IdentityView,
  LimitGroup,
  PackReview,
  PreflightItem,
  RecentPack,
  TrustAnchor,
  Worksheet,
} from './ipc-packs.ts'
import type { PeriodMethods } from './ipc-periods.ts'
import type { PortalMethods } from './ipc-portal.ts'
import type {
  AcceptanceRequestDraft,
  ApprovalDraft,
  DecisionDraft,
  DocumentDraft,
  RegisterView,
  RequestDraft,
  RiskAcceptanceDraft,
  WithdrawalDraft,
} from './ipc-register.ts'
import type { AssessmentView, CatalogView, EvidenceList, EvidencePiece, NodeMoment, NodeView } from './ipc-results.ts'
import type { ScheduleMethods } from './ipc-schedules.ts'
import type {
  AppInfo,
  CallFailure,
  EngineEvent,
  FleetView,
  FrameworkName,
  HostKeyRow,
  ImportField,
  ImportKind,
  ImportPreview,
  LocationView,
  RunListItem,
  RunPreview,
  RunStatus,
  RunTicket,
  SavedFile,
  SearchMethods,
  Settings,
  Source,
  TableChoice,
} from './ipc-views.ts'
import type { SamplePopulation, WorkState } from './review-words.ts'
import type { EntrySignature } from './types.ts'

/**
 * The one contract between the window and the engine. A method is `noun.verb`; `call` answers with a value or a failure and
 * never throws across the bridge. The window sends no paths, commands or secrets: files are chosen in dialogs of the main
 * process, and an address appears only in the input of `fleet.*` and `declarations.set`, which takes a path only where the fleet names it already or a
 * dialog gave it.
 */
interface Methods
  extends DeclarationMethods,
    EngagementMethods,
    FindingMethods,
    HistoryMethods,
    PeriodMethods,
    PortalMethods,
    ScheduleMethods,
    SearchMethods {
  'app.info': { in: null; out: AppInfo }
  'catalog.get': { in: null; out: CatalogView }
  'settings.get': { in: null; out: Settings }
  'settings.set': { in: Settings; out: Settings }
  /** How tables were shown last, by their names. */
  'tables.get': { in: null; out: Readonly<Record<string, TableChoice>> }
  'tables.choose': { in: { readonly table: string; readonly choice: TableChoice }; out: null }
  /** Saves a table as the window shows it, its headings first, as CSV. Null: no file was chosen. */
  /** `table`: what it lists, in lower case with hyphens; the file is named after it. */
  'table.save': {
    in: { readonly table: string; readonly rows: readonly (readonly string[])[] }
    out: SavedFile | null
  }
  /** Collects from the built-in demo fleet; from then on it is the current fleet. Progress comes as events. */
  'demo.open': { in: null; out: RunTicket }
  'fleet.get': { in: null; out: FleetView | null }
  /** Main's file dialog, then a preview. Null when the dialog was closed. */
  'fleet.import-choose': { in: { readonly kind: ImportKind }; out: ImportPreview | null }
  'fleet.import-text': { in: { readonly kind: ImportKind; readonly text: string }; out: ImportPreview }
  /** The same table with its columns assigned, in their order. The earlier preview ends. */
  'fleet.import-columns': {
    in: { readonly handle: string; readonly columns: readonly (ImportField | null)[] }
    out: ImportPreview
  }
  /** Adds the rows of a preview that will be added. Nothing is contacted. */
  'fleet.accept': { in: { readonly handle: string }; out: FleetView }
  /** Empty `user`: as the SSH configuration states. */
  'fleet.edit-node': {
    in: {
      readonly node: string
      readonly address: string
      readonly port: number
      readonly user: string
      readonly sudo: boolean
    }
    out: FleetView
  }
  /** Takes nodes out of the fleet; their evidence stays. */
  'fleet.remove-nodes': { in: { readonly nodes: readonly string[] }; out: FleetView }
  'hostkeys.list': { in: null; out: readonly HostKeyRow[] }
  /** Asks the named nodes for their host keys, without logging in. Gives the rows of all nodes. */
  'hostkeys.scan': { in: { readonly nodes: readonly string[] }; out: readonly HostKeyRow[] }
  /** Records a person's decision about the key that was scanned; refused when it is no longer the one scanned. */
  'hostkeys.confirm': {
    in: { readonly node: string; readonly fingerprint: string; readonly howVerified: string }
    out: readonly HostKeyRow[]
  }
  /** Compares pasted fingerprints or known_hosts lines with the keys that were shown: fills `matched`, and confirms nothing. */
  'hostkeys.match-text': { in: { readonly text: string }; out: readonly HostKeyRow[] }
  /** Records the decision for every key that the pasted text matched, and for no other. */
  'hostkeys.confirm-matched': { in: { readonly howVerified: string }; out: readonly HostKeyRow[] }
  /** Everything a run would ask. An empty list means every node of the fleet. */
  'run.preview': { in: { readonly nodes: readonly string[] }; out: RunPreview }
  'run.preview-save': { in: { readonly nodes: readonly string[] }; out: SavedFile | null }
  /** The sudoers file that lets the account of a node run exactly the privileged commands. */
  'run.sudoers-save': { in: { readonly node: string }; out: SavedFile | null }
  /** `missing`: goes on with the run that is shown, and asks only nodes and questions without an answer. An empty list means every node. */
  'run.start': { in: { readonly nodes: readonly string[]; readonly only: 'all' | 'missing' }; out: RunTicket }
  /** No further node is begun; those being asked are finished. */
  'run.pause': { in: null; out: null }
  'run.resume': { in: null; out: null }
  'run.cancel': { in: null; out: null }
  'run.status': { in: null; out: RunStatus | null }
  /** Runs of the fleet on this computer, newest first. */
  'runs.list': { in: null; out: readonly RunListItem[] }
  /** Shows a stored run, evaluated again as of now; its progress comes as events. Fails with run.not-opened after `runs.stop-opening`. */
  'runs.open': { in: { readonly run: string }; out: AssessmentView }
  /** Ends every opening of a stored run that is in progress: the run that is shown stays. */
  'runs.stop-opening': { in: null; out: null }
  /** Ends the evaluation of the shown run as of another day: methods that wait for it fail with run.not-evaluated, and the next one begins again. */
  'runs.stop-evaluating': { in: null; out: null }
  'assessment.get': { in: { readonly of: Source }; out: AssessmentView | null }
  'node.get': { in: { readonly of: Source; readonly node: string }; out: NodeView | null }
  /** Earlier runs of a node on this computer, newest first, with what changed in the verdicts since the one before; none of a pack. */
  'node.timeline': { in: { readonly of: Source; readonly node: string }; out: readonly NodeMoment[] }
  /** Where the nodes are declared to be; reasons come with `node.get`. */
  'location.get': { in: { readonly of: Source }; out: LocationView | null }
  /** Pictures of one node, of the given kinds those for which there is evidence. */
  'figures.get': {
    in: { readonly of: Source; readonly node: string; readonly kinds: readonly NodeFigureKind[] }
    out: readonly Figure[]
  }
  'evidence.list': { in: { readonly of: Source; readonly node: string }; out: EvidenceList }
  /** Up to 1 MiB of one stream from a byte offset. `capture` is "probe/command". */
  'evidence.get': {
    in: {
      readonly of: Source
      readonly node: string
      readonly capture: string
      readonly stream: 'stdout' | 'stderr'
      readonly offset: number
    }
    out: EvidencePiece
  }
  'register.get': { in: { readonly of: Source }; out: RegisterView }
  /** Refused without an end, with an end in the past or later than 366 days, and for a finding that is supported. */
  'acceptances.accept': { in: RiskAcceptanceDraft; out: RegisterView }
  'acceptances.withdraw': { in: WithdrawalDraft; out: RegisterView }
  /** Asks for an exception; accepts nothing. */
  'acceptances.request': { in: AcceptanceRequestDraft; out: RegisterView }
  /** Accepts a request on its own terms. Refused when it was resolved or its end has passed. */
  'acceptances.approve': { in: ApprovalDraft; out: RegisterView }
  'acceptances.reject': { in: WithdrawalDraft; out: RegisterView }
  /** The list as CSV. */
  'acceptances.save': { in: null; out: SavedFile | null }
  'documents.add': { in: DocumentDraft; out: RegisterView | null }
  'documents.note': { in: DocumentDraft & { readonly name: string; readonly text: string }; out: RegisterView }
  'documents.withdraw': { in: WithdrawalDraft; out: RegisterView }
  /** Opens a copy of an image or PDF in the system's viewer; nothing else is ever opened. */
  'documents.show': { in: { readonly of: Source; readonly id: string }; out: null }
  /** Writes down what was decided about a row: an addressable specification, or that a row does not apply. */
  'decisions.set': { in: DecisionDraft; out: RegisterView }
  'decisions.withdraw': { in: WithdrawalDraft; out: RegisterView }
  /** Signs an entry of the register with an identity of this computer; `identity` null: the only one. It changes nothing else. */
  'register.sign': {
    in: { readonly id: string; readonly role: EntrySignature['role']; readonly identity: string | null }
    out: RegisterView
  }
  'requests.set': { in: RequestDraft; out: RegisterView }
  /** Of a stored run, by name; null: of the run that is shown. */
  'export.plan': { in: { readonly run: string } | null; out: ExportPlan }
  /** What is open before such a run is exported; only a missing signer blocks. */
  'export.preflight': { in: { readonly run: string } | null; out: readonly PreflightItem[] }
  /** Seals report and pack into a folder of ours. `identity` null: the only one; refused where there is none. With `redact`, a copy to hand out is next to it. */
  'export.build': {
    in: {
      /** A stored run; without it, the one that is shown. */
      readonly run?: string
      readonly frameworks: readonly FrameworkName[]
      readonly identity: string | null
      readonly timestamp: boolean
      /** Ids from the plan: what is written beside pack and report. */
      readonly also: readonly string[]
      readonly redact: { readonly classes: readonly string[]; readonly who: string; readonly why: string } | null
    }
    out: ExportDraft
  }
  /** Opens the draft as its reader will: in the review window. */
  'export.review': { in: { readonly handle: string }; out: PackReview }
  /** Main's folder dialog, then the draft's files are copied there. Null when the dialog was closed. */
  'export.save': { in: { readonly handle: string }; out: ExportView | null }
  'export.discard': { in: { readonly handle: string }; out: null }
  /** Main's file dialog, then the six answers. Null when the dialog was closed. */
  'pack.choose-and-verify': { in: null; out: PackReview | null }
  /** Ends the verification in progress: the call that began it fails with pack.stopped. */
  'pack.stop': { in: null; out: null }
  'pack.recent': { in: null; out: readonly RecentPack[] }
  'pack.open-recent': { in: { readonly handle: string }; out: PackReview }
  /** The pack that is open, or null. */
  'pack.review': { in: null; out: PackReview | null }
  /** Records that the signer of the open pack is to be trusted, and how that was verified; then all answers again. */
  'pack.trust': { in: { readonly howVerified: string }; out: PackReview }
  /** Main's file dialog, then the authorities of a certificate file are trusted, and all checks are repeated. */
  'pack.trust-authority': { in: { readonly howVerified: string }; out: PackReview | null }
  /** Main's file dialog, then the open pack is compared with a checkpoint that the reader kept elsewhere. */
  'pack.import-checkpoint': { in: null; out: PackReview | null }
  'pack.re-evaluate': { in: null; out: PackReview }
  /** Selects a sample of the open pack: see docs/auditor-guide.md. */
  'review.sample': {
    in: {
      readonly auditor: string
      readonly size: number
      readonly seed: string
      readonly from: SamplePopulation
      readonly stratified: boolean
    }
    out: Worksheet
  }
  /** How many results each population of the open pack has. */
  'review.populations': { in: null; out: Readonly<Record<SamplePopulation, number>> }
  'review.worksheet': { in: null; out: Worksheet | null }
  'review.note': {
    in: { readonly node: string; readonly check: string; readonly state: WorkState; readonly note: string }
    out: Worksheet
  }
  /** Everything that the open pack does not show. */
  'review.limits': { in: null; out: readonly LimitGroup[] }
  /** The worksheet as CSV, as a workbook, and as PDF. */
  'review.save-worksheet': { in: null; out: SavedFile | null }
  'review.save-workbook': { in: null; out: SavedFile | null }
  'review.save-worksheet-pdf': { in: null; out: SavedFile | null }
  'trust.list': { in: null; out: readonly TrustAnchor[] }
  'trust.add-choose': {
    in: { readonly for: TrustAnchor['for']; readonly howVerified: string }
    out: readonly TrustAnchor[] | null
  }
  'trust.remove': { in: { readonly fingerprint: string }; out: readonly TrustAnchor[] }
  'identities.list': { in: null; out: readonly IdentityView[] }
  /** Asks for a passphrase outside the window, unless the system keeps one. */
  'identities.create': { in: { readonly name: string; readonly subject: string }; out: readonly IdentityView[] }
  /** The card of an identity as a text file. */
  'identities.save-card': { in: { readonly name: string }; out: SavedFile | null }
  'identities.backup': { in: { readonly name: string }; out: SavedFile | null }
  'identities.restore': { in: null; out: readonly IdentityView[] | null }
  'identities.rotate': { in: { readonly name: string; readonly why: string }; out: readonly IdentityView[] }
}

export type Method = keyof Methods
export type Input<M extends Method> = Methods[M]['in']
export type Output<M extends Method> = Methods[M]['out']

export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: CallFailure }

export type Call = <M extends Method>(method: M, input: Input<M>) => Promise<Reply<Output<M>>>

/** What a person chose in a dialog of the main process, for the methods in DIALOGS. Never comes from the window. */
export interface Chosen {
  readonly path: string
}

/** The whole product as one object. The main process, the command line and tests hold one each; the window sees `call` and `onEvent`. */
export interface Engine {
  readonly call: <M extends Method>(method: M, input: Input<M>, chosen?: Chosen) => Promise<Reply<Output<M>>>
  /** Returns what ends the subscription. */
  readonly onEvent: (listener: (event: EngineEvent) => void) => () => void
  /** Ends a run that is going on, keeps what was collected, and releases files. */
  readonly close: () => Promise<void>
}

/** What the window's one added name holds. */
export interface Bridge {
  readonly call: Call
  readonly onEvent: (listener: (event: EngineEvent) => void) => () => void
}
