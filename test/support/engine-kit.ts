import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { createEngine } from '../../main/app/engine.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import type { Engine, Input, Method, Output, Reply } from '../../schemas/ipc.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import { fakeCatalog } from './fake-catalog.ts'
import { fakeDesktop } from './fake-engine.ts'
import { createFakePorts } from './fake-ports.ts'
import { fakeScheduling } from './fake-timers.ts'

/** The value of a reply, or an error that names the failure. */
export function valueIn<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.detail}`)
  return reply.value
}

export interface EngineKit {
  readonly folder: string
  readonly engine: Engine
  readonly events: readonly EngineEvent[]
  /** The value of a call; throws where it fails. */
  readonly get: <M extends Method>(method: M, input: Input<M>) => Promise<Output<M>>
  /** The code of a call that must fail. */
  readonly refusal: <M extends Method>(method: M, input: Input<M>) => Promise<string>
  /** Resolves when a moment of this kind was told, now or later; each is waited for once. */
  readonly heard: (kind: EngineEvent['kind']) => Promise<EngineEvent>
  /** Another engine over the same folder, as after the window was closed and opened again. */
  readonly reopened: (ports?: Ports) => Promise<EngineKit>
  readonly close: () => Promise<void>
}

/** An engine over stand-ins for the ports and a folder of its own. */
export async function engineKit(
  ports: Ports = createFakePorts(),
  folder: string = mkdtempSync(join(tmpdir(), 'barewitness-engine-')),
): Promise<EngineKit> {
  const engine = await createEngine(ports, fakeCatalog, {
    folder,
    desktop: fakeDesktop,
    scheduling: fakeScheduling(folder),
  })
  const events: EngineEvent[] = []
  const passed = new Map<string, number>()
  engine.onEvent((event) => events.push(event))
  return {
    folder,
    engine,
    events,
    get: async (method, input) => valueIn(await engine.call(method, input)),
    refusal: async (method, input) => {
      const reply = await engine.call(method, input)
      return reply.ok ? 'it was answered' : reply.error.code
    },
    heard: async (kind) => {
      for (;;) {
        const found = events.filter((event) => event.kind === kind)[passed.get(kind) ?? 0]
        if (found !== undefined) {
          passed.set(kind, (passed.get(kind) ?? 0) + 1)
          return found
        }
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    reopened: async (next = ports) => {
      await engine.close()
      return await engineKit(next, folder)
    },
    close: async () => {
      await engine.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Imports nodes by name and accepts them; the number in a name is the end of its address. */
export async function withNodes(kit: EngineKit, names: readonly string[]): Promise<void> {
  const text = `name,address\n${names.map((name) => `${name},192.0.2.${/\d+/.exec(name)?.[0] ?? 1}\n`).join('')}`
  const { handle } = await kit.get('fleet.import-text', { kind: 'csv', text })
  await kit.get('fleet.accept', { handle })
}

export interface KitsOfTest {
  readonly kitOver: typeof engineKit
  /** One whose clock the test sets, by `until`. */
  readonly clocked: () => Promise<{ readonly kit: EngineKit; readonly until: (moment: string) => void }>
  /** One that was made otherwise, such as by opening again. */
  readonly keep: (kit: EngineKit) => void
}

/** Makes kits for one test file; each is closed when its test ends. Call it at the top of the file. */
export function kitsOfEachTest(): KitsOfTest {
  let open: EngineKit[] = []
  afterEach(async () => {
    for (const kit of open) await kit.close()
    open = []
  })
  const kitOver: typeof engineKit = async (...given) => {
    const kit = await engineKit(...given)
    open.push(kit)
    return kit
  }
  return {
    kitOver,
    clocked: async () => {
      let at = '2026-11-18T09:15:00.000Z'
      const kit = await kitOver(createFakePorts({ now: () => at }))
      const until = (moment: string): void => {
        at = moment
      }
      return { kit, until }
    },
    keep: (kit) => void open.push(kit),
  }
}
