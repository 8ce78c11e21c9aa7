import type { Scope } from '../../schemas/types.ts'
import type { ConnectTarget, RunEvent } from '../core/ports.ts'
import type { LoadedRecording } from '../core/recording.ts'

/** What a finished run gives: the recordings of the nodes it reached, and whether somebody stopped it. */
export interface RunResult {
  readonly run: string
  readonly recordings: readonly LoadedRecording[]
  readonly cancelled: boolean
}

export interface NodeOutcome {
  readonly recording: LoadedRecording | null
  readonly authRefused: boolean
}

export interface RunOptions {
  readonly run: string
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onEvent: (event: RunEvent) => void
  /** Told of each node when it is done. */
  readonly onRecorded?: (loaded: LoadedRecording) => void
  /** Awaited before each node is begun: how a run is held back. Those that are being asked go on. */
  readonly mayBegin?: () => Promise<void>
}

// A stop when three of the first twenty nodes refuse the login: the same wrong key would go on to lock accounts across the fleet.
// The pace of connections is the transport's matter.
const BREAKER_REFUSALS = 3
const BREAKER_WINDOW = 20

/** Collects every target, some at a time. One node's failure never ends another's collection. */
export async function runFleet(
  targets: readonly ConnectTarget[],
  collect: (target: ConnectTarget) => Promise<NodeOutcome>,
  options: RunOptions,
): Promise<RunResult> {
  const { run, signal, onEvent } = options
  onEvent({ kind: 'run-started', run, nodes: targets.map(({ node }) => node.name) })
  const recordings: LoadedRecording[] = []
  const queue = [...targets]
  let finished = 0
  let refused = 0
  let broken = false
  const lane = async (): Promise<void> => {
    for (;;) {
      await options.mayBegin?.()
      const target = queue.shift()
      if (target === undefined || signal.aborted) return
      if (broken) {
        onEvent({
          kind: 'node-failed',
          node: target.node.name,
          code: 'ssh.auth-refused',
          detail: 'not tried: several nodes refused the same login',
        })
        continue
      }
      const outcome = await collect(target)
      finished += 1
      if (outcome.recording !== null) {
        recordings.push(outcome.recording)
        options.onRecorded?.(outcome.recording)
      }
      if (outcome.authRefused) refused += 1
      broken ||= finished <= BREAKER_WINDOW && refused >= BREAKER_REFUSALS
    }
  }
  await Promise.all(Array.from({ length: Math.min(options.concurrency, targets.length) }, lane))
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
