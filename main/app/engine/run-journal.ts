import type { EngineEvent, RunStatus } from '../../../schemas/ipc-views.ts'
import type { SoFar } from './so-far.ts'

/** A run in progress. */
export interface GoingRun {
  readonly run: string
  readonly stop: AbortController
  readonly gate: Gate
  readonly soFar: SoFar
  readonly done: Promise<void>
}

/** State of a run for a window that opens later: its start, the last event of every node, and its end. */
export interface RunJournal {
  readonly note: (event: EngineEvent) => void
  readonly status: (going: GoingRun | null) => RunStatus
}

/** Bounded by the number of nodes: only the last event of each node is kept. */
export function runJournal(run: string, startedAt: string): RunJournal {
  const events = new Map<string, EngineEvent>()
  return {
    note: (event) => {
      const key = 'node' in event ? `node ${event.node}` : event.kind === 'run-resumed' ? 'run-paused' : event.kind
      // Removed first, so that the order is that of the events.
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

/** Pauses work between its steps: `passed` resolves when the gate is open, or when the work is to stop. */
export interface Gate {
  readonly close: () => void
  readonly open: () => void
  readonly isClosed: () => boolean
  readonly passed: () => Promise<void>
}
