import { setTimeout as sleep } from 'node:timers/promises'
import type { TeamEngagement } from '../../../../schemas/types.ts'
import type { TargetResult } from '../../../app/outbox/deliver.ts'
import type { SentPacks } from '../../../app/outbox/sealed-packs.ts'
import { plural } from '../../../core/base/plain-text.ts'
import { type Log, repeated } from './repeated.ts'

/** Port and intervals for sending packs to other systems. */
export interface Sending {
  /**
   * Sends the packs of an engagement. `planned` is awaited for each pack before anything of it is delivered. After `signal` is aborted, nothing
   * further is begun.
   */
  readonly send: (
    engagement: TeamEngagement & { readonly integrations: string },
    planned: (pack: PlannedPack) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<SentPacks>
  /** Interval between periodic sendings. */
  readonly everyMs: number
  /** Delay after a request. */
  readonly soonMs: number
  /** How long the end of the server waits for a sending in progress. One that takes longer ends with the process, as after a kill. */
  readonly endMs: number
}

/** A pack that is in the outbox. */
interface PlannedPack {
  readonly run: string
  readonly name: string
  readonly sha256: string
}

/** State of one engagement after its last sending. */
export interface SenderState {
  readonly engagement: string
  readonly waiting: number
  readonly givenUp: number
  /** Why the last sending was refused as a whole; null where it was not. */
  readonly failed: string | null
}

export interface Senders {
  /** Requests a sending after a pack may have been sealed. */
  readonly soon: (engagement: string) => void
  readonly states: () => readonly SenderState[]
  /** Begins no further sending and waits for those in progress, at most `endMs`. */
  readonly close: () => Promise<void>
}

/** Maximum interval after refused sendings. It doubles with each refusal, because every sending verifies the pack. */
const LONGEST_MS = 6 * 60 * 60_000

/** Sends the packs of each engagement that names integrations at once, then on request and periodically. Null where none names any. */
export function startSenders(
  engagements: readonly TeamEngagement[],
  sending: Sending,
  { log, planned }: { readonly log: Log; readonly planned: (engagement: string, pack: PlannedPack) => Promise<void> },
): Senders | null {
  const stop = new AbortController()
  const senders = new Map(
    engagements.flatMap((one) => {
      const { name, integrations } = one
      if (integrations === undefined) return []
      const send = () => sending.send({ ...one, integrations }, (pack) => planned(name, pack), stop.signal)
      return [[name, startSender(name, send, sending, log)] as const]
    }),
  )
  if (senders.size === 0) return null
  return {
    soon: (engagement) => senders.get(engagement)?.soon(),
    states: () => [...senders.values()].map((one) => one.state()),
    close: async () => {
      stop.abort()
      const over = new AbortController()
      const ended = Promise.all([...senders.values()].map((one) => one.close())).then(() => over.abort())
      const time = sleep(sending.endMs, undefined, { signal: over.signal }).catch(() => undefined)
      await Promise.race([ended, time])
    },
  }
}

function startSender(
  engagement: string,
  send: () => Promise<SentPacks>,
  { everyMs, soonMs }: Pick<Sending, 'everyMs' | 'soonMs'>,
  log: Log,
) {
  let state: SenderState = { engagement, waiting: 0, givenUp: 0, failed: null }
  let failures = 0
  const once = async (): Promise<string | null> => {
    const { report, failures: refused } = await send()
    if (report !== null) {
      const { targets } = report
      const sum = (of: (target: TargetResult) => number): number => targets.reduce((all, one) => all + of(one), 0)
      state = { ...state, waiting: sum((one) => one.waiting), givenUp: sum((one) => one.givenUp.length) }
      const delivered = sum((one) => one.delivered)
      if (report.planned + delivered > 0) log({ kind: 'outbox', engagement, planned: report.planned, delivered })
    }
    return refused[0]?.code ?? null
  }
  const work = async (): Promise<number> => {
    const failed = await once().catch(() => 'bug')
    if (failed !== null) log({ kind: 'outbox', engagement, failed })
    state = { ...state, failed }
    failures = failed === null ? 0 : failures + 1
    return Math.min(LONGEST_MS, everyMs * 2 ** Math.min(failures, 16))
  }
  const { soon, close } = repeated({ work, soonMs })
  return { soon, close, state: () => state }
}

/** The state of an engagement as one sentence for administrators: counts and a failure code, without content of the items. */
export function senderText({ engagement, waiting, givenUp, failed }: SenderState): string {
  const items = `${plural(waiting, 'item')} waiting for other systems, ${plural(givenUp, 'item')} given up`
  return `${engagement}: ${items}${failed === null ? '' : `; the last sending failed (${failed})`}.`
}
