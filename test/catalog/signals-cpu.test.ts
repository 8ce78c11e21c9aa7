import { describe, expect, test } from 'vitest'
import {
  type CpuPlatform,
  type CpuTopology,
  cpuFeatures,
  cpuPlatform,
  cpuTopology,
  parseCpuInfo,
} from '../../main/catalog/hardware/processors/features.ts'
import { type CpuRegisters, cpuEnergy, cpuMsr, cpuSensors } from '../../main/catalog/hardware/processors/instruments.ts'
import {
  armPlatform,
  type CpuLeaves,
  cpuHypervisorLeaf,
  cpuLeaves,
  type HypervisorLeaf,
  parseArmPlatform,
} from '../../main/catalog/hardware/processors/leaves.ts'
import { coresByName } from '../../main/catalog/single-tenancy/isolation/cpu-tables.ts'
import { cpuFeatureSignals } from '../../main/catalog/single-tenancy/isolation/processors/cpu-features.ts'
import { hostFeatures, instruments } from '../../main/catalog/single-tenancy/isolation/processors/cpu-hardware.ts'
import { cpuIdentitySignals } from '../../main/catalog/single-tenancy/isolation/processors/cpu-identity.ts'
import type { Signal } from '../../main/catalog/single-tenancy/isolation/signal.ts'
import {
  type KernelMessages,
  kernelMessages,
  type VirtualBuses,
  virtBuses,
  virtGuests,
} from '../../main/catalog/single-tenancy/virtualization/index.ts'
import { known, type Probe, readProbe } from '../../main/core/recording/probe.ts'
import type { Read } from '../../main/core/recording/readings.ts'
import { BANNED } from '../../schemas/words.ts'
import { byKey } from '../support/evaluated.ts'
import { fixtureRecording } from '../support/fixtures.ts'
import { type Fact, observing, readOf, weightsOf } from '../support/signal-facts.ts'

const SIGNALS: readonly Signal[] = [...cpuIdentitySignals, ...cpuFeatureSignals]
const of = observing(SIGNALS)
/** What a signal reads, with the weights of its signs: "virtual odd". */
const readingOf = (id: string, ...facts: readonly Fact[]): string => {
  const found = of(id, ...facts)
  return [found.indicates, ...weightsOf(found)].join(' ')
}

const platforms = (id: string, ...facts: readonly Fact[]): readonly (string | null)[] => {
  const found = of(id, ...facts)
  return 'signs' in found ? found.signs.map(({ platform }) => platform) : []
}

const cpu = (fields: Readonly<Record<string, string | number>>, copies = 1): Fact => [
  cpuFeatures,
  parseCpuInfo(
    Array.from({ length: copies }, (_, index) =>
      [`processor\t: ${index}`, ...Object.entries(fields).map(([name, value]) => `${name}\t: ${value}`)].join('\n'),
    ).join('\n\n'),
  ),
]
const POWER = 'acpi tm pbe dtes64 monitor ds_cpl est tm2 xtpr pdcm dts dtherm aperfmperf'
const AMD_POWER = 'monitor extapic ibs skinit wdt aperfmperf hw_pstate cpb'
const intel = (model: number, flags: string, more: Readonly<Record<string, string | number>> = {}, copies = 1): Fact =>
  cpu({ vendor_id: 'GenuineIntel', 'cpu family': 6, model, flags, ...more }, copies)
const amd = (
  family: number,
  model: number,
  flags: string,
  more: Readonly<Record<string, string | number>> = {},
): Fact => cpu({ vendor_id: 'AuthenticAMD', 'cpu family': family, model, flags, ...more })
const ICE_LAKE = intel(106, POWER)
const PENRYN = intel(23, 'acpi tm')
const ZEN4 = amd(25, 17, AMD_POWER)
const ALTRA = cpu({ 'CPU implementer': '0x41', 'CPU part': '0xd0c' })
/** What rose between two looks at the energy counter; null where there is none. */
const energy = (microjoules: number | null): Fact => [
  cpuEnergy,
  known({ zone: microjoules === null ? null : { name: 'package-0', microjoules } }),
]
/** One sensor of the processor, and a memory controller with modules where one is named. */
const degrees = (value?: number, highest: number | null = null, controller?: string): Fact => [
  cpuSensors,
  known({
    temperatures: value === undefined ? [] : [{ driver: 'coretemp', degrees: value, highest }],
    controllers: controller === undefined ? [] : [{ name: controller, modules: 4, mebibytes: 262144 }],
  }),
]
const DOM0: Fact = [virtBuses, known({ isControlDomain: true } as VirtualBuses)]

