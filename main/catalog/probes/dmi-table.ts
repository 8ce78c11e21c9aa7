import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { type DmiStructure, dmiStructures, filled, numberIn } from '../isolation/dmi-text.ts'

/** A memory module that is there (SMBIOS type 17 with a size). */
export interface DmiModule {
  readonly mebibytes: number
  readonly partNumber: string | null
  readonly maker: string | null
  readonly serial: string | null
  readonly rank: number | null
  /** Million transfers (old tables: MHz) per second. */
  readonly speed: number | null
  /** Such as DDR5; null where the firmware does not state. */
  readonly kind: string | null
  /** Flash and other chips that are no main memory. */
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
export interface DmiSlot {
  readonly designation: string
  readonly kind: string
  readonly inUse: boolean
  /** domain:bus:slot.function, null where the firmware gives none. */
  readonly address: string | null
}
export interface DmiTable {
  readonly present: boolean
  /** Structures by SMBIOS type, of the types requested. */
  readonly counts: ReadonlyMap<number, number>
  /** "System is a virtual machine" among the BIOS characteristics (type 0, extension byte 2, bit 4). */
  readonly virtualMachineBit: boolean
  /** UUID of the system (type 1), as dmidecode prints it; null where the firmware gives none. */
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

/** SMBIOS (DSP0134) structures as dmidecode prints them: the table, or a reason where there is no structure. */
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
