import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete } from '../isolation/listing.ts'
import { ALWAYS_FILE, grepIsComplete, OF_ALWAYS_FILE, oneLineFiles } from '../read-text.ts'
import { gibibytes } from '../steady.ts'

export interface BootMemory {
  /** The firmware started the system through UEFI. */
  readonly isUefi: boolean
  /** The memory map that the firmware handed over; null where this kernel or architecture does not keep it. */
  readonly map: {
    readonly ranges: number
    /** Bytes of main memory in the map, with what ACPI tables are in. */
    readonly memoryBytes: number
    /** A range that ACPI keeps over sleep. */
    readonly hasAcpiStorage: boolean
  } | null
}

const FIRMWARE = '/sys/firmware'
const MAP = '/sys/firmware/memmap'

/**
 * Documentation/ABI/testing/sysfs-firmware-memmap: the map as the firmware gave it, before the kernel or its command line changed it;
 * any user may read it. x86 only.
 */
export const bootMemory = defineProbe({
  id: 'boot.memory',
  title: 'Memory map of the firmware',
  why: 'Shows how much memory the firmware made available, to compare with the modules it lists and with the memory in use.',
  ignoredInDrift: {
    why: 'Firmware divides the map differently at each start.',
    normalize: ({ isUefi, map }: BootMemory) => ({
      isUefi,
      map: map === null ? null : { gibibytes: gibibytes(map.memoryBytes / 1024), hasAcpiStorage: map.hasAcpiStorage },
    }),
  },
  commands: {
    folders: run(['ls', '-1', FIRMWARE, '/sys/firmware/efi', MAP], { maxBytes: 262144 }),
    ranges: run(['grep', '-H', '', glob(`${MAP}/*/start`), glob(`${MAP}/*/end`), glob(`${MAP}/*/type`), ALWAYS_FILE], {
      ...OF_ALWAYS_FILE,
      maxBytes: 1048576,
    }),
  },
  parse({ folders, ranges }) {
    const listed = folders.exitCode === 0 || listingIsComplete(folders) ? listedFolders(folders.text) : null
    // A container shows an empty folder here, which is no evidence of the machine.
    if (listed === null || (listed.get(FIRMWARE) ?? []).length === 0)
      return unknown('the firmware interface is not visible')
    const ids = (listed.get(MAP) ?? []).filter((name) => /^\d{1,5}$/.test(name))
    const isUefi = listed.has('/sys/firmware/efi')
    if (ids.length === 0) return known<BootMemory>({ isUefi, map: null })
    if (!grepIsComplete(ranges)) return unknown('the firmware’s memory map could not be read')
    const values = oneLineFiles(ranges.text)
    const read = ids.map((id) => rangeOf((name) => values.get(`${MAP}/${id}/${name}`)))
    const whole = read.filter((range) => range !== null)
    if (whole.length !== read.length) return unknown('the firmware’s memory map is not complete')
    return known<BootMemory>({
      isUefi,
      map: {
        ranges: whole.length,
        memoryBytes: whole.reduce((sum, { type, bytes }) => sum + (isMemory(type) ? bytes : 0), 0),
        hasAcpiStorage: whole.some(({ type }) => /^ACPI (Non-volatile Storage|NVS)$/i.test(type)),
      },
    })
  },
})

interface Range {
  readonly type: string
  readonly bytes: number
}

function rangeOf(value: (name: string) => string | undefined): Range | null {
  const [start, end, type] = [addressOf(value('start')), addressOf(value('end')), value('type')]
  return start === null || end === null || type === undefined || end < start ? null : { type, bytes: end - start + 1 }
}

const addressOf = (text: string | undefined): number | null =>
  text !== undefined && /^0x[0-9a-f]{1,16}$/i.test(text) ? Number(text) : null

// arch/x86/kernel/e820.c, names of range types; ACPI's ranges and memory kept for a special purpose are in the same modules.
const isMemory = (type: string): boolean =>
  /^(System RAM|ACPI (Tables|data|Non-volatile Storage|NVS)|Soft Reserved|Persistent Memory)/i.test(type)
