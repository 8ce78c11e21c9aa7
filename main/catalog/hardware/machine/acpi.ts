import { defineProbe, glob, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { listedFolders, listingIsComplete, longListing, wholeNumber } from '../../base/read-listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  gibibytes,
  grepIsComplete,
  isAbsent,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
  oneLineFiles,
} from '../../base/read-text.ts'

export interface AcpiHeaders {
  readonly tables: readonly {
    readonly name: string
    readonly oemId: string
    readonly oemTableId: string
    readonly creatorId: string
  }[]
  /** Hypervisor vendor identity of the FADT (ACPI 6.5, table 5.9, offset 268), where it is not zero. */
  readonly hypervisorId: string | null
  /** The FADT is long enough to hold that field. */
  readonly hasHypervisorField: boolean
  /** Names of emulated devices that are in the DSDT. */
  readonly marks: readonly string[]
}

const FOLDER = '/sys/firmware/acpi/tables/'
const TABLES =
  'FACP DSDT APIC MCFG HPET WAET DMAR IVRS SRAT SLIT HEST BERT SPMI TPM2 SSDT SSDT1 SSDT2 SPCR GTDT IORT PPTT BGRT'.split(
    ' ',
  )
/** The signature at the beginning of the table. */
const SIGNATURE = 'DSDT'
const DSDT = `${FOLDER}${SIGNATURE}`

/** ACPI 6.5 §5.2.6: OEM id at 10, OEM table id at 16, creator id at 28. 276 bytes reach the FADT's hypervisor identity. */
export const acpiHeaders = defineProbe({
  id: 'acpi.headers',
  title: 'Firmware tables: manufacturers',
  why: 'Each firmware table names its manufacturer. Emulators leave their own name in fields that are rarely changed.',
  commands: {
    heads: runAsRoot(['head', '-v', '-c', '276', ...TABLES.map((name) => FOLDER + name)]),
    marks: runAsRoot(
      [
        'grep',
        '-a',
        '-o',
        '-E',
        `${SIGNATURE}|QEMU0002|FWCF|BXPC|BOCHS|VMBUS|VMBus|VGID|FIRECK|VBOX|VMWARE|XEN0000|FCVMGID`,
        DSDT,
      ],
      { control: SIGNATURE },
    ),
  },
  parse({ heads, marks }) {
    const read = parseHeads(heads.bytes)
    if (read.length === 0) return unknown('the firmware’s tables could not be opened')
    if (marks.exitCode > 1 && !isAbsent(marks)) return unknown('the DSDT could not be searched')
    const facp = read.find(({ name }) => name === 'FACP')?.text
    return known<AcpiHeaders>({
      tables: read.map(({ name, text }) => ({
        name,
        oemId: field(text, 10, 6),
        oemTableId: field(text, 16, 8),
        creatorId: field(text, 28, 4),
      })),
      hypervisorId: hypervisorId(facp),
      hasHypervisorField: (facp?.length ?? 0) >= 276,
      marks: [...new Set(lines(marks.text))].filter((mark) => mark !== SIGNATURE && /^[A-Za-z0-9]{4,8}$/.test(mark)),
    })
  },
})

/** Parses `head -v` output: a heading for each file, its bytes, and one line break between them. */
function parseHeads(bytes: Uint8Array): readonly { readonly name: string; readonly text: string }[] {
  const text = new TextDecoder('latin1').decode(bytes)
  const parts = text.split(/(?:^|\n)==> \/sys\/firmware\/acpi\/tables\/([A-Z0-9]{4,6}) <==\n/)
  return parts.flatMap((name, index) =>
    index % 2 === 1 && (parts[index + 1]?.length ?? 0) >= 36 ? [{ name, text: parts[index + 1] ?? '' }] : [],
  )
}

const field = (text: string, offset: number, length: number): string =>
  text
    .slice(offset, offset + length)
    .replace(/[^\x20-\x7e]/g, ' ')
    .trim()

function hypervisorId(facp: string | undefined): string | null {
  const id = facp === undefined || facp.length < 276 ? '' : field(facp, 268, 8)
  return id === '' ? null : id
}

export interface AcpiOverview {
  readonly present: boolean
  readonly tables: readonly { readonly name: string; readonly size: number }[]
  /** Preferred power management profile of the FADT (ACPI 6.5, table 5.9): 1 desktop, 4 and 5 server, 7 performance server, 0 unspecified. */
  readonly profile: number | null
  /** Hardware ids in the ACPI namespace, each once. */
  readonly devices: readonly string[]
}

const ACPI_OVERVIEW_TABLES = '/sys/firmware/acpi/tables'
const DEVICES = '/sys/bus/acpi/devices'
const PROFILE = '/sys/firmware/acpi/pm_profile'

/** Documentation/ABI/testing/sysfs-firmware-acpi and sysfs-bus-acpi: names and sizes are open to any user, contents are not. */
export const acpiOverview = defineProbe({
  id: 'acpi.overview',
  title: 'Firmware tables: names and sizes',
  why: 'Servers have dozens of firmware tables; virtual machines have a handful, some of which exist only in guests.',
  commands: {
    lists: run(['ls', '-l', ACPI_OVERVIEW_TABLES, DEVICES, ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
    profile: run(['cat', PROFILE]),
  },
  parse({ lists, profile }) {
    if (!listingIsComplete(lists)) return unknown('the firmware’s tables could not be listed')
    const folders = listedFolders(lists.text)
    const tables = folders.get(ACPI_OVERVIEW_TABLES)
    if (tables === undefined && lists.exitCode === 0)
      return unknown('the list of firmware tables has an unexpected format')
    const power = profile.exitCode === 0 ? wholeNumber(profile.text) : null
    if (tables !== undefined && power === null && !profile.errorText.includes(`${PROFILE}: No such file`))
      return unknown('the power management profile could not be read')
    return known<AcpiOverview>({
      present: tables !== undefined,
      tables: longListing(tables ?? []).flatMap(({ name, size, isFolder }) => (isFolder ? [] : [{ name, size }])),
      profile: power,
      devices: [
        ...new Set(longListing(folders.get(DEVICES) ?? []).map(({ name }) => name.replace(/:[0-9a-f]+$/i, ''))),
      ],
    })
  },
})

interface BootMemory {
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
    // In a container, this folder is empty, which is no evidence about the machine.
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
