import type { CollectorJob, CollectorLease } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { type Sha256, sha256 } from '../../core/base/digest.ts'
import { err, type Failure, fail, type Outcome, ok, type Result } from '../../core/base/failure.ts'
import type { ConnectTarget } from '../../core/ports/ports.ts'
import { captureLine, type LoadedRecording, recordingDigest, recordingJson } from '../../core/recording/recording.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { inBatches, LEASE_SECONDS, packParts, type Spool, type Spooled, type TeamServer } from '../../core/team/jobs.ts'
import { digestOf } from '../collect/collect-node.ts'
import { collectRun } from '../collect/collect-run.ts'
import { mapConcurrently, repeat } from '../common/concurrency.ts'

interface CollectorDeps {
  readonly ports: Parameters<typeof collectRun>[0] & Pick<Ports, 'fleets'>
  readonly catalog: Catalog
  readonly server: TeamServer
  readonly spool: Spool
  /** Resolves after some time, or at once when `signal` is aborted; keeps the program running. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

interface CollectorOptions {
  readonly zone: string
  /** Fleet file of the nodes that this collector may connect to. Read for each job. */
  readonly fleet: string
  readonly concurrency: number
  /** Ends everything; collections in progress stay in the spool. */
  readonly signal: AbortSignal
  readonly onEvent: (event: CollectorEvent) => void
}

export type CollectorEvent =
  | { readonly kind: 'leased' | 'collected' | 'delivered'; readonly node: string; readonly run: string }
  | { readonly kind: 'refused' | 'set-aside'; readonly node: string; readonly run: string; readonly failure: Failure }
  /** Tried again after a while. */
  | { readonly kind: 'waits'; readonly failure: Failure }

const WAIT_SECONDS = 20
const RENEW_MS = (LEASE_SECONDS * 1000) / 3

/** Failures after which the recording is kept and delivered later, because the server or this computer may recover. */
const PASSING: readonly Failure['code'][] = ['server.unreachable', 'store.failed', 'access.refused', 'bug']

/**
 * Collects jobs of a zone until it is stopped. Finished recordings are delivered before another job is leased, so
 * that the spool of a disconnected collector contains no more than it collects at once.
 */
export async function runCollector(ports: CollectorDeps, options: CollectorOptions): Promise<void> {
  const deps: Working = { ...ports, leases: new Map() }
  await continued(deps, options)
  let last: Promise<unknown> = Promise.resolve()
  /**
   * Passes run one at a time. A recording that is finished during a pass is in the next one, and its lane waits for
   * that pass.
   */
  const delivered = (): Promise<Failure | null> => {
    const pass = last.then(() => deliverFinished(deps, options))
    last = pass
    return pass
  }
  const lane = (): Promise<void> =>
    repeat(async () => (await delivered()) ?? (await next(deps, options)), {
      signal: options.signal,
      wait: deps.wait,
      onWait: (failure) => options.onEvent({ kind: 'waits', failure }),
    })
  await Promise.all(Array.from({ length: options.concurrency }, lane))
}

interface Working extends CollectorDeps {
  /** The latest lease of each job in progress. */
  readonly leases: Map<string, string>
}

/** Jobs that an earlier process did not finish: each continues where its lease is still renewed. */
async function continued(deps: Working, options: CollectorOptions): Promise<void> {
  const entries = await deps.spool.entries()
  const begun = entries.ok ? entries.value.filter(({ isFinished }) => !isFinished) : []
  await mapConcurrently(begun, options.concurrency, async ({ lease }) => {
    if (options.signal.aborted) return
    const renewed = await deps.server.renew(lease.job.id, { lease: lease.lease, done: 0, total: 0 })
    if (renewed.ok) await work(deps, options, lease)
    else if (renewed.error.code === 'job.completed') await setAside(deps, options, lease, renewed.error)
  })
}

/** Leases a job and collects it; null where there was none, or it was done. */
async function next(deps: Working, options: CollectorOptions): Promise<Failure | null> {
  const { zone, signal } = options
  const asked = { zone, catalogDigest: digestOf(deps.catalog), waitSeconds: WAIT_SECONDS }
  const lease = await deps.server.ask(asked, signal)
  if (!lease.ok) return lease.error
  return lease.value === null ? null : await work(deps, options, lease.value)
}

