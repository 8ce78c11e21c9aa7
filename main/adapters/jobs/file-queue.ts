import { join } from 'node:path'
import type { CollectorJob } from '../../../schemas/types.ts'
import { jsonOrNull } from '../../core/base/bounded-json.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { JOBS } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import {
  type HeldJob,
  JOB_COMPLETED,
  type JobQueue,
  type JobState,
  LEASE_ENDED,
  LEASE_SECONDS,
  LONGEST_DETAIL,
  MOST_ENDED_JOBS,
  MOST_LEASES,
  MOST_OPEN_JOBS,
  type QueueParts,
  TOO_MANY_JOBS,
  tooOftenLeased,
  turnsById,
} from '../../core/team/jobs.ts'
import { lockFolder } from '../folder-lock.ts'
import { placedProblems } from '../schema-validator.ts'
import { bytesIfThere, guarded, isCode, makeFolder, storeFailure, writeWhole } from '../store/durable.ts'
import { appendLine, cutTornLine } from '../stored-file.ts'
import { isEntry, type JobEntry } from './journal.ts'

const LARGEST_JOURNAL = 512 * 1024 * 1024
const PATIENCE_MS = 10_000
/** Length from which the journal is written anew with the jobs that are still known, which have some 15 MiB at most. */
const SHORTENED_BYTES = 64 * 1024 * 1024

/** How the journal is written. */
interface JournalDisk {
  readonly append: typeof appendLine
  readonly shortenedBytes: number
}
const DISK: JournalDisk = { append: appendLine, shortenedBytes: SHORTENED_BYTES }

interface Known {
  readonly job: CollectorJob
  state: JobState
  lease: string | null
  until: number
  readonly holders: Map<string, string>
}

/**
 * Opens the jobs of a folder: a journal of events, which is read and shortened at opening. Only one process can open it; another one waits
 * `patienceMs` milliseconds, then fails with store.failed. Fails with store.failed also where the journal cannot be read.
 */
export async function openFileQueue(
  folder: string,
  parts: QueueParts,
  patienceMs: number = PATIENCE_MS,
  disk: JournalDisk = DISK,
): Promise<Outcome<JobQueue>> {
  const path = join(folder, JOBS.journal)
  try {
    await makeFolder(folder, 0o700)
    const lock = await lockFolder(folder, patienceMs)
    if (!lock.ok) return lock
    await cutTornLine(path, LARGEST_JOURNAL)
    const jobs = await jobsIn(path, parts.now())
    if (!jobs.ok) {
      await lock.value.release()
      return jobs
    }
    const journal = journalOf(path, () => [...jobs.value.values()].flatMap(entriesOf).map(lineOf).join(''), disk)
    await journal.rewrite()
    return ok({ ...queueOver(jobs.value, parts, journal), close: lock.value.release })
  } catch (problem) {
    return storeFailure(problem)
  }
}

/** The number of jobs of a folder that wait or are leased. Changes nothing. Fails as openFileQueue(), but does not wait. */
export async function openJobsInFiles(folder: string): Promise<Outcome<number>> {
  const jobs = await guarded(() => jobsIn(join(folder, JOBS.journal), 0))
  return jobs.ok ? ok(open(jobs.value).length) : jobs
}

interface Journal {
  /** Rejects as the file system does; nothing is confirmed then. */
  readonly append: (entry: JobEntry) => Promise<void>
  /** Writes it anew, completely or not at all. */
  readonly rewrite: () => Promise<void>
  /**
   * Whether an entry can be appended. After one that did not fit on the disk, the journal is written anew, because no line may continue the part
   * that did. Rejects while the disk is full.
   */
  readonly isUsable: () => Promise<boolean>
}

