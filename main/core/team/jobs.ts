import type {
  CollectorAsk,
  CollectorDelivery,
  CollectorJob,
  CollectorLease,
  CollectorOffer,
  CollectorRefusal,
  CollectorRenewal,
} from '../../../schemas/types.ts'
import { type Sha256, sha256 } from '../base/digest.ts'
import { type Failure, fail, type Outcome, ok } from '../base/failure.ts'
import type { LoadedRecording } from '../recording/recording.ts'

/**
 * The jobs of collectors: one node of one run each. Every queue is tested by `test/support/queue-contract.ts`, with
 * these rules:
 *
 * - A job is leased to one holder at a time, oldest first within its zone, and again once its lease has ended.
 * - A lease ends LEASE_SECONDS after it was given or last renewed. An ended lease is never renewed.
 * - The first completion decides, even after the lease ended and after the job failed, as long as its holder once had
 *   a lease of this job.
 *   The same digest again is accepted without effect; another one fails with job.completed.
 * - What a queue confirmed survives a kill of its process. A reopened queue gives every lease its full term again.
 *
 * Each method fails with store.failed where the decision could not be stored or read, and with database.unreachable
 * where its database is unavailable.
 */
export interface JobQueue {
  /** Adds a job unless one with its id exists. Fails with input.refused where too many wait. */
  readonly enqueue: (job: CollectorJob) => Promise<Outcome<null>>
  /** The next job of a zone, or null. */
  readonly lease: (wanted: Wanted) => Promise<Outcome<CollectorLease | null>>
  /** Renews a lease. Fails with job.lease-ended, or with job.completed where the job has ended. */
  readonly heartbeat: (held: HeldJob) => Promise<Outcome<null>>
  /** Fails with job.completed, or with job.lease-ended where this holder never had this lease. */
  readonly complete: (held: HeldJob, recording: Sha256) => Promise<Outcome<null>>
  /**
   * Ends a job without a recording: by its holder, or by the server itself (`held` is null). No effect on a job that
   * has ended.
   */
  readonly fail: (id: string, held: HeldJob | null, failure: Failure) => Promise<Outcome<null>>
  /** Null for a job that is unknown or no longer remembered. */
  readonly look: (id: string) => Promise<Outcome<JobView | null>>
  /** The states of the known jobs among these. A job whose lease ended counts as waiting. */
  readonly states: (ids: readonly string[]) => Promise<Outcome<ReadonlyMap<string, JobState>>>
  /** Waiting and leased jobs, in the order in which they were added. */
  readonly open: () => Promise<Outcome<readonly CollectorJob[]>>
  readonly counts: () => Promise<Outcome<JobCounts>>
  /** Runs work on the files of a job after all other work on it, including that of other processes of this queue. */
  readonly alone: <T>(id: string, work: () => Promise<Outcome<T>>) => Promise<Outcome<T>>
  /** Whether other processes may hold leases and completions of these jobs. */
  readonly isShared: boolean
  readonly close: () => Promise<void>
}

/** An implementation of `alone` within one process. */
export function turnsById(): JobQueue['alone'] {
  const turns = new Map<string, Promise<unknown>>()
  return async (id, work) => {
    const done = (turns.get(id) ?? Promise.resolve()).then(work, work)
    turns.set(id, done)
    try {
      return await done
    } finally {
      if (turns.get(id) === done) turns.delete(id)
    }
  }
}

interface Wanted {
  readonly zone: string
  /** Name of the collector. */
  readonly holder: string
}

/** A lease as presented by its holder. */
export interface HeldJob {
  readonly id: string
  readonly lease: string
  readonly holder: string
}

export type JobState =
  | { readonly is: 'waiting' | 'leased' }
  | { readonly is: 'failed'; readonly failure: Failure }
  | { readonly is: 'completed'; readonly recording: Sha256 }

export interface JobView {
  readonly job: CollectorJob
  readonly state: JobState
  /** Holders of all leases so far, by lease. */
  readonly holders: ReadonlyMap<string, string>
}

