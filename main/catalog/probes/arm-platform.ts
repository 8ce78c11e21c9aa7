import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { ALWAYS_FILE, grepIsComplete, OF_ALWAYS_FILE } from '../read-text.ts'

export interface ArmPlatform {
  /** The first core's main id register, MIDR_EL1, as the kernel shows it; null where it shows none. */
  readonly midr: { readonly implementer: number; readonly part: number } | null
  /** Of the device tree; null where the machine has none, as most servers with ACPI. */
  readonly model: string | null
  readonly compatible: readonly string[]
  readonly hypervisor: readonly string[]
}

const MIDR = '/sys/devices/system/cpu/cpu0/regs/identification/midr_el1'
const MODEL = '/proc/device-tree/model'
const COMPATIBLE = '/proc/device-tree/compatible'
const HYPERVISOR = '/proc/device-tree/hypervisor/compatible'

/** Documentation/arch/arm64/cpu-feature-registers.rst; Devicetree Specification §2.3.1, §3.2; Linux Documentation/devicetree/bindings/arm/xen.txt. */
export const armPlatform = defineProbe({
  id: 'arm.platform',
  title: 'Processor id and device tree (arm64 and others)',
  why: 'Machines that describe themselves by a device tree name their board there; virtual ones name the emulated machine.',
  // A device tree ends each of its texts with a zero byte, hence -a.
  commands: {
    files: run(['grep', '-aH', '', MIDR, MODEL, COMPATIBLE, HYPERVISOR, ALWAYS_FILE], {
      ...OF_ALWAYS_FILE,
      maxBytes: 65536,
    }),
  },
  parse({ files }) {
    if (!grepIsComplete(files)) return unknown('the processor id and the device tree could not be read')
    return parseArmPlatform(files.text)
  },
})

/** `grep -aH` over the files above. Texts of the device tree are cut at 200 characters and at ten a file. */
export function parseArmPlatform(text: string): Parsed<ArmPlatform> {
  const found = foundLinesWithZeros(text)
  const texts = (path: string): readonly string[] =>
    (found.get(path) ?? '')
      .split('\0')
      .map((word) => word.trim().slice(0, 200))
      .filter((word) => word !== '')
      .slice(0, 10)
  const midr = found.get(MIDR)?.trim()
  if (midr !== undefined && !/^0x[0-9a-f]{1,16}$/i.test(midr))
    return unknown('the processor id has an unexpected format')
  const number = midr === undefined ? null : BigInt(midr)
  return known({
    // MIDR_EL1: implementer in bits 31 to 24, part number in bits 15 to 4 (Arm ARM, D24).
    midr:
      number === null ? null : { implementer: Number((number >> 24n) & 0xffn), part: Number((number >> 4n) & 0xfffn) },
    model: texts(MODEL)[0] ?? null,
    compatible: texts(COMPATIBLE),
    hypervisor: texts(HYPERVISOR),
  })
}

/** The value holds zero bytes, and the path does not: the first colon ends it. */
function foundLinesWithZeros(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const path of [MIDR, MODEL, COMPATIBLE, HYPERVISOR]) {
    const line = text.split('\n').find((one) => one.startsWith(`${path}:`))
    if (line !== undefined) values.set(path, line.slice(path.length + 1))
  }
  return values
}
