import type { CpuFeatures } from '../processors/features.ts'

/** Processors that come with one kind of host bridge: part of them since Nehalem, so the two cannot be mixed. */
interface Generation {
  readonly name: string
  /** Models of Intel family 6 (arch/x86/include/asm/intel-family.h). */
  readonly models: readonly number[]
  /** Device ids that Intel gave the host bridge, vendor 8086 (pci.ids). */
  readonly bridge: RegExp
}

const GENERATIONS: readonly Generation[] = [
  { name: 'Nehalem or Westmere server', models: [0x1a, 0x2c, 0x2e, 0x2f], bridge: /^340[0-7]$/ },
  { name: 'Sandy Bridge server', models: [0x2d], bridge: /^3c0[01]$/ },
  { name: 'Ivy Bridge server', models: [0x3e], bridge: /^0e0[01]$/ },
  { name: 'Haswell server', models: [0x3f], bridge: /^2f0[01]$/ },
  { name: 'Broadwell server', models: [0x4f, 0x56], bridge: /^6f0[01]$/ },
  { name: 'Skylake or Cascade Lake server', models: [0x55], bridge: /^2020$/ },
  // From Ice Lake to Xeon 6 one device is at the head of every root bus. pci.ids names it for Xeon 6 with P-cores (0xad, 0xae); those with
  // E-cores (0xaf, 0xdd) have the same I/O dies, and drivers/edac/i10nm_base.c reads both at the same places (gnr_cfg).
  { name: 'Ice Lake server or newer', models: [0x6a, 0x6c, 0x8f, 0xcf, 0xad, 0xae, 0xaf, 0xdd], bridge: /^09a2$/ },
  { name: 'Sandy Bridge', models: [0x2a], bridge: /^010[048c]$/ },
  { name: 'Ivy Bridge', models: [0x3a], bridge: /^015[048c]$/ },
  { name: 'Haswell', models: [0x3c, 0x45, 0x46], bridge: /^(0c0[048]|0a0[048]|0d0[048])$/ },
]

const bridgeOf = (device: string): Generation | null => GENERATIONS.find(({ bridge }) => bridge.test(device)) ?? null

/** The generation of this processor, where its host bridges are on record. Null for other manufacturers and other models. */
export const generationOf = ({ vendor, family, model }: CpuFeatures): Generation | null =>
  vendor === 'GenuineIntel' && family === 6
    ? (GENERATIONS.find(({ models }) => model !== null && models.includes(model)) ?? null)
    : null

export interface GenerationFit {
  readonly fit: 'fits' | 'differs' | 'unknown'
  /** Of which processors the bridge is part; null where it is on no record. */
  readonly bridgeOf: string | null
  readonly processor: string | null
}

/** Whether Intel's host bridge with this device id is part of this processor. Only two that are both on record can differ. */
export function fitOfBridge(cpu: CpuFeatures, device: string): GenerationFit {
  const [own, other] = [generationOf(cpu), bridgeOf(device)]
  const fit = own === null || other === null ? 'unknown' : own === other ? 'fits' : 'differs'
  return { fit, bridgeOf: other?.name ?? null, processor: own?.name ?? null }
}

const OLDER_INTEL = new Set([0x2c, 0x2e, 0x2f, 0x35, 0x36])

/** A processor whose memory controller and PCI Express root are in it and whose chipset is newer than 2010: Sandy Bridge, AMD family 14h, or later. */
export function isSince2011({ vendor, family, model }: CpuFeatures): boolean {
  if (family === null || model === null) return false
  if (vendor === 'GenuineIntel') return family === 6 ? model >= 0x2a && !OLDER_INTEL.has(model) : family > 15
  return (vendor === 'AuthenticAMD' && family >= 0x14) || (vendor === 'HygonGenuine' && family >= 0x18)
}

const UNCORE_ALWAYS = new Set([0x55, 0x6a, 0x6c, 0x8f, 0xcf])
const UNCORE_OFTEN = new Set([0x2d, 0x3e, 0x3f, 0x4f, 0x56, 0xad, 0xae, 0xaf, 0xdd])

/**
 * Whether the inside of this processor shows on the PCI bus. AMD: northbridge or data fabric at 00:18, since family 0Fh, and the kernel
 * cannot do without. Intel: servers; firmware hid the buses on some older ones. Null where we do not know.
 */
export function showsUncore({ vendor, family, model }: CpuFeatures): 'always' | 'often' | 'never' | null {
  if (family === null || model === null) return null
  if (vendor === 'AuthenticAMD') return family >= 0x0f ? 'always' : 'never'
  if (vendor === 'HygonGenuine') return 'always'
  if (vendor !== 'GenuineIntel' || family !== 6) return null
  if (UNCORE_ALWAYS.has(model)) return 'always'
  return UNCORE_OFTEN.has(model) ? 'often' : 'never'
}

/** The same of AMD, and of Hygon after its design: family, its models, and the vendor and device of the host bridge (pci.ids). */
const AMD_GENERATIONS: readonly {
  readonly name: string
  readonly family: number
  readonly models: readonly number[]
  readonly bridge: RegExp
}[] = [
  { name: 'Opteron', family: 0x10, models: [0x2, 0x4, 0x6, 0x8, 0x9, 0xa], bridge: /^(1002:5a1[0-4]|1022:960[01])$/ },
  { name: 'Opteron', family: 0x15, models: [0x1, 0x2], bridge: /^(1002:5a1[0-4]|1022:960[01])$/ },
  { name: 'Zen', family: 0x17, models: [0x1, 0x8], bridge: /^1022:1450$/ },
  { name: 'Hygon Dhyana', family: 0x18, models: [0x0, 0x1, 0x2], bridge: /^(1022|1d94):1450$/ },
  { name: 'Zen 2', family: 0x17, models: [0x31, 0x71], bridge: /^1022:1480$/ },
  { name: 'Zen 3', family: 0x19, models: [0x1, 0x8, 0x21], bridge: /^1022:1480$/ },
  { name: 'Zen 4 server', family: 0x19, models: [0x11, 0x18, 0xa0, 0xa1, 0xa2], bridge: /^1022:14a4$/ },
  { name: 'Zen 4', family: 0x19, models: [0x61], bridge: /^1022:14d8$/ },
  { name: 'Zen 5 server', family: 0x1a, models: [0x2, 0x8, 0x11], bridge: /^1022:153a$/ },
  { name: 'Zen 5', family: 0x1a, models: [0x44], bridge: /^1022:14d8$/ },
]

/** The name of the processor’s generation where it is on record and the bridge is its own; null where either is unknown, or they differ. */
export const amdOf = ({ family, model }: CpuFeatures, vendor: string, device: string): string | null =>
  AMD_GENERATIONS.find(
    (one) =>
      one.family === family && model !== null && one.models.includes(model) && one.bridge.test(`${vendor}:${device}`),
  )?.name ?? null
