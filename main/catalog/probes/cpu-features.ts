import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { AMD_POWER_BITS, INTEL_POWER_BITS } from '../isolation/cpu-tables.ts'
import { wholeNumber } from '../isolation/listing.ts'

export type Architecture = 'x86' | 'arm64' | 's390x' | 'power' | 'other'

export interface CpuFeatures {
  readonly architecture: Architecture
  /** CPUID vendor on x86, such as GenuineIntel; null elsewhere. */
  readonly vendor: string | null
  readonly modelName: string | null
  readonly family: number | null
  readonly model: number | null
  readonly microcode: string | null
  /** Highest basic CPUID leaf. */
  readonly cpuidLevel: number | null
  readonly logicalCpus: number
  readonly sockets: number
  /** CPUID.1:ECX[31], "running on a hypervisor", as any of the CPUs shows it. */
  readonly hypervisorBit: boolean
  /** The power-management flags of this vendor that every CPU shows, and those that could be there. */
  readonly powerBits: readonly string[]
  readonly powerBitsAsked: readonly string[]
  readonly physicalAddressBits: number | null
  /** Other flags that show something of hardware, and that every CPU shows (`NOTED_FLAGS`). */
  readonly marks: readonly string[]
  /** Who made an arm64 core, and which part it is (MIDR_EL1); null elsewhere. */
  readonly implementer: number | null
  readonly part: number | null
}

/** Cache allocation and monitoring, the number of the socket, memory encryption (takes address bits away), energy counters, a clock of known speed. */
export const NOTED_FLAGS: readonly string[] =
  'cat_l3 cat_l2 cqm rdt_a mba intel_ppin amd_ppin tme sme sev rapl vmx svm tsc_known_freq constant_tsc nonstop_tsc'.split(
    ' ',
  )

/** proc_cpuinfo(5). The power-management flags come from CPUID, and ordinary guests do not get them: they would need the MSRs behind them. */
export const cpuFeatures = defineProbe({
  id: 'cpu.features',
  title: 'Processor and its features',
  why: 'Inside a virtual machine a processor lacks the power-management features reserved for the host.',
  commands: { cpuinfo: run(['cat', '/proc/cpuinfo']) },
  parse({ cpuinfo }) {
    if (cpuinfo.exitCode !== 0) return unknown('the processor list could not be read')
    return parseCpuInfo(cpuinfo.text)
  },
})

export function parseCpuInfo(text: string): ReturnType<typeof known<CpuFeatures>> | ReturnType<typeof unknown> {
  const blocks = text
    .split(/\n\s*\n/)
    .map(fieldsOf)
    .filter((fields) => fields.size > 0)
  const first = blocks[0]
  if (first === undefined) return unknown('the processor list is empty')
  const processors = blocks.filter((fields) => fields.has('processor'))
  const vendor = first.get('vendor_id') ?? null
  const architecture = architectureOf(blocks)
  const asked = architecture === 'x86' ? powerBitsOf(vendor) : []
  const flagLines = [...new Set(processors.map((fields) => fields.get('flags') ?? ''))].map(words)
  return known({
    architecture,
    vendor: architecture === 'x86' ? vendor : null,
    modelName: first.get('model name') ?? first.get('cpu') ?? null,
    family: wholeNumber(first.get('cpu family')),
    model: wholeNumber(first.get('model')),
    microcode: first.get('microcode') ?? null,
    cpuidLevel: wholeNumber(first.get('cpuid level')),
    logicalCpus: processors.length,
    sockets: Math.max(1, new Set(processors.flatMap((fields) => fields.get('physical id') ?? [])).size),
    hypervisorBit: flagLines.some((flags) => flags.has('hypervisor')),
    powerBits: flagLines.length === 0 ? [] : asked.filter((bit) => flagLines.every((flags) => flags.has(bit))),
    powerBitsAsked: asked,
    physicalAddressBits: wholeNumber(/^(\d+) bits physical/.exec(first.get('address sizes') ?? '')?.[1]),
    marks: flagLines.length === 0 ? [] : NOTED_FLAGS.filter((flag) => flagLines.every((flags) => flags.has(flag))),
    implementer: architecture === 'arm64' ? wholeNumber(first.get('CPU implementer')) : null,
    part: architecture === 'arm64' ? wholeNumber(first.get('CPU part')) : null,
  })
}

type Fields = ReadonlyMap<string, string>

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

function fieldsOf(block: string): Fields {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim()
    if (colon > 0 && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  return fields
}

function architectureOf(blocks: readonly Fields[]): Architecture {
  const has = (name: string): boolean => blocks.some((fields) => fields.has(name))
  const is = (name: string, pattern: RegExp): boolean => blocks.some((fields) => pattern.test(fields.get(name) ?? ''))
  if (is('vendor_id', /^IBM\/S390/)) return 's390x'
  if (has('flags') && has('vendor_id')) return 'x86'
  if (has('CPU implementer')) return 'arm64'
  return is('cpu', /^POWER/) || is('platform', /^(pSeries|PowerNV)$/) ? 'power' : 'other'
}

function powerBitsOf(vendor: string | null): readonly string[] {
  if (vendor === 'GenuineIntel') return INTEL_POWER_BITS
  return vendor === 'AuthenticAMD' || vendor === 'HygonGenuine' ? AMD_POWER_BITS : []
}
