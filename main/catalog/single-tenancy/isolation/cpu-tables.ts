import type { CpuFeatures } from '../../hardware/processors/features.ts'

// Cores per processor of Intel's scalable server line, by the number in its name; suffixes count where they name another part. As
// published; the 22 of them that are in firmware tables of physical machines on record agree. Parts made for one customer are left out.
const XEON_CORES: readonly (readonly [cores: number, numbers: string])[] = [
  [144, '6780E 6766E'],
  [128, '6980P 6756E'],
  [120, '6979P'],
  [112, '6746E'],
  [96, '6972P 6952P 6740E 6731E'],
  [86, '6787P 6788P'],
  [80, '6781P'],
  [72, '6960P'],
  [64, '8592+ 8592V 6776P 6774P 6767P 6761P 6760P 6710E'],
  [60, '8490H 8580'],
  [56, '8480+ 8570 9480'],
  [52, '8470 8470N 8470Q 9470'],
  [48, '8468 8468H 8468V 8558 8558P 8558U 8568Y+ 9468 6748P 6747P 6741P 6740P'],
  [44, '8458P'],
  [40, '8380 8460H 8460Y+ 9460'],
  [38, '8368 8368Q'],
  [36, '8360Y 8351N 8352V 8452Y 6554S 6736P'],
  [
    32,
    '8358 8358P 8362 8352Y 8352S 8352M 6338 6338N 6314U 8454H 8462Y+ 6430 6438Y+ 6438M 6438N 6448Y 6454S 6458Q 6414U 6421N 6530 6538Y+ 6538N 6548Y+ 6548N 6558Q 8562Y+ 9462 6745P 6738P 6737P 6732P 6731P 6730P 6530P',
  ],
  [28, '8180 8176 8280 8276 8280L 8276L 8176M 8180M 6258R 6238R 6348 6330 6330N 8450H 5420+ 5520+ 5512U'],
  [26, '8170 8164 8270 6230R 5320'],
  [
    24,
    '8160 8168 8260 8268 8260Y 8260L 8160M 6248R 6240R 6252 6252N 6212U 5220R 6342 6336Y 6338T 6312U 5318Y 5318S 5318N 6442Y 6418H 6428N 5418Y 5418N 5411N 5412U 6542Y 4516Y+ 6728P 6527P 6521P 6520P',
  ],
  [22, '6152 6238 6238T'],
  [20, '6138 6138P 6148 6230 6230N 6248 6242R 6210U 5218R 4316 5320T 6222V 4416+'],
  [18, '6140 6150 6154 6240 6254 6240Y 5220 5220S 5220T 6354 6416H'],
  [
    16,
    '8153 8253 6130 6142 6142M 6242 6246R 6226R 5218 5218B 5218N 5218T 6208U 4216 6326 6346 4314 6426Y 6444Y 8444H 5416S 6526Y 6544Y 4514Y 6724P 6517P 6515P 6511P',
  ],
  [14, '6132 5120 5119T 5120T'],
  [12, '8158 6126 6126T 6136 6146 6226 6246 5118 4116 4116T 4214 4214R 4214Y 5317 4310 4410Y 4510 6505P'],
  [10, '5115 5215 5215L 4114 4114T 4210 4210R 4210T 4310T 4410T'],
  [
    8,
    '6134 6134M 6144 6234 6244 5217 4108 4109T 4110 4208 4209T 4215 4215R 3106 3206R 4309Y 6334 5315Y 6434 6434H 5415+ 3408U 6534 5515+ 4509Y 6714P 6507P',
  ],
  [6, '6128 3104 3204'],
  [4, '8156 8256 5122 5222 4112'],
]
const CORES_BY_NUMBER: ReadonlyMap<string, number> = new Map(
  XEON_CORES.flatMap(([cores, numbers]) => numbers.split(' ').map((number) => [number, cores] as const)),
)

/** Whether the name itself states the number of cores, so that no list can be wrong about it. */
export const namesItsCores = (modelName: string | null): boolean =>
  /\b\d{1,3}-Core Processor/.test((modelName ?? '').slice(0, 200))

