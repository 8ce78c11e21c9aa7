import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { gibibytes } from '../steady.ts'

export interface SystemLoad {
  /** Seconds since the kernel started. */
  readonly uptimeSeconds: number
  /** Tasks that ran or waited, averaged over one, five and fifteen minutes. */
  readonly load: readonly [number, number, number]
  readonly memory: {
    readonly totalKib: number
    readonly availableKib: number
    readonly swapTotalKib: number
    readonly swapFreeKib: number
  }
}

/** proc_uptime(5), proc_loadavg(5), proc_meminfo(5). */
export const systemLoad = defineProbe({
  id: 'system.load',
  title: 'Time since start, load and memory',
  why: 'Shows how long the server has run and how much free memory it has.',
  ignoredInDrift: {
    why: 'Time passes, and load and free memory change with the workload.',
    normalize: ({ memory }: SystemLoad) => ({ gibibytes: gibibytes(memory.totalKib), swapKib: memory.swapTotalKib }),
  },
  commands: {
    uptime: run(['cat', '/proc/uptime']),
    load: run(['cat', '/proc/loadavg']),
    memory: run(['grep', '-E', '^(MemTotal|MemAvailable|SwapTotal|SwapFree):', '/proc/meminfo']),
  },
  parse({ uptime, load, memory }) {
    const seconds = /^(\d{1,12}\.\d{1,6}) /.exec(uptime.text)?.[1]
    const [, one, five, fifteen] = /^(\d{1,7}\.\d\d) (\d{1,7}\.\d\d) (\d{1,7}\.\d\d) /.exec(load.text) ?? []
    const sizes = new Map(
      lines(memory.text).flatMap((line) => {
        const [, name, kib] = /^(\w+):\s+(\d{1,15}) kB$/.exec(line) ?? []
        return name === undefined ? [] : [[name, Number(kib)] as const]
      }),
    )
    const [totalKib, availableKib] = [sizes.get('MemTotal'), sizes.get('MemAvailable')]
    if (seconds === undefined || fifteen === undefined || totalKib === undefined || availableKib === undefined)
      return unknown('the kernel’s figures have an unexpected format')
    return known<SystemLoad>({
      uptimeSeconds: Number(seconds),
      load: [Number(one), Number(five), Number(fifteen)],
      memory: {
        totalKib,
        availableKib,
        swapTotalKib: sizes.get('SwapTotal') ?? 0,
        swapFreeKib: sizes.get('SwapFree') ?? 0,
      },
    })
  },
})