const platform = (own: Partial<CpuPlatform>): Fact => [
  cpuPlatform,
  known<CpuPlatform>({
    pmus: ['breakpoint', 'kprobe', 'msr', 'software'],
    powercap: [],
    memoryControllers: [],
    numaNodes: 1,
    sensors: [],
    cpufreqDriver: null,
    cpuidleDriver: null,
    clocksources: ['tsc'],
    vulnerabilities: new Map(),
    ...own,
  }),
]
const layout = (own: Partial<CpuTopology>): Fact => [
  cpuTopology,
  known<CpuTopology>({
    cpus: 1,
    packages: 1,
    cores: 1,
    firstSiblings: [0],
    caches: [],
    distances: [[10]],
    offline: 0,
    threads: null,
    ...own,
  }),
]

describe('every signal', () => {
  const nothing = readOf()
  test.each(SIGNALS.map((signal) => [signal.id, signal] as const))('%s: unread is unreadable', (_, signal) => {
    expect(signal.observe(nothing).indicates).toBe('unreadable')
    expect(signal.pitfalls.length).toBeGreaterThan(0)
    const shown = [signal.title, signal.onMetal, signal.onGuest, signal.source, ...signal.pitfalls].join(' ')
    for (const word of BANNED) expect(shown.toLowerCase()).not.toMatch(word)
  })
  test('ids are unique', () => expect(new Set(SIGNALS.map(({ id }) => id)).size).toBe(SIGNALS.length))
  test('a reading that lacks its own probe is unreadable, not absent', () => {
    for (const id of ['cpu.hvleaf', 'cpu.msr', 'cpu.siblings', 'cpu.cache', 'cpu.numa', 'cpu.pmu', 'cpu.rapl'])
      expect(readingOf(id, ICE_LAKE)).toBe('unreadable')
    expect(readingOf('arm.pmu', ALTRA)).toBe('unreadable')
  })
})

describe('flag and signature', () => {
  test('cpu.hvbit', () => {
    expect(readingOf('cpu.hvbit', intel(106, `${POWER} hypervisor`))).toBe('virtual names')
    expect(readingOf('cpu.hvbit', ICE_LAKE)).toBe('bare-metal')
    expect(readingOf('cpu.hvbit', ALTRA)).toBe('not-applicable')
  })
  const leaf = (own: Partial<HypervisorLeaf>): Fact => [
    cpuHypervisorLeaf,
    known<HypervisorLeaf>({
      vendor: 'GenuineIntel',
      signatures: [],
      baseIsZero: false,
      laterIsNot: true,
      isUniform: true,
      filler: 'c4',
      leaves: 0xf01,
      mayCreatePartitions: false,
      ...own,
    }),
  ]
  const leaves = (own: Partial<CpuLeaves>): Fact => [
    cpuLeaves,
    known<CpuLeaves>({
      vendor: 'GenuineIntel',
      highest: 27,
      highestAnswer: 'c4',
      clock: { denominator: 2, numerator: 168, crystal: 0 },
      trustDomain: null,
      addressBits: 46,
      addressBitsTaken: 0,
      ...own,
    }),
  ]
  test('cpu.hvleaf: names, also behind another name', () => {
    const found = leaf({ signatures: ['Microsoft Hv', 'KVMKVMKVM'], isUniform: false })
    expect(readingOf('cpu.hvleaf', ICE_LAKE, found)).toBe('virtual names names')
    expect(platforms('cpu.hvleaf', ICE_LAKE, found)).toEqual(['Microsoft Hyper-V', 'KVM'])
  })
  test('cpu.hvleaf: silicon repeats, or answers zeros', () => {
    expect(readingOf('cpu.hvleaf', ICE_LAKE, leaf({}), leaves({}))).toBe('bare-metal')
    expect(readingOf('cpu.hvleaf', ICE_LAKE, leaf({ baseIsZero: true, laterIsNot: false, filler: '00' }))).toBe(
      'bare-metal',
    )
    const zeros = { vendor: 'AuthenticAMD', baseIsZero: true, laterIsNot: false, filler: '00' }
    expect(readingOf('cpu.hvleaf', ZEN4, leaf(zeros))).toBe('bare-metal')
  })
  test('cpu.hvleaf: a hidden signature breaks Intel’s rule, and other answers need an explanation', () => {
    expect(readingOf('cpu.hvleaf', ICE_LAKE, leaf({ baseIsZero: true, isUniform: false }))).toBe('virtual impossible')
    expect(readingOf('cpu.hvleaf', ICE_LAKE, leaf({ isUniform: false }))).toBe('virtual odd')
    expect(readingOf('cpu.hvleaf', ZEN4, leaf({ vendor: 'AuthenticAMD' }))).toBe('virtual odd')
  })
  test('cpu.hvleaf: a trust domain', () =>
    expect(readingOf('cpu.hvleaf', ICE_LAKE, leaf({}), leaves({ trustDomain: 'IntelTDX' }))).toBe('virtual names'))

  test('cpu.tsc: a clock that only a hypervisor can have supplied', () => {
    const flags = `${POWER} tsc_known_freq`
    expect(readingOf('cpu.tsc', amd(25, 17, 'tsc_known_freq'))).toBe('virtual odd')
    expect(
      readingOf(
        'cpu.tsc',
        intel(85, 'tsc_known_freq'),
        leaves({ clock: { denominator: 0, numerator: 0, crystal: 0 } }),
      ),
    ).toBe('virtual odd')
    expect(readingOf('cpu.tsc', intel(106, flags, { 'cpuid level': 13 }))).toBe('virtual odd')
    expect(readingOf('cpu.tsc', intel(143, flags), leaves({}))).toBe('bare-metal')
    expect(readingOf('cpu.tsc', intel(0x37, flags, { 'cpuid level': 11 }))).toBe('neutral')
    expect(readingOf('cpu.tsc', ICE_LAKE)).toBe('neutral')
    expect(readingOf('cpu.tsc', amd(25, 17, 'tsc_known_freq'), DOM0)).toBe('neutral')
    const clock = ["[Firmware Bug]: TSC doesn't count with P0 frequency!"]
    expect(readingOf('cpu.tsc', ZEN4, [kernelMessages, known({ clock } as unknown as KernelMessages)])).toBe(
      'virtual hint',
    )
  })
})

