import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { listedFolders, listingIsComplete, sysfsValues, wholeNumber } from '../../base/read-listing.ts'
import { inOrder, lines } from '../../base/read-text.ts'

type Architecture = 'x86' | 'arm64' | 's390x' | 'power' | 'other'

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
const NOTED_FLAGS: readonly string[] =
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

export interface CpuPlatform {
  /** Performance monitoring units that the kernel drives. */
  readonly pmus: readonly string[]
  /** Energy counters (powercap zones). */
  readonly powercap: readonly string[]
  /** Memory controllers under error detection. */
  readonly memoryControllers: readonly string[]
  readonly numaNodes: number
  readonly sensors: readonly string[]
  readonly cpufreqDriver: string | null
  readonly cpuidleDriver: string | null
  readonly clocksources: readonly string[]
  /** The kernel’s text on each processor vulnerability it lists, by the name of its file. */
  readonly vulnerabilities: ReadonlyMap<string, string>
}

const PMUS = '/sys/bus/event_source/devices'
const VALUES = ['name', 'scaling_driver', 'current_driver', 'available_clocksource']

/** Documentation/ABI/testing: sysfs-bus-event_source-devices, sysfs-class-powercap, sysfs-devices-edac, sysfs-devices-system-cpu. */
export const cpuPlatform = defineProbe({
  id: 'cpu.platform',
  title: 'Hardware around the processor',
  why: 'Energy counters, memory-controller counters and thermal sensors exist on hardware and are rarely exposed to guests.',
  ignoredInDrift: {
    why: 'Sensors are numbered in the order in which their drivers start.',
    normalize: ({ sensors, ...platform }: CpuPlatform) => ({ ...platform, sensors: inOrder(sensors) }),
  },
  commands: {
    lists: run(['ls', '-1', PMUS, '/sys/class/powercap', '/sys/devices/system/edac/mc', '/sys/devices/system/node']),
    values: run([
      'grep',
      '-sH',
      '',
      glob('/sys/class/hwmon/hwmon*/name'),
      '/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver',
      '/sys/devices/system/cpu/cpuidle/current_driver',
      '/sys/devices/system/clocksource/clocksource0/available_clocksource',
      glob('/sys/devices/system/cpu/vulnerabilities/*'),
    ]),
  },
  parse({ lists, values }) {
    const folders = listedFolders(lists.text)
    const pmus = folders.get(PMUS)
    if (pmus === undefined || !listingIsComplete(lists)) return unknown('the kernel’s hardware lists could not be read')
    const read = sysfsValues(values.text, VALUES)
    const clocksources = read.get('/sys/devices/system/clocksource/clocksource0/available_clocksource')
    if (clocksources === undefined) return unknown('the kernel’s hardware values could not be read')
    const under = (folder: string): readonly (readonly [string, string])[] =>
      [...read].filter(([path]) => path.startsWith(folder))
    return known<CpuPlatform>({
      pmus,
      powercap: (folders.get('/sys/class/powercap') ?? []).filter((zone) => zone.includes(':')),
      memoryControllers: (folders.get('/sys/devices/system/edac/mc') ?? []).filter((name) => /^mc\d+$/.test(name)),
      numaNodes: (folders.get('/sys/devices/system/node') ?? []).filter((name) => /^node\d+$/.test(name)).length,
      sensors: under('/sys/class/hwmon/').map(([, name]) => name),
      cpufreqDriver: read.get('/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver') ?? null,
      cpuidleDriver: read.get('/sys/devices/system/cpu/cpuidle/current_driver') ?? null,
      clocksources: clocksources.split(/\s+/).filter((name) => name !== ''),
      vulnerabilities: weaknessesIn(values.text),
    })
  },
})

/** Newer kernels list more vulnerabilities, so the names are not fixed here; the first line of each file counts. */
function weaknessesIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of lines(text)) {
    const [, name, words] = /^\/sys\/devices\/system\/cpu\/vulnerabilities\/([a-z0-9_]{1,64}):(.*)$/.exec(line) ?? []
    if (name !== undefined && words !== undefined && !found.has(name) && found.size < 200) found.set(name, words.trim())
  }
  return found
}

