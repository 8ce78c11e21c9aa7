import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'

export interface HypervisorLeaf {
  readonly vendor: string
  /** Non-empty signatures at 0x40000000 and 0x40000100. */
  readonly signatures: readonly string[]
  /** Leaf 0x40000000 is all zeros. */
  readonly baseIsZero: boolean
  /** Leaf 0x40000010 is not: Intel silicon answers every leaf out of range alike, with its highest basic leaf (SDM vol. 2, CPUID). */
  readonly laterIsNot: boolean
  /** Hyper-V's privilege to create partitions (TLFS 2.4.4, leaf 0x40000003 EBX bit 0): only its root partition has it. */
  readonly mayCreatePartitions: boolean
}

const LEAF_BYTES = 16
const LEAVES = 257

/** cpuid(4): the device reads one leaf per 16 bytes, its offset being the leaf number, hence skip_bytes. Absent where the module is. */
export const cpuHypervisorLeaf = defineProbe({
  id: 'cpu.hypervisor-leaf',
  title: 'Hypervisor signature in the processor’s identification',
  why: 'Hypervisors name themselves in a reserved range of the processor’s identification.',
  commands: {
    basic: runAsRoot(['dd', 'if=/dev/cpu/0/cpuid', 'bs=16', 'count=1', 'status=none']),
    reserved: runAsRoot([
      'dd',
      'if=/dev/cpu/0/cpuid',
      'bs=16',
      `count=${LEAVES}`,
      'iflag=skip_bytes',
      'skip=1073741824',
      'status=none',
    ]),
  },
  parse: ({ basic, reserved }) =>
    basic.exitCode !== 0 || reserved.exitCode !== 0
      ? unknown('the processor’s identification device could not be read; its kernel module may not be loaded')
      : parseHypervisorLeaf(basic.bytes, reserved.bytes),
})

export function parseHypervisorLeaf(basic: Uint8Array, reserved: Uint8Array): Parsed<HypervisorLeaf> {
  if (basic.length !== LEAF_BYTES || reserved.length !== LEAVES * LEAF_BYTES)
    return unknown('the processor’s identification has another length than asked for')
  const leaf = (number: number): Uint8Array => reserved.subarray(number * LEAF_BYTES, (number + 1) * LEAF_BYTES)
  const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
  const signatures = [leaf(0), leaf(0x100)].map((bytes) => text(bytes.subarray(4, 16)))
  const isHyperV = signatures[0] === 'Microsoft Hv'
  return known({
    vendor: text(Uint8Array.of(...basic.subarray(4, 8), ...basic.subarray(12, 16), ...basic.subarray(8, 12))),
    signatures: signatures.filter((signature) => /^[\x20-\x7e]{6,12}$/.test(signature)),
    baseIsZero: isZero(leaf(0)),
    laterIsNot: !isZero(leaf(0x10)),
    mayCreatePartitions: isHyperV && ((leaf(3)[4] ?? 0) & 1) === 1,
  })
}

const text = (bytes: Uint8Array): string => String.fromCharCode(...bytes).replace(/\0+$/, '')
