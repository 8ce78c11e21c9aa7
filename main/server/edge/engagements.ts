import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdir, readdir } from 'node:fs/promises'
import type { Engine } from '../../../schemas/ipc.ts'
import type { TeamEngagement } from '../../../schemas/types.ts'
import type { Desktop } from '../../app/engine/context.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { folderIn } from '../../core/layout.ts'
import { type EventBuffer, eventBuffer } from '../event-buffer.ts'

/** Opens the engine of one data folder. */
export type OpenEngine = (folder: string, desktop: Desktop) => Promise<Engine>

export interface ServedEngagement {
  readonly engagement: TeamEngagement
  readonly engine: Engine
  readonly events: EventBuffer
  /** Called with each event as it is sent to pages. */
  readonly streams: Set<(text: string) => void>
}

/** What a call left to be shown: the path that the engine gave to the viewer of a desktop. */
interface Shown {
  path: string | null
}
const shown = new AsyncLocalStorage<Shown>()

/** Nobody sits at the server: no secret is asked for or kept, and what would be shown is noted for the call that asked. */
const serverDesktop: Desktop = {
  ask: async () => null,
  show: async (path) => {
    const call = shown.getStore()
    if (call !== undefined) call.path = path
    return ok(null)
  },
  vault: null,
}

/** Runs a call, and gives the path of what it would have shown on a desktop, or null. */
export async function withShown<T>(
  call: () => Promise<T>,
): Promise<{ readonly value: T; readonly path: string | null }> {
  const store: Shown = { path: null }
  const value = await shown.run(store, call)
  return { value, path: store.path }
}

const MUST_BE_EMPTY = ['identities', 'schedulePassphrases'] as const

/**
 * Opens every engagement. Fails with input.refused for a folder with signing identities or passphrases: the server holds none. What was
 * opened until then is closed.
 */
export async function openEngagements(
  engagements: readonly TeamEngagement[],
  open: OpenEngine,
  started: string,
): Promise<Outcome<ReadonlyMap<string, ServedEngagement>>> {
  const all = new Map<string, ServedEngagement>()
  for (const engagement of engagements) {
    const opened = await openOne(engagement, open, started)
    if (!opened.ok) {
      for (const { engine } of all.values()) await engine.close()
      return opened
    }
    all.set(engagement.name, opened.value)
  }
  return ok(all)
}

async function openOne(
  engagement: TeamEngagement,
  open: OpenEngine,
  started: string,
): Promise<Outcome<ServedEngagement>> {
  const { name, folder } = engagement
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch {
    return fail('store.failed', `${folder} cannot be created`)
  }
  for (const secret of MUST_BE_EMPTY) {
    const path = folderIn(folder, secret)
    const held = await readdir(path).catch(() => [])
    if (held.length > 0)
      return fail(
        'input.refused',
        `${name}: ${path} holds signing keys or passphrases; move it to an officer’s machine`,
      )
  }
  const engine = await open(folder, serverDesktop)
  const [events, streams] = [eventBuffer(started), new Set<(text: string) => void>()]
  engine.onEvent((event) => {
    const text = events.add(event)
    for (const send of streams) send(text)
  })
  return ok({ engagement, engine, events, streams })
}
