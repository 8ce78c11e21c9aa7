import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import { createEngine } from '../../main/app/engine.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { runCommand } from '../../main/cli/commands/run.ts'
import type { Input, Method, Output } from '../../schemas/ipc.ts'
import { commandLine } from './command-line.ts'
import type { EmulatedFleet } from './emulated-nodes.ts'
import { fakeDesktop } from './fake-engine.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE

export interface Nights {
  /** Makes the run that is due so many days before today, a minute after it is due; gives its exit code. */
  readonly run: (daysAgo: number) => Promise<number>
  /** When a run was due. */
  readonly due: (daysAgo: number) => string
}

/**
 * A fleet with an identity and a nightly schedule, both made `since` days ago by the real engine over real ports, in the data folder of a window
 * that is opened later. Only the date of this process is another one.
 */
export async function startNights(fleet: EmulatedFleet, folder: string, since: number): Promise<Nights> {
  // Due an hour ago: every run of this test is in the past, and the next one is far away.
  const lastDue = Math.floor(Date.now() / MINUTE) * MINUTE - 60 * MINUTE
  const file = join(process.env.XDG_CONFIG_HOME ?? folder, 'barewitness/schedules.json')
  const due = (daysAgo: number): number => lastDue - daysAgo * DAY
  const at = async <T>(moment: number, work: () => Promise<T>): Promise<T> => {
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(moment)
    try {
      return await work()
    } finally {
      vi.useRealTimers()
    }
  }
  await at(due(since) - 30 * MINUTE, async () => {
    const engine = await createEngine(createPorts(catalog), catalog, {
      folder,
      desktop: fakeDesktop,
      scheduling: { file, program: [process.execPath, join(folder, 'cli.js')] },
    })
    const get = async <M extends Method>(method: M, input: Input<M>): Promise<Output<M>> => {
      const reply = await engine.call(method, input)
      if (!reply.ok) throw new Error(`${method}: ${reply.error.code}: ${reply.error.detail}`)
      return reply.value as Output<M>
    }
    const { handle } = await get('fleet.import-text', { kind: 'csv', text: fleet.csv })
    await get('fleet.accept', { handle })
    await get('identities.create', { name: 'office', subject: 'Ward Health (M. Ortiz)' })
    const minuteOfDay = Math.floor((lastDue % DAY) / MINUTE)
    await get('schedules.add', {
      name: 'nightly',
      cadence: { every: 'day', hours: 6, weekday: 1, day: 1, at: minuteOfDay },
      zone: 'UTC',
      jitterMinutes: 0,
      retries: { times: 0, waitMinutes: 15 },
      sealHours: null,
      catchUp: true,
      gapsExitZero: true,
      identity: null,
      passphrase: { use: 'make' },
      syslog: false,
      webhook: null,
      integrations: { use: 'none' as const },
    })
    await engine.close()
  })
  if (!existsSync(file)) throw new Error(`no schedule was written to ${file}`)
  const cli = commandLine(() => createPorts(catalog), runCommand)
  return {
    run: (daysAgo) => at(due(daysAgo) + MINUTE, () => cli.run('run', '--schedule', 'nightly', '--schedules', file)),
    due: (daysAgo) => new Date(due(daysAgo)).toISOString(),
  }
}