/** How many cores one processor of this name has: AMD states this in the name itself, Intel's server parts are listed. Null for others. */
export function coresByName(modelName: string | null): number | null {
  const name = (modelName ?? '').slice(0, 200)
  const stated = /\b(\d{1,3})-Core Processor/.exec(name)?.[1]
  if (stated !== undefined) return Number(stated)
  const number =
    /Xeon\(R\) (?:Platinum |Gold |Silver |Bronze |(?:CPU )?Max |(?=6\d{3}[PE](?: |$)))(\d{4}[A-Z]{0,2}\+?)(?: |$)/.exec(
      name,
    )?.[1]
  return number === undefined ? null : (CORES_BY_NUMBER.get(number) ?? null)
}

const oneOf = (model: number, ...models: readonly number[]): boolean => models.includes(model)

/** Size in KiB of a core's own second-level cache, which is the same on every processor of a model. Null where it is not on record. */
export function secondLevelCache({ vendor, family, model }: CpuFeatures): number | null {
  if (family === null || model === null) return null
  if (vendor === 'GenuineIntel' && family === 6) {
    // Nehalem to Broadwell, server and client, and Skylake's clients of the first years.
    if (oneOf(model, 26, 30, 37, 44, 46, 47, 42, 45, 58, 62, 60, 63, 69, 70, 71, 61, 79, 86, 78, 94, 142, 158))
      return 256
    if (model === 85) return 1024
    if (oneOf(model, 106, 108)) return 1280
    if (oneOf(model, 143, 207, 173, 174)) return 2048
    // Four E-cores share one.
    return oneOf(model, 175, 221) ? 4096 : null
  }
  if (vendor === 'HygonGenuine' && family === 24) return 512
  if (vendor !== 'AuthenticAMD') return null
  if (family === 23) return 512
  // Zen 3 and Zen 4 share a family: 00h-0fh, 20h-5fh are Zen 3; 10h-1fh, 60h-7fh, a0h-afh Zen 4.
  if (family === 25)
    return model < 0x10 || (model >= 0x20 && model < 0x60) ? 512 : model < 0x80 || model >= 0xa0 ? 1024 : null
  return family === 26 && model < 0x80 ? 1024 : null
}

/** Range of physical address bits that a processor of this model shows, by what the manufacturer built and what its settings take away. */
export function addressBits(cpu: CpuFeatures): readonly [least: number, most: number] | null {
  const { vendor, family, model, marks } = cpu
  if (family === null || model === null) return null
  if (vendor === 'GenuineIntel' && family === 6) {
    // Keys of memory encryption take up to fifteen bits away (Linux, detect_tme).
    const taken = marks.includes('tme') ? 15 : 0
    if (oneOf(model, 45, 62, 63, 79, 85)) return [46, 46]
    return oneOf(model, 106, 108, 143, 207, 173, 174, 175, 221) ? [46 - taken, 52] : null
  }
  if (vendor !== 'AuthenticAMD') return null
  if (family === 16 || family === 21) return [48, 48]
  // Memory encryption takes five or six away.
  return family === 23 || family === 25 || family === 26 ? [42, 52] : null
}

/** A processor of a server line that a kernel of today counts units outside the cores for. */
export const isServerPart = ({ vendor, family, model, modelName }: CpuFeatures): boolean =>
  (vendor === 'GenuineIntel' &&
    family === 6 &&
    model !== null &&
    oneOf(model, 45, 62, 63, 79, 86, 85, 106, 108, 143, 207)) ||
  (vendor === 'AuthenticAMD' && family !== null && family >= 0x15 && /\b(EPYC|Opteron)\b/.test(modelName ?? ''))

// Of 64 CPUID dumps of physical Intel machines, 62 show 12 or more of 13; AMD’s since 2011 show 7 or more of 8. QEMU
// has names for 11 of Intel’s and 5 of AMD’s, and x-force-features=on sets them in any guest (target/i386/cpu.c): a
// machine passes only with one that QEMU has no name for. Monitors that accept a raw register value (VMware, Xen,
// Firecracker) can set every one.
const PASS: Readonly<Record<string, number>> = { GenuineIntel: 12, AuthenticAMD: 7, HygonGenuine: 7 }
export const FEW_POWER_BITS = 3

export const hasHostPowerBits = ({ vendor, powerBits }: CpuFeatures): boolean =>
  vendor !== null && powerBits.length >= (PASS[vendor] ?? Number.POSITIVE_INFINITY)

