import type { FailureCode } from './failure-words.ts'
import type { Figure } from './figure.ts'
import type { FrameworkName, Location, LocationResult, NodeAssessment } from './types.ts'
import type { CheckSoFar, VerificationProgress } from './verification.ts'
import type { Property } from './words.ts'

/** Data in replies of the engine: fleets, runs and settings. */

/** Kinds of dialogs in which the main process lets a person choose a file or folder. */
export type Dialog = 'import-file' | 'export-folder' | 'pack-file' | 'any-file' | 'certificate-file' | 'save-file'

export const IMPORT_KINDS = ['ssh-config', 'csv', 'ansible'] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]
/** An expected failure as a value, of the same shape as Failure in main/core/base/failure.ts. Its texts are in failure-words.ts. */
export interface CallFailure {
  readonly code: FailureCode
  readonly detail: string
  readonly node?: string
}

/** Steps of opening a stored run: its recordings are read and then evaluated, one node after the other. */
export type OpeningStep = 'reading' | 'evaluating'
interface OpeningProgress {
  readonly step: OpeningStep
  readonly done: number
  readonly total: number
}

/**
 * Events of a run and of other work. When `run-done` is sent, `assessment.get` already returns the new run. Events of a run have the shape of
 * RunEvent in main/core/ports/ports.ts.
 */
export type EngineEvent =
  /** The latest stored run is being opened; methods that need it are answered afterwards, which ends this state. */
  | ({ readonly kind: 'run-opening' } & OpeningProgress)
  /** A run that a person chose is being opened. The shown run stays until `runs.open` returns. */
  | ({ readonly kind: 'run-loading'; readonly run: string } & OpeningProgress)
  | { readonly kind: 'run-started'; readonly run: string; readonly nodes: readonly string[] }
  | { readonly kind: 'node-connecting'; readonly node: string }
  | { readonly kind: 'node-collecting'; readonly node: string; readonly done: number; readonly total: number }
  | { readonly kind: 'node-timing'; readonly node: string; readonly secondsLeft: number }
  | { readonly kind: 'node-done'; readonly node: string; readonly captures: number; readonly partial: boolean }
  | { readonly kind: 'node-failed'; readonly node: string; readonly code: string; readonly detail: string }
  /**
   * All nodes have ended; their results are evaluated as of one time, and the run is stored. Ended by `run-done`. While no run is in progress,
   * the shown run is evaluated as of another day; methods that need it are answered afterwards.
   */
  | { readonly kind: 'run-evaluating'; readonly run: string; readonly done: number; readonly total: number }
  /** The evaluation of the shown run was cancelled; methods that need it start it again. */
  | { readonly kind: 'run-evaluation-stopped'; readonly run: string }
  | { readonly kind: 'run-paused'; readonly run: string }
  | { readonly kind: 'run-resumed'; readonly run: string }
  /** A pack was opened from outside the window: dropped on it, from the menu, or by the system. */
  | { readonly kind: 'pack-opened' }
  | { readonly kind: 'pack-refused'; readonly error: CallFailure }
  /** Progress of a verification in any window; `file` is for display. Ended by `verified`, whatever the outcome. */
  | { readonly kind: 'verifying'; readonly file: string; readonly progress: VerificationProgress }
  /** One of its checks has an outcome. */
  | { readonly kind: 'check-concluded'; readonly file: string; readonly result: CheckSoFar }
  | { readonly kind: 'verified' }
  /** On a team server: something changed between officers and auditors. */
  | { readonly kind: 'portal-changed' }
  /** On a team server: a schedule was changed, or the start of one ended. */
  | { readonly kind: 'schedules-changed' }
  /** A menu item opens a screen. */
  | { readonly kind: 'go'; readonly to: 'settings' | 'export' | 'nodes' | 'overview' | 'shortcuts' | 'tour' }
  | { readonly kind: 'run-done'; readonly run: string; readonly cancelled: boolean }

export type { FrameworkName } from './types.ts'
/** `run`: the current fleet's latest run. `pack`: the pack that is open for review. */
export const SOURCES = ['run', 'pack'] as const
export type Source = (typeof SOURCES)[number]

