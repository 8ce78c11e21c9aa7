import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, oneLineFiles } from '../read-text.ts'

export interface CpuThrottling {
  /** How often a processor was slowed by heat since the last start: the largest count of any package. Null where the processor does not count. */
  readonly times: number | null
}

/** Documentation/ABI/testing/sysfs-devices-system-cpu: counts of Intel processors; others have no such files. */
export const cpuThrottling = defineProbe({
  id: 'cpu.throttling',
  title: 'Thermal throttling of processors',
  why: 'Shows whether cooling was insufficient at any time since the server started.',
  ignoredInDrift: {
    why: 'A counter since the last start.',
    normalize: () => null,
  },
  commands: {
    counts: run(['grep', '-H', '', glob('/sys/devices/system/cpu/cpu*/thermal_throttle/package_throttle_count')]),
  },
  parse({ counts }) {
    if (!grepIsComplete(counts)) return unknown('the counts could not be read')
    const values = [...oneLineFiles(counts.text).values()].filter((value) => /^\d{1,15}$/.test(value)).map(Number)
    return known<CpuThrottling>({
      times: values.length === 0 ? null : values.reduce((most, value) => Math.max(most, value), 0),
    })
  },
})