// Low-power and last front-side-bus parts with numbers above Nehalem's first: Bonnell and Saltwell Atoms, Dunnington.
const OLDER_INTEL_MODELS: ReadonlySet<number> = new Set([0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36])

/** A server or desktop processor launched after 2009, by family and model: Nehalem and later, AMD family 14h and later. */
export function isSince2009({ vendor, family, model }: CpuFeatures): boolean {
  if (family === null || model === null) return false
  if (vendor === 'GenuineIntel') return (family === 6 && model >= 0x1a && !OLDER_INTEL_MODELS.has(model)) || family > 15
  return (vendor === 'AuthenticAMD' && family >= 0x14) || (vendor === 'HygonGenuine' && family >= 0x18)
}

interface Highest {
  readonly level: number
  readonly part: string
}

// Highest basic CPUID leaf of server parts, by family-6 model: the lowest that any dump of a physical one shows. Linux lifts the old
// "limit CPUID" switch of the BIOS at boot.
const LOWEST_CPUID_LEVEL: ReadonlyMap<number, Highest> = new Map([
  [26, { level: 11, part: 'Nehalem server' }],
  [44, { level: 11, part: 'Westmere server' }],
  [46, { level: 11, part: 'Nehalem server' }],
  [47, { level: 11, part: 'Westmere server' }],
  [45, { level: 13, part: 'Sandy Bridge server' }],
  [62, { level: 13, part: 'Ivy Bridge server' }],
  [63, { level: 15, part: 'Haswell server' }],
  [79, { level: 20, part: 'Broadwell server' }],
  [86, { level: 20, part: 'Broadwell server' }],
  [85, { level: 22, part: 'Skylake or Cascade Lake server' }],
  [106, { level: 27, part: 'Ice Lake server' }],
  [108, { level: 27, part: 'Ice Lake server' }],
  [143, { level: 32, part: 'Sapphire Rapids' }],
  [207, { level: 32, part: 'Emerald Rapids' }],
  // No dump of Xeon 6 is on record; assumed to be at least the value of the previous line.
  [173, { level: 32, part: 'Granite Rapids' }],
  [174, { level: 32, part: 'Granite Rapids' }],
  [175, { level: 32, part: 'Sierra Forest' }],
  [221, { level: 32, part: 'Clearwater Forest' }],
])

/** The lowest highest-leaf that this processor model has on silicon, where it is known. */
export function lowestCpuidLevel({ vendor, family, model }: CpuFeatures): Highest | null {
  if (family === null || model === null) return null
  if (vendor === 'GenuineIntel') return family === 6 ? (LOWEST_CPUID_LEVEL.get(model) ?? null) : null
  if (vendor === 'HygonGenuine') return family === 24 ? { level: 13, part: 'Dhyana' } : null
  if (vendor !== 'AuthenticAMD') return null
  if (family === 21) return { level: 13, part: 'AMD family 15h' }
  if (family === 23) return { level: model >= 0x30 ? 16 : 13, part: model >= 0x30 ? 'Zen 2' : 'Zen' }
  return family === 25 || family === 26 ? { level: 16, part: family === 25 ? 'Zen 3 or 4' : 'Zen 5' } : null
}

/** The highest leaf of AMD's processors up to Zen 5, which no revision of them exceeds; null for others. */
export const highestCpuidLevel = ({ vendor, family, model }: CpuFeatures): number | null =>
  vendor === 'AuthenticAMD' && (family === 23 || family === 25 || (family === 26 && model !== null && model < 0x50))
    ? 16
    : null

/**
 * Whether AMD made the microcode revision for another processor: since Zen, its upper bytes contain family and model
 * (AMD’s loader compares them; Linux, arch/x86/kernel/cpu/microcode/amd.c, union zen_patch_rev). Null where that
 * cannot be determined.
 */
export function hasForeignMicrocode({ vendor, family, model, microcode }: CpuFeatures): boolean | null {
  if (vendor !== 'AuthenticAMD' || family === null || model === null || microcode === null) return null
  if (family < 0x17 || !/^0x[0-9a-f]{1,8}$/i.test(microcode)) return null
  const revision = Number(microcode)
  const [ownFamily, ownModel] = [(revision >>> 24) + 0xf, (((revision >>> 20) & 0xf) << 4) | ((revision >>> 12) & 0xf)]
  return ownFamily !== family || ownModel !== model
}

