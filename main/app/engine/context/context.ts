import type { Chosen, Input, Method, Output } from '../../../../schemas/ipc.ts'
import type { PackReview } from '../../../../schemas/ipc-packs.ts'
import type { RequestCounts } from '../../../../schemas/ipc-portal.ts'
import type { EngineEvent, RunStatus } from '../../../../schemas/ipc-views.ts'
import type { Assessment, Fleet, Register } from '../../../../schemas/types.ts'
import type { Ports } from '../../../core/all-ports.ts'
import type { Outcome } from '../../../core/base/failure.ts'
import type { SigningPlace } from '../../../core/ports/identities.ts'
import type { LoadedRecording } from '../../../core/recording/recording.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import type { Checkpoint } from '../../../core/run-chain/head.ts'
import type { RemoteCollection } from './remote.ts'
import type { RunState } from './run-state.ts'
import type { ShownKey } from './shown-keys.ts'
import type { SoFar } from './so-far.ts'

/** Every method of the window with its input, and the file chosen in a dialog of the main process. */
export type Handlers = {
  readonly [M in Method]: (input: Input<M>, chosen?: Chosen) => Promise<Outcome<Output<M>>>
}

/** A group of methods. */
export const methods = <M extends Method>(group: Pick<Handlers, M>): Pick<Handlers, M> => group

/** Services of a desktop for the engine; these never pass through the window's own bridge. */
export interface Desktop {
  /** Asks the person at the window for one secret; null when none was entered. */
  readonly ask: (question: string) => Promise<string | null>
  /** Opens a file in the system's viewer: images and PDF only. */
  readonly show: (path: string) => Promise<Outcome<null>>
  /**
   * The vault of the operating system; null where it gives no protection. Nothing is then stored, and people are
   * asked.
   */
  readonly vault: Vault | null
}

/** Secrets by name, stored by the operating system for this user. */
export interface Vault {
  /** Name of the protection, such as "the macOS Keychain". */
  readonly described: string
  readonly read: (name: string) => Promise<string | null>
  readonly write: (name: string, secret: string) => Promise<Outcome<null>>
}

/** Program and schedule file that timers of the operating system start. */
export interface Scheduling {
  readonly file: string
  /** Node.js and the command line; null where this computer has none that a timer could start. */
  readonly program: readonly [node: string, cli: string] | null
  /** On a team server, which starts scheduled runs itself; null elsewhere, where timers start them. */
  readonly server: ServerStarts | null
}

/** Functions that a server needs to start runs itself. */
export interface ServerStarts {
  /** Resolves after this many milliseconds, or when `signal` is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Context of every group of methods. */
export interface EngineContext {
  readonly ports: Ports
  readonly catalog: Catalog
  /** Folder of this user's fleet, evidence, register and identities. */
  readonly folder: string
  readonly session: Session
  readonly desktop: Desktop
  readonly scheduling: Scheduling
  /** On a team server with collectors; null elsewhere, where zones of nodes have no effect. */
  readonly remote: RemoteCollection | null
  /**
   * Counts of what auditors requested on a team server, in a call by a person who answers them; null in every other
   * call.
   */
  readonly requestsOfAuditors: () => RequestCounts | null
  /** Where signing identities are: on this computer, or with sealers. */
  readonly signing: SigningPlace
  /** Whether a sealed pack stays in the folder when its export is discarded after it was saved: on a team server, a save is a download, which can fail. */
  readonly keepsSealed: boolean
  /** Configuration by which the packs of this folder are sent to other systems, on a team server; null elsewhere. */
  readonly integrations: string | null
  readonly notify: (event: EngineEvent) => void
}

export interface PackState {
  readonly review: PackReview
  readonly run: string
  readonly assessment: Assessment | null
  readonly recordings: readonly LoadedRecording[]
  /** The register of the pack; null when it cannot be read. */
  readonly register: Register | null
  /** Location of the pack, for opening it again and for documents in it. */
  readonly path: string
  /** The key under which the auditor's notes on it are stored. */
  readonly sha256: string
  /** A draft of this user, opened as its reader will open it. Nothing about it is stored. */
  readonly draft: boolean
  /** A checkpoint that the reader imported for it. */
  readonly imported: Checkpoint | null
}

/** A run in progress. */
interface GoingRun {
  readonly run: string
  readonly stop: AbortController
  readonly gate: Gate
  readonly soFar: SoFar
  readonly done: Promise<void>
}

/** Pauses work between its steps: `passed` resolves when the gate is open, or when the work is to stop. */
export interface Gate {
  readonly close: () => void
  readonly open: () => void
  readonly isClosed: () => boolean
  readonly passed: () => Promise<void>
}

/** State of a run for a window that opens later: its start, the last event of every node, and its end. */
export interface RunJournal {
  readonly note: (event: EngineEvent) => void
  readonly status: (going: GoingRun | null) => RunStatus
}

/** Contents of the window: the fleet, its latest run, and the pack open for review. */
export interface Session {
  fleet: Fleet | null
  demo: boolean
  run: RunState | null
  pack: PackState | null
  /** Ends the verification in progress. */
  verifying: AbortController | null
  /** Host keys that nodes showed since the program started, by node. */
  readonly keys: Map<string, ShownKey>
  /** The last pasted list, and the line in which each node’s key was found. */
  keyList: { readonly text: string; readonly lines: ReadonlyMap<string, number> } | null
  going: GoingRun | null
  /** The events of the run in progress, or of the last one since the program started. */
  journal: RunJournal | null
}
