import type { Assessment, Capture, Recording } from './types.ts'
import type { VerificationReport } from './verification.ts'
import type { FailureCode, Property } from './words.ts'

/**
 * The one contract between the window and the engine. A method is `noun.verb`; `call` answers with a value or a failure and
 * never throws across the bridge. The window sends no paths, commands or secrets: files are chosen in dialogs of the main
 * process, and an address appears only in the input of `fleet.*`.
 */
export interface Methods {
  'app.info': { in: null; out: AppInfo }
  /** Collects from the built-in demo fleet; from then on it is the current fleet. Progress comes as events. */
  'demo.open': { in: null; out: RunTicket }
  'fleet.get': { in: null; out: FleetView | null }
  /** Main's file dialog, then a preview. Null when the dialog was closed. */
  'fleet.import-choose': { in: { readonly kind: ImportKind }; out: ImportPreview | null }
  'fleet.import-text': { in: { readonly kind: ImportKind; readonly text: string }; out: ImportPreview }
  /** Adds the rows of a preview that will be added. Nothing is contacted. */
  'fleet.accept': { in: { readonly handle: string }; out: FleetView }
  'hostkeys.list': { in: null; out: readonly HostKeyRow[] }
  /** Asks the named nodes for their host keys, without logging in. Gives the rows of all nodes. */
  'hostkeys.scan': { in: { readonly nodes: readonly string[] }; out: readonly HostKeyRow[] }
  /** Records a person's decision about the key that was scanned; refused when it is no longer the one scanned. */
  'hostkeys.confirm': {
    in: { readonly node: string; readonly fingerprint: string; readonly howVerified: string }
    out: readonly HostKeyRow[]
  }
  /** Everything a run would ask. An empty list means every node of the fleet. */
  'run.preview': { in: { readonly nodes: readonly string[] }; out: RunPreview }
  'run.start': { in: { readonly nodes: readonly string[] }; out: RunTicket }
  'run.cancel': { in: null; out: null }
  'assessment.get': { in: { readonly of: Source }; out: AssessmentView | null }
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
  /** Main's folder dialog, then report and pack. Null when the dialog was closed. */
  'export.start': { in: { readonly frameworks: readonly FrameworkName[] }; out: ExportView | null }
  /** Main's file dialog, then the five answers. Null when the dialog was closed. */
  'pack.choose-and-verify': { in: null; out: PackReview | null }
  /** The pack that is open, or null. */
  'pack.review': { in: null; out: PackReview | null }
}

export type Method = keyof Methods
export type Input<M extends Method> = Methods[M]['in']
export type Output<M extends Method> = Methods[M]['out']

/** Same shape as core's Failure: an expected failure as a value. Its words are in words.ts. */
export interface CallFailure {
  readonly code: FailureCode
  readonly detail: string
  readonly node?: string
}
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

/**
 * Moments of a run. `run-done` comes when `assessment.get` already answers with the new run.
 * Same shape as RunEvent in main/core/ports.ts.
 */
export type EngineEvent =
  | { readonly kind: 'run-started'; readonly run: string; readonly nodes: readonly string[] }
  | { readonly kind: 'node-connecting'; readonly node: string }
  | { readonly kind: 'node-collecting'; readonly node: string; readonly done: number; readonly total: number }
  | { readonly kind: 'node-done'; readonly node: string; readonly captures: number; readonly partial: boolean }
  | { readonly kind: 'node-failed'; readonly node: string; readonly code: string; readonly detail: string }
  | { readonly kind: 'run-done'; readonly run: string; readonly cancelled: boolean }

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

export interface AssessmentView {
  readonly of: Source
  readonly run: string
  readonly assessment: Assessment
  readonly checks: readonly CheckView[]
  readonly probes: readonly ProbeView[]
  readonly signals: readonly SignalView[]
  readonly frameworks: readonly FrameworkView[]
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
  readonly controls: readonly ControlView[]
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
  /** SHA-256 of the stored bytes, computed again for this answer. */
  readonly digestNow: string
  /** What the probe read from its captures: indented JSON, or why it gave no fact. */
  readonly reading: { readonly ok: true; readonly fact: string } | { readonly ok: false; readonly reason: string }
}

export interface ExportView {
  /** For display; the window never sends it back. */
  readonly folder: string
  readonly files: readonly { readonly name: string; readonly size: number; readonly sha256: string }[]
  readonly signer: string
  readonly notes: readonly string[]
}

export interface PackReview {
  /** The file's name for display. */
  readonly file: string
  readonly report: VerificationReport
  /** What the pack states; null when that part cannot be read. */
  readonly view: AssessmentView | null
  /** Verdicts stated and verdicts derived again here that agree. */
  readonly verdicts: { readonly stated: number; readonly identical: number }
}

/** Methods for which the main process asks a person for a file or folder before it calls the engine. */
export const DIALOGS: Readonly<Partial<Record<Method, 'import-file' | 'export-folder' | 'pack-file'>>> = {
  'fleet.import-choose': 'import-file',
  'export.start': 'export-folder',
  'pack.choose-and-verify': 'pack-file',
}

export const LARGEST_MESSAGE = 1024 * 1024

const nothing = { type: 'null' } as const
const name = { type: 'string', minLength: 1, maxLength: 253 } as const
const list = (items: object, maxItems: number): object => ({ type: 'array', items, maxItems, uniqueItems: true })
const exactly = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const importKind = { enum: IMPORT_KINDS } as const
const source = { enum: SOURCES } as const

/** JSON Schema 2020-12 of every method's input, checked by the main process before anything else happens. */
export const INPUT_SCHEMAS: Readonly<Record<Method, object>> = {
  'app.info': nothing,
  'demo.open': nothing,
  'fleet.get': nothing,
  'fleet.import-choose': exactly({ kind: importKind }),
  'fleet.import-text': exactly({ kind: importKind, text: { type: 'string', maxLength: 900_000 } }),
  'fleet.accept': exactly({ handle: { type: 'string', pattern: '^[0-9a-f]{32}$' } }),
  'hostkeys.list': nothing,
  'hostkeys.scan': exactly({ nodes: list(name, 20_000) }),
  'hostkeys.confirm': exactly({
    node: name,
    fingerprint: { type: 'string', pattern: '^SHA256:[A-Za-z0-9+/]{43}$' },
    howVerified: { type: 'string', minLength: 3, maxLength: 500 },
  }),
  'run.preview': exactly({ nodes: list(name, 20_000) }),
  'run.start': exactly({ nodes: list(name, 20_000) }),
  'run.cancel': nothing,
  'assessment.get': exactly({ of: source }),
  'evidence.list': exactly({ of: source, node: name }),
  'evidence.get': exactly({
    of: source,
    node: name,
    capture: { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,99}/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' },
    stream: { enum: ['stdout', 'stderr'] },
    offset: { type: 'integer', minimum: 0, maximum: 2 ** 40 },
  }),
  'export.start': exactly({ frameworks: { ...list({ enum: FRAMEWORK_NAMES }, 3), minItems: 1 } }),
  'pack.choose-and-verify': nothing,
  'pack.review': nothing,
}

export const isMethod = (value: unknown): value is Method =>
  typeof value === 'string' && Object.hasOwn(INPUT_SCHEMAS, value)