/** `text`: the shortest journal that describes the jobs now. */
function journalOf(path: string, text: () => string, { append, shortenedBytes }: JournalDisk): Journal {
  let [length, longest] = [0, shortenedBytes]
  let state: 'whole' | 'cut' | 'broken' = 'whole'
  const rewrite = async (): Promise<void> => {
    const whole = text()
    await writeWhole(path, whole)
    length = Buffer.byteLength(whole)
    longest = Math.max(shortenedBytes, length * 2)
    state = 'whole'
  }
  return {
    append: async (entry) => {
      const line = lineOf(entry)
      try {
        await append(path, line, LARGEST_JOURNAL)
        length += Buffer.byteLength(line)
      } catch (problem) {
        state = isFull(problem) ? 'cut' : 'broken'
        throw problem
      }
    },
    rewrite,
    isUsable: async () => {
      if (state === 'cut') await rewrite()
      // Where that fails, the longer journal stays.
      else if (length > longest)
        await rewrite().catch(() => {
          longest = length * 2
        })
      return state === 'whole'
    },
  }
}

const isFull = (problem: unknown): boolean => isCode(problem, 'ENOSPC') || isCode(problem, 'EDQUOT')

const lineOf = (entry: JobEntry): string => `${canonicalJson(entry)}\n`

function queueOver(jobs: Map<string, Known>, { now, newId }: QueueParts, journal: Journal): Omit<JobQueue, 'close'> {
  let last: Promise<unknown> = Promise.resolve()
  /** Runs work one after the other: each decision is stored before the next one is made. */
  const inTurn = <T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const done = last.then(async () => ((await journal.isUsable()) ? await work() : BROKEN)).catch(storeFailure)
    last = done
    return done
  }
  const record = async (entry: JobEntry): Promise<void> => {
    await journal.append(entry)
    apply(jobs, entry, now())
  }
  const isFree = ({ state, until }: Known): boolean =>
    state.is === 'waiting' || (state.is === 'leased' && until <= now())
  const isHeld = (known: Known, { lease, holder }: HeldJob): boolean =>
    known.state.is === 'leased' && known.lease === lease && known.holders.get(lease) === holder && known.until > now()
  const end = async (id: string, failure: { readonly code: 'job.not-delivered'; readonly detail: string }) =>
    await record({ kind: 'failed', id, failure })
  return {
    enqueue: (job) =>
      inTurn(async () => {
        if (jobs.has(job.id)) return ok(null)
        if (open(jobs).length >= MOST_OPEN_JOBS) return TOO_MANY_JOBS
        await record({ kind: 'added', job })
        return ok(null)
      }),
    lease: ({ zone, holder }) =>
      inTurn(async () => {
        for (const known of open(jobs)) {
          const { job, holders } = known
          if (job.zone !== zone || !isFree(known)) continue
          if (holders.size >= MOST_LEASES) {
            await end(job.id, { code: 'job.not-delivered', detail: tooOftenLeased(holders.size) })
            continue
          }
          const lease = newId()
          await record({ kind: 'leased', id: job.id, lease, holder })
          return ok({ job, lease, seconds: LEASE_SECONDS })
        }
        return ok(null)
      }),
    heartbeat: (held) =>
      inTurn(async () => {
        const known = jobs.get(held.id)
        if (known === undefined || known.holders.get(held.lease) !== held.holder) return LEASE_ENDED
        if (known.state.is === 'completed' || known.state.is === 'failed') return JOB_COMPLETED
        if (!isHeld(known, held)) return LEASE_ENDED
        known.until = now() + LEASE_SECONDS * 1000
        return ok(null)
      }),
    complete: (held, recording) =>
      inTurn(async () => {
        const known = jobs.get(held.id)
        if (known === undefined || known.holders.get(held.lease) !== held.holder) return LEASE_ENDED
        const { state } = known
        if (state.is === 'completed') return state.recording === recording ? ok(null) : JOB_COMPLETED
        await record({ kind: 'completed', id: held.id, recording })
        return ok(null)
      }),
    fail: (id, held, { code, detail }) =>
      inTurn(async () => {
        const known = jobs.get(id)
        if (known === undefined || known.state.is === 'completed' || known.state.is === 'failed') return ok(null)
        if (held !== null && !isHeld(known, held)) return LEASE_ENDED
        await record({ kind: 'failed', id, failure: { code, detail: plain(detail, LONGEST_DETAIL) } })
        return ok(null)
      }),
    look: async (id) => {
      await last
      const known = jobs.get(id)
      return ok(known === undefined ? null : { job: known.job, state: known.state, holders: new Map(known.holders) })
    },
    states: async (ids) => {
      await last
      return ok(
        new Map(
          ids.flatMap((id) => {
            const known = jobs.get(id)
            return known === undefined ? [] : [[id, isFree(known) ? WAITING : known.state] as const]
          }),
        ),
      )
    },
    open: async () => {
      await last
      return ok(open(jobs).map(({ job }) => job))
    },
    counts: async () => {
      await last
      const all = open(jobs)
      const waiting = all.filter(isFree).length
      return ok({ waiting, leased: all.length - waiting })
    },
    alone: turnsById(),
    isShared: false,
  }
}

