import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { gibibytes } from '../steady.ts'

export interface Memory {
  readonly totalKib: number
}

/** proc_meminfo(5): memory the kernel has, less what firmware and the kernel's own code keep. */
export const inventoryMemory = defineProbe({
  id: 'inventory.memory',
  title: 'Memory in use by the system',
  why: 'Compared with the memory modules that the firmware lists.',
  ignoredInDrift: {
    why: 'The kernel reserves a slightly different number of pages at each start.',
    normalize: ({ totalKib }: Memory) => ({ gibibytes: gibibytes(totalKib) }),
  },
  commands: { total: run(['grep', '^MemTotal:', '/proc/meminfo']) },
  parse({ total }) {
    const kib = /^MemTotal:\s+(\d{1,14}) kB$/.exec(total.text.trim())?.[1]
    return kib === undefined
      ? unknown('the amount of memory could not be read')
      : known<Memory>({ totalKib: Number(kib) })
  },
})
