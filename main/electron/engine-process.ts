import type { Chosen, Engine, Method, Reply } from '../../schemas/ipc.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'

/** A launched worker. */
export interface WorkerProcess {
  readonly port: Port
  readonly onExit: (listener: (code: number) => void) => void
}

/**
 * The engine in its process. After an unexpected end, the next call relaunches it. Stored data is on disk; pending calls are answered with a
 * failure and not repeated, because they may be half done. A worker that ended before its first answer is not relaunched: it would end again.
 */
export function keepEngine(launch: () => WorkerProcess): Engine {
  const listeners = new Set<(event: EngineEvent) => void>()
  const notify = (event: EngineEvent): void => {
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
      notify(event)
    })
    worker.onExit((code) => {
      const again = state === 'answered'
      if (state !== 'closing') state = again ? 'ended' : 'given-up'
      const next = again ? 'stored data is kept; try again' : 'restart Barewitness'
      engine.lost(`the engine process ended (${code}); ${next}`)
      // A run in progress has ended; no other event reports this to the windows.
      const stopped = run
      run = null
      if (stopped !== null && state !== 'closing') notify({ kind: 'run-done', run: stopped, cancelled: true })
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

/** A message port of either process: Electron's UtilityProcess on one side, process.parentPort on the other. */
export interface Port {
  readonly post: (message: unknown) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
}

type Asked = { readonly id: number; readonly method: Method; readonly input: never; readonly chosen?: Chosen }
type ToWorker = { readonly ask: Asked } | { readonly stop: true }
type FromWorker =
  | { readonly id: number; readonly reply: Reply<unknown> }
  | { readonly event: EngineEvent }
  | { readonly stopped: true }

const mistake = (thrown: unknown): Reply<never> => ({
  ok: false,
  error: { code: 'bug', detail: thrown instanceof Error ? thrown.message : 'unknown' },
})

/** The worker side: answers calls with the engine and forwards its events. The engine may still be starting. */
export function serveEngine(port: Port, starting: Promise<Engine>, leave: () => void): void {
  const post = (message: FromWorker): void => port.post(message)
  void starting.then(
    (engine) => engine.onEvent((event) => post({ event })),
    () => undefined,
  )
  const reply = async ({ id, method, input, chosen }: Asked): Promise<void> => {
    const answer = starting.then((engine) => engine.call(method, input, chosen))
    post({ id, reply: await answer.catch(mistake) })
  }
  const stop = async (): Promise<void> => {
    await starting.then((engine) => engine.close()).catch(() => undefined)
    post({ stopped: true })
    leave()
  }
  port.onMessage((message) => {
    // Replies of the main process to the worker’s desktop use the same port and are not handled here.
    const asked = message as ToWorker
    if ('ask' in asked) void reply(asked.ask)
    else if ('stop' in asked) void stop()
  })
}

/** The main process side: the engine in the worker. */
interface RemoteEngine extends Engine {
  /** The worker ended: every pending and later call is answered with a failure. */
  readonly lost: (detail: string) => void
}

export function connectEngine(port: Port): RemoteEngine {
  const waiting = new Map<number, (reply: Reply<never>) => void>()
  const listeners = new Set<(event: EngineEvent) => void>()
  let next = 1
  let gone: string | null = null
  let stopped = (): void => undefined
  const whenStopped = new Promise<void>((resolve) => {
    stopped = () => resolve()
  })
  port.onMessage((message) => {
    const received = message as FromWorker
    if ('event' in received) for (const listener of listeners) listener(received.event)
    else if ('stopped' in received) stopped()
    else if ('reply' in received) {
      waiting.get(received.id)?.(received.reply as Reply<never>)
      waiting.delete(received.id)
    }
  })
  return {
    call: (method, input, chosen) =>
      new Promise((resolve) => {
        if (gone !== null) return resolve({ ok: false, error: { code: 'bug', detail: gone } })
        const id = next++
        waiting.set(id, resolve)
        port.post({ ask: { id, method, input, ...(chosen === undefined ? {} : { chosen }) } })
      }),
    onEvent: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => {
      if (gone === null) port.post({ stop: true })
      return gone === null ? whenStopped : Promise.resolve()
    },
    lost: (detail) => {
      gone = detail
      for (const resolve of waiting.values()) resolve({ ok: false, error: { code: 'bug', detail } })
      waiting.clear()
      stopped()
    },
  }
}
