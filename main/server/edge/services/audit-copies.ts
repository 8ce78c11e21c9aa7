import { firstOfEach, keepObject, textOf } from '../../../app/objects/state.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { type ObjectStore, type ObjectVersion, textBytes, yearsLater } from '../../../core/objects.ts'
import { type AuditPart, coveredBy, linesOf, partKey, partsAfter, partsAmong } from '../../audit-parts.ts'
import type { LogHead } from '../../chained-log.ts'
import { completeLines, type LinesInOrder, linesInOrder } from '../log-lines.ts'
import type { Log } from './repeated.ts'

/** A part is in memory as a whole. */
const PART_BYTES = 8 * 1024 * 1024
const LARGEST_PART = 64 * 1024 * 1024
const RETRY_MS = 60_000

/** How the audit log of a server is copied to an object store. */
interface AuditCopying {
  /** The store of all audit logs. Fails as opening it does. */
  readonly openStore: () => Promise<Outcome<ObjectStore>>
  /** Name of the log of this server in the store, see placeOf(). */
  readonly place: string
  readonly file: string
  /** Head of the entries that are on the disk. */
  readonly head: () => LogHead
  /** Retention of each part. */
  readonly years: number
  readonly everyMs: number
  /** ISO 8601. */
  readonly now: () => string
}

export interface AuditCopies {
  readonly state: () => {
    /** Entries that the store did not confirm yet. */
    readonly waiting: number
    /** Whether the last copy failed, or none was made yet. */
    readonly isFailing: boolean
  }
  /** Copies now, after a copy in progress. */
  readonly now: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Copies the audit log at once and then periodically. An unreachable store is tried again. Where the store has other entries than the log,
 * nothing is copied: the log was altered or replaced, or another log has the same name.
 */
export function startAuditCopies(copying: AuditCopying, log: Log): AuditCopies {
  let [copied, isFailing, isClosed] = [0, true, false]
  let isCompared = false
  let timer: NodeJS.Timeout | null = null
  const once = async (): Promise<void> => {
    const store = await copying.openStore()
    const made = store.ok ? await copyAuditLog(store.value, copying, isCompared ? copied : null) : store
    isFailing = !made.ok
    // After a failure, the content of the store is read again: a part can be stored although its answer was lost.
    isCompared = made.ok
    if (made.ok) copied = made.value
    else log({ kind: 'audit-copy', failed: made.error.code })
  }
  let running: Promise<void> = Promise.resolve()
  const start = (): Promise<void> => {
    running = running
      .then(() => (isClosed ? undefined : once()))
      .catch(() => {
        isFailing = true
        log({ kind: 'audit-copy', failed: 'bug' })
      })
      .then(() => {
        if (timer !== null) clearTimeout(timer)
        if (!isClosed) timer = setTimeout(start, isFailing ? Math.min(RETRY_MS, copying.everyMs) : copying.everyMs)
      })
    return running
  }
  void start()
  return {
    state: () => ({ waiting: Math.max(0, copying.head().size - copied), isFailing }),
    now: start,
    close: async () => {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}

/**
 * Stores the entries that the store lacks and returns how many it then has. `copied`: the number of entries confirmed since this process
 * compared the log with the store; null: it is compared now. Fails with objects.altered where the store has other entries.
 */
async function copyAuditLog(
  store: ObjectStore,
  { place, file, head, years, now }: AuditCopying,
  copied: number | null,
): Promise<Outcome<number>> {
  // Entries after the head are still being written and can be lost.
  const { size } = head()
  if (copied === size) return ok(size)
  const before = copied === null ? await agreedWith(store, place, { file, size }) : ok(copied)
  if (!before.ok) return before
  let end = before.value
  const until = yearsLater(now(), years)
  let seen = 0
  for await (const batch of completeLines(file, PART_BYTES)) {
    const lines = batch.map((line) => `${line}\n`)
    const wanted = { from: Math.max(0, end - seen), to: size - seen, bytes: PART_BYTES }
    for (const { text, first, last } of partsAfter(lines, wanted)) {
      const key = partKey(place, { first: seen + first, last: seen + last })
      const kept = await keepObject(store, key, textBytes(text), { until, found: [], isKnown: false })
      if (!kept.ok) return kept
      end = seen + last
    }
    seen += lines.length
    if (seen >= size) break
  }
  return ok(end)
}

/**
 * The number of entries of a log that the store has without a gap. Only the last part is compared, since each line has the digest of the
 * previous one. It can follow a gap: the first parts can have expired.
 */
async function agreedWith(
  store: ObjectStore,
  place: string,
  { file, size }: { readonly file: string; readonly size: number },
): Promise<Outcome<number>> {
  const found = await store.versions(`${place}/`)
  if (!found.ok) return found
  const parts = partsAmong(firstOfEach(found.value))
  const last = parts.reduce<AuditPart<ObjectVersion> | null>(
    (latest, part) => (latest === null || part.last > latest.last ? part : latest),
    null,
  )
  if (last === null) return ok(0)
  if (last.last > size) return fail('objects.altered', plain(shorterText(size, last), 300))
  const lines = linesInOrder(completeLines(file))
  const difference = await differenceOf(store, last, lines).finally(lines.close)
  if (!difference.ok) return difference
  return difference.value === null ? ok(coveredBy(parts)) : fail('objects.altered', plain(difference.value, 300))
}

/** A description of the first difference between a part of the store and the log; null where there is none. Fails as reading the part does. */
async function differenceOf(
  store: ObjectStore,
  part: AuditPart<ObjectVersion>,
  lines: LinesInOrder,
): Promise<Outcome<string | null>> {
  const { first, last, version } = part
  const ours = await lines.between(first, last)
  if (ours.length < last - first + 1) return ok(shorterText(await lines.count(), part))
  const text = await textOf(store, version, LARGEST_PART)
  if (!text.ok) return text
  const kept = linesOf(text.value)
  const at = ours.findIndex((line, index) => line !== kept[index])
  if (at !== -1) return ok(`entry ${first + at} of the audit log is another one than the store keeps (${version.key})`)
  return ok(version.size === Buffer.byteLength(ours.join('')) ? null : `${version.key} has more than its entries`)
}

const shorterText = (entries: number, { last, version }: AuditPart<ObjectVersion>): string =>
  `the audit log has ${entries} entries; the store keeps entry ${last} (${version.key})`

interface AuditComparison {
  /** Number of entries that the store has, from the first one without a gap. */
  readonly kept: number
  /** One sentence for each part that has other entries than the log. */
  readonly problems: readonly string[]
  /** Other logs in the store, with the number of their last entry. */
  readonly others: readonly { readonly place: string; readonly entries: number }[]
}

/** Compares every part of a log in the store with the log, byte for byte. Of several versions of a part, the one that was written first counts. */
export async function compareAuditLog(
  store: ObjectStore,
  place: string,
  lines: LinesInOrder,
): Promise<Outcome<AuditComparison>> {
  const found = await store.versions('')
  if (!found.ok) return found
  const all = partsAmong(firstOfEach(found.value))
  const problems: string[] = []
  const parts = all.filter((part) => part.place === place)
  for (const part of parts) {
    const difference = await differenceOf(store, part, lines)
    if (!difference.ok) return difference
    if (difference.value !== null) problems.push(difference.value)
  }
  const others = new Map<string, number>()
  for (const part of all)
    if (part.place !== place) others.set(part.place, Math.max(part.last, others.get(part.place) ?? 0))
  return ok({
    kept: Math.min(coveredBy(parts), await lines.count()),
    problems,
    others: [...others].map(([other, entries]) => ({ place: other, entries })),
  })
}