const UNCORE = /^(uncore_|amd_df|amd_l3|amd_umc|power$|cstate_pkg$)/
// arm64 (drivers/perf): mesh, memory controllers, shared caches and links of Arm, Ampere, NVIDIA, HiSilicon, Alibaba, Marvell, Qualcomm, NXP.
const ARM_UNCORE =
  /^(arm_(cmn|dsu|dmc620|ccn|cspmu)|CCI_[45]00|ccn|smmuv3_pmcg|arm_smmuv3_pmcg|nvidia_[a-z0-9_]+_pmu|ampere_mcu|hisi_|ali_drw|cn10k_|mrvl_|uncore_(dmc|l3c|ccpi2)|(mcb|mcbe|l3c|iob|mc)\d+$|l[23]cache|imx[89]_ddr|dwc_rootport)/

/** Units that count what happens outside the cores: memory controllers, mesh, links, package power. */
export const uncoreUnits = ({ pmus }: CpuPlatform): readonly string[] =>
  pmus.filter((name) => UNCORE.test(name) || ARM_UNCORE.test(name))
/** Sampling built into the cores, which guests are rarely given: Arm's Statistical Profiling, AMD's instruction-based sampling, Intel's trace. */
export const samplingUnits = ({ pmus }: CpuPlatform): readonly string[] =>
  pmus.filter((name) => /^(arm_spe|ibs_fetch|ibs_op|intel_pt|intel_bts|trbe|arm_trbe)/.test(name))
/** Counters of the cores themselves; hybrid processors have one unit for each kind of core. */
export const coreUnits = ({ pmus }: CpuPlatform): readonly string[] =>
  pmus.filter((name) => /^(cpu(_core|_atom|_lowpower)?$|armv[789]_|apple_)/.test(name))
/** Energy zones that the kernel registers only when their counter responds with something else than zero (intel_rapl_common.c). */
export const energyZones = ({ powercap }: CpuPlatform): readonly string[] =>
  powercap.filter((zone) => /^(intel|amd)-rapl/.test(zone))
export const processorSensors = ({ sensors }: CpuPlatform): readonly string[] =>
  sensors.filter((name) =>
    /^(coretemp|k10temp|k8temp|zenpower|power_meter|acpi_power_meter|fam15h_power|apm_xgene|scpi_sensors|scmi_sensors)$/.test(
      name,
    ),
  )

interface CpuCache {
  readonly level: number
  readonly kind: 'Data' | 'Instruction' | 'Unified'
  readonly kib: number
}

export interface CpuTopology {
  /** CPUs that are in use and state where they sit. */
  readonly cpus: number
  readonly packages: number
  /** Distinct cores, by which CPUs share one; null where the kernel does not state. Core numbers repeat within a socket on some kernels. */
  readonly cores: number | null
  /** The CPUs that share the first CPU's core, such as "0,56". */
  readonly firstSiblings: readonly number[] | null
  /** Caches of the first CPU. */
  readonly caches: readonly CpuCache[]
  /** Memory nodes, and how far each calls the others (10 is itself). Empty where the kernel has no nodes. */
  readonly distances: readonly (readonly number[])[]
  /** CPUs that could be in use and are not. Null where the kernel does not state. */
  readonly offline: number | null
  /** on, off, forceoff, notsupported, notimplemented; null on older kernels. */
  readonly threads: string | null
}

const CPUS = '/sys/devices/system/cpu'
const NAMES = [
  'physical_package_id',
  'thread_siblings_list',
  'level',
  'type',
  'size',
  'distance',
  'online',
  'present',
  'control',
]

