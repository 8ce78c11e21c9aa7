import type { Engine } from '../../schemas/ipc.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import { connectEngine, type Port, type RemoteEngine } from './engine-port.ts'

/** A launched worker. */
export interface WorkerProcess {
  readonly port: Port
  readonly onExit: (listener: (code: number) => void) => void
}

/**
 * The engine in its process, relaunched by the next call after it ended unexpectedly. Stored data is on disk; pending calls are answered with
 * a failure and not repeated, because they may be half done. A worker that ended before its first answer is not relaunched: it would end
 * again.
 */
export function keepEngine(launch: () => WorkerProcess): Engine {
  const listeners = new Set<(event: EngineEvent) => void>()
  const tell = (event: EngineEvent): void => {
    for (const listener of listeners) listener(event)
  }
  let state: 'new' | 'answered' | 'ended' | 'given-up' | 'closing' = 'new'
  let run: string | null = null
  const begin = (): RemoteEngine => {
    const worker = launch()
    const engine = connectEngine(worker.port)
    engine.onEvent((event) => {
      if (event.kind === 'run-started') run = event.run
      if (event.kind === 'run-done') run = null
      tell(event)
    })
    worker.onExit((code) => {
      const again = state === 'answered'
      if (state !== 'closing') state = again ? 'ended' : 'given-up'
      const next = again ? 'stored data is kept; try again' : 'restart Barewitness'
      engine.lost(`the engine process ended (${code}); ${next}`)
      // A run in progress has ended; no other event reports this to the windows.
      const stopped = run
      run = null
      if (stopped !== null && state !== 'closing') tell({ kind: 'run-done', run: stopped, cancelled: true })
    })
    return engine
  }
  let current = begin()
  return {
    call: async (method, input, chosen) => {
      if (state === 'ended') {
        state = 'new'
        current = begin()
      }
      const asked = current
      const reply = await asked.call(method, input, chosen)
      if (asked === current && state === 'new') state = 'answered'
      return reply
    },
    onEvent: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {
      const gone = state === 'ended' || state === 'given-up'
      state = 'closing'
      if (!gone) await current.close()
    },
  }
}
