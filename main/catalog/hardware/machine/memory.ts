import { defineProbe, known, run, unknown } from '../../../core/recording/probe.ts'
import { listedFolders, listingIsComplete } from '../../base/read-listing.ts'
import { ALWAYS_FOLDER, gibibytes, OF_ALWAYS_FOLDER } from '../../base/read-text.ts'

interface Memory {
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

interface MemorySpd {
  /** Addresses on the management bus of modules whose own data chip a driver holds; null where no such driver is loaded. */
  readonly chips: readonly string[] | null
}

const DRIVERS = ['/sys/bus/i2c/drivers/ee1004', '/sys/bus/i2c/drivers/spd5118']

/**
 * Drivers of the chip on each memory module that describes it: ee1004 (DDR4) and spd5118 (DDR5), Documentation/hwmon/spd5118.rst. Only the
 * drivers' folders are listed; the chips themselves are not queried, since the bus may belong to the management controller.
 */
export const memorySpd = defineProbe({
  id: 'memory.spd',
  title: 'Data chips of the memory modules',
  why: 'Real memory modules carry a chip that describes them; an entry in a firmware table alone has no such chip.',
  commands: { lists: run(['ls', '-1', ...DRIVERS, ALWAYS_FOLDER], OF_ALWAYS_FOLDER) },
  parse({ lists }) {
    if (!listingIsComplete(lists)) return unknown('the drivers of memory modules could not be listed')
    const folders = listedFolders(lists.text)
    const listed = DRIVERS.flatMap((path) => folders.get(path) ?? [])
    // The first six-bit device address of such chips is 0x50, the last 0x57 (JEDEC JESD21-C 4.1.6, JESD300-5).
    return known<MemorySpd>({
      chips: DRIVERS.every((path) => !folders.has(path))
        ? null
        : listed.filter((name) => /^\d{1,3}-005[0-7]$/.test(name)),
    })
  },
})
