import type { IntegrationsConfig } from '../../../schemas/types.ts'
import type { Outcome } from '../base/failure.ts'
import type { Answer, Exchange, Request } from './exchange.ts'
import type { OutboxItem } from './item.ts'
import type { Letter, OutboxEntry } from './journal.ts'

/** The journal of an outbox, open for one process. */
export interface Outbox {
  /** Letters by letterName(), in the order of their first plan. */
  readonly letters: () => ReadonlyMap<string, Letter>
  /** Resolves when the entry is on the disk. Fails with store.failed. */
  readonly record: (entry: OutboxEntry) => Promise<Outcome<null>>
  readonly close: () => Promise<void>
}

/** The outcome of one request. `why` contains nothing of the address except the host. */
export type Sent =
  | { readonly is: 'answered'; readonly answer: Answer }
  | { readonly is: 'refused'; readonly status: number; readonly retryAfter: string | null; readonly why: string }
  | { readonly is: 'unreachable'; readonly why: string }

/** Sends a request to a receiver, with its address and authorization. */
export type Receiver = (request: Request) => Promise<Sent>

/** The items that a target receives, and their form. */
export interface TargetForm {
  readonly name: string
  /** Whether it receives this item. */
  readonly takes: (item: OutboxItem) => boolean
  /** The requests that deliver an item. `known`: the name that the receiver assigned in an earlier delivery, or null. */
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

/** Ports for files, secrets and receivers. */
export interface Integrations {
  /** The valid configuration in a file, with absolute paths. Fails with input.not-found, and with input.refused, naming the field. */
  readonly read: (file: string) => Promise<Outcome<IntegrationsConfig>>
  /** Reads the secrets of a target. Fails with input.not-found or input.refused and names the file, never its content. */
  readonly openTarget: (plan: TargetPlan) => Promise<Outcome<Target>>
  /** Opens the outbox in a folder for this process; waits for another one to end. Fails with store.failed. */
  readonly openOutbox: (folder: string) => Promise<Outcome<Outbox>>
  /** The letters of an outbox, without opening it. Fails with store.failed. */
  readonly readOutbox: (folder: string) => Promise<Outcome<ReadonlyMap<string, Letter>>>
}

/** Maximum attempts for one content over all runs of the program. It is then given up with the last reason. */
export const MOST_ATTEMPTS = 12
/** Maximum attempts within one run of the program. */
export const MOST_AT_ONCE = 3
/** Maximum wait for one item within a run of the program. Items that are due later are left to the next run. */
export const LONGEST_PAUSE_MS = 60_000

/** Seconds before the second and each further attempt. */
const WAITS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 21_600] as const
const LONGEST_WAIT = 21_600
/** Maximum delay that a receiver may request. */
const LONGEST_ASKED_MS = 24 * 60 * 60 * 1000

/**
 * Milliseconds before the next attempt. The delay grows fourfold with each attempt, plus a random part of up to a quarter, so that senders that
 * failed together do not retry together. `asked`: the delay that the receiver requested, a minimum. `chance` is at least 0 and below 1.
 */
export function waitBefore(attempts: number, asked: number | null, chance: number): number {
  const grown = (WAITS[Math.max(0, attempts - 1)] ?? LONGEST_WAIT) * 1000
  const spread = Math.floor(grown * (1 + chance / 4))
  return Math.max(spread, Math.min(asked ?? 0, LONGEST_ASKED_MS))
}

/** Milliseconds that a Retry-After header requests, as seconds or a date (RFC 9110, section 10.2.3). Null where it is neither. */
export function retryAfter(header: string | null, now: string): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // The form of a date is compared first: Date.parse also reads forms that RFC 9110 does not have.
  if (!/^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.parse(now))
}
