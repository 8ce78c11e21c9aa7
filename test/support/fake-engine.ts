import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Desktop } from '../../main/app/engine/context/context.ts'
import { createEngine } from '../../main/app/engine.ts'
import { ok } from '../../main/core/base/failure.ts'
import type { Engine } from '../../schemas/ipc.ts'
import { fakeCatalog } from './fake-catalog.ts'
import { fakeNodes, hostileAway, hostileNode } from './fake-nodes.ts'
import { createFakePorts, FAKE_NOW } from './fake-ports.ts'
import { fakeScheduling } from './fake-timers.ts'

export interface FakeEngineOptions {
  /** Milliseconds between steps of a node, so that a run can be watched. */
  readonly pace?: number
  /** How many nodes the demo fleet has. */
  readonly nodes?: number
  /** Two nodes more: the answers of one and the failure of the other attack whoever shows them. */
  readonly hostile?: boolean
  /** While this file exists, no node answers: a run stays in progress however long a test looks at it. */
  readonly hold?: string | undefined
  /** While this file exists, it is the next day, and no evaluation of a stored run gets past its first node. */
  readonly nextDay?: string | undefined
}

const FAKE_NEXT_DAY = new Date(Date.parse(FAKE_NOW) + 86_400_000).toISOString()

/** Someone in front of the window who always answers, and a viewer that shows nothing. */
export const fakeDesktop: Desktop = {
  ask: async () => 'correct horse battery',
  show: async () => ok(null),
  vault: null,
}

/** The product's own engine over stand-ins for the ports and a folder of its own, for tests of the window. The same on every day. */
export async function createFakeEngine({
  pace = 30,
  nodes = 8,
  hostile = false,
  hold,
  nextDay,
}: FakeEngineOptions = {}): Promise<Engine> {
  // In memory where the system has such a folder: hundreds of nodes make thousands of files, each of them synced.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'barewitness-fake-'))
  const isThere = (file: string | undefined): boolean => file !== undefined && existsSync(file)
  const ports = createFakePorts({
    now: () => (isThere(nextDay) ? FAKE_NEXT_DAY : FAKE_NOW),
    pace,
    nodes: [...fakeNodes(nodes), ...(hostile ? [hostileNode(), hostileAway()] : [])],
    onConnect: async () => {
      while (isThere(hold)) await sleep(50)
    },
  })
  const pause: typeof ports.pause = async (milliseconds) => {
    while (isThere(nextDay)) await sleep(50)
    await ports.pause(milliseconds)
  }
  const engine = await createEngine({ ...ports, pause }, fakeCatalog, {
    folder,
    desktop: fakeDesktop,
    scheduling: fakeScheduling(folder),
  })
  return {
    ...engine,
    close: async () => {
      await engine.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
