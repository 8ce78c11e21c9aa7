import { randomBytes } from 'node:crypto'
import type { CollectorJob, CollectorLease, TeamCollector } from '../../../../schemas/types.ts'
import type { RemoteCollection } from '../../../app/engine/context/remote.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import type { Sha256 } from '../../../core/base/digest.ts'
import { err, type Failure, fail, type Outcome, ok } from '../../../core/base/failure.ts'
import type { RunEvent } from '../../../core/ports/ports.ts'
import type { Delivery, HeldJob, Incoming, JobQueue, JobView, PendingDelivery } from '../../../core/team/jobs.ts'
import { otherThanJob, type ProgramInput } from '../../program-access.ts'
import { wakeable } from './repeated.ts'

/** Ports and limits for collectors. */
export interface Collecting {
  /** Digest of the rules of this server; collectors must have the same rules. */
  readonly catalogDigest: string
  /** Problems of an input of a collector or sealer, as sentences; empty means valid. */
  readonly problems: (input: ProgramInput, value: unknown) => readonly string[]
  /** Opens the queue of an engagement; `folder` is for its jobs. */
  readonly openQueue: (folder: string, engagement: string) => Promise<Outcome<JobQueue>>
  readonly openIncoming: (folder: string, evidence: string) => Incoming
  /** How long a run waits without any activity of a collector. */
  readonly patienceMs: number
}

/** The jobs of one engagement, which its engine adds and its collectors process. */
export interface EngagementJobs {
  readonly remote: RemoteCollection
  readonly queue: JobQueue
  readonly incoming: Incoming
  /** Leases the next job in the zone of a collector; null where none arrived in time or before `isOver`. */
  readonly ask: (
    collector: TeamCollector,
    waitSeconds: number,
    isOver: () => boolean,
  ) => Promise<Outcome<CollectorLease | null>>
  readonly renew: (held: HeldJob, progress: { readonly done: number; readonly total: number }) => Promise<Outcome<null>>
  /** The job of a lease. Fails with job.lease-ended where this collector never had the lease. */
  readonly heldJob: (held: HeldJob) => Promise<Outcome<JobView>>
  /**
   * Stores a recording; `confirm` is awaited before the job is completed. Fails as queue and incoming do, and with recording.invalid for another
   * node or run.
   */
  readonly deliver: (held: HeldJob, delivery: Delivery, confirm: () => Promise<void>) => Promise<Outcome<null>>
  readonly refuse: (held: HeldJob, reason: string) => Promise<Outcome<null>>
  /** Finishes deliveries that an earlier process began, and reads its open jobs. Fails where the jobs cannot be read. */
  readonly recover: () => Promise<Outcome<null>>
  /** Called for each recording that no run of this process waited for. */
  readonly onLate: (listener: (run: string) => void) => void
  /** Replaces the zones for which jobs are accepted; jobs that were added stay. */
  readonly serveZones: (zones: ReadonlySet<string>) => void
  /** Ends all waiting; jobs stay in the queue. */
  readonly close: () => Promise<void>
}

/** Interval at which waiting requests read the queue, which also detects ended leases. */
const LOOK_MS = 1000

interface Waiting {
  readonly job: CollectorJob
  readonly onEvent: (event: RunEvent) => void
  readonly end: (outcome: Outcome<null>) => void
  /** Extends the waiting time, because a collector is active. `hasBegun`: notifies the run once that the job was begun. */
  readonly alive: (hasBegun?: true) => void
}

interface JobsOptions {
  readonly queue: JobQueue
  readonly incoming: Incoming
  /** Zones of the enrolled collectors. */
  readonly zones: ReadonlySet<string>
  /** As in Collecting. */
  readonly patienceMs: number
}