/** Documentation/ABI/testing/sysfs-devices-system-cpu and sysfs-devices-node (Documentation/ABI/stable). */
export const cpuTopology = defineProbe({
  id: 'cpu.topology',
  title: 'Layout of the processors, their caches and their memory',
  why: 'Sockets, cores, caches and distances between memory nodes follow from the processor’s model; guests often receive different ones.',
  commands: {
    values: run(
      [
        'grep',
        '-sH',
        '',
        glob('/sys/devices/system/cpu/cpu*/topology/physical_package_id'),
        glob('/sys/devices/system/cpu/cpu*/topology/thread_siblings_list'),
        glob('/sys/devices/system/cpu/cpu0/cache/index*/level'),
        glob('/sys/devices/system/cpu/cpu0/cache/index*/type'),
        glob('/sys/devices/system/cpu/cpu0/cache/index*/size'),
        glob('/sys/devices/system/node/node*/distance'),
        '/sys/devices/system/cpu/online',
        '/sys/devices/system/cpu/present',
        '/sys/devices/system/cpu/smt/control',
      ],
      { maxBytes: 1024 * 1024 },
    ),
  },
  parse: ({ values }) => parseTopology(values.text),
})

/** `grep -H` over the files above: the layout, or a reason where no CPU states where it sits. */
export function parseTopology(text: string): Parsed<CpuTopology> {
  const values = sysfsValues(text, NAMES)
  const of = (pattern: RegExp): readonly (readonly [string, string])[] =>
    [...values].flatMap(([path, value]) => {
      const key = pattern.exec(path)?.[1]
      return key === undefined ? [] : [[key, value] as const]
    })
  const packages = new Map(of(/^\/sys\/devices\/system\/cpu\/cpu(\d{1,5})\/topology\/physical_package_id$/))
  const siblings = new Map(of(/^\/sys\/devices\/system\/cpu\/cpu(\d{1,5})\/topology\/thread_siblings_list$/))
  if (packages.size === 0) return unknown('the kernel does not report the location of its processors')
  return known({
    cpus: packages.size,
    packages: new Set(packages.values()).size,
    cores: siblings.size === packages.size ? new Set(siblings.values()).size : null,
    firstSiblings: listOf(siblings.get('0')),
    caches: cachesOf(values),
    distances: [...of(/^\/sys\/devices\/system\/node\/node(\d{1,5})\/distance$/)]
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([, row]) => row.split(/\s+/).map(Number).filter(Number.isFinite)),
    offline: offlineOf(listOf(values.get(`${CPUS}/online`)), listOf(values.get(`${CPUS}/present`))),
    threads: values.get(`${CPUS}/smt/control`) ?? null,
  })
}

function cachesOf(values: ReadonlyMap<string, string>): readonly CpuCache[] {
  return Array.from({ length: 8 }, (_, index) => `${CPUS}/cpu0/cache/index${index}`).flatMap((folder) => {
    const [level, kind] = [wholeNumber(values.get(`${folder}/level`)), values.get(`${folder}/type`)]
    const kib = wholeNumber(/^(\d{1,9})K$/.exec(values.get(`${folder}/size`) ?? '')?.[1])
    return level !== null && kib !== null && (kind === 'Data' || kind === 'Instruction' || kind === 'Unified')
      ? [{ level, kind, kib }]
      : []
  })
}

const MOST_CPUS = 65536

/** Parses a list of the kernel such as "0-3,8"; null where it is invalid. */
export function listOf(text: string | undefined): readonly number[] | null {
  if (text === undefined) return null
  const numbers = new Set<number>()
  for (const part of text.split(',')) {
    const [, from, to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? []
    if (from === undefined) return null
    const [first, last] = [Number(from), Math.min(Number(to ?? from), MOST_CPUS)]
    if (last < first || numbers.size > MOST_CPUS) return null
    for (let number = first; number <= last; number++) numbers.add(number)
  }
  return [...numbers].sort((a, b) => a - b)
}

function offlineOf(online: readonly number[] | null, present: readonly number[] | null): number | null {
  if (online === null || present === null) return null
  const running = new Set(online)
  return present.filter((cpu) => !running.has(cpu)).length
}

const AMD_POWER_BITS: readonly string[] = 'monitor extapic ibs skinit wdt aperfmperf hw_pstate cpb'.split(' ')
// Linux names of CPUID bits that describe power, thermal and trace hardware (arch/x86/include/asm/cpufeatures.h).

const INTEL_POWER_BITS: readonly string[] =
  'acpi tm pbe dtes64 monitor ds_cpl est tm2 xtpr pdcm dts dtherm aperfmperf'.split(' ')
