import type { Assessment, Register, Scope } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { err, type Failure, fail, type Outcome, ok, type Result } from '../../core/base/failure.ts'
import type { Clock, ConnectTarget, Entropy, RunEvent } from '../../core/ports/ports.ts'
import { compare, type LoadedRecording, type RecordingSource } from '../../core/recording/recording.ts'
import { NOTHING_SHARED, surplusNames } from '../../core/recording/same-machine.ts'
import { acceptancesOf } from '../../core/register/register.ts'
import { type Aside, createLanes } from '../common/concurrency.ts'

/** The result of a run: the recordings of the nodes it reached, loaded when needed, and whether it was stopped. */
export interface RunResult {
  readonly run: string
  readonly recordings: readonly RecordingSource[]
  readonly cancelled: boolean
}

export interface NodeOutcome {
  /** Without its captures: a run of a thousand nodes holds only those that it is collecting. */
  readonly recording: RecordingSource | null
  readonly authRefused: boolean
}

export interface RunOptions {
  readonly run: string
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onEvent: (event: RunEvent) => void
  /** Awaited before each node is started: this pauses a run. Nodes in progress are completed. */
  readonly mayBegin?: () => Promise<void>
}

// Stops when three of the first twenty nodes refuse the login: the same wrong key would otherwise lock accounts across
// the fleet. The transport limits the rate of connections.
const BREAKER_REFUSALS = 3
const BREAKER_WINDOW = 20

// Nodes that are only timed need a connection, and nothing else.
const MOST_ASIDE = 256
const ASIDE_PER_LANE = 4

/**
 * Collects every target with limited concurrency; nodes that are only timed do not count, up to four times the limit. A
 * failure of one node never ends the collection of another.
 */
export async function runFleet(
  targets: readonly ConnectTarget[],
  collect: (target: ConnectTarget, aside: Aside) => Promise<NodeOutcome>,
  options: RunOptions,
): Promise<RunResult> {
  const { run, signal, onEvent } = options
  onEvent({ kind: 'run-started', run, nodes: targets.map(({ node }) => node.name) })
  const recordings: RecordingSource[] = []
  const queue = [...targets]
  let finished = 0
  let refused = 0
  let broken = false
  const lanes = createLanes(options.concurrency)
  const one = async (target: ConnectTarget): Promise<void> => {
    if (broken) {
      const detail = 'not attempted: several nodes refused the same login'
      onEvent({ kind: 'node-failed', node: target.node.name, code: 'ssh.auth-refused', detail })
      return
    }
    const outcome = await collect(target, lanes.aside)
    finished += 1
    if (outcome.recording !== null) recordings.push(outcome.recording)
    if (outcome.authRefused) refused += 1
    broken ||= finished <= BREAKER_WINDOW && refused >= BREAKER_REFUSALS
  }
  const work = async (): Promise<void> => {
    for (let isLeft = true; isLeft; ) {
      await lanes.take()
      try {
        await options.mayBegin?.()
        const target = signal.aborted ? undefined : queue.shift()
        if (target === undefined) isLeft = false
        else await one(target)
      } finally {
        lanes.give()
      }
    }
  }
  const open = options.concurrency + Math.min(MOST_ASIDE, options.concurrency * ASIDE_PER_LANE)
  await Promise.all(Array.from({ length: Math.min(open, targets.length) }, work))
  onEvent({ kind: 'run-done', run, cancelled: signal.aborted })
  return { run, recordings, cancelled: signal.aborted }
}

/** Evaluated by default. The proposed rule and related frameworks are included only on request. */
export const DEFAULT_FRAMEWORKS: Scope['frameworks'] = ['hipaa', 'soc2']

/** The scope of recordings alone, when no fleet file declares a population: exactly the nodes that were recorded. */
export const scopeOf = (
  fleet: string,
  recordings: readonly Pick<LoadedRecording, 'recording'>[],
  frameworks: Scope['frameworks'],
): Scope => ({
  fleet,
  population: recordings.map(({ recording }) => recording.node.name),
  frameworks,
})

/** A run's name: the UTC minute of its start and four hex digits, such as 20261121t0912z-1f3a. Sorts by time. */
export function newRunId(clock: Clock, entropy: Entropy): string {
  return `${minuteOf(clock.now())}z-${Buffer.from(entropy.bytes(2)).toString('hex')}`
}

/** The UTC minute with which the names of runs begin. */
const minuteOf = (moment: string): string => moment.replaceAll(/[-:]/g, '').slice(0, 13).toLowerCase()

/**
 * The latest run in a store, or the latest that began by the minute of `until`: run names begin with their UTC minute, so the greatest name is
 * the latest. Fails with input.not-found where there is none.
 */