export function engagementJobs({ queue, incoming, zones: first, patienceMs }: JobsOptions): EngagementJobs {
  let zones = first
  const waiting = new Map<string, Waiting>()
  /** Jobs in the queue that no run waits for, by run and node: those of an earlier process, and those that timed out. */
  const left = new Map<string, CollectorJob>()
  const asking = wakeable()
  let late: (run: string) => void = () => undefined
  let isClosing = false
  const heldJob = async (held: HeldJob): Promise<Outcome<JobView>> => {
    const found = await queue.look(held.id)
    if (!found.ok) return found
    const view = found.value
    return view !== null && view.holders.get(held.lease) === held.holder
      ? ok(view)
      : fail('job.lease-ended', 'this collector has no lease of this job')
  }
  const registered = async ({ id, run, node }: CollectorJob, by: string): Promise<Outcome<null>> => {
    const done = await incoming.register(id, by, run, node.name)
    if (!done.ok) return done
    await incoming.discard(id, by)
    const waits = waiting.get(id)
    if (waits === undefined) late(run)
    else waits.end(ok(null))
    return done
  }
  /**
   * The job of this node and run that is already in the queue: a second one would collect the node twice, and only one recording could be stored.
   * `stored` where the job has ended with its recording. A job with other content is ended.
   */
  const leftOf = async (asked: Omit<CollectorJob, 'id'>): Promise<Outcome<CollectorJob | 'stored' | null>> => {
    const job = left.get(placeOf(asked))
    if (job === undefined) return ok(null)
    left.delete(placeOf(asked))
    return await queue.alone<CollectorJob | 'stored' | null>(job.id, async () => {
      const found = await queue.look(job.id)
      if (!found.ok) return found
      const state = found.value?.state.is
      if (state === 'completed') {
        const there = await incoming.stored(asked.run, asked.node.name)
        return there.ok ? ok(there.value === null ? null : 'stored') : there
      }
      if (state !== 'waiting' && state !== 'leased') return ok(null)
      if (canonicalJson({ ...asked, id: job.id }) === canonicalJson(job)) return ok(job)
      const failure: Failure = { code: 'job.not-delivered', detail: 'what is asked of this node has changed' }
      const ended = await queue.fail(job.id, null, failure)
      return ended.ok ? ok(null) : ended
    })
  }
  const collect: RemoteCollection['collect'] = async (asked, { signal, onEvent }) => {
    if (!zones.has(asked.zone)) return fail('job.not-delivered', `no collector of zone ${asked.zone} is configured`)
    const before = await leftOf(asked)
    if (!before.ok) return before
    if (before.value === 'stored') return ok(null)
    const job: CollectorJob = before.value ?? { ...asked, id: newId() }
    const added = before.value === null ? await queue.enqueue(job) : ok(null)
    if (!added.ok) return added
    return await new Promise<Outcome<null>>((resolve) => {
      let timer: NodeJS.Timeout | null = null
      const end = (outcome: Outcome<null>): void => {
        if (timer !== null) clearTimeout(timer)
        signal.removeEventListener('abort', stopped)
        waiting.delete(job.id)
        resolve(outcome)
      }
      let isNotified = false
      const alive: Waiting['alive'] = (hasBegun) => {
        if (timer !== null) clearTimeout(timer)
        if (hasBegun === true && !isNotified) {
          isNotified = true
          onEvent({ kind: 'node-connecting', node: job.node.name })
        }
        timer = setTimeout(() => {
          left.set(placeOf(job), job)
          end(fail('job.not-delivered', `no collector of zone ${job.zone} worked on it in time`))
        }, patienceMs)
      }
      const stopped = (): void => {
        const failure: Failure = { code: 'run.cancelled', detail: 'the run was stopped' }
        // A server that ends leaves its jobs in the queue.
        if (!isClosing) void queue.fail(job.id, null, failure)
        end(err(failure))
      }
      waiting.set(job.id, { job, onEvent, end, alive })
      alive()
      signal.addEventListener('abort', stopped, { once: true })
      if (signal.aborted) stopped()
      asking.wake()
    })
  }
  const deliver: EngagementJobs['deliver'] = async (held, delivery, confirm) => {
    const view = await heldJob(held)
    if (!view.ok) return view
    const { job, state } = view.value
    const there = await incoming.stored(job.run, job.node.name)
    if (!there.ok) return there
    if (state.is === 'completed' && state.recording === delivery.recording && there.value === delivery.recording) {
      await incoming.discard(job.id, held.holder)
      return ok(null)
    }
    if (
      (state.is === 'completed' && state.recording !== delivery.recording) ||
      (there.value !== null && there.value !== delivery.recording)
    ) {
      await incoming.discard(job.id, held.holder)
      return OTHER
    }
    const built = await incoming.build(job.id, held.holder, delivery)
    if (!built.ok) return built
    const other = otherThanJob(job, built.value)
    if (other !== null) return fail('recording.invalid', other)
    await confirm()
    const completed = await queue.complete(held, delivery.recording)
    return completed.ok ? await registered(job, held.holder) : completed
  }
  /** Moves the recording of an earlier delivery into its run, or removes it where no job needs it. */
  const recoverOne = async ({ job: id, by, recording }: PendingDelivery): Promise<Outcome<null>> => {
    const view = await queue.look(id)
    if (!view.ok) return view
    const { value } = view
    if (value === null || (value.state.is === 'completed' && value.state.recording !== recording))
      await incoming.discard(id, by)
    // Where that fails, the folder stays for the next start.
    else if (value.state.is === 'completed') await registered(value.job, by)
    return ok(null)
  }
  /** Handles progress that collectors made on jobs of this process through other processes. */
  const watchOthers = async (): Promise<void> => {
    const states = await queue.states([...waiting.keys()])
    if (!states.ok) return
    for (const [id, state] of states.value) {
      const waits = waiting.get(id)
      if (waits === undefined) continue
      if (state.is === 'leased') waits.alive(true)
      else if (state.is === 'failed') waits.end(err(state.failure))
      else if (state.is === 'completed') await endStored(id, state.recording)
    }
  }
  /** Ends the waiting for a job once its recording is in the run. Moves it there if another process ended before doing so. */
  const endStored = async (id: string, recording: Sha256): Promise<void> => {
    const { run, node } = waiting.get(id)?.job ?? {}
    if (run === undefined || node === undefined) return
    const stored = async () => {
      const there = await incoming.stored(run, node.name)
      return there.ok && there.value === recording
    }
    if (!(await stored())) {
      const left = (await incoming.pending()).filter((one) => one.job === id && one.recording === recording)
      for (const one of left) await queue.alone(id, () => recoverOne(one))
      if (!(await stored())) return
    }
    waiting.get(id)?.end(ok(null))
  }
  let isWatching = false
  const look = async (): Promise<void> => {
    if (isWatching || isClosing || waiting.size === 0) return
    isWatching = true
    // A failed look is repeated after LOOK_MS.
    await watchOthers().catch(() => undefined)
    isWatching = false
  }
  const watch = queue.isShared ? setInterval(() => void look(), LOOK_MS) : null
  watch?.unref()
  return {
    queue,
    incoming,
    remote: { collect },
    heldJob,
    serveZones: (next) => {
      zones = next
    },
    onLate: (listener) => {
      late = listener
    },
    ask: async (collector, waitSeconds, isOver) => {
      for (let left = waitSeconds * 1000; ; left -= LOOK_MS) {
        if (isOver() || isClosing) return ok(null)
        const lease = await queue.lease({ zone: collector.zone, holder: collector.name })
        if (!lease.ok) return lease
        if (lease.value !== null) {
          const waits = waiting.get(lease.value.job.id)
          waits?.alive()
          waits?.onEvent({ kind: 'node-connecting', node: lease.value.job.node.name })
          return lease
        }
        if (left <= 0) return ok(null)
        await asking.wait(Math.min(LOOK_MS, left))
      }
    },
    renew: async (held, { done, total }) => {
      const renewed = await queue.heartbeat(held)
      const waits = renewed.ok ? waiting.get(held.id) : undefined
      waits?.alive()
      if (total > 0) waits?.onEvent({ kind: 'node-collecting', node: waits.job.node.name, done, total })
      return renewed
    },
    deliver: (held, delivery, confirm) => queue.alone(held.id, () => deliver(held, delivery, confirm)),
    refuse: async (held, reason) => {
      const failure: Failure = {
        code: 'job.not-delivered',
        detail: `the collector ${held.holder} refused it: ${reason}`,
      }
      const failed = await queue.fail(held.id, held, failure)
      if (failed.ok) waiting.get(held.id)?.end(err(failure))
      return failed
    },
    recover: async () => {
      for (const one of await incoming.pending()) {
        const done = await queue.alone(one.job, () => recoverOne(one))
        if (!done.ok) return done
      }
      const open = await queue.open()
      if (!open.ok) return open
      for (const job of open.value) left.set(placeOf(job), job)
      return ok(null)
    },
    close: async () => {
      isClosing = true
      if (watch !== null) clearInterval(watch)
      asking.wake()
      await queue.close()
    },
  }
}

const OTHER = fail('job.completed', 'the run holds another recording of this node')

const placeOf = ({ run, node }: Pick<CollectorJob, 'run' | 'node'>): string => `${run} ${node.name}`

const newId = (): string => randomBytes(16).toString('hex')
