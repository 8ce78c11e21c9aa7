import type { Scope } from '../../schemas/types.ts'
import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import type { Clock, ConnectTarget, Entropy, RunEvent } from '../core/ports.ts'
import { compare, type LoadedRecording, type RecordingSource } from '../core/recording.ts'
import { ok } from '../core/result.ts'
import { createLanes } from './concurrency.ts'
import type { Aside } from './location/spread.ts'

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

// Nodes that are only timed hold a connection, and nothing else.
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
  const minute = clock.now().replaceAll(/[-:]/g, '').slice(0, 13).toLowerCase()
  return `${minute}z-${Buffer.from(entropy.bytes(2)).toString('hex')}`
}

/** The latest run in a store: run names begin with their UTC minute, so the greatest name is the latest. */
export async function latestRun(ports: Pick<Ports, 'openStore'>, storeFolder: string): Promise<Outcome<string>> {
  const store = await ports.openStore(storeFolder)
  if (!store.ok) return store
  const runs = await store.value.runs()
  if (!runs.ok) return runs
  const latest = [...runs.value].sort(compare).at(-1)
  return latest === undefined ? fail('input.not-found', `there is no run to resume in ${storeFolder}`) : ok(latest)
}
