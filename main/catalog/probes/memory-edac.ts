import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { oneLineFiles } from '../read-text.ts'
import { whether } from '../steady.ts'

export interface MemoryController {
  /** mc0, mc1 and so on. */
  readonly name: string
  /** Errors that were corrected, and that could not be, since the driver was loaded; those without a known place included. */
  readonly corrected: number
  readonly uncorrected: number
}
export interface MemoryEdac {
  /** Empty where no driver for the memory controllers is loaded: then nothing counts errors. */
  readonly controllers: readonly MemoryController[]
  /** Days since the counters began; null where the kernel does not state. */
  readonly days: number | null
}

const FOLDER = '/sys/devices/system/edac/mc/'

/** Documentation/ABI/testing/sysfs-devices-edac and admin-guide/RAS: ce_count and ue_count hold those without a place, too. */
export const memoryEdac = defineProbe({
  id: 'memory.edac',
  title: 'Memory errors counted by the kernel',
  why: 'Shows whether errors of the main memory are counted, and how many there were.',
  ignoredInDrift: {
    why: 'Corrected errors are counted as they occur; only whether there was an uncorrectable error is compared.',
    normalize: ({ controllers }: MemoryEdac) => ({
      controllers: controllers.map(({ name, uncorrected }) => ({ name, uncorrected: whether(uncorrected) })),
    }),
  },
  commands: {
    counts: run([
      'grep',
      '-sH',
      '',
      glob('/sys/devices/system/edac/mc/mc*/ce_count'),
      glob('/sys/devices/system/edac/mc/mc*/ue_count'),
      glob('/sys/devices/system/edac/mc/mc*/seconds_since_reset'),
      '/proc/sys/kernel/random/boot_id',
    ]),
  },
  parse({ counts }) {
    const values = oneLineFiles(counts.text)
    // Asked for only so that a machine without controllers can be distinguished from one where nothing could be read.
    if (!values.has('/proc/sys/kernel/random/boot_id')) return unknown('the kernel’s files could not be read')
    const number = (path: string): number | null => {
      const text = values.get(FOLDER + path) ?? ''
      return /^\d{1,15}$/.test(text) ? Number(text) : null
    }
    const names = [
      ...new Set([...values.keys()].flatMap((path) => /\/mc\/(mc\d{1,4})\/[cu]e_count$/.exec(path)?.[1] ?? [])),
    ]
    const read = names.map((name) => ({
      name,
      corrected: number(`${name}/ce_count`),
      uncorrected: number(`${name}/ue_count`),
    }))
    const controllers = read.flatMap(({ name, corrected, uncorrected }) =>
      corrected === null || uncorrected === null ? [] : [{ name, corrected, uncorrected }],
    )
    if (controllers.length < names.length) return unknown('the counts of a memory controller could not be read')
    const seconds = names.flatMap((name) => number(`${name}/seconds_since_reset`) ?? [])
    return known<MemoryEdac>({
      controllers,
      days: seconds.length === 0 ? null : Math.floor(seconds.reduce((least, one) => Math.min(least, one)) / 86_400),
    })
  },
})
