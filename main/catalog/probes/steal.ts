import { defineProbe, known, run, unknown } from '../../core/probe.ts'

export interface Steal {
  /** Clock ticks that a hypervisor ran something else, since boot. */
  readonly steal: number
}

/** proc_stat(5), column 8. It stays exactly zero on hardware. */
export const steal = defineProbe({
  id: 'steal',
  title: 'Processor time taken by a hypervisor',
  why: 'A hypervisor that reports its scheduling shows time in which the machine was not allowed to run.',
  ignoredInDrift: {
    why: 'A counter since the last start.',
    normalize: () => null,
  },
  commands: { stat: run(['grep', '^cpu ', '/proc/stat']) },
  parse({ stat }) {
    const columns = stat.text.trim().split(/\s+/)
    const ticks = columns[8]
    if (stat.exitCode !== 0 || columns[0] !== 'cpu' || ticks === undefined || !/^\d{1,18}$/.test(ticks))
      return unknown('the processor times have an unexpected format')
    return known<Steal>({ steal: Number(ticks) })
  },
})
