import { remoteDesktop } from '../../../main/electron/desktop-port.ts'
import { type Port, serveEngine } from '../../../main/electron/engine-process.ts'
import type { Chosen, Engine, Reply } from '../../../schemas/ipc.ts'
import type { EngineEvent } from '../../../schemas/ipc-views.ts'

/** A small engine that does with the desktop what a test asks for, in the worker of a real window. */
const port: Port = {
  post: (message) => process.parentPort.postMessage(message),
  onMessage: (listener) => process.parentPort.on('message', ({ data }) => listener(data)),
}

const settings = { concurrency: 8, authority: null, singleKeys: true, theme: 'system' }

async function start(): Promise<Engine> {
  const desktop = await remoteDesktop(port)
  const listeners = new Set<(event: EngineEvent) => void>()
  let pack: string | null = null
  const answers: Record<string, (input: never, chosen?: Chosen) => unknown> = {
    'app.info': () => ({ version: '0', catalogVersion: '0', probes: 0, checks: 0 }),
    'settings.get': () => settings,
    'settings.set': (input: typeof settings) => Object.assign(settings, input),
    'pack.choose-and-verify': (_input, chosen) => {
      pack = chosen?.path ?? null
      return pack
    },
    'pack.review': () => pack,
    'pack.recent': () => [],
    // The answer is shown by its length only: the secret itself must reach no page.
    'identities.create': async ({ subject }: { subject: string }) => (await desktop.ask(subject))?.length ?? null,
    'identities.list': () => ({ vault: desktop.vault?.described ?? null }),
    'fleet.get': () => null,
    'assessment.get': () => null,
    'demo.open': () => {
      for (const listener of listeners) listener({ kind: 'run-started', run: 'r1', nodes: [] })
      return { run: 'r1', nodes: [] }
    },
  }
  return {
    call: async (method, input, chosen): Promise<Reply<never>> => {
      const answer = answers[method]
      return answer === undefined
        ? { ok: false, error: { code: 'input.refused', detail: 'not here' } }
        : { ok: true, value: (await answer(input as never, chosen)) as never }
    },
    onEvent: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => undefined,
  }
}

serveEngine(port, start(), () => process.exit(0))
