import type { TeamEngagement } from '../../../../schemas/types.ts'
import { type CopyPorts, copyToStore, newCopySession, type Waiting } from '../../../app/objects/copy.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import type { ObjectStore } from '../../../core/objects.ts'
import { type Log, repeated } from './repeated.ts'

/** Ports and intervals for copying evidence to an object store. */
export interface Copying {
  /** Opens the store of an engagement, or that of audit logs. */
  readonly openStore: (name: string) => Promise<Outcome<ObjectStore>>
  readonly ports: CopyPorts
  /** Retention of each object, in years. */
  readonly years: number
  /** Interval between periodic copies of evidence. */
  readonly everyMs: number
  /** Interval between copies of the audit log. */
  readonly auditEveryMs: number
  /** Delay after a request for a copy, because a run and its export write many files one after the other. */
  readonly soonMs: number
}

/** The files that wait to be copied, over all engagements. */
interface CopyState extends Waiting {
  /** Engagements whose last copy failed, or was not tried yet. */
  readonly failing: number
  /** Whether the store refuses deletion; null before a store was opened. */
  readonly locked: boolean | null
}

/** Copies the evidence of every engagement that a process serves. */
export interface Copies {
  /** Requests a copy of an engagement after something was stored. */
  readonly soon: (engagement: string) => void
  readonly state: () => CopyState
  /** Waits for a copy in progress, which ends with the object that it is storing. */
  readonly close: () => Promise<void>
}

/** Maximum delay after a failed copy. */
const RETRY_MS = 60_000

/**
 * Copies each engagement at once, then on request and periodically. A store that is unreachable or full is tried again; waiting files are
 * counted. Fails as opening a store does, except where it is unreachable, so that no server starts whose copies would never be kept.
 */
export async function startCopies(
  engagements: readonly TeamEngagement[],
  copying: Copying,
  log: Log,
): Promise<Outcome<Copies>> {
  const copiers = new Map<string, ReturnType<typeof startCopier>>()
  const close = async (): Promise<void> => {
    await Promise.all([...copiers.values()].map((one) => one.close()))
  }
  for (const engagement of engagements) {
    const store = await copying.openStore(engagement.name)
    if (!store.ok && store.error.code !== 'objects.unreachable') {
      await close()
      return store
    }
    copiers.set(engagement.name, startCopier(engagement, store.ok ? store.value : null, copying, log))
  }
  return ok({
    soon: (engagement) => copiers.get(engagement)?.soon(),
    state: () => {
      const all = [...copiers.values()].map((one) => one.state())
      const [since = null] = all.flatMap((one) => (one.since === null ? [] : [one.since])).sort()
      return {
        files: all.reduce((sum, { files }) => sum + files, 0),
        since,
        failing: all.filter(({ isFailing }) => isFailing).length,
        locked: all.find(({ locked }) => locked !== null)?.locked ?? null,
      }
    },
    close,
  })
}

/** Copies one engagement. Its session remembers the objects that the store confirmed. */
function startCopier(
  { name, folder: root }: TeamEngagement,
  opened: ObjectStore | null,
  { openStore, ports, years, everyMs, soonMs }: Copying,
  log: Log,
) {
  const session = newCopySession()
  let store = opened
  let [isFailing, isClosed] = [true, false]
  const once = async (): Promise<void> => {
    const found = store === null ? await openStore(name) : ok(store)
    if (found.ok) store = found.value
    const copied = found.ok
      ? await copyToStore(
          ports,
          untilClosed(found.value, () => isClosed),
          { root, engagement: name, years },
          session,
        )
      : found
    isFailing = !copied.ok
    if (isClosed) return
    if (!copied.ok) log({ kind: 'objects', engagement: name, failed: copied.error.code })
    else if (copied.value.files > 0)
      log({ kind: 'objects', engagement: name, files: copied.value.files, objects: copied.value.objects })
  }
  const work = async (): Promise<number> => {
    try {
      await once()
    } catch {
      isFailing = true
      log({ kind: 'objects', engagement: name, failed: 'bug' })
    }
    return isFailing ? Math.min(RETRY_MS, everyMs) : everyMs
  }
  const going = repeated({ work, soonMs })
  return {
    soon: going.soon,
    state: () => ({ ...session.waiting, isFailing, locked: store?.locks ?? null }),
    close: async () => {
      isClosed = true
      await going.close()
    },
  }
}

/** The store, without further objects once the server is ending: the next start copies the rest. */
function untilClosed(store: ObjectStore, isClosed: () => boolean): ObjectStore {
  return {
    ...store,
    put: async (...given) => (isClosed() ? ENDED : await store.put(...given)),
    head: async (...given) => (isClosed() ? ENDED : await store.head(...given)),
  }
}

const ENDED = fail('objects.unreachable', 'the server is ending')