describe('microcode and highest leaf', () => {
  const revision = (value: string): string => readingOf('cpu.microcode', amd(25, 17, '', { microcode: value }))
  test('cpu.microcode: defaults of hypervisors, and revisions of another AMD model', () => {
    expect(readingOf('cpu.microcode', intel(106, '', { microcode: '0x1' }))).toBe('virtual odd')
    expect(revision('0x1000065')).toBe('virtual odd')
    // Milan's, on a Genoa.
    expect(revision('0xa0011ce')).toBe('virtual odd')
    expect(revision('0xa101154')).toBe('bare-metal')
  })
  test.each([
    ['EPYC 7451', 23, 1, '0x8001227'],
    ['EPYC 7742', 23, 49, '0x8301034'],
    ['Ryzen 4800H', 23, 96, '0x8600106'],
    ['Ryzen 3500U', 23, 24, '0x8108109'],
    ['EPYC 7763', 25, 1, '0xa0011ce'],
    ['EPYC 9654', 25, 17, '0xa10113e'],
    ['Opteron 6328', 21, 2, '0x6000852'],
  ])('cpu.microcode of a real %s', (_, family, model, microcode) =>
    expect(readingOf('cpu.microcode', amd(family, model, '', { microcode }))).toBe('bare-metal'),
  )
  test('cpu.microcode of real Intel processors; none reported', () => {
    for (const microcode of ['0x718', '0xa6', '0x1c', '0x5', '0x2006a0a'])
      expect(readingOf('cpu.microcode', intel(85, '', { microcode }))).toBe('bare-metal')
    expect(readingOf('cpu.microcode', ICE_LAKE)).toBe('not-applicable')
  })
  const level = (
    fact: (more: Readonly<Record<string, number>>) => Fact,
    number: number,
    ...more: readonly Fact[]
  ): string => readingOf('cpu.maxleaf', fact({ 'cpuid level': number }), ...more)
  test('cpu.maxleaf', () => {
    const xeon = (model: number) => (more: Readonly<Record<string, number>>) => intel(model, '', more)
    expect(level(xeon(106), 13)).toBe('virtual impossible')
    expect(level(xeon(63), 13)).toBe('virtual impossible')
    // Dumps of real ones: E5-2650, E7-4820, E5-2609 v3, Gold 6148, Platinum 9242.
    for (const [model, real] of [
      [45, 13],
      [47, 11],
      [63, 15],
      [85, 22],
      [85, 31],
    ] as const)
      expect(level(xeon(model), real)).toBe('bare-metal')
    expect(level(xeon(106), 13, DOM0)).toBe('neutral')
    for (const model of [0xad, 0xae, 0xaf, 0xdd]) {
      expect(level(xeon(model), 36)).toBe('bare-metal')
      expect(level(xeon(model), 22)).toBe('virtual impossible')
    }
    expect(level(xeon(0xb6), 35)).toBe('not-applicable')
    const turin = (more: Readonly<Record<string, number>>) => amd(26, 2, '', more)
    expect(level(turin, 16)).toBe('bare-metal')
    expect(level(turin, 28)).toBe('virtual odd')
    expect(level(turin, 13)).toBe('virtual impossible')
  })
})

