import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'

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
  /** The response of leaf 0x40000010 in hex, where a hypervisor has nothing of its own to state; for comparison with the basic leaves. */
  readonly filler: string
  /** How many leaves were read. */
  readonly leaves: number
  /** Hyper-V's privilege to create partitions (TLFS 2.4.4, leaf 0x40000003 EBX bit 0): only its root partition has it. */
  readonly mayCreatePartitions: boolean
}

const LEAF_BYTES = 16
/** 0x40000000 to 0x40000f00: hypervisors that offer the interface of another one put their own signature 0x100 or more above it. */
const LEAVES = 0xf01
/** What recordings hold that were taken before the range was widened. */
const LEAVES_BEFORE = 0x101

/** The device is there where the kernel's module is loaded. */
export const ON_CPUID = { needsPath: ['/dev/cpu/0/cpuid'] } as const

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

/** Bytes as hex digits. */
export const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
