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

/** Attempts for one content, over all runs of the program; then it is given up with the last reason. */
export const MOST_ATTEMPTS = 12
/** Attempts within one run of the program. */
export const MOST_AT_ONCE = 3
/** A run of the program waits no longer than this for one item; what is due later is left to the next run. */
export const LONGEST_PAUSE_MS = 60_000

/** Seconds before the second and each further attempt. */
const WAITS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 21_600] as const
const LONGEST_WAIT = 21_600
/** What a receiver may ask for. */
const LONGEST_ASKED_MS = 24 * 60 * 60 * 1000

/**
 * Milliseconds before the next attempt: four times as long after each, with up to a quarter more by chance, so that senders that failed at
 * once do not return at once. `asked` is what the receiver asked for, and is a minimum. `chance` is at least 0 and below 1.
 */
export function waitBefore(attempts: number, asked: number | null, chance: number): number {
  const grown = (WAITS[Math.max(0, attempts - 1)] ?? LONGEST_WAIT) * 1000
  const spread = Math.floor(grown * (1 + chance / 4))
  return Math.max(spread, Math.min(asked ?? 0, LONGEST_ASKED_MS))
}

/** Milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3): seconds or a date. Null where it is neither. */
export function retryAfter(header: string | null, now: string): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // The form of a date is compared first: Date.parse also reads forms that RFC 9110 does not have.
  if (!/^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.parse(now))
}