export interface AppInfo {
  readonly version: string
  readonly catalogVersion: string
  /** SHA-256 of the rules, as in assessments and packs. */
  readonly rules: string
  /** Whether these rules were signed for release, in words. */
  readonly rulesState: string
  /** SPDX identifier. */
  readonly license: string
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

/** How a node is reached. */
export interface NodeConnection {
  readonly address: string
  readonly port: number
  readonly user: string
  readonly sudo: boolean
}

export interface FleetNodeView extends NodeConnection {
  readonly name: string
  readonly jump: readonly string[]
  readonly place: string | null
  readonly role: string | null
}

export interface ImportPreview {
  readonly handle: string
  /** The file's name for display, or null for pasted text. */
  readonly file: string | null
  /** The format that was read. For a file, it is detected from the text where the chosen format yields no node. */
  readonly kind: ImportKind
  readonly rows: readonly ImportRow[]
  readonly willAdd: number
  /** The columns of a table in order; null for other formats and for a table that cannot be read. */
  readonly columns: readonly ImportColumn[] | null
}

/** Fields that a column of an imported table can be assigned to. */
export const IMPORT_FIELDS = [
  'name',
  'address',
  'port',
  'user',
  'hostKey',
  'knownHosts',
  'identityFile',
  'sudo',
  'agent',
  'jump',
  'jumpOnly',
  'transport',
  'role',
  'site',
  'country',
  'latitude',
  'longitude',
  'radiusKm',
  'declaredBy',
] as const
export type ImportField = (typeof IMPORT_FIELDS)[number]
/** A column with its first value. `field` is guessed from the heading until a person assigns it; null: not imported. */
export interface ImportColumn {
  readonly heading: string
  readonly sample: string
  readonly field: ImportField | null
}

/** One line or entry of the source; none is left out. */
export interface ImportRow {
  readonly line: number
  readonly text: string
  readonly outcome: 'will-add' | 'already-here' | 'skipped' | 'used'
  /** The node's name where the line yields one. */
  readonly node: string | null
  /** Why it was skipped, or how it was used. */
  readonly note: string
}

export interface HostKeyRow {
  readonly node: string
  readonly state: 'not-asked' | 'confirmed' | 'unknown' | 'changed' | 'revoked' | 'unreachable'
  readonly keyType: string | null
  /** Fingerprint that the node presented last, `SHA256:…`. */
  readonly fingerprint: string | null
  /** Recorded fingerprint, where it differs. */
  readonly onRecord: string | null
  /** Source that confirms the key: a known_hosts file, the fleet file or a recorded decision; null where there is none. */
  readonly confirmedBy: string | null
  /** Whether it is confirmed by a decision without comparison with a list, so that a list can still confirm it. */
  readonly byDecision: boolean
  /** Line of a pasted list with exactly this key, or null. */
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
  /** Log entries that the commands cause on the node besides the login, one sentence each. */
  readonly leaves: readonly string[]
  readonly lines: readonly CommandLine[]
}

export interface CommandLine {
  readonly name: string
  /** Exactly as it will run; empty for a measurement made from this computer. */
  readonly argv: readonly string[]
  readonly by: 'user' | 'root' | 'this-computer'
  readonly timeoutSeconds: number
}

/** A file that was saved where a person chose. */
export interface SavedFile {
  readonly file: string
}

/** Settings of a person; none is secret. */
export interface Settings {
  /** Number of nodes that are collected from concurrently. */
  readonly concurrency: number
  /** Address of a time-stamp authority (RFC 3161), or null for none. */
  readonly authority: string | null
  /** Single-key shortcuts (G then N, /, ?): WCAG 2.1.4. */
  readonly singleKeys: boolean
  readonly theme: 'system' | 'light' | 'dark'
}

/** Display options of a table. */
export interface TableChoice {
  /** Ids of columns. */
  readonly hidden: readonly string[]
  /** Id of the column that sorts the rows; null: the original order. */
  readonly by: string | null
  readonly isReversed: boolean
}

export interface RunListItem {
  readonly run: string
  readonly at: string
  readonly nodes: number
  readonly complete: number
  /** Whether the window shows it. */
  readonly open: boolean
}

/** The run in progress or the last one, for a window that was opened after its start. */
export interface RunStatus {
  readonly run: string
  readonly going: boolean
  readonly paused: boolean
  readonly startedAt: string
  readonly events: readonly EngineEvent[]
}

/** Locations of the nodes of a run or a pack. `node.get` returns the reasons for one node. */
export interface LocationView {
  readonly of: Source
  readonly asOf: string
  readonly demo: boolean
  readonly rows: readonly LocationRow[]
  /** A map with all nodes; empty where no place is declared and while a run is in progress. */
  readonly figures: readonly Figure[]
}

/** One declared node. */
export interface LocationRow extends Pick<NodeAssessment, 'node' | 'status' | 'failure' | 'stale'> {
  /** Name of its declared place, also where the node was not collected; null where none was declared. */
  readonly place: string | null
  /** The declared place; null where none was declared or the node was not collected. */
  readonly claim: Location['claim']
  /** Result for the declared place, followed by that of each residency rule for this node. */
  readonly results: readonly LocationRowResult[]
  /** Residency rules for this node without a result, because it was not collected. They stay in every count. */
  readonly withoutResult: readonly string[]
  /** The smallest distance bound over all vantage points; null where no round trip bounds the distance. */
  readonly narrowest: { readonly km: number; readonly vantage: string } | null
}

export interface LocationRowResult extends Pick<LocationResult, 'of' | 'title' | 'result'> {
  /** The reason where it is contradicted, so that it is visible without another step. */
  readonly why: string | null
}

/** Entries of the search besides screens, nodes and actions. */
export interface SearchMethods {
  /** Everything with a reference in the shown run or pack; empty without one. */
  'search.index': { in: { readonly of: Source }; out: readonly SearchEntry[] }
}

export const SEARCH_GROUPS = ['Findings', 'Checks', 'Controls', 'Evidence requests', 'Documents'] as const

export interface SearchEntry {
  readonly group: (typeof SEARCH_GROUPS)[number]
  /** The reference that people cite: F-20BF8C, a check id, 164.312(a)(1), ER-03, or the name of a document. */
  readonly reference: string
  readonly title: string
  readonly to: SearchPlace
}

/** `result`: a check on one node, preferably on a deviating one. */
export type SearchPlace =
  | { readonly is: 'result'; readonly node: string; readonly property: Property; readonly check: string }
  | { readonly is: 'finding'; readonly reference: string }
  | { readonly is: 'population' }
  | { readonly is: 'control'; readonly framework: FrameworkName; readonly key: string }
  | { readonly is: 'documents'; readonly find: string }