describe('layout', () => {
  const named = (name: string, cpus: number, own: Partial<CpuTopology>): readonly Fact[] => [
    intel(106, POWER, { 'model name': name }, cpus),
    layout({ cpus, ...own }),
  ]
  const PLATINUM = 'Intel(R) Xeon(R) Platinum 8358 CPU @ 2.60GHz'
  test('cores by name', () => {
    expect(coresByName(PLATINUM)).toBe(32)
    expect(coresByName('Intel(R) Xeon(R) Platinum 8480+')).toBe(56)
    expect(coresByName('Intel(R) Xeon(R) CPU Max 9480')).toBe(56)
    expect(coresByName('Intel(R) Xeon(R) Gold 6248R CPU @ 3.00GHz')).toBe(24)
    expect(coresByName('AMD EPYC 9554 64-Core Processor')).toBe(64)
    expect(coresByName('Intel(R) Xeon(R) 6980P')).toBe(128)
    expect(coresByName('Intel(R) Xeon(R) 6776P')).toBe(64)
    expect(coresByName('Intel(R) Xeon(R) 6780E')).toBe(144)
    expect(coresByName('Intel(R) Xeon(R) 6980PX')).toBeNull()
    expect(coresByName('Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz')).toBeNull()
    expect(coresByName('Intel(R) Xeon(R) CPU            5160  @ 3.00GHz')).toBeNull()
    expect(coresByName(null)).toBeNull()
  })
  test('cpu.cores', () => {
    expect(readingOf('cpu.cores', ...named(PLATINUM, 64, { packages: 2, cores: 64 }))).toBe('bare-metal')
    expect(readingOf('cpu.cores', ...named(PLATINUM, 4, { packages: 2, cores: 4 }))).toBe('virtual odd')
    expect(readingOf('cpu.cores', ...named(PLATINUM, 40, { packages: 1, cores: 40 }))).toBe('virtual hint')
    const epyc = 'AMD EPYC 7451 24-Core Processor'
    expect(readingOf('cpu.cores', ...named(epyc, 48, { packages: 1, cores: 48 }))).toBe('virtual odd')
    expect(readingOf('cpu.cores', ...named(PLATINUM, 48, { packages: 2, cores: 48 }))).toBe('virtual hint')
    expect(readingOf('cpu.cores', ...named(PLATINUM, 48, { packages: 2, cores: 48, offline: 16 }))).toBe('neutral')
    expect(readingOf('cpu.cores', ...named(PLATINUM, 4, { packages: 2, cores: 4 }), DOM0)).toBe('neutral')
    expect(readingOf('cpu.cores', ...named(PLATINUM, 64, { cpus: 2, packages: 1, cores: 2 }))).toBe('neutral')
    expect(readingOf('cpu.cores', ...named('Intel Xeon Processor (Icelake)', 4, { cores: 4 }))).toBe('not-applicable')
    expect(readingOf('cpu.cores', intel(106, POWER, { 'model name': PLATINUM }))).toBe('unreadable')
  })
  test('cpu.siblings', () => {
    expect(readingOf('cpu.siblings', ICE_LAKE, layout({ firstSiblings: [0, 32] }))).toBe('bare-metal')
    expect(readingOf('cpu.siblings', ICE_LAKE, layout({ firstSiblings: [0, 1] }))).toBe('virtual hint')
    expect(readingOf('cpu.siblings', ICE_LAKE, layout({ firstSiblings: [0] }))).toBe('neutral')
    // A real Core i7-1370P and a real Opteron 6276 number them 0 and 1.
    expect(readingOf('cpu.siblings', intel(186, POWER), layout({ firstSiblings: [0, 1] }))).toBe('neutral')
    const opteron = amd(21, 1, AMD_POWER, { 'model name': 'AMD Opteron(TM) Processor 6276' })
    expect(readingOf('cpu.siblings', opteron, layout({ firstSiblings: [0, 1] }))).toBe('neutral')
  })
  const caches = (second: number, third: number): Fact =>
    layout({
      caches: [
        { level: 1, kind: 'Data', kib: 32 },
        { level: 2, kind: 'Unified', kib: second },
        { level: 3, kind: 'Unified', kib: third },
      ],
    })
  test('cpu.cache', () => {
    expect(readingOf('cpu.cache', ICE_LAKE, caches(4096, 16384))).toBe('virtual odd')
    expect(readingOf('cpu.cache', ICE_LAKE, layout({}))).toBe('virtual hint')
    expect(readingOf('cpu.cache', intel(190, POWER), caches(4096, 16384))).toBe('virtual hint')
    expect(readingOf('cpu.cache', intel(190, POWER), caches(2048, 6144))).toBe('neutral')
    expect(readingOf('cpu.cache', PENRYN, layout({}))).toBe('neutral')
    // The second level of these is as large as QEMU's where no one sets it; the third tells.
    expect(readingOf('cpu.cache', intel(175, POWER), caches(4096, 16384))).toBe('virtual hint')
  })
  test.each([
    ['Xeon E7- 4870', intel(47, POWER), 256],
    ['Xeon Silver 4108', intel(85, POWER), 1024],
    ['Xeon Max 9460', intel(143, POWER), 2048],
    ['Xeon 6787P', intel(173, POWER), 2048],
    ['Xeon 6780E', intel(175, POWER), 4096],
    ['EPYC 7451', amd(23, 1, AMD_POWER), 512],
    ['EPYC 7763', amd(25, 1, AMD_POWER), 512],
    ['Threadripper PRO 7995WX', amd(25, 24, AMD_POWER), 1024],
    ['EPYC 9575F', amd(26, 2, AMD_POWER), 1024],
  ])('cpu.cache of a real %s', (_, fact, second) =>
    expect(readingOf('cpu.cache', fact, caches(second, 32768))).toBe('bare-metal'),
  )
  test('cpu.numa', () => {
    const nodes = (packages: number, ...distances: readonly (readonly number[])[]): Fact =>
      layout({ packages, distances })
    expect(readingOf('cpu.numa', ICE_LAKE, nodes(2, [10]))).toBe('virtual odd')
    expect(readingOf('cpu.numa', ICE_LAKE, nodes(2, [10, 21], [21, 10]))).toBe('bare-metal')
    expect(readingOf('cpu.numa', ICE_LAKE, nodes(2, [10, 20], [20, 10]))).toBe('neutral')
    expect(readingOf('cpu.numa', ICE_LAKE, nodes(4, [10, 20], [20, 10]))).toBe('virtual hint')
    expect(readingOf('cpu.numa', ICE_LAKE, nodes(1, [10]))).toBe('neutral')
    // A real machine with four Xeons of 2006 on a front-side bus.
    expect(readingOf('cpu.numa', PENRYN, nodes(4, [10]))).toBe('neutral')
    expect(readingOf('cpu.numa', ICE_LAKE, nodes(2))).toBe('not-applicable')
  })
  test('cpu.physbits', () => {
    const bits = (fact: (more: Readonly<Record<string, string>>) => Fact, number: number): string =>
      readingOf('cpu.physbits', fact({ 'address sizes': `${number} bits physical, 48 bits virtual` }))
    const iceLake = (flags: string) => (more: Readonly<Record<string, string>>) => intel(106, flags, more)
    expect(bits(iceLake(POWER), 40)).toBe('virtual odd')
    expect(bits(iceLake(`${POWER} tme`), 40)).toBe('bare-metal')
    expect(bits(iceLake(POWER), 46)).toBe('bare-metal')
    expect(bits((more) => intel(85, POWER, more), 45)).toBe('virtual odd')
    expect(bits((more) => amd(25, 17, AMD_POWER, more), 46)).toBe('bare-metal')
    expect(bits((more) => amd(25, 17, AMD_POWER, more), 40)).toBe('virtual odd')
    expect(bits((more) => intel(26, POWER, more), 40)).toBe('not-applicable')
  })
})

