import type { Notify, Schedule } from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { Failure } from '../../core/failure.ts'
import type { Notice, NoticeCounts } from '../../core/notice.ts'
import type { World } from '../../core/world.ts'
import type { Waiting } from './state-file.ts'

export interface About {
  readonly run: string | null
  readonly due: string | null
  readonly counts: NoticeCounts
}

/** As many changes are told; the report has them all. */
const MOST_CHANGES = 50
/** More that nobody took are let go, the oldest first. */
const MOST_WAITING = 100

/** A notice of these changes; `first` is the one that says that watching begins. */
export function noticeOf(
  { clock, entropy }: Pick<World, 'clock' | 'entropy'>,
  { name, fleetName }: Pick<Schedule, 'name' | 'fleetName'>,
  { run, due, counts }: About,
  { changes, first }: { readonly changes: readonly string[]; readonly first: boolean },
): Notice {
  const { declared, answered, contradicted } = counts
  const state = `${answered} of ${declared} declared nodes answered, findings contradicted: ${contradicted}.`
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
    summary: first ? `Watching begins: ${state}` : `${count} since the run before: ${state}`,
    changes: [...changes.slice(0, MOST_CHANGES), ...(more > 0 ? [`And ${more} more; the report has them all.`] : [])],
    counts,
  }
}

/** What each place has to be told: what waits for it, then the new notice. What waits for a place that is no longer named is let go. */
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
      ...letGo(before.length - due.length, 'whose place the schedule no longer names'),
      ...letGo(over, 'that nobody took for too long'),
    ],
  }
}

/** Tells in order. After a failure the rest for that place is not tried: it is what `waiting` gives. */
export async function deliver(
  { notify }: Pick<World, 'notify'>,
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
  count > 0 ? [`${count} waiting notices ${why} were let go.`] : []
