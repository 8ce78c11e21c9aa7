import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'

export interface DmiTable {
  readonly present: boolean
  /** Structures by SMBIOS type, of the types asked for. */
  readonly counts: ReadonlyMap<number, number>
  /** "System is a virtual machine" among the BIOS characteristics (type 0, extension byte 2, bit 4). */
  readonly virtualMachineBit: boolean
  readonly modules: readonly { readonly mebibytes: number; readonly partNumber: string | null }[]
}

/** dmidecode(8). Type 11 is left out: provisioning tools pass credentials in it. */
export const dmiTable = defineProbe({
  id: 'dmi.table',
  title: 'Full hardware table of the firmware',
  why: 'Caches, slots and memory modules are described here on servers; guests have few of them, or copies that do not fit.',
  commands: { table: runAsRoot(['dmidecode', '-t', '0,1,2,3,4,7,9,16,17,38']) },
  parse({ table }) {
    if (/No SMBIOS nor DMI entry point found/.test(table.text)) return known(NO_TABLE)
    if (table.exitCode !== 0) return unknown('the firmware’s hardware table could not be read')
    return parseDmiTable(table.text)
  },
})

const NO_TABLE: DmiTable = { present: false, counts: new Map(), virtualMachineBit: false, modules: [] }
const PLACEHOLDER = /^(|not specified|unknown|none|no dimm|no module installed|0x0+|n\/a|undefined)$/i

export function parseDmiTable(text: string): Parsed<DmiTable> {
  const structures = text.split(/\n(?=Handle 0x)/).flatMap((block) => {
    const type = /^Handle 0x[0-9A-Fa-f]+, DMI type (\d+),/.exec(block)?.[1]
    return type === undefined ? [] : [{ type: Number(type), block }]
  })
  if (structures.length === 0) return unknown('the answer of dmidecode holds no structure')
  const counts = new Map<number, number>()
  for (const { type } of structures) counts.set(type, (counts.get(type) ?? 0) + 1)
  return known({
    present: true,
    counts,
    virtualMachineBit: structures.some(
      ({ type, block }) => type === 0 && /^\s+System is a virtual machine$/m.test(block),
    ),
    modules: structures.flatMap(({ type, block }) => (type === 17 ? memoryModule(block) : [])),
  })
}

const UNITS: Readonly<Record<string, number>> = { MB: 1, GB: 1024, TB: 1024 * 1024 }

function memoryModule(block: string): DmiTable['modules'] {
  const [, size, unit = ''] = /^\s+Size: (\d{1,9}) ([MGT]B)$/m.exec(block) ?? []
  if (size === undefined) return []
  const part = (/^\s+Part Number: (.*)$/m.exec(block)?.[1] ?? '').trim()
  return [{ mebibytes: Number(size) * (UNITS[unit] ?? 1), partNumber: PLACEHOLDER.test(part) ? null : part }]
}
