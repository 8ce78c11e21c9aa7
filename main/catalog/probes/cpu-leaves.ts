import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { hexOf, ON_CPUID } from './cpu-hypervisor-leaf.ts'

export interface CpuLeaves {
  readonly vendor: string
  /** Highest basic leaf (leaf 0 EAX). */
  readonly highest: number
  /** The highest basic leaf as reported, in hex; null where it lies beyond what was requested. */
  readonly highestAnswer: string | null
  /** Leaf 0x15: the ratio of the clock to the crystal, and the crystal's speed in Hz; null where there is no such leaf. */
  readonly clock: { readonly denominator: number; readonly numerator: number; readonly crystal: number } | null
  /** What leaf 0x21 calls the world around a trust domain: "IntelTDX"; null where it is no evidence. */
  readonly trustDomain: string | null
  /** Address bits of leaf 0x80000008, and how many of them memory encryption takes away (AMD, leaf 0x8000001f). */
  readonly addressBits: number | null
  readonly addressBitsTaken: number
}

const LEAF_BYTES = 16
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