describe('kernel and platform', () => {
  test('cpu.clock', () => {
    const clocks = (...clocksources: readonly string[]): readonly Fact[] => [platform({ clocksources })]
    expect(readingOf('cpu.clock', ...clocks('tsc', 'kvm-clock'))).toBe('virtual names')
    expect(platforms('cpu.clock', ...clocks('hyperv_clocksource_tsc_page', 'acpi_pm'))).toEqual(['Microsoft Hyper-V'])
    expect(readingOf('cpu.clock', ...clocks('tsc', 'hpet', 'acpi_pm'))).toBe('bare-metal')
    expect(readingOf('cpu.clock', ...clocks('arch_sys_counter'))).toBe('neutral')
  })
  test('cpu.vulns', () => {
    const vulns = (...lines: readonly string[]): Fact =>
      platform({ vulnerabilities: new Map(lines.map((line, index) => [`v${index}`, line])) })
    expect(readingOf('cpu.vulns', ICE_LAKE, vulns('Mitigation: PTI', 'Unknown: Dependent on hypervisor status'))).toBe(
      'virtual odd',
    )
    expect(readingOf('cpu.vulns', ICE_LAKE, vulns('Vulnerable: No microcode'))).toBe('virtual hint')
    expect(readingOf('cpu.vulns', ICE_LAKE, vulns('Mitigation: Clear CPU buffers; SMT vulnerable'))).toBe('bare-metal')
    expect(readingOf('cpu.vulns', ICE_LAKE, vulns())).toBe('neutral')
    expect(readingOf('cpu.vulns', ALTRA, vulns('Not affected'))).toBe('not-applicable')
  })
  test('cpu.powerbits', () => {
    expect(readingOf('cpu.powerbits', ICE_LAKE)).toBe('bare-metal')
    expect(readingOf('cpu.powerbits', ZEN4)).toBe('bare-metal')
    expect(readingOf('cpu.powerbits', intel(106, 'est tm'))).toBe('virtual odd')
    expect(readingOf('cpu.powerbits', amd(26, 2, 'hypervisor'))).toBe('virtual odd')
    expect(readingOf('cpu.powerbits', intel(85, 'acpi tm pbe est monitor'))).toBe('neutral')
    // A real dual-core Opteron of 2005 shows none.
    expect(readingOf('cpu.powerbits', amd(15, 33, ''))).toBe('neutral')
    expect(readingOf('cpu.powerbits', cpu({ vendor_id: 'CentaurHauls', flags: POWER }))).toBe('not-applicable')
  })
  test('cpu.pmu', () => {
    expect(readingOf('cpu.pmu', ICE_LAKE, platform({ pmus: ['cpu', 'uncore_imc_0', 'power'] }))).toBe('neutral')
    expect(readingOf('cpu.pmu', ZEN4, platform({ pmus: ['cpu', 'amd_df'] }))).toBe('neutral')
    expect(readingOf('cpu.pmu', ICE_LAKE, platform({}))).toBe('virtual odd')
    expect(readingOf('cpu.pmu', ICE_LAKE, platform({}), DOM0)).toBe('neutral')
    expect(readingOf('cpu.pmu', ICE_LAKE, platform({ pmus: ['cpu'] }))).toBe('virtual hint')
    expect(readingOf('cpu.pmu', intel(186, POWER), platform({ pmus: ['cpu_core', 'cpu_atom'] }))).toBe('neutral')
    expect(readingOf('cpu.pmu', PENRYN, platform({}))).toBe('neutral')
    const messages: Fact = [
      kernelMessages,
      known({ performance: 'PMU not available due to virtualization, using software events only.' } as KernelMessages),
    ]
    const found = of('cpu.pmu', ICE_LAKE, platform({}), messages)
    expect('signs' in found && found.signs[0]?.step.text).toContain('virtualization as the reason')
  })
  test('cpu.rapl and cpu.thermal', () => {
    const zones = platform({ powercap: ['intel-rapl:0'] })
    expect(readingOf('cpu.rapl', ICE_LAKE, zones, energy(1842))).toBe('bare-metal')
    expect(readingOf('cpu.rapl', ICE_LAKE, zones, energy(0))).toBe('virtual hint')
    expect(readingOf('cpu.rapl', ICE_LAKE, zones, energy(null))).toBe('neutral')
    expect(readingOf('cpu.rapl', ICE_LAKE, zones)).toBe('unreadable')
    expect(readingOf('cpu.rapl', ICE_LAKE, platform({}))).toBe('virtual hint')
    expect(readingOf('cpu.rapl', intel(47, POWER), platform({}))).toBe('not-applicable')
    expect(readingOf('cpu.rapl', amd(21, 2, AMD_POWER), platform({}))).toBe('not-applicable')
    const coretemp = platform({ sensors: ['nvme', 'coretemp'] })
    expect(readingOf('cpu.thermal', ICE_LAKE, coretemp, degrees(47, 105))).toBe('bare-metal')
    expect(readingOf('cpu.thermal', ICE_LAKE, coretemp, degrees(47, null))).toBe('bare-metal')
    // An empty register reads as the highest temperature there is.
    expect(readingOf('cpu.thermal', ICE_LAKE, coretemp, degrees(100, 100))).toBe('virtual hint')
    expect(readingOf('cpu.thermal', ICE_LAKE, coretemp, degrees(0, null))).toBe('virtual hint')
    expect(readingOf('cpu.thermal', ICE_LAKE, coretemp, degrees())).toBe('neutral')
    expect(readingOf('cpu.thermal', ICE_LAKE, coretemp)).toBe('unreadable')
    expect(readingOf('cpu.thermal', ICE_LAKE, platform({ sensors: ['nvme'] }), degrees())).toBe('virtual hint')
    expect(readingOf('cpu.thermal', PENRYN, platform({}), degrees())).toBe('neutral')
  })
  test('cpu.freq', () => {
    expect(
      readingOf('cpu.freq', ICE_LAKE, platform({ cpufreqDriver: 'intel_pstate', cpuidleDriver: 'intel_idle' })),
    ).toBe('bare-metal')
    expect(readingOf('cpu.freq', ZEN4, platform({ cpuidleDriver: 'haltpoll' }))).toBe('virtual hint')
    expect(readingOf('cpu.freq', ZEN4, platform({ cpuidleDriver: 'none' }))).toBe('virtual hint')
    expect(readingOf('cpu.freq', ZEN4, platform({ cpuidleDriver: 'acpi_idle' }))).toBe('neutral')
  })
  test('cpu.resctrl and cpu.ppin', () => {
    const gold = { 'model name': 'Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz' }
    expect(readingOf('cpu.resctrl', intel(85, `${POWER} cat_l3 cqm rdt_a mba`, gold))).toBe('bare-metal')
    expect(readingOf('cpu.resctrl', intel(85, POWER, gold))).toBe('virtual hint')
    expect(readingOf('cpu.resctrl', amd(23, 1, AMD_POWER, { 'model name': 'AMD EPYC 7451 24-Core Processor' }))).toBe(
      'neutral',
    )
    expect(readingOf('cpu.ppin', intel(85, 'intel_ppin'))).toBe('bare-metal')
    expect(readingOf('cpu.ppin', ICE_LAKE)).toBe('neutral')
  })
  test('cpu.msr', () => {
    const registers = (own: Partial<CpuRegisters>): Fact => [
      cpuMsr,
      known<CpuRegisters>({
        platformInfo: 0n,
        smiCount: 0n,
        temperatureTarget: 0n,
        powerUnit: 0n,
        amdPstate: 'refused',
        amdPowerUnit: 'refused',
        ...own,
      }),
    ]
    expect(readingOf('cpu.msr', ICE_LAKE, registers({ platformInfo: 0x1a00n, temperatureTarget: 0x640000n }))).toBe(
      'bare-metal',
    )
    expect(readingOf('cpu.msr', ICE_LAKE, registers({ platformInfo: 0x80000000n }))).toBe('virtual odd')
    expect(readingOf('cpu.msr', ICE_LAKE, registers({}), DOM0)).toBe('neutral')
    expect(readingOf('cpu.msr', ICE_LAKE, registers({ platformInfo: 0x1a00n }))).toBe('neutral')
    expect(readingOf('cpu.msr', ZEN4, registers({}))).toBe('virtual odd')
    expect(readingOf('cpu.msr', PENRYN, registers({}))).toBe('not-applicable')
  })
})

