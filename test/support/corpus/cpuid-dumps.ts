export type Registers = readonly [eax: number, ebx: number, ecx: number, edx: number]

/** The identification of one processor: leaf and subleaf → registers. */
export interface CpuidDump {
  readonly leaves: ReadonlyMap<string, Registers>
  /** Processors that the dump holds; the leaves are those of the first. */
  readonly processors: number
}

export const leafKey = (leaf: number, subleaf = 0): string => `${leaf.toString(16)}.${subleaf.toString(16)}`

type Row = { readonly leaf: number; readonly subleaf: number; readonly registers: Registers }

const HEX4 = '(?:0x)?([0-9a-fA-F]{1,8})'

/** One row of each form of dump, by what it begins with. */
const FORMS: readonly ((line: string) => Row | null)[] = [
  // cpuid -r, and kernel tools that print the same: "   0x00000001 0x00: eax=0x000306a9 ebx=… ecx=… edx=…"
  (line) =>
    rowOf(
      new RegExp(
        `^\\s*(0x[0-9a-f]{8})(?:[ \\[]+(0x[0-9a-f]{1,8})\\]?)?:? +eax=${HEX4},? +ebx=${HEX4},? +ecx=${HEX4},? +edx=${HEX4}`,
        'i',
      ).exec(line),
    ),
  // "CPUID 00000001: 00B00F21-00400800-7EFA320B-178BFBFF [SL 00]"
  (line) => {
    const match = /^CPUID ([0-9A-F]{8}): ([0-9A-F]{8})-([0-9A-F]{8})-([0-9A-F]{8})-([0-9A-F]{8})(.*)$/i.exec(line)
    if (match === null) return null
    const [, leaf, a, b, c, d, rest = ''] = match
    return rowOf([line, leaf, /\[SL ([0-9A-F]{2})\]/i.exec(rest)?.[1] ?? '0', a, b, c, d])
  },
  // "<cpuid eax_in='0x00000001' ecx_in='0x00' eax='0x…' ebx='0x…' ecx='0x…' edx='0x…'/>"
  (line) =>
    rowOf(
      /<cpuid eax_in='(0x[0-9a-f]+)' ecx_in='(0x[0-9a-f]+)' eax='(0x[0-9a-f]+)' ebx='(0x[0-9a-f]+)' ecx='(0x[0-9a-f]+)' edx='(0x[0-9a-f]+)'/i.exec(
        line,
      ),
    ),
  // "5 4 0 1 0 => 3c004122 1c0003f 3f 0": mask of the inputs, inputs, registers
  (line) => {
    const match =
      /^[0-9a-f] ([0-9a-f]{1,8}) [0-9a-f]{1,8} ([0-9a-f]{1,8}) [0-9a-f]{1,8} => ([0-9a-f]{1,8}) ([0-9a-f]{1,8}) ([0-9a-f]{1,8}) ([0-9a-f]{1,8})$/i.exec(
        line.trim(),
      )
    return rowOf(match)
  },
  // "basic_cpuid[1]=000106a5 01100800 009ce3bd bfebfbff", numbered from 0x80000000 where it says ext
  (line) => {
    const match =
      /^(basic_cpuid|ext_cpuid|intel_fn4|intel_fn11|amd_fn8000001dh)\[(\d+)\]=([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8})/i.exec(
        line,
      )
    if (match === null) return null
    const [, kind = '', number = '', a, b, c, d] = match
    const base = { basic_cpuid: 0, ext_cpuid: 0x80000000, intel_fn4: 4, intel_fn11: 0xb, amd_fn8000001dh: 0x8000001d }
    const first = base[kind as keyof typeof base]
    const isLeaf = kind === 'basic_cpuid' || kind === 'ext_cpuid'
    const at = (value: number): string => value.toString(16)
    return rowOf([line, at(first + (isLeaf ? Number(number) : 0)), at(isLeaf ? 0 : Number(number)), a, b, c, d])
  },
]

function rowOf(match: readonly (string | undefined)[] | null): Row | null {
  if (match === null) return null
  const [leaf = 0, subleaf = 0, ...registers] = match.slice(1, 7).map((digits) => Number.parseInt(digits ?? '0', 16))
  const [eax = 0, ebx = 0, ecx = 0, edx = 0] = registers
  return { leaf, subleaf, registers: [eax, ebx, ecx, edx] }
}

const NEXT_PROCESSOR = /^(CPU( \d+)?:\s*$|-+\[ CPUID Registers \/ Logical CPU #)/

/** Reads a dump in any of the forms above; null where the text is none of them. */
export function readCpuid(text: string): CpuidDump | null {
  const leaves = new Map<string, Registers>()
  let processors = 0
  for (const line of text.split(/\r?\n/)) {
    if (NEXT_PROCESSOR.test(line)) processors += 1
    if (processors > 1) continue
    const row = FORMS.reduce<Row | null>((found, form) => found ?? form(line), null)
    if (row !== null && !leaves.has(leafKey(row.leaf, row.subleaf)))
      leaves.set(leafKey(row.leaf, row.subleaf), row.registers)
  }
  return leaves.size === 0 ? null : { leaves, processors: Math.max(1, processors) }
}

/** The twelve characters of a vendor or hypervisor signature in the registers, in the order asked for. */
export const signatureOf = (words: readonly number[]): string => {
  const bytes = Buffer.alloc(words.length * 4)
  words.forEach((word, index) => void bytes.writeUInt32LE(word >>> 0, index * 4))
  return bytes.toString('latin1').replace(/\0+$/, '')
}

export const wordsOf = (signature: string): readonly [number, number, number] => {
  const bytes = Buffer.alloc(12)
  bytes.write(signature.slice(0, 12), 'latin1')
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
}