/** Collects a job into the spool; null unless this computer could not store it. */
async function work(deps: Working, options: CollectorOptions, lease: CollectorLease): Promise<Failure | null> {
  const { job } = lease
  const about = { node: job.node.name, run: job.run }
  options.onEvent({ kind: 'leased', ...about })
  const read = await deps.ports.fleets.read(options.fleet)
  if (!read.ok) return read.error
  const target = targetFor(job, read.value.targets({ ask: async () => null }))
  if (!target.ok) {
    options.onEvent({ kind: 'refused', ...about, failure: { code: 'input.refused', detail: target.error } })
    const refused = await deps.server.refuse(job.id, { lease: lease.lease, reason: target.error })
    return refused.ok || !PASSING.includes(refused.error.code) ? null : refused.error
  }
  const isGoing = deps.leases.has(job.id)
  const kept = await deps.spool.keep(lease)
  if (!kept.ok) return kept.error
  if (isGoing) {
    // Its lease had ended, and no other collector took it: the collection continues under the new lease.
    deps.leases.set(job.id, lease.lease)
    return null
  }
  const ended = await whileRenewed(deps, options, lease, (stop, progress) =>
    collect(deps, options, lease, {
      target: target.value,
      stop,
      progress,
      mayAskMetadata: read.value.fleet.askMetadata === true,
    }),
  )
  if (ended.job !== null) await setAside(deps, options, lease, ended.job)
  if (!ended.result.ok) return ended.result.error
  if (!ended.result.value) return null
  const finished = await deps.spool.finish(job.id)
  if (!finished.ok) return finished.error
  options.onEvent({ kind: 'collected', ...about })
  return null
}

interface Progress {
  done: number
  total: number
}

/** Whether the whole recording is in the spool; false where the collection was stopped. */
async function collect(
  { ports, catalog, spool }: CollectorDeps,
  { signal }: CollectorOptions,
  { job }: CollectorLease,
  how: {
    readonly target: ConnectTarget
    readonly stop: AbortController
    readonly progress: Progress
    readonly mayAskMetadata: boolean
  },
): Promise<Outcome<boolean>> {
  const { stop, progress } = how
  const stopped = (): void => stop.abort()
  signal.addEventListener('abort', stopped, { once: true })
  if (signal.aborted) stopped()
  try {
    const collected = await collectRun(ports, catalog, {
      run: job.run,
      targets: [how.target],
      storeFolder: spool.evidenceOf(job.id),
      concurrency: 1,
      signal: stop.signal,
      onEvent: (event) => {
        if (event.kind === 'node-collecting') Object.assign(progress, { done: event.done, total: event.total })
      },
      marks: () => ({ demo: false, synthetic: null }),
      metadata: job.metadata && how.mayAskMetadata,
      ...(job.spreadSeconds === null ? {} : { spreadSeconds: job.spreadSeconds }),
    })
    if (!collected.ok) return collected
    if (stop.signal.aborted) return ok(false)
    return collected.value.recordings.length > 0 ? ok(true) : fail('store.failed', 'the recording could not be stored')
  } finally {
    signal.removeEventListener('abort', stopped)
  }
}

/**
 * Renews a lease during work. Neither an ended lease nor an unreachable server ends the work, because the first
 * complete recording counts. An ended job does, and `job` is then the reason.
 */
async function whileRenewed<T>(
  { server, wait, leases }: Working,
  { signal }: CollectorOptions,
  { job, lease }: CollectorLease,
  work: (stop: AbortController, progress: Progress) => Promise<T>,
): Promise<{ readonly result: T; readonly job: Failure | null }> {
  const [stop, done] = [new AbortController(), new AbortController()]
  const progress: Progress = { done: 0, total: 0 }
  let end: Failure | null = null
  leases.set(job.id, lease)
  const renewing = (async () => {
    for (;;) {
      await wait(RENEW_MS, done.signal)
      if (done.signal.aborted || signal.aborted) return
      const renewed = await server.renew(job.id, { lease: leases.get(job.id) ?? lease, ...progress })
      if (renewed.ok || renewed.error.code !== 'job.completed' || done.signal.aborted) continue
      end = renewed.error
      return stop.abort()
    }
  })()
  try {
    const result = await work(stop, progress)
    return { result, job: end }
  } finally {
    leases.delete(job.id)
    done.abort()
    await renewing
  }
}