export async function latestRun(
  ports: Pick<Ports, 'openStore'>,
  storeFolder: string,
  until?: string,
): Promise<Outcome<string>> {
  const store = await ports.openStore(storeFolder)
  if (!store.ok) return store
  const runs = await store.value.runs()
  if (!runs.ok) return runs
  const within = runs.value.filter((run) => until === undefined || run.slice(0, 13) <= minuteOf(until))
  const latest = within.sort(compare).at(-1)
  return latest === undefined ? fail('input.not-found', `there is no run to resume in ${storeFolder}`) : ok(latest)
}

interface WatchLimits {
  readonly deadlineSeconds: number
  /** Longest silence, after the first output. */
  readonly silenceSeconds: number
  readonly signal: AbortSignal
}

/**
 * Reasons to end a collection early: the deadline, silence, a stop, or a failure that the caller passes. The first one
 * counts.
 */
export interface Watch {
  readonly give: (code: Failure['code'], detail: string) => void
  readonly heard: () => void
  readonly failure: () => Failure | null
  /** Aborted when the collection is ended early. */
  readonly signal: AbortSignal
  /** Whichever is first: the value, or the failure that ends the collection. Rejects only as `work` does. */
  readonly unless: <T>(work: Promise<T>) => Promise<Result<T, Failure>>
  /** As unless(), for our own pauses: their time counts neither towards the deadline nor as silence. */
  readonly rest: <T>(work: Promise<T>) => Promise<Result<T, Failure>>
  readonly stop: () => void
}

const LOOK_MS = 250

export function watchOver({ clock, pause }: Pick<Ports, 'clock' | 'pause'>, limits: WatchLimits): Watch {
  const ending = new AbortController()
  let started = clock.ticks()
  let resting = false
  let heardAt: bigint | null = null
  let failure: Failure | null = null
  let isOver = false
  const seconds = (since: bigint): number => Number(clock.ticks() - since) / 1e9

  const give: Watch['give'] = (code, detail) => {
    if (isOver || failure !== null) return
    failure = { code, detail }
    ending.abort()
  }
  const cancel = (): void => give('run.cancelled', 'stopped during collection')
  if (limits.signal.aborted) cancel()
  limits.signal.addEventListener('abort', cancel, { once: true })
  const failed = new Promise<Failure>((resolve) => {
    const finish = (): void => resolve(failure ?? { code: 'bug', detail: 'ended without a reason' })
    if (ending.signal.aborted) finish()
    else ending.signal.addEventListener('abort', finish, { once: true })
  })

  const look = async (): Promise<void> => {
    while (!isOver && failure === null) {
      await pause(LOOK_MS)
      if (resting) continue
      if (seconds(started) > limits.deadlineSeconds)
        give('collector.timed-out', `not finished after ${limits.deadlineSeconds} seconds`)
      else if (heardAt !== null && seconds(heardAt) > limits.silenceSeconds)
        give('ssh.timed-out', `no output for ${limits.silenceSeconds} seconds`)
    }
  }
  void look()

  const unless: Watch['unless'] = (work) =>
    Promise.race([failed.then((reason) => err(reason)), work.then((value) => ({ ok: true, value }) as const)])

  return {
    give,
    heard: () => {
      heardAt = clock.ticks()
    },
    failure: () => failure,
    signal: ending.signal,
    unless,
    rest: async (work) => {
      const since = clock.ticks()
      resting = true
      try {
        return await unless(work)
      } finally {
        resting = false
        const rested = clock.ticks() - since
        started += rested
        if (heardAt !== null) heardAt += rested
      }
    },
    stop: () => {
      isOver = true
      limits.signal.removeEventListener('abort', cancel)
    },
  }
}

/** Outcome of an assessment for the scheduler. */
interface AssessmentOutcome {
  /** A check is not satisfied on one or more nodes, without a risk acceptance in effect at the evaluation date. */
  readonly gaps: boolean
  /**
   * A declared node was not collected, was collected partially, or is a machine that already counts under another
   * name; or the provider inventory has an unreconciled asset.
   */
  readonly incomplete: boolean
}

export function outcomeOf(
  { nodes, asOf, reconciliation, shared = NOTHING_SHARED }: Assessment,
  { riskAcceptances }: Register,
): AssessmentOutcome {
  const { inForce } = acceptancesOf(riskAcceptances, asOf)
  return {
    gaps: nodes.some(({ node, results }) =>
      results.some(({ check, verdict }) => verdict === 'not-satisfied' && inForce(node, check) === null),
    ),
    incomplete:
      nodes.length === 0 ||
      nodes.some(({ status }) => status !== 'complete') ||
      (reconciliation?.unreconciled ?? 0) > 0 ||
      surplusNames(shared) > 0,
  }
}
