import type { CpuFeatures } from '../probes/cpu-features.ts'

// Linux names of CPUID bits that describe power, thermal and trace hardware (arch/x86/include/asm/cpufeatures.h).
export const INTEL_POWER_BITS: readonly string[] =
  'acpi tm pbe dtes64 monitor ds_cpl est tm2 xtpr pdcm dts dtherm aperfmperf'.split(' ')
export const AMD_POWER_BITS: readonly string[] = 'monitor extapic ibs skinit wdt aperfmperf hw_pstate cpb'.split(' ')

// Of 64 CPUID dumps of physical Intel machines 62 show 12 or more of 13, and AMD's since 2011 show 7 or more of 8. QEMU has names for 11 of
// Intel's and 5 of AMD's, and x-force-features=on sets them in any guest (target/i386/cpu.c): a machine passes only with one that it has no
// name for. Monitors that take a bare register value (VMware, Xen, Firecracker) can set every one.
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
  // Of Xeon 6 no dump is on record: not less than the line before it.
  [173, { level: 32, part: 'Granite Rapids' }],
  [174, { level: 32, part: 'Granite Rapids' }],
  [175, { level: 32, part: 'Sierra Forest' }],
  [221, { level: 32, part: 'Clearwater Forest' }],
])

/** The lowest highest-leaf that this processor model has on silicon, where we know it. */
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
 * Whether the microcode revision is one that AMD made for another processor: since Zen its upper bytes hold family and model (AMD's loader
 * matches on them; Linux, arch/x86/kernel/cpu/microcode/amd.c, union zen_patch_rev). Null where that cannot be reported.
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

/** Models of Intel whose clock's speed the kernel knows from a table of its own, without CPUID (arch/x86/kernel/tsc_msr.c). */
export const INTEL_CLOCK_BY_TABLE: ReadonlySet<number> = new Set([0x27, 0x35, 0x37, 0x4a, 0x4c, 0x5a, 0x75])
