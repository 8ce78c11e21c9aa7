import type { Chosen, EngineEvent, Input, Method, Output } from '../../../schemas/ipc.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { Outcome } from '../../core/failure.ts'
import type { Session } from './session.ts'

/** Every method of the window with its input, and the file chosen in a dialog of the main process. */
export type Handlers = {
  readonly [M in Method]: (input: Input<M>, chosen?: Chosen) => Promise<Outcome<Output<M>>>
}

/** Services of a desktop for the engine; these never pass through the window's own bridge. */
export interface Desktop {
  /** Asks the person at the window for one secret; null when none was entered. */
  readonly ask: (question: string) => Promise<string | null>
  /** Opens a file in the system's viewer: images and PDF only. */
  readonly show: (path: string) => Promise<Outcome<null>>
  /**
   * A vault of the operating system, or null where it gives no protection (then nothing is stored and people are
   * asked).
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
  readonly notify: (event: EngineEvent) => void
}
