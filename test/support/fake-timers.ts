import { ok } from '../../main/core/base/failure.ts'
import type { InstalledTimer, Timers } from '../../main/core/schedule/schedule.ts'

/** Timers of an operating system that has systemd and cron, which start nothing. */
export function fakeTimers(): Timers & { readonly started: readonly string[][] } {
  const installed = new Map<string, InstalledTimer>()
  const key = (kind: string, schedule: string): string => `${kind} ${schedule}`
  const started: string[][] = []
  return {
    started,
    start: async (argv) => {
      started.push([...argv])
      return ok(null)
    },
    kinds: async () => ['systemd', 'cron'],
    host: { zone: 'UTC', user: 'anna', environment: {} },
    lingers: async () => false,
    install: async ({ kind, schedule, units }) => {
      installed.set(key(kind, schedule), { units, active: true })
      return ok(null)
    },
    remove: async (kind, schedule) => {
      installed.delete(key(kind, schedule))
      return ok(null)
    },
    installed: async (kind, schedule) => ok(installed.get(key(kind, schedule)) ?? null),
  }
}

/** What the timers of tests would start, and where schedules are kept: in the folder of the test. */
export const fakeScheduling = (folder: string) => ({
  file: `${folder}/schedules.json`,
  program: ['/usr/bin/node', '/opt/barewitness/cli.js'] as const,
  server: null,
})