describe('arm64', () => {
  const tree = (files: string): Fact => [armPlatform, parseArmPlatform(files)]
  const midr = (value: string): string => `/sys/devices/system/cpu/cpu0/regs/identification/midr_el1:${value}\n`
  test('arm.midr', () => {
    expect(readingOf('arm.midr', ALTRA, tree(midr('0x00000000413fd0c1')))).toBe('neutral')
    expect(readingOf('arm.midr', ALTRA, tree(midr('0x00000000410fd4f0')))).toBe('virtual odd')
    expect(readingOf('arm.midr', ALTRA)).toBe('neutral')
    const max = cpu({ 'CPU implementer': '0x00', 'CPU part': '0x051' })
    expect(readingOf('arm.midr', max)).toBe('virtual impossible')
    expect(platforms('arm.midr', max)).toEqual(['QEMU TCG'])
    expect(readingOf('arm.midr', ICE_LAKE)).toBe('not-applicable')
  })
  test('arm.devicetree', () => {
    const guest = tree(
      '/proc/device-tree/model:linux,dummy-virt\0\n/proc/device-tree/compatible:linux,dummy-virt\0\n/proc/device-tree/hypervisor/compatible:linux,kvm\0\n',
    )
    expect(readingOf('arm.devicetree', ALTRA, guest)).toMatch(/^virtual names/)
    expect(platforms('arm.devicetree', ALTRA, guest)).toContain('KVM')
    const xen = tree('/proc/device-tree/compatible:xen,xenvm-4.17\0xen,xenvm\0\n')
    expect(platforms('arm.devicetree', ALTRA, xen)).toEqual(['Xen', 'Xen'])
    const board = tree(
      '/proc/device-tree/model:SolidRun LX2160A Honeycomb\0\n/proc/device-tree/compatible:solidrun,honeycomb\0fsl,lx2160a\0\n',
    )
    expect(readingOf('arm.devicetree', ALTRA, board)).toBe('bare-metal')
    expect(readingOf('arm.devicetree', ALTRA, tree(midr('0x413fd0c1')))).toBe('not-applicable')
    expect(readingOf('arm.devicetree', ICE_LAKE, guest)).toBe('not-applicable')
    expect(readingOf('arm.devicetree', ALTRA)).toBe('unreadable')
  })
  test.each([
    ['Altra', ['armv8_pmuv3_0', 'arm_cmn_0', 'arm_dmc620_10008c000', 'smmuv3_pmcg_ff88840']],
    ['Grace', ['armv8_pmuv3_0', 'nvidia_scf_pmu_0', 'nvidia_nvlink_c2c0_pmu_0', 'nvidia_cnvlink_pmu_0', 'arm_spe_0']],
    ['Kunpeng', ['armv8_pmuv3_0', 'hisi_sccl1_ddrc0', 'hisi_sccl3_l3c1']],
    ['Yitian', ['armv8_pmuv3_0', 'ali_drw_27080', 'arm_cmn_0']],
  ])('arm.pmu of %s', (_, pmus) => expect(readingOf('arm.pmu', ALTRA, platform({ pmus }))).toBe('bare-metal'))
  test('arm.pmu of a guest', () => {
    expect(readingOf('arm.pmu', ALTRA, platform({ pmus: ['armv8_pmuv3_0', 'software'] }))).toBe('virtual hint')
    const board = cpu({ 'CPU implementer': '0x41', 'CPU part': '0xd08' })
    expect(readingOf('arm.pmu', board, platform({ pmus: ['armv8_cortex_a72'] }))).toBe('neutral')
  })
})

