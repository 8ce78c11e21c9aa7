import type { EngineEvent } from '../../../schemas/ipc.ts'
import type { RunStatus } from '../../../schemas/ipc-views.ts'
import type { Gate } from '../pause.ts'
import type { SoFar } from './so-far.ts'

/** A run that goes on. */
export interface GoingRun {
  readonly run: string
  readonly stop: AbortController
  readonly gate: Gate
  readonly soFar: SoFar
  readonly done: Promise<void>
}

/** What a window that opens late needs of a run: how it began, the last moment of every node, and how it ended. */
export interface RunJournal {
  readonly note: (event: EngineEvent) => void
  readonly status: (going: GoingRun | null) => RunStatus
}

/** Bounded by the number of nodes: of each node only the last moment counts. */
export function runJournal(run: string, startedAt: string): RunJournal {
  const events = new Map<string, EngineEvent>()
  return {
    note: (event) => {
      const key = 'node' in event ? `node ${event.node}` : event.kind === 'run-resumed' ? 'run-paused' : event.kind
      // Taken out first, so that the order stays that of the moments.
      events.delete(key)
      events.set(key, event)
    },
    status: (going) => ({
      run,
      going: going?.run === run,
      paused: going?.run === run && going.gate.isClosed(),
      startedAt,
      events: [...events.values()],
    }),
  }
}
