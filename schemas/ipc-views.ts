import type { FailureCode } from './failure-words.ts'
import type { Figure } from './figure.ts'
import type { FrameworkName, Location, LocationResult, NodeAssessment } from './types.ts'
import type { CheckSoFar, VerificationProgress } from './verification.ts'
import type { Property } from './words.ts'

/** Plain data that the engine answers the window with: fleets, runs and settings. */

/** What the main process asks a person to choose. */
export type Dialog = 'import-file' | 'export-folder' | 'pack-file' | 'any-file' | 'certificate-file' | 'save-file'

export const IMPORT_KINDS = ['ssh-config', 'csv', 'ansible'] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]
/** Same shape as core's Failure: an expected failure as a value. Its words are in failure-words.ts. */
export interface CallFailure {
  readonly code: FailureCode
  readonly detail: string
  readonly node?: string
}

/** How a stored run is opened: its recordings are read, and then evaluated, one node after the other. */
export type OpeningStep = 'reading' | 'evaluating'

/**
 * Moments of a run. `run-done` comes when `assessment.get` already answers with the new run.
 * Same shape as RunEvent in main/core/ports.ts.
 */
export type EngineEvent =
  /** The latest stored run is being opened; methods that need it are answered afterwards. Ended by their answers. */
  | { readonly kind: 'run-opening'; readonly step: OpeningStep; readonly done: number; readonly total: number }
  /** A run that a person chose is being opened; the shown run stays until the answer of `runs.open`. */
  | {
      readonly kind: 'run-loading'
      readonly run: string
      readonly step: OpeningStep
      readonly done: number
      readonly total: number
    }
  | { readonly kind: 'run-started'; readonly run: string; readonly nodes: readonly string[] }
  | { readonly kind: 'node-connecting'; readonly node: string }
  | { readonly kind: 'node-collecting'; readonly node: string; readonly done: number; readonly total: number }
  | { readonly kind: 'node-timing'; readonly node: string; readonly secondsLeft: number }
  | { readonly kind: 'node-done'; readonly node: string; readonly captures: number; readonly partial: boolean }
  | { readonly kind: 'node-failed'; readonly node: string; readonly code: string; readonly detail: string }
  /**
   * Every node ended; their results are evaluated at one time, and the run is stored. Ended by `run-done`. While no run is in progress, the
   * shown run is evaluated as of another day; methods that need it are answered afterwards.
   */
  | { readonly kind: 'run-evaluating'; readonly run: string; readonly done: number; readonly total: number }
  /** That evaluation of the shown run was cancelled; methods that need it begin it again. */
  | { readonly kind: 'run-evaluation-stopped'; readonly run: string }
  | { readonly kind: 'run-paused'; readonly run: string }
  | { readonly kind: 'run-resumed'; readonly run: string }
  /** A pack was opened from outside the window: dropped on it, from the menu, or by the system. */
  | { readonly kind: 'pack-opened' }
  | { readonly kind: 'pack-refused'; readonly error: CallFailure }
  /** A verification advances, in whichever window; `file` is for display. Ended by `verified`, whatever its outcome. */
  | { readonly kind: 'verifying'; readonly file: string; readonly progress: VerificationProgress }
  /** One of its checks is concluded. */
  | { readonly kind: 'check-concluded'; readonly file: string; readonly result: CheckSoFar }
  | { readonly kind: 'verified' }
  /** On a team server: something changed between officers and auditors. */
  | { readonly kind: 'portal-changed' }
  /** On a team server: a schedule was changed, or the start of one ended. */
  | { readonly kind: 'schedules-changed' }
  /** A menu item leads to a screen. */
  | { readonly kind: 'go'; readonly to: 'settings' | 'export' | 'nodes' | 'overview' | 'shortcuts' | 'tour' }
  | { readonly kind: 'run-done'; readonly run: string; readonly cancelled: boolean }

export type { FrameworkName } from './types.ts'
/** `run`: the current fleet's latest run. `pack`: the pack that is open for review. */
export const SOURCES = ['run', 'pack'] as const
export type Source = (typeof SOURCES)[number]

export interface AppInfo {
  readonly version: string
  readonly catalogVersion: string
  /** SHA-256 of the rules, which assessments and packs name too. */
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
  /** The format that was read: of a file, what its text shows where the chosen one yields no node. */
  readonly kind: ImportKind
  readonly rows: readonly ImportRow[]
  readonly willAdd: number
  /** The columns of a table in their order; null for other formats, and for a table that cannot be read at all. */
  readonly columns: readonly ImportColumn[] | null
}

/** What a column of an imported table can be. */
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
  /** Who or what confirms the key: a known_hosts file, the fleet file, a recorded decision. Null where nothing does. */
  readonly confirmedBy: string | null
  /** It is confirmed by a decision that was compared with no list, so that a list can still confirm it. */
  readonly byDecision: boolean
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
  /** What asking leaves in the node’s log beyond the login itself, one sentence each. */
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

/** How a person wants to see a table. */
export interface TableChoice {
  /** Ids of columns. */
  readonly hidden: readonly string[]
  /** Id of the column that orders the rows; null: the order in which they are given. */
  readonly by: string | null
  readonly isReversed: boolean
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

/** Plain data that the engine answers the window with: where the nodes of a run or a pack are declared to be. Reasons come node by node. */
export interface LocationView {
  readonly of: Source
  readonly asOf: string
  readonly demo: boolean
  readonly rows: readonly LocationRow[]
  /** All nodes on one map; none where no place is declared, and while a run goes on. */
  readonly figures: readonly Figure[]
}

/** One declared node. */
export interface LocationRow {
  readonly node: string
  readonly status: NodeAssessment['status']
  readonly failure: NodeAssessment['failure']
  readonly stale: boolean
  /** The name of its declared place, also where nothing was collected; null where none was declared. */
  readonly place: string | null
  /** Where it is declared to be; null where no place was declared, and where nothing was collected. */
  readonly claim: Location['claim']
  /** The declared place first, then each policy that is for this node. */
  readonly results: readonly LocationRowResult[]
  /** Policies that are for this node and have no answer, because it was not collected: they stay in every count. */
  readonly withoutResult: readonly string[]
  /** The narrowest reach of all vantages; null where no time bounds it. */
  readonly narrowest: { readonly km: number; readonly vantage: string } | null
}

export interface LocationRowResult extends Pick<LocationResult, 'of' | 'title' | 'result'> {
  /** Why, where it is contradicted: that must not take a second look. */
  readonly why: string | null
}

/** Plain data about what the search of the window finds besides screens, nodes and actions. */
export interface SearchMethods {
  /** Everything that has a reference in the run or pack that is shown; empty without one. */
  'search.index': { in: { readonly of: Source }; out: readonly SearchEntry[] }
}

export const SEARCH_GROUPS = ['Findings', 'Checks', 'Controls', 'Evidence requests', 'Documents'] as const

export interface SearchEntry {
  readonly group: (typeof SEARCH_GROUPS)[number]
  /** What people cite: F-20BF8C, a check id, 164.312(a)(1), ER-03, or the name of a document. */
  readonly reference: string
  readonly title: string
  readonly to: SearchPlace
}

/** `result`: a check on one node, one that deviates where there is one. */
export type SearchPlace =
  | { readonly is: 'result'; readonly node: string; readonly property: Property; readonly check: string }
  | { readonly is: 'finding'; readonly reference: string }
  | { readonly is: 'population' }
  | { readonly is: 'control'; readonly framework: FrameworkName; readonly key: string }
  | { readonly is: 'documents'; readonly find: string }
