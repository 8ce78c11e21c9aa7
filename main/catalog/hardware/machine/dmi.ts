import { defineProbe, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { listedFolders, listingIsComplete, longListing } from '../../base/read-listing.ts'
import { ALWAYS_FILE, grepIsComplete, OF_ALWAYS_FILE, oneLineFiles } from '../../base/read-text.ts'

/** One structure of dmidecode's response. */
interface DmiStructure {
  readonly type: number
  /** Field name → its value, trimmed; the first of a name counts. */
  readonly fields: ReadonlyMap<string, string>
  /** Lines below a field: characteristics, features. */
  readonly items: readonly string[]
}

interface Growing {
  readonly type: number
  readonly fields: Map<string, string>
  readonly items: string[]
}

/**
 * Parses the structures printed by dmidecode(8): a line "Handle 0x…, DMI type N, …", then fields indented by one tab
 * and their items by two (or by spaces, in pasted text). One pass over the lines, whatever they contain. Empty where
 * there is none.
 */
function dmiStructures(text: string): readonly DmiStructure[] {
  const structures: Growing[] = []
  let current: Growing | null = null
  for (const line of text.split('\n')) {
    const type = /^Handle 0x[0-9A-Fa-f]{1,8}, DMI type (\d{1,3}),/.exec(line)?.[1]
    if (type !== undefined) {
      current = { type: Number(type), fields: new Map(), items: [] }
      structures.push(current)
    } else if (current !== null && /^[ \t]/.test(line)) addLine(current, line)
  }
  return structures
}

function addLine({ fields, items }: Growing, line: string): void {
  const content = line.trim()
  if (/^(\t\t| {8})/.test(line)) {
    items.push(content)
    return
  }
  const colon = content.indexOf(':')
  const name = content.slice(0, colon)
  if (colon > 0 && !fields.has(name)) fields.set(name, content.slice(colon + 1).trim())
}

const PLACEHOLDER =
  /^(|-+|not (specified|provided|available)|unknown|none|no dimm|no module installed|empty|0+|0x0+|n\/a|undefined|<.*>|(to be )?filled by o\.?e\.?m\.?|default string)$/i

/** A field with something in it, or null where it is missing or holds one of the words firmware puts into empty fields. */
function filled(structure: DmiStructure, name: string): string | null {
  const value = structure.fields.get(name) ?? ''
  return PLACEHOLDER.test(value.slice(0, 80)) ? null : value
}

/** The whole number that a field begins with, such as "2" or "4800 MT/s", or null. */
function numberIn(structure: DmiStructure, name: string): number | null {
  const digits = /^(\d{1,9})(?: |$)/.exec(structure.fields.get(name) ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}

/** An installed memory module (SMBIOS type 17 with a size). */
interface DmiModule {
  readonly mebibytes: number
  readonly partNumber: string | null
  readonly maker: string | null
  readonly serial: string | null
  readonly rank: number | null
  /** Million transfers (old tables: MHz) per second. */
  readonly speed: number | null
  /** Such as DDR5; null where the firmware does not state. */
  readonly kind: string | null
  /** False for flash and other chips that are not main memory. */
  readonly isMainMemory: boolean
  readonly isNonVolatile: boolean
}

/** A processor socket that holds an enabled processor (type 4). Numbers are null where the firmware leaves them out, as old ones do. */
export interface DmiProcessor {
  readonly designation: string
  readonly maker: string | null
  readonly version: string | null
  readonly cores: number | null
  readonly coresEnabled: number | null
  readonly threads: number | null
  /** Family and model as Linux counts them, from the processor id; x86 only. */
  readonly signature: { readonly family: number; readonly model: number } | null
}

/** A slot for cards (type 9). */
interface DmiSlot {
  readonly designation: string
  readonly kind: string
  readonly inUse: boolean
  /** domain:bus:slot.function; null where the firmware states none. */
  readonly address: string | null
}

export interface DmiTable {
  readonly present: boolean
  /** Structures by SMBIOS type, of the types requested. */
  readonly counts: ReadonlyMap<number, number>
  /** "System is a virtual machine" among the BIOS characteristics (type 0, extension byte 2, bit 4). */
  readonly virtualMachineBit: boolean
  /** UUID of the system (type 1), as dmidecode prints it; null where the firmware states none. */
  readonly systemUuid: string | null
  readonly modules: readonly DmiModule[]
  readonly processors: readonly DmiProcessor[]
  /** Caches that are switched on and have a size (type 7). */
  readonly caches: number
  readonly slots: readonly DmiSlot[]
  /** How main memory corrects errors, for each array of modules (type 16), in the firmware’s words such as “Multi-bit ECC”. */
  readonly corrections: readonly string[]
}

/** dmidecode(8). Type 11 is left out: provisioning tools pass credentials in it. */
export const dmiTable = defineProbe({
  id: 'dmi.table',
  title: 'Full hardware table of the firmware',
  why: 'Caches, slots and memory modules are described here on servers; guests have few of them, or inconsistent copies.',
  commands: { table: runAsRoot(['dmidecode', '-t', '0,1,2,3,4,7,8,9,10,16,17,19,38,41']) },
  parse({ table }) {
    if (/No SMBIOS nor DMI entry point found/.test(table.text)) return known(NO_TABLE)
    if (table.exitCode !== 0) return unknown('the firmware’s hardware table could not be read')
    return parseDmiTable(table.text)
  },
})

const NO_TABLE: DmiTable = {
  present: false,
  counts: new Map(),
  virtualMachineBit: false,
  systemUuid: null,
  modules: [],
  processors: [],
  caches: 0,
  slots: [],
  corrections: [],
}

/** Parses SMBIOS (DSP0134) structures as dmidecode prints them, or returns a reason where there is none. */
export function parseDmiTable(text: string): Parsed<DmiTable> {
  const structures = dmiStructures(text)
  if (structures.length === 0) return unknown('the output of dmidecode contains no structure')
  const counts = new Map<number, number>()
  for (const { type } of structures) counts.set(type, (counts.get(type) ?? 0) + 1)
  const of = (type: number): readonly DmiStructure[] => structures.filter((structure) => structure.type === type)
  return known({
    present: true,
    counts,
    virtualMachineBit: of(0).some(({ items }) => items.includes('System is a virtual machine')),
    systemUuid: of(1).map((system) => filled(system, 'UUID'))[0] ?? null,
    modules: of(17).flatMap(memoryModule),
    processors: of(4).flatMap(processor),
    caches: of(7).filter(isRealCache).length,
    slots: of(9).map(slot),
    corrections: of(16)
      .filter(({ fields }) => fields.get('Use') === 'System Memory')
      .map(({ fields }) => fields.get('Error Correction Type') ?? ''),
  })
}

const UNITS: Readonly<Record<string, number>> = { MB: 1, GB: 1024, TB: 1024 * 1024 }
const NO_MAIN_MEMORY = /^(Flash|FEPROM|EEPROM|EPROM|ROM|CDRAM|VRAM|Logical non-volatile)/i

function memoryModule(structure: DmiStructure): readonly DmiModule[] {
  const [, size, unit = ''] = /^(\d{1,9}) ([MGT]B)$/.exec(structure.fields.get('Size') ?? '') ?? []
  if (size === undefined) return []
  const kind = filled(structure, 'Type')
  const technology = structure.fields.get('Memory Technology') ?? ''
  return [
    {
      mebibytes: Number(size) * (UNITS[unit] ?? 1),
      partNumber: filled(structure, 'Part Number'),
      maker: filled(structure, 'Manufacturer'),
      serial: filled(structure, 'Serial Number'),
      rank: numberIn(structure, 'Rank'),
      speed: numberIn(structure, 'Speed'),
      kind,
      isMainMemory: kind === null || !NO_MAIN_MEMORY.test(kind),
      isNonVolatile: /NVDIMM|Optane|persistent/i.test(technology) || /non-volatile/i.test(kind ?? ''),
    },
  ]
}

function processor(structure: DmiStructure): readonly DmiProcessor[] {
  const status = structure.fields.get('Status') ?? 'Populated, Enabled'
  const type = structure.fields.get('Type') ?? 'Central Processor'
  if (!/^Populated, (Enabled|Idle|Unknown)/.test(status) || type !== 'Central Processor') return []
  return [
    {
      designation: structure.fields.get('Socket Designation') ?? '',
      maker: filled(structure, 'Manufacturer'),
      version: filled(structure, 'Version'),
      cores: numberIn(structure, 'Core Count'),
      coresEnabled: numberIn(structure, 'Core Enabled'),
      threads: numberIn(structure, 'Thread Count'),
      signature: signatureOf(structure.fields.get('ID') ?? ''),
    },
  ]
}

/** The processor id holds EAX of CPUID leaf 1, lowest byte first (SMBIOS 3.7 §7.5.3; Intel SDM vol. 2A, figure 3-6). */
function signatureOf(id: string): DmiProcessor['signature'] {
  const bytes = /^([0-9A-F]{2}) ([0-9A-F]{2}) ([0-9A-F]{2}) ([0-9A-F]{2}) /i.exec(`${id} `)?.slice(1, 5)
  if (bytes === undefined) return null
  const eax = Number.parseInt([...bytes].reverse().join(''), 16)
  const base = (eax >>> 8) & 15
  if (base !== 6 && base !== 15) return null
  return {
    family: base === 15 ? 15 + ((eax >>> 20) & 255) : base,
    model: ((eax >>> 4) & 15) + (((eax >>> 16) & 15) << 4),
  }
}

const isRealCache = ({ fields }: DmiStructure): boolean =>
  /^[1-9]\d* [kMG]B$/.test(fields.get('Installed Size') ?? '') && !/Disabled/.test(fields.get('Configuration') ?? '')

function slot(structure: DmiStructure): DmiSlot {
  const address = (structure.fields.get('Bus Address') ?? '').toLowerCase()
  // ff:1f.7 represents "no address" (SMBIOS 3.7 §7.10.8).
  const isAddress = /^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/.test(address) && !/ff:1f\.7$/.test(address)
  return {
    designation: structure.fields.get('Designation') ?? '',
    kind: structure.fields.get('Type') ?? '',
    inUse: !/^(Available|Unavailable|Unknown|Other)$/.test(structure.fields.get('Current Usage') ?? ''),
    address: isAddress ? address : null,
  }
}

export interface DmiIdentity {
  /** False when the kernel found no SMBIOS table at all. */
  readonly present: boolean
  readonly sysVendor: string
  readonly productName: string
  readonly productVersion: string
  readonly boardVendor: string
  readonly boardName: string
  readonly biosVendor: string
  readonly biosVersion: string
  readonly biosDate: string
  readonly chassisVendor: string
  readonly chassisType: string
  readonly chassisAssetTag: string
}

const FOLDER = '/sys/class/dmi/id/'

/**
 * The fields of SMBIOS types 0 to 3 that any user may read (drivers/firmware/dmi-id.c). Text that the party that sets the firmware chooses.
 */
export const dmiIdentity = defineProbe({
  id: 'dmi.identity',
  title: 'Hardware identity reported by firmware',
  why: 'Virtual machines usually carry the name of their hypervisor here. The text can indicate virtualization; it cannot show bare metal on its own.',
  commands: {
    fields: run(
      [
        'grep',
        '-H',
        '',
        `${FOLDER}sys_vendor`,
        `${FOLDER}product_name`,
        `${FOLDER}product_version`,
        `${FOLDER}board_vendor`,
        `${FOLDER}board_name`,
        `${FOLDER}bios_vendor`,
        `${FOLDER}bios_version`,
        `${FOLDER}bios_date`,
        `${FOLDER}chassis_vendor`,
        `${FOLDER}chassis_type`,
        `${FOLDER}chassis_asset_tag`,
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ fields }) {
    if (!grepIsComplete(fields)) return unknown('the firmware’s identity fields could not be read')
    const values = oneLineFiles(fields.text)
    const field = (name: string): string => values.get(FOLDER + name) ?? ''
    return known<DmiIdentity>({
      present: [...values].some(([path, value]) => path.startsWith(FOLDER) && value !== ''),
      sysVendor: field('sys_vendor'),
      productName: field('product_name'),
      productVersion: field('product_version'),
      boardVendor: field('board_vendor'),
      boardName: field('board_name'),
      biosVendor: field('bios_vendor'),
      biosVersion: field('bios_version'),
      biosDate: field('bios_date'),
      chassisVendor: field('chassis_vendor'),
      chassisType: field('chassis_type'),
      chassisAssetTag: field('chassis_asset_tag'),
    })
  },
})

export interface DmiEntries {
  /** Structures by SMBIOS type; null where this kernel does not list them (module dmi-sysfs not loaded). */
  readonly counts: ReadonlyMap<number, number> | null
  /** Bytes of the whole table; null where the kernel shows none. */
  readonly tableBytes: number | null
}

const TABLES = '/sys/firmware/dmi/tables'
const ENTRIES = '/sys/firmware/dmi/entries'

/** Documentation/ABI/testing: sysfs-firmware-dmi-entries and -tables. Their names and sizes are open to any user, contents are not. */
export const dmiEntries = defineProbe({
  id: 'dmi.entries',
  title: 'Extent of the firmware’s hardware table',
  why: 'Shows, without administrator rights, how much hardware the firmware describes, and of which kinds.',
  commands: { lists: run(['ls', '-l', TABLES, ENTRIES]) },
  parse({ lists }) {
    if (!listingIsComplete(lists)) return unknown('the firmware’s hardware table could not be listed')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0)
      return unknown('the list of firmware structures has an unexpected format')
    const entries = folders.get(ENTRIES)
    return known<DmiEntries>({
      counts: entries === undefined ? null : countsOf(longListing(entries).map(({ name }) => name)),
      tableBytes: longListing(folders.get(TABLES) ?? []).find(({ name }) => name === 'DMI')?.size ?? null,
    })
  },
})

/** Folders are named TYPE-INSTANCE. */
function countsOf(names: readonly string[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const name of names) {
    const type = /^(\d{1,3})-\d{1,5}$/.exec(name)?.[1]
    if (type !== undefined) counts.set(Number(type), (counts.get(Number(type)) ?? 0) + 1)
  }
  return counts
}

export interface DmiTags {
  /** Tag of the board; on current EC2 machines the id of the instance. null where the firmware has none. */
  readonly board: string | null
  readonly sku: string | null
}

/** drivers/firmware/dmi-id.c: SMBIOS type 2, asset tag, and type 1, SKU number. Open to any user. */
export const dmiTags = defineProbe({
  id: 'dmi.tags',
  title: 'Asset tags in the firmware',
  why: 'Operators and providers store here the inventory number of a machine.',
  commands: { tags: run(['grep', '-H', '', `${FOLDER}board_asset_tag`, `${FOLDER}product_sku`]) },
  parse({ tags }) {
    if (!grepIsComplete(tags)) return unknown('the firmware’s tags could not be read')
    const values = oneLineFiles(tags.text)
    const tag = (name: string): string | null => values.get(FOLDER + name)?.slice(0, 200) || null
    return known<DmiTags>({ board: tag('board_asset_tag'), sku: tag('product_sku') })
  },
})