export interface JobCounts {
  readonly waiting: number
  readonly leased: number
}

/**
 * In seconds. A killed collector must be replaced within 30 seconds, including the interval between two polls of the
 * queue.
 */
export const LEASE_SECONDS = 25
/** A job leased this often fails for a cause that another attempt does not remove. */
export const MOST_LEASES = 50
/** Waiting and leased jobs of an engagement. */
export const MOST_OPEN_JOBS = 100_000
/**
 * Ended jobs that are remembered, so that a collector returning after a long time offline learns the state of its
 * job.
 */
export const MOST_ENDED_JOBS = 10_000

export const LEASE_ENDED = fail('job.lease-ended', 'this collector does not hold the lease of this job')
export const JOB_COMPLETED = fail('job.completed', 'the job has an end')
export const TOO_MANY_JOBS = fail('input.refused', 'too many jobs wait for collectors')
export const tooOftenLeased = (leases: number): string => `handed out ${leases} times without a result`
/** Longest stored detail of a failure, in characters. */
export const LONGEST_DETAIL = 600

/** External functions that a queue needs. */
export interface QueueParts {
  /** In milliseconds; only differences are used. */
  readonly now: () => number
  /** 32 random hexadecimal digits that cannot be guessed. */
  readonly newId: () => string
}

/** Largest file of a delivered recording, in bytes; equal to the largest capture that a reader accepts. */
export const LARGEST_PART = 16 * 1024 * 1024
/** Largest delivered recording in bytes, all files together. */
export const LARGEST_DELIVERY = 256 * 1024 * 1024

/** The digests of the files of a delivered recording, and of its two lists. */
export interface Delivery {
  readonly recording: Sha256
  readonly header: Sha256
  readonly captures: Sha256
}

/**
 * Recordings on their way from a collector into the evidence of one engagement. `by` is the collector; the files of
 * each are separate.
 */
export interface Incoming {
  /** The files that have not arrived yet. */
  readonly missing: (job: string, by: string, digests: readonly string[]) => Promise<Outcome<readonly string[]>>
  /**
   * Stores a file under its digest. Fails with recording.altered where the bytes have another digest, and with
   * input.refused beyond the limits.
   */
  readonly put: (job: string, by: string, digest: string, bytes: Uint8Array) => Promise<Outcome<null>>
  /**
   * Assembles the recording from its files (durable when this resolves) and reads it as every import does. Fails as
   * that does.
   */
  readonly build: (job: string, by: string, delivery: Delivery) => Promise<Outcome<LoadedRecording>>
  /**
   * The digest of the recording that the run has for a node; null where it has none, or one without captures. Fails
   * as its reader does.
   */
  readonly stored: (run: string, node: string) => Promise<Outcome<Sha256 | null>>
  /**
   * Moves an assembled recording into the run in one step; repeating it has no effect. Fails with job.completed where
   * another one with captures is stored.
   */
  readonly register: (job: string, by: string, run: string, node: string) => Promise<Outcome<null>>
  /**
   * Leftovers of an earlier process: assembled recordings with their digest, and deliveries that were not assembled.
   */
  readonly pending: () => Promise<readonly PendingDelivery[]>
  readonly discard: (job: string, by: string) => Promise<void>
}

export interface PendingDelivery {
  readonly job: string
  readonly by: string
  readonly recording: Sha256 | null
}

/** The digest under which a server stores the token of a collector. */
export const tokenDigest = (token: string): Sha256 => sha256(`collector ${token}`)
/** The name of a zone, as in schemas/fleet.schema.json. */
export const isZone = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,60}$/.test(text)

/** 256 random bits, base64url. */
export const COLLECTOR_TOKEN = /^[A-Za-z0-9_-]{43}$/

/**
 * The team server from a collector’s point of view. Each method fails with server.unreachable, or with the failure
 * that the server returns.
 */
