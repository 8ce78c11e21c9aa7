import type { Notify, Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { Failure } from '../../core/failure.ts'
import type { Notice, NoticeCounts } from '../../core/notice.ts'
import type { Waiting } from './state-file.ts'

export interface About {
  readonly run: string | null
  readonly due: string | null
  readonly counts: NoticeCounts
}

/** Maximum number of changes in one notification; the report has all of them. */
const MOST_CHANGES = 50
/** Undelivered notifications beyond this number are discarded, the oldest first. */
const MOST_WAITING = 100

/** A notification of these changes; `first` is the one that reports the start of monitoring. */
export function noticeOf(
  { clock, entropy }: Pick<Ports, 'clock' | 'entropy'>,
  { name, fleetName }: Pick<Schedule, 'name' | 'fleetName'>,
  { run, due, counts }: About,
  { changes, first }: { readonly changes: readonly string[]; readonly first: boolean },
): Notice {
  const { declared, answered, contradicted } = counts
  const state = `${answered} of ${declared} declared nodes collected; deviations without a risk acceptance: ${contradicted}.`
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`
  const more = changes.length - MOST_CHANGES
  return {
    schema: 'barewitness.notice/1',
    id: Buffer.from(entropy.bytes(16)).toString('hex'),
    schedule: name,
    fleet: fleetName,
    at: clock.now(),
    run,
    due,
    summary: first ? `Monitoring started: ${state}` : `${count} since the previous run: ${state}`,
    changes: [...changes.slice(0, MOST_CHANGES), ...(more > 0 ? [`${more} more; see the report.`] : [])],
    counts,
  }
}

/**
 * Notifications for each recipient: those still undelivered, then the new one. Those for a recipient that is no longer
 * configured are discarded.
 */
export function queued(
  places: readonly Notify[],
  before: readonly Waiting[],
  notice: Notice | null,
): { readonly queue: readonly Waiting[]; readonly notes: readonly string[] } {
  const known = new Set(places.map(keyOf))
  const due = before.filter(({ to }) => known.has(keyOf(to)))
  const queue: readonly Waiting[] = [...due, ...(notice === null ? [] : places.map((to) => ({ to, notice })))]
  const over = Math.max(0, queue.length - MOST_WAITING)
  return {
    queue: queue.slice(over),
    notes: [
      ...letGo(before.length - due.length, 'whose recipient is no longer configured'),
      ...letGo(over, 'that could not be delivered in time'),
    ],
  }
}

/** Delivers in order. After a failure no more is sent to that recipient: the rest is returned in `waiting`. */
export async function deliver(
  { notify }: Pick<Ports, 'notify'>,
  queue: readonly Waiting[],
): Promise<{ readonly waiting: readonly Waiting[]; readonly failures: readonly Failure[] }> {
  const waiting: Waiting[] = []
  const failures: Failure[] = []
  const failed = new Set<string>()
  for (const one of queue) {
    const key = keyOf(one.to)
    if (!failed.has(key)) {
      const delivered = await notify(one.to, one.notice)
      if (delivered.ok) continue
      failures.push(delivered.error)
      failed.add(key)
    }
    waiting.push(one)
  }
  return { waiting, failures }
}

const keyOf = (to: Notify): string => canonicalJson(to)
const letGo = (count: number, why: string): readonly string[] =>
  count > 0 ? [`${count} pending notifications ${why} were discarded.`] : []