/** Microcode revisions that hypervisors show when no one sets one: KVM on Intel and on AMD (vmx.c, svm.c), Hyper-V. */
export const DEFAULT_MICROCODE: ReadonlySet<string> = new Set(['0x1', '0x1000065', '0xffffffff'])

/** CPUID signatures of hypervisors, at leaf 0x40000000 and every 0x100 above it. */
export const HYPERVISOR_SIGNATURES: ReadonlyMap<string, string> = new Map([
  ['KVMKVMKVM', 'KVM'],
  ['Linux KVM Hv', 'KVM'],
  ['TCGTCGTCGTCG', 'QEMU TCG'],
  ['VMwareVMware', 'VMware'],
  ['Microsoft Hv', 'Microsoft Hyper-V'],
  ['XenVMMXenVMM', 'Xen'],
  ['bhyve bhyve ', 'bhyve'],
  ['ACRNACRNACRN', 'ACRN'],
  ['QNXQVMBSQG', 'QNX'],
  ['SRESRESRESRE', 'Lockheed Martin LMHS'],
  ['Apple VZ', 'Apple Virtualization'],
  ['LKVMLKVMLKVM', 'kvmtool'],
  ['OpenBSDVMM58', 'OpenBSD vmm'],
  [' lrpepyh  vr', 'Parallels'],
  ['prl hyperv  ', 'Parallels'],
  ['EVMMEVMMEVMM', 'Intel KGT'],
])

/** Models of Intel for which the kernel takes the clock rate from its own table, without CPUID (arch/x86/kernel/tsc_msr.c). */
export const INTEL_CLOCK_BY_TABLE: ReadonlySet<number> = new Set([0x27, 0x35, 0x37, 0x4a, 0x4c, 0x5a, 0x75])

// Manufacturers (implementer codes) and server cores (part numbers) of arm64: Linux arch/arm64/include/asm/cputype.h; util-linux
// lscpu-arm.c.
const MAKERS: ReadonlyMap<number, string> = new Map([
  [0x41, 'Arm'],
  [0x42, 'Broadcom'],
  [0x43, 'Cavium'],
  [0x46, 'Fujitsu'],
  [0x48, 'HiSilicon'],
  [0x4e, 'NVIDIA'],
  [0x50, 'Applied Micro'],
  [0x51, 'Qualcomm'],
  [0x61, 'Apple'],
  [0x6d, 'Microsoft'],
  [0x70, 'Phytium'],
  [0xc0, 'Ampere'],
])
const SERVER_CORES: ReadonlyMap<number, ReadonlyMap<number, string>> = new Map([
  [
    0x41,
    new Map([
      [0xd0c, 'Neoverse N1'],
      [0xd40, 'Neoverse V1'],
      [0xd49, 'Neoverse N2'],
      [0xd4f, 'Neoverse V2'],
      [0xd84, 'Neoverse V3'],
      [0xd8e, 'Neoverse N3'],
    ]),
  ],
  [
    0x43,
    new Map([
      [0x0a1, 'ThunderX'],
      [0x0af, 'ThunderX2'],
    ]),
  ],
  [0x46, new Map([[0x001, 'A64FX']])],
  [
    0x48,
    new Map([
      [0xd01, 'TaiShan v110'],
      [0xd02, 'TaiShan v120'],
    ]),
  ],
  [0x4e, new Map([[0x010, 'Olympus']])],
  [0x6d, new Map([[0xd49, 'Azure Cobalt 100']])],
  [
    0xc0,
    new Map([
      [0xac3, 'AmpereOne'],
      [0xac4, 'AmpereOne A'],
      [0xac5, 'AmpereOne B'],
    ]),
  ],
])

const hex = (number: number): string => `0x${number.toString(16)}`

/** "Arm Neoverse N1", or the manufacturer and the number of the part. */
export const armCoreName = (implementer: number, part: number): string =>
  `${MAKERS.get(implementer) ?? `maker ${hex(implementer)}`} ${SERVER_CORES.get(implementer)?.get(part) ?? `part ${hex(part)}`}`

/** A core that is built into servers only. */
export const isArmServerCore = (implementer: number, part: number): boolean =>
  SERVER_CORES.get(implementer)?.has(part) === true