describe('what the minimum evidence uses', () => {
  const guests = (...found: readonly string[]): Fact => [virtGuests, known({ found, openGuests: null })]
  test('host features of x86', () => {
    expect(hostFeatures(readOf(ICE_LAKE)).holds).toBe(true)
    expect(hostFeatures(readOf(intel(106, 'est'))).holds).toBe(false)
    expect(hostFeatures(readOf()).text).toContain('this was not collected')
  })
  test('host features of arm64', () => {
    const altra = platform({ pmus: ['arm_cmn_0', 'arm_spe_0'], cpufreqDriver: 'cppc_cpufreq' })
    expect(hostFeatures(readOf(ALTRA, altra)).holds).toBe(true)
    expect(hostFeatures(readOf(ALTRA, platform({ pmus: ['arm_cmn_0'] }), guests('/dev/kvm'))).holds).toBe(true)
    expect(hostFeatures(readOf(ALTRA, platform({ pmus: ['arm_cmn_0'] }), guests())).holds).toBe(false)
    expect(hostFeatures(readOf(ALTRA, platform({}), guests('/dev/kvm'))).holds).toBe(false)
    expect(hostFeatures(readOf(ALTRA)).holds).toBe(false)
  })
  test('instruments, each by a value and never by a name', () => {
    const found = (...facts: readonly Fact[]) =>
      instruments(readOf(...facts)).flatMap(({ name, is }) => (is === 'answers' ? [name] : []))
    const names = platform({
      powercap: ['intel-rapl:0'],
      pmus: ['uncore_imc_0', 'power', 'cstate_pkg'],
      memoryControllers: ['mc0'],
      sensors: ['coretemp'],
    })
    const sane: Fact = [
      cpuMsr,
      known({ platformInfo: 0x1a00n, temperatureTarget: 0x640000n, powerUnit: 0xa0e03n, smiCount: 1n }),
    ]
    expect(found(ICE_LAKE, names, energy(1842), sane, degrees(47, 105, 'Intel_10nm Socket#0 IMC#0'))).toEqual([
      'rapl',
      'msr',
      'thermal',
      'edac',
    ])
    expect(found(ICE_LAKE, names)).toEqual([])
    expect(found(ICE_LAKE, names, energy(0), degrees(100, 100, 'ghes_edac'))).toEqual([])
    expect(found()).toEqual([])
    for (const { text } of instruments(readOf())) expect(text).not.toBe('')
  })
})