/** Delivers finished recordings. Returns the failure that prevents it for now, or null. */
async function deliverFinished(deps: Working, options: CollectorOptions): Promise<Failure | null> {
  const entries = await deps.spool.entries()
  if (!entries.ok) return entries.error
  for (const { lease, isFinished } of entries.value) {
    if (!isFinished || options.signal.aborted) continue
    const problem = await deliverOne(deps, options, { lease, isFinished })
    if (problem !== null) return problem
  }
  return null
}

async function deliverOne(deps: Working, options: CollectorOptions, { lease }: Spooled): Promise<Failure | null> {
  const { job } = lease
  const store = await deps.ports.openStore(deps.spool.evidenceOf(job.id))
  const loaded = store.ok ? await store.value.load(job.run, job.node.name) : store
  if (!loaded.ok) {
    await setAside(deps, options, lease, loaded.error)
    return null
  }
  const { result } = await whileRenewed(deps, options, lease, () => deliver(deps.server, lease, loaded.value))
  if (result.ok) {
    options.onEvent({ kind: 'delivered', node: job.node.name, run: job.run })
    const removed = await deps.spool.remove(job.id)
    return removed.ok ? null : removed.error
  }
  if (PASSING.includes(result.error.code)) return result.error
  await setAside(deps, options, lease, result.error)
  return null
}

/**
 * Sends the parts of a recording that the server does not have yet; repeating it has no effect. Fails as the server
 * does.
 */
async function deliver(
  server: TeamServer,
  { job, lease }: CollectorLease,
  loaded: LoadedRecording,
): Promise<Outcome<null>> {
  const text = new TextEncoder()
  const [header, captures] = [
    text.encode(recordingJson(loaded.recording)),
    text.encode(loaded.captures.map(({ meta }) => captureLine(meta)).join('')),
  ]
  const parts = new Map<Sha256, Uint8Array>(
    [header, captures, ...loaded.captures.flatMap(({ stdout, stderr }) => [stdout, stderr])].map((bytes) => [
      sha256(bytes),
      bytes,
    ]),
  )
  const recording = recordingDigest(loaded)
  const offered = await server.offer(job.id, { lease, recording, digests: [...parts.keys()] })
  if (!offered.ok) return offered
  const missing = offered.value.missing.flatMap((digest) => {
    const bytes = parts.get(digest)
    return bytes === undefined ? [] : [{ digest, bytes }]
  })
  for (const batch of inBatches(missing)) {
    const sent = await server.parts(job.id, lease, packParts(batch))
    if (!sent.ok) return sent
  }
  return await server.deliver(job.id, { lease, recording, header: sha256(header), captures: sha256(captures) })
}

async function setAside(
  { spool }: CollectorDeps,
  { onEvent }: CollectorOptions,
  { job }: CollectorLease,
  failure: Failure,
): Promise<void> {
  const aside = await spool.setAside(job.id)
  onEvent({ kind: 'set-aside', node: job.node.name, run: job.run, failure: aside.ok ? failure : aside.error })
}

/**
 * The target of a job, or the reason why this collector does not collect it. The server is not trusted: only nodes in
 * the fleet file of the collector are contacted, at the address, with the account and with the host keys in that
 * file. The server's declarations of the node are recorded; only the collector declares where it is measured from.
 */
export function targetFor(
  { node, hostKey }: CollectorJob,
  targets: readonly ConnectTarget[],
): Result<ConnectTarget, string> {
  const own = targets.find((target) => target.node.name === node.name)
  if (own === undefined) return err('the node is not in the fleet file of this collector')
  const differs = (['address', 'port', 'user', 'sudo'] as const).find((name) => own.node[name] !== node[name])
  if (differs !== undefined) return err(`${differs} differs from the fleet file of this collector`)
  const pinned = own.trust.fingerprint
  if (hostKey !== null && pinned !== undefined && pinned !== hostKey)
    return err('the host key differs from the fleet file of this collector')
  const { vantage: _, ...declared } = node
  const { vantage } = own.node
  return ok({ ...own, node: { ...declared, ...(vantage === undefined ? {} : { vantage }) } })
}
