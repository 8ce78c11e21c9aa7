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
  NodeConnection,
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
 * The contract between the window and the engine. A method is `noun.verb`; `call` returns a value or a failure and never throws
 * across the bridge. The window sends no paths, commands or secrets: files are chosen in dialogs of the main process. Addresses
 * appear only in the input of `fleet.*` and `declarations.set`, which accepts a path only where the fleet already names it or a
 * dialog returned it.
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
  /** The last display options of tables, by name. */
  'tables.get': { in: null; out: Readonly<Record<string, TableChoice>> }
  'tables.choose': { in: { readonly table: string; readonly choice: TableChoice }; out: null }
  /**
   * Saves a table as CSV as the window shows it, headings first. `table`: its subject in lower case with hyphens, which becomes the
   * file name. Null where no file was chosen.
   */
  'table.save': {
    in: { readonly table: string; readonly rows: readonly (readonly string[])[] }
    out: SavedFile | null
  }
  /** Collects from the built-in demo fleet, which becomes the current fleet. Progress is sent as events. */
  'demo.open': { in: null; out: RunTicket }
  'fleet.get': { in: null; out: FleetView | null }
  /** Opens a file dialog and returns a preview. Null where the dialog was closed. */
  'fleet.import-choose': { in: { readonly kind: ImportKind }; out: ImportPreview | null }
  'fleet.import-text': { in: { readonly kind: ImportKind; readonly text: string }; out: ImportPreview }
  /** A new preview of the same table with columns assigned, in order. The earlier preview ends. */
  'fleet.import-columns': {
    in: { readonly handle: string; readonly columns: readonly (ImportField | null)[] }
    out: ImportPreview
  }
  /** Adds the rows of a preview with the outcome `will-add`. Contacts no node. */
  'fleet.accept': { in: { readonly handle: string }; out: FleetView }
  /**
   * Empty `user`: that of the SSH configuration. `was`: what the person was shown. Members that they left as they were keep what is stored
   * now; refused where another person changed one that they changed as well.
   */
  'fleet.edit-node': { in: { readonly node: string; readonly was?: NodeConnection } & NodeConnection; out: FleetView }
  /** Removes nodes from the fleet; their evidence stays. */
  'fleet.remove-nodes': { in: { readonly nodes: readonly string[] }; out: FleetView }
  'hostkeys.list': { in: null; out: readonly HostKeyRow[] }
  /** Reads the host keys of the named nodes without login. Returns the rows of all nodes. */
  'hostkeys.scan': { in: { readonly nodes: readonly string[] }; out: readonly HostKeyRow[] }
  /** Records a person’s decision about a scanned key. Refused where another key was scanned meanwhile. */
  'hostkeys.confirm': {
    in: { readonly node: string; readonly fingerprint: string; readonly howVerified: string }
    out: readonly HostKeyRow[]
  }
  /** Compares pasted fingerprints or known_hosts lines with the shown keys. Sets `matched` and confirms nothing. */
  'hostkeys.match-text': { in: { readonly text: string }; out: readonly HostKeyRow[] }
  /** Records the decision for every key that matched the pasted text. */
  'hostkeys.confirm-matched': { in: { readonly howVerified: string }; out: readonly HostKeyRow[] }
  /** All commands of a run. An empty list means every node of the fleet. */
  'run.preview': { in: { readonly nodes: readonly string[] }; out: RunPreview }
  'run.preview-save': { in: { readonly nodes: readonly string[] }; out: SavedFile | null }
  /** Saves the sudoers file that permits the account of a node exactly the privileged commands. */
  'run.sudoers-save': { in: { readonly node: string }; out: SavedFile | null }
  /** `missing`: continues the shown run with the nodes and commands that have no capture yet. An empty list means every node. */
  'run.start': { in: { readonly nodes: readonly string[]; readonly only: 'all' | 'missing' }; out: RunTicket }
  /** Begins no further node and finishes those in progress. */
  'run.pause': { in: null; out: null }
  'run.resume': { in: null; out: null }
  'run.cancel': { in: null; out: null }
  'run.status': { in: null; out: RunStatus | null }
  /** Runs of the fleet on this computer, newest first. */
  'runs.list': { in: null; out: readonly RunListItem[] }
  /** Shows a stored run, evaluated as of now. Progress is sent as events. Fails with run.not-opened after `runs.stop-opening`. */
  'runs.open': { in: { readonly run: string }; out: AssessmentView }
  /** Cancels every opening of a stored run in progress; the shown run stays. */
  'runs.stop-opening': { in: null; out: null }
  /**
   * Cancels the evaluation of the shown run as of another day: methods that wait for it fail with run.not-evaluated, and the next one starts it
   * again.
   */
  'runs.stop-evaluating': { in: null; out: null }
  'assessment.get': { in: { readonly of: Source }; out: AssessmentView | null }
  'node.get': { in: { readonly of: Source; readonly node: string }; out: NodeView | null }
  /** Earlier runs of a node on this computer, newest first, with verdicts that changed since the previous one; empty for a pack. */
  'node.timeline': { in: { readonly of: Source; readonly node: string }; out: readonly NodeMoment[] }
  /** Location results of the nodes; `node.get` returns the reasons. */
  'location.get': { in: { readonly of: Source }; out: LocationView | null }
  /** Figures of one node, of the given kinds that have evidence. */
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
  /** Refused without an end, with an end in the past or after more than 366 days, and where there is no deviation. */
  'acceptances.accept': { in: RiskAcceptanceDraft; out: RegisterView }
  'acceptances.withdraw': { in: WithdrawalDraft; out: RegisterView }
  /** Requests a risk acceptance; accepts nothing. */
  'acceptances.request': { in: AcceptanceRequestDraft; out: RegisterView }
  /** Approves a request with its terms. Refused where it was resolved or has expired. */
  'acceptances.approve': { in: ApprovalDraft; out: RegisterView }
  'acceptances.reject': { in: WithdrawalDraft; out: RegisterView }
  /** Saves the risk acceptances as CSV. */
  'acceptances.save': { in: null; out: SavedFile | null }
  'documents.add': { in: DocumentDraft; out: RegisterView | null }
  'documents.note': { in: DocumentDraft & { readonly name: string; readonly text: string }; out: RegisterView }
  'documents.withdraw': { in: WithdrawalDraft; out: RegisterView }
  /** Opens a copy of an image or PDF in the viewer of the system; other types are refused. */
  'documents.show': { in: { readonly of: Source; readonly id: string }; out: null }
  /** Records a control decision: on an addressable specification, or that a control is not applicable. */
  'decisions.set': { in: DecisionDraft; out: RegisterView }
  'decisions.withdraw': { in: WithdrawalDraft; out: RegisterView }
  /** Signs an entry of the register with an identity of this computer; `identity` null: the only one. Changes nothing else. */
  'register.sign': {
    in: { readonly id: string; readonly role: EntrySignature['role']; readonly identity: string | null }
    out: RegisterView
  }
  'requests.set': { in: RequestDraft; out: RegisterView }
  /** Plan for a stored run, by name; null: for the shown run. */
  'export.plan': { in: { readonly run: string } | null; out: ExportPlan }
  /** Open items before an export; only a missing signer blocks it. */
  'export.preflight': { in: { readonly run: string } | null; out: readonly PreflightItem[] }
  /**
   * Seals report and pack in a folder of the engine. `identity` null: the only one; refused where there is none. With `redact`, adds a redacted
   * copy.
   */
  'export.build': {
    in: {
      /** A stored run; absent: the shown one. */
      readonly run?: string
      readonly frameworks: readonly FrameworkName[]
      readonly identity: string | null
      readonly timestamp: boolean
      /** Ids of additional outputs from the plan. */
      readonly also: readonly string[]
      readonly redact: { readonly classes: readonly string[]; readonly who: string; readonly why: string } | null
    }
    out: ExportDraft
  }
  /** Opens the draft in the review window, as its reader does. */
  'export.review': { in: { readonly handle: string }; out: PackReview }
  /** Opens a folder dialog and copies the files of the draft there. Null where the dialog was closed. */
  'export.save': { in: { readonly handle: string }; out: ExportView | null }
  'export.discard': { in: { readonly handle: string }; out: null }
  /** Opens a file dialog and verifies the chosen file. Null where the dialog was closed. */
  'pack.choose-and-verify': { in: null; out: PackReview | null }
  /** Cancels the verification in progress; the call that began it fails with pack.stopped. */
  'pack.stop': { in: null; out: null }
  'pack.recent': { in: null; out: readonly RecentPack[] }
  'pack.open-recent': { in: { readonly handle: string }; out: PackReview }
  /** The pack that is open, or null. */
  'pack.review': { in: null; out: PackReview | null }
  /** Records trust in the signer of the open pack with the method of verification, and repeats all checks. */
  'pack.trust': { in: { readonly howVerified: string }; out: PackReview }
  /** Opens a file dialog, records trust in the authorities of the chosen certificate file, and repeats all checks. */
  'pack.trust-authority': { in: { readonly howVerified: string }; out: PackReview | null }
  /** Opens a file dialog and compares the open pack with a checkpoint that the reader kept. */
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
  /** The number of results in each population of the open pack. */
  'review.populations': { in: null; out: Readonly<Record<SamplePopulation, number>> }
  'review.worksheet': { in: null; out: Worksheet | null }
  'review.note': {
    in: { readonly node: string; readonly check: string; readonly state: WorkState; readonly note: string }
    out: Worksheet
  }
  /** Limits of the open pack: what it does not show. */
  'review.limits': { in: null; out: readonly LimitGroup[] }
  /** Saves the worksheet as CSV; the next two methods save it as a workbook and as PDF. */
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
  /** Asks for a passphrase in a separate prompt, unless the system stores one. */
  'identities.create': { in: { readonly name: string; readonly subject: string }; out: readonly IdentityView[] }
  /** Saves the card of an identity as a text file. */
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

/** The choice of a person in a dialog of the main process, for the methods in DIALOGS. Never sent by the window. */
export interface Chosen {
  readonly path: string
}

/** The engine. The main process, the command line and tests each have one; the window has `call` and `onEvent`. */
export interface Engine {
  readonly call: <M extends Method>(method: M, input: Input<M>, chosen?: Chosen) => Promise<Reply<Output<M>>>
  /** Returns a function that ends the subscription. */
  readonly onEvent: (listener: (event: EngineEvent) => void) => () => void
  /** Ends a run in progress, keeps its recordings, and releases files. */
  readonly close: () => Promise<void>
}

/** The only object that the preload script adds to the window. */
export interface Bridge {
  readonly call: Call
  readonly onEvent: (listener: (event: EngineEvent) => void) => () => void
}