describe('recorded nodes', () => {
  const probes = [...new Set(SIGNALS.flatMap((signal) => signal.probes))]
  const nodeReads = (node: string): ReadonlyMap<string, string> => {
    const captures = byKey(fixtureRecording(node, probes).captures)
    const read = ((probe: Probe<unknown>) => readProbe(probe, captures)) as Read
    return new Map(SIGNALS.map((signal) => [signal.id, signal.observe(read).indicates]))
  }
  test('the server: nothing reads virtual', () =>
    expect([...nodeReads('demo-gpu-01')].filter(([, reads]) => reads === 'virtual' || reads === 'unreadable')).toEqual(
      [],
    ))
  test('the EPYC behind a data-processing unit: nothing reads virtual', () =>
    expect([...nodeReads('fx-iso-dpu')].filter(([, reads]) => reads === 'virtual')).toEqual([]))
  test('the Altra: nothing reads virtual', () =>
    expect([...nodeReads('fx-iso-arm')].filter(([, reads]) => reads === 'virtual')).toEqual([]))
  test('the dressed-up guest is seen by most', () => {
    const reads = nodeReads('demo-metal-04')
    const seen = [...reads].flatMap(([id, as]) => (as === 'virtual' ? [id] : []))
    expect(seen).toEqual(
      expect.arrayContaining([
        'cpu.hvleaf',
        'cpu.maxleaf',
        'cpu.cache',
        'cpu.numa',
        'cpu.physbits',
        'cpu.powerbits',
        'cpu.msr',
      ]),
    )
    expect(reads.get('cpu.hvbit')).toBe('bare-metal')
  })
  test('the plain guest names its hypervisor', () => {
    const reads = nodeReads('demo-guest-03')
    for (const id of ['cpu.hvbit', 'cpu.hvleaf', 'cpu.clock', 'cpu.powerbits', 'cpu.maxleaf', 'cpu.tsc'])
      expect(reads.get(id)).toBe('virtual')
    expect(reads.get('cpu.msr')).toBe('unreadable')
  })
})
