import type { Chosen, EngineEvent, Input, Method, Output } from '../../../schemas/ipc.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { Outcome } from '../../core/failure.ts'
import type { World } from '../../core/world.ts'
import type { Session } from './session.ts'

/** Every method of the window with its input, and what a person chose in a dialog of the main process. */
export type Handlers = {
  readonly [M in Method]: (input: Input<M>, chosen?: Chosen) => Promise<Outcome<Output<M>>>
}

/** What a desktop does for the engine; the way never leads through the window's own bridge. */
export interface Desktop {
  /** Asks the person in front of the window for one secret; null when they gave none. */
  readonly ask: (question: string) => Promise<string | null>
  /** Opens a file in the system's viewer: images and PDF only. */
  readonly show: (path: string) => Promise<Outcome<null>>
  /** A vault of the operating system, or null where it gives no protection (then nothing is stored and people are asked). */
  readonly vault: Vault | null
}

/** Secrets by name, kept by the operating system for this user. */
export interface Vault {
  /** What protects them, in words, such as "the macOS Keychain". */
  readonly described: string
  readonly read: (name: string) => Promise<string | null>
  readonly write: (name: string, secret: string) => Promise<Outcome<null>>
}

/** What timers of the operating system start, and the file that says when. */
export interface Scheduling {
  readonly file: string
  /** Node.js and our command line; null where this computer has none that a timer could start. */
  readonly program: readonly [node: string, cli: string] | null
}

/** What every group of methods works with. */
export interface EngineContext {
  readonly world: World
  readonly catalog: Catalog
  /** Where this user's fleet, evidence, register and identities are kept. */
  readonly folder: string
  readonly session: Session
  readonly desktop: Desktop
  readonly scheduling: Scheduling
  readonly tell: (event: EngineEvent) => void
}
