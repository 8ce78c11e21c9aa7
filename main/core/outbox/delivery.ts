import type { IntegrationsConfig } from '../../../schemas/types.ts'
import type { Outcome } from '../failure.ts'
import type { Answer, Exchange, Request } from './exchange.ts'
import type { OutboxItem } from './item.ts'
import type { Letter, OutboxEntry } from './journal.ts'

/** The journal of an outbox, open for one process. */
export interface Outbox {
  /** By letterName(), in the order in which they were planned first. */
  readonly letters: () => ReadonlyMap<string, Letter>
  /** Resolves when the entry is on the disk. Fails with store.failed. */
  readonly record: (entry: OutboxEntry) => Promise<Outcome<null>>
  readonly close: () => Promise<void>
}

/** What came of one request. `why` names the host at most. */
export type Sent =
  | { readonly is: 'answered'; readonly answer: Answer }
  | { readonly is: 'refused'; readonly status: number; readonly retryAfter: string | null; readonly why: string }
  | { readonly is: 'unreachable'; readonly why: string }

/** A receiver at its address, with what authorizes the sender. */
export type Receiver = (request: Request) => Promise<Sent>

/** What a target is sent, and how. */
export interface TargetForm {
  readonly name: string
  /** Whether it is sent this item. */
  readonly takes: (item: OutboxItem) => boolean
  /** `known` is the name that the receiver gave in an earlier delivery. */
  readonly exchange: (item: OutboxItem, known: string | null) => Exchange
}

/** A target that can be sent to. */
export interface Target extends TargetForm {
  readonly receiver: Receiver
}

/** A target of the configuration. Secrets are named by their files. */
export interface TargetPlan extends TargetForm {
  readonly address: { readonly is: 'open'; readonly url: string } | { readonly is: 'secret'; readonly file: string }
  /** `token` and `bearer` name the scheme of the header Authorization. */
  readonly authorization:
    | { readonly is: 'none' }
    | { readonly is: 'bearer' | 'token' | 'signature'; readonly file: string }
    | { readonly is: 'basic'; readonly user: string; readonly file: string }
}

/** Where sending reaches files, secrets and receivers. */
export interface Integrations {
  /** The valid configuration in a file, with absolute paths. Fails with input.not-found, and with input.refused, naming the field. */
  readonly read: (file: string) => Promise<Outcome<IntegrationsConfig>>
  /** Reads the secrets of a target. Fails with input.not-found or input.refused, and names the file, never what it holds. */
  readonly openTarget: (plan: TargetPlan) => Promise<Outcome<Target>>
  /** Opens the outbox in a folder for this process; waits for another one to end. Fails with store.failed. */
  readonly openOutbox: (folder: string) => Promise<Outcome<Outbox>>
  /** What an outbox holds, without opening it. Fails with store.failed. */
  readonly readOutbox: (folder: string) => Promise<Outcome<ReadonlyMap<string, Letter>>>
}