export interface TeamServer {
  readonly ask: (input: CollectorAsk, signal: AbortSignal) => Promise<Outcome<CollectorLease | null>>
  readonly renew: (job: string, input: CollectorRenewal) => Promise<Outcome<null>>
  readonly offer: (job: string, input: CollectorOffer) => Promise<Outcome<{ readonly missing: readonly Sha256[] }>>
  /** Sends files packed by `packParts`. */
  readonly parts: (job: string, lease: string, packed: Uint8Array) => Promise<Outcome<null>>
  readonly deliver: (job: string, input: CollectorDelivery) => Promise<Outcome<null>>
  readonly refuse: (job: string, input: CollectorRefusal) => Promise<Outcome<null>>
}

/** A job in the spool of a collector. */
export interface Spooled {
  readonly lease: CollectorLease
  /** The recording is complete; only delivery remains. */
  readonly isFinished: boolean
}

/** What a collector stores until it is delivered. Durable: a killed collector continues from it. */
export interface Spool {
  readonly entries: () => Promise<Outcome<readonly Spooled[]>>
  /** Begins a job, or continues it under another lease. */
  readonly keep: (lease: CollectorLease) => Promise<Outcome<null>>
  /** The evidence folder of a job. */
  readonly evidenceOf: (job: string) => string
  readonly finish: (job: string) => Promise<Outcome<null>>
  /** Moves aside what the server refused. */
  readonly setAside: (job: string) => Promise<Outcome<null>>
  readonly remove: (job: string) => Promise<Outcome<null>>
  readonly close: () => Promise<void>
}

/** A file of a recording under the digest that its sender states. */
interface Part {
  readonly digest: Sha256
  readonly bytes: Uint8Array
}

const DIGEST_BYTES = 32
const PART_HEAD = DIGEST_BYTES + 4
const MOST_PARTS_PACKED = 1000
/** Largest request body in bytes: one of the largest files, or many small ones. */
export const LARGEST_PACKED = LARGEST_PART + MOST_PARTS_PACKED * PART_HEAD

/**
 * Packs files into one body, because a recording has hundreds of small ones. Each is its digest, its length (four
 * bytes, most significant first) and its bytes.
 */
export function packParts(parts: readonly Part[]): Uint8Array {
  const packed = new Uint8Array(parts.reduce((size, { bytes }) => size + PART_HEAD + bytes.length, 0))
  let at = 0
  for (const { digest, bytes } of parts) {
    packed.set(Buffer.from(digest, 'hex'), at)
    new DataView(packed.buffer).setUint32(at + DIGEST_BYTES, bytes.length)
    packed.set(bytes, at + PART_HEAD)
    at += PART_HEAD + bytes.length
  }
  return packed
}

/** Unpacks a body. The caller must compare the bytes with the digests. Fails with input.refused. */
export function unpackParts(packed: Uint8Array): Outcome<readonly Part[]> {
  const parts: Part[] = []
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length)
  for (let at = 0; at < packed.length; ) {
    const from = at + PART_HEAD
    const end = from <= packed.length ? from + view.getUint32(at + DIGEST_BYTES) : from
    if (end > packed.length || parts.length === MOST_PARTS_PACKED)
      return fail('input.refused', 'the files are not in the form that collectors send')
    const digest = Buffer.from(packed.subarray(at, at + DIGEST_BYTES)).toString('hex')
    parts.push({ digest, bytes: packed.subarray(from, end) })
    at = end
  }
  return ok(parts)
}

/** Groups files into batches, each sent in one request. */
export function inBatches(parts: readonly Part[]): readonly (readonly Part[])[] {
  const batches: Part[][] = []
  let size = 0
  for (const part of parts) {
    const last = batches.at(-1)
    if (last === undefined || last.length === MOST_PARTS_PACKED || size + part.bytes.length > BATCH) {
      batches.push([part])
      size = part.bytes.length
    } else {
      last.push(part)
      size += part.bytes.length
    }
  }
  return batches
}

const BATCH = 2 * 1024 * 1024
