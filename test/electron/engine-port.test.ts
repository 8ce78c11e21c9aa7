import { expect, test } from 'vitest'
import { connectEngine, type Port, serveEngine } from '../../main/electron/engine-process.ts'
import type { Engine } from '../../schemas/ipc.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'

/** Two ports joined; what is posted on one is heard on the other, later, as a copy. */
function pair(): readonly [Port, Port] {
  const listeners: [((message: unknown) => void)[], ((message: unknown) => void)[]] = [[], []]
  const side = (own: 0 | 1, other: 0 | 1): Port => ({
    post: (message) =>
      queueMicrotask(() => listeners[other].forEach((listener) => void listener(structuredClone(message)))),
    onMessage: (listener) => void listeners[own].push(listener),
  })
  return [side(0, 1), side(1, 0)]
}

function engine(): Engine & { readonly say: (event: EngineEvent) => void; readonly state: { closed: boolean } } {
  const listeners = new Set<(event: EngineEvent) => void>()
  const state = { closed: false }
  return {
    state,
    say: (event) => listeners.forEach((listener) => void listener(event)),
    call: async (method, input, chosen) => {
      if (method === 'run.cancel') throw new Error('thrown inside')
      return { ok: true, value: { method, input, chosen: chosen ?? null } as never }
    },
    onEvent: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {
      state.closed = true
    },
  }
}

test('calls, choices and events cross, also while the engine is still starting', async () => {
  const [main, worker] = pair()
  const real = engine()
  let start: (engine: Engine) => void = () => undefined
  serveEngine(worker, new Promise((resolve) => (start = resolve)), () => undefined)
  const remote = connectEngine(main)
  const early = remote.call('pack.choose-and-verify', null, { path: '/p' })
  start(real)
  expect(await early).toEqual({
    ok: true,
    value: { method: 'pack.choose-and-verify', input: null, chosen: { path: '/p' } },
  })
  const heard: EngineEvent[] = []
  const stop = remote.onEvent((event) => heard.push(event))
  real.say({ kind: 'node-connecting', node: 'a' })
  await remote.call('app.info', null)
  stop()
  real.say({ kind: 'node-connecting', node: 'b' })
  await remote.call('app.info', null)
  expect(heard).toEqual([{ kind: 'node-connecting', node: 'a' }])
})

test('a throw in the worker, and an engine that cannot start, are answered as our mistake', async () => {
  const [main, worker] = pair()
  serveEngine(worker, Promise.resolve(engine()), () => undefined)
  expect(await connectEngine(main).call('run.cancel', null)).toEqual({
    ok: false,
    error: { code: 'bug', detail: 'thrown inside' },
  })
  const [main2, worker2] = pair()
  serveEngine(worker2, Promise.reject(new Error('no folder')), () => undefined)
  expect(await connectEngine(main2).call('app.info', null)).toEqual({
    ok: false,
    error: { code: 'bug', detail: 'no folder' },
  })
})

test('closing closes the engine; a lost worker answers every waiting and later call', async () => {
  const [main, worker] = pair()
  const real = engine()
  let left = false
  serveEngine(worker, Promise.resolve(real), () => {
    left = true
  })
  await connectEngine(main).close()
  expect([real.state.closed, left]).toEqual([true, true])

  const deaf: Port = { post: () => undefined, onMessage: () => undefined }
  const remote = connectEngine(deaf)
  const waiting = remote.call('app.info', null)
  remote.lost('the engine process ended')
  const gone = { ok: false, error: { code: 'bug', detail: 'the engine process ended' } }
  expect(await waiting).toEqual(gone)
  expect(await remote.call('app.info', null)).toEqual(gone)
  await remote.close()
})
