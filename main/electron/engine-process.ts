import type { Engine, EngineEvent } from '../../schemas/ipc.ts'
import { connectEngine, type Port, type RemoteEngine } from './engine-port.ts'

/** A worker that was launched. */
export interface WorkerProcess {
  readonly port: Port
  readonly onExit: (listener: (code: number) => void) => void
}

/**
 * The engine in its process, launched again by the next call after it ended unasked. What it had stored is on the disk; what was
 * waiting is answered with a failure and not asked again, because it may have been half done. A worker that ended before it
 * answered anything is not tried again: it would only end once more.
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
      const next = again ? 'what was stored is kept; try again' : 'start Barewitness again'
      engine.lost(`the engine process ended (${code}); ${next}`)
      // A run that went on has ended; the windows wait for nothing else to tell them.
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
