import { hexOf } from '../../../core/base/digest.ts'
import { defineProbe, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { ALWAYS_FILE, grepIsComplete, OF_ALWAYS_FILE } from '../../base/read-text.ts'

export interface HypervisorLeaf {
  readonly vendor: string
  /** Printable signatures at 0x40000000 and every 0x100 above it that was read. */
  readonly signatures: readonly string[]
  /** Leaf 0x40000000 is all zeros. */
  readonly baseIsZero: boolean
  /**
   * Leaf 0x40000010 is not: Intel silicon returns the same for every leaf out of range, with its highest basic leaf (SDM vol. 2, CPUID).
   */
  readonly laterIsNot: boolean
  /** Every leaf that was read, from 0x40000000 on, holds the same. */
  readonly isUniform: boolean
  /** The value of leaf 0x40000010 in hex where a hypervisor has none of its own; compared with the basic leaves. */
  readonly filler: string
  /** How many leaves were read. */
  readonly leaves: number
  /** Hyper-V's privilege to create partitions (TLFS 2.4.4, leaf 0x40000003 EBX bit 0): only its root partition has it. */
  readonly mayCreatePartitions: boolean
}

const LEAF_BYTES = 16
/** 0x40000000 to 0x40000f00: hypervisors that offer the interface of another one put their own signature 0x100 or more above it. */
const LEAVES = 0xf01
/** The range of leaves in recordings from before it was extended. */
const LEAVES_BEFORE = 0x101

/** The device exists where the kernel’s module is loaded. */
const ON_CPUID = { needsPath: ['/dev/cpu/0/cpuid'] } as const

/** cpuid(4): the device reads one leaf per 16 bytes, its offset being the leaf number, hence skip_bytes. Absent where the module is. */
export const cpuHypervisorLeaf = defineProbe({
  id: 'cpu.hypervisor-leaf',
  title: 'Hypervisor signature in the processor’s identification',
  why: 'Hypervisors name themselves in a reserved range of the processor’s identification.',
  commands: {
    basic: runAsRoot(['dd', 'if=/dev/cpu/0/cpuid', 'bs=16', 'count=1', 'status=none'], ON_CPUID),
    // One read of the device for the whole range.
    reserved: runAsRoot(
      [
        'dd',
        'if=/dev/cpu/0/cpuid',
        `bs=${LEAVES * LEAF_BYTES}`,
        'count=1',
        'iflag=skip_bytes',
        'skip=1073741824',
        'status=none',
      ],
      ON_CPUID,
    ),
  },
  parse: ({ basic, reserved }) =>
    basic.exitCode !== 0 || reserved.exitCode !== 0
      ? unknown('the processor’s identification device could not be read; its kernel module may not be loaded')
      : parseHypervisorLeaf(basic.bytes, reserved.bytes),
})

/** Leaf 0, and the reserved range: the fact, or a reason where the response is not as long as what was requested. */
export function parseHypervisorLeaf(basic: Uint8Array, reserved: Uint8Array): Parsed<HypervisorLeaf> {
  const leaves = reserved.length / LEAF_BYTES
  if (basic.length !== LEAF_BYTES || (leaves !== LEAVES && leaves !== LEAVES_BEFORE))
    return unknown('the processor’s identification has an unexpected length')
  const leaf = (number: number): Uint8Array => reserved.subarray(number * LEAF_BYTES, (number + 1) * LEAF_BYTES)
  const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
  const bases = Array.from({ length: Math.floor((leaves - 1) / 0x100) + 1 }, (_, index) => leaf(index * 0x100))
  const signatures = bases.map((bytes) => text(bytes.subarray(4, 16)))
  const isHyperV = signatures[0] === 'Microsoft Hv'
  return known({
    vendor: text(Uint8Array.of(...basic.subarray(4, 8), ...basic.subarray(12, 16), ...basic.subarray(8, 12))),
    signatures: [...new Set(signatures)].filter((signature) => /^[\x20-\x7e]{6,12}$/.test(signature)),
    baseIsZero: isZero(leaf(0)),
    laterIsNot: !isZero(leaf(0x10)),
    isUniform: reserved.every((byte, index) => byte === reserved[index % LEAF_BYTES]),
    filler: hexOf(leaf(0x10)),
    leaves,
    mayCreatePartitions: isHyperV && ((leaf(3)[4] ?? 0) & 1) === 1,
  })
}

const text = (bytes: Uint8Array): string => String.fromCharCode(...bytes).replace(/\0+$/, '')

export interface CpuLeaves {
  readonly vendor: string
  /** Highest basic leaf (leaf 0 EAX). */
  readonly highest: number
  /** The highest basic leaf as reported, in hex; null where it is beyond what was requested. */
  readonly highestAnswer: string | null
  /**
   * Leaf 0x15: the ratio of the clock to the crystal, and the frequency of the crystal in Hz; null where the leaf is
   * absent.
   */
  readonly clock: { readonly denominator: number; readonly numerator: number; readonly crystal: number } | null
  /** The vendor in leaf 0x21 of a trust domain, "IntelTDX"; null where it is no evidence. */
  readonly trustDomain: string | null
  /** Address bits of leaf 0x80000008, and the number that memory encryption reserves (AMD, leaf 0x8000001f). */
  readonly addressBits: number | null
  readonly addressBitsTaken: number
}

const BASIC_LEAVES = 0x40
const EXTENDED_LEAVES = 0x30
const EXTENDED = 0x80000000

/** cpuid(4), as the device of cpu.hypervisor-leaf, sub-leaf 0 only. Intel SDM vol. 2 and AMD APM vol. 3 for what the leaves mean. */
export const cpuLeaves = defineProbe({
  id: 'cpu.leaves',
  title: 'Processor identification (CPUID)',
  why: 'The processor’s own identification, read without the kernel’s interpretation, shows what a hypervisor changed in it.',
  commands: {
    basic: runAsRoot(
      ['dd', 'if=/dev/cpu/0/cpuid', `bs=${BASIC_LEAVES * LEAF_BYTES}`, 'count=1', 'status=none'],
      ON_CPUID,
    ),
    extended: runAsRoot(
      [
        'dd',
        'if=/dev/cpu/0/cpuid',
        `bs=${EXTENDED_LEAVES * LEAF_BYTES}`,
        'count=1',
        'iflag=skip_bytes',
        `skip=${EXTENDED}`,
        'status=none',
      ],
      ON_CPUID,
    ),
  },
  parse: ({ basic, extended }) =>
    basic.exitCode !== 0 || extended.exitCode !== 0
      ? unknown('the processor’s identification device could not be read; its kernel module may not be loaded')
      : parseCpuLeaves(basic.bytes, extended.bytes),
})

/** The basic and the extended leaves, one after the other: the fact, or a reason where there are not as many as requested. */
export function parseCpuLeaves(basic: Uint8Array, extended: Uint8Array): Parsed<CpuLeaves> {
  if (basic.length !== BASIC_LEAVES * LEAF_BYTES || extended.length !== EXTENDED_LEAVES * LEAF_BYTES)
    return unknown('the processor’s identification has an unexpected length')
  const bytesOf = (leaf: number): Uint8Array => basic.subarray(leaf * LEAF_BYTES, (leaf + 1) * LEAF_BYTES)
  const register = (leaf: number, index: number): number =>
    leaf >= EXTENDED ? at(extended, leaf - EXTENDED, index) : at(basic, leaf, index)
  const highest = register(0, 0)
  const highestExtended = register(EXTENDED, 0)
  const takesBits = highestExtended >= 0x8000001f && (register(0x8000001f, 0) & 1) === 1
  return known({
    vendor: ascii(bytesOf(0), 4, 12, 8),
    highest,
    highestAnswer: highest < BASIC_LEAVES ? hexOf(bytesOf(highest)) : null,
    clock:
      highest >= 0x15
        ? { denominator: register(0x15, 0), numerator: register(0x15, 1), crystal: register(0x15, 2) }
        : null,
    trustDomain: highest >= 0x21 ? ascii(bytesOf(0x21), 4, 12, 8).trim() || null : null,
    addressBits: highestExtended >= 0x80000008 && highestExtended < 0x80010000 ? register(0x80000008, 0) & 0xff : null,
    addressBitsTaken: takesBits ? (register(0x8000001f, 1) >>> 6) & 0x3f : 0,
  })
}

/** EAX, EBX, ECX and EDX of a leaf are its four little-endian words. */
const at = (leaves: Uint8Array, leaf: number, index: number): number =>
  new DataView(leaves.buffer, leaves.byteOffset + leaf * LEAF_BYTES + index * 4, 4).getUint32(0, true)

const ascii = (leaf: Uint8Array, ...starts: readonly number[]): string =>
  String.fromCharCode(...starts.flatMap((start) => [...leaf.subarray(start, start + 4)]))
    .replace(/\0+$/, '')
    .replace(/[^\x20-\x7e]/g, '?')

export interface ArmPlatform {
  /** The first core's main id register, MIDR_EL1, as the kernel shows it; null where it shows none. */
  readonly midr: { readonly implementer: number; readonly part: number } | null
  /** From the device tree; null where the machine has none, as most servers with ACPI. */
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