const BROKEN = fail('store.failed', 'the journal of jobs could not be written; restart the server')

const WAITING: JobState = { is: 'waiting' }

const open = (jobs: ReadonlyMap<string, Known>): readonly Known[] =>
  [...jobs.values()].filter(({ state }) => state.is === 'waiting' || state.is === 'leased')

/** The jobs of a journal. Every lease begins its full term again: heartbeats are not stored, and the holder may still work. */
async function jobsIn(path: string, now: number): Promise<Outcome<Map<string, Known>>> {
  const lines = ((await bytesIfThere(path, LARGEST_JOURNAL))?.toString('utf8') ?? '').split('\n').slice(0, -1)
  const jobs = new Map<string, Known>()
  for (const [index, line] of lines.entries()) {
    const entry = jsonOrNull(line)
    if (!isEntry(entry, (job) => placedProblems('collector-job', job).length === 0))
      return fail('store.failed', `${path}: line ${index + 1} is not an entry`)
    if (entry.kind !== 'added' && !jobs.has(entry.id))
      return fail('store.failed', `${path}: line ${index + 1} is about a job that was not added`)
    apply(jobs, entry, now)
  }
  return ok(jobs)
}

function apply(jobs: Map<string, Known>, entry: JobEntry, now: number): void {
  if (entry.kind === 'added') {
    const { job } = entry
    jobs.set(job.id, { job, state: { is: 'waiting' }, lease: null, until: 0, holders: new Map() })
    return
  }
  const known = jobs.get(entry.id)
  if (known === undefined) return
  switch (entry.kind) {
    case 'leased':
      known.holders.set(entry.lease, entry.holder)
      known.lease = entry.lease
      known.until = now + LEASE_SECONDS * 1000
      known.state = { is: 'leased' }
      return
    case 'failed':
      known.state = { is: 'failed', failure: entry.failure }
      break
    case 'completed':
      known.state = { is: 'completed', recording: entry.recording }
  }
  forgetOldest(jobs)
}

function forgetOldest(jobs: Map<string, Known>): void {
  const ended = [...jobs.values()].filter(({ state }) => state.is === 'completed' || state.is === 'failed')
  for (const { job } of ended.slice(0, Math.max(0, ended.length - MOST_ENDED_JOBS))) jobs.delete(job.id)
}

/** The shortest journal that describes a job. */
const entriesOf = ({ job, holders, state }: Known): readonly JobEntry[] => [
  { kind: 'added', job },
  ...[...holders].map(([lease, holder]): JobEntry => ({ kind: 'leased', id: job.id, lease, holder })),
  ...(state.is === 'failed' ? [{ kind: 'failed', id: job.id, failure: state.failure } as const] : []),
  ...(state.is === 'completed' ? [{ kind: 'completed', id: job.id, recording: state.recording } as const] : []),
]
