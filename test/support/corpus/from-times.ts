import { putAccessTimes } from './processor-devices.ts'
import type { VirtualNode } from './virtual-node.ts'

const CPUID_CALLS_PER_BYTE = 1 / 16

/**
 * How long accesses to the processor's devices took: "dev_cpuid_ns=278 bytes=1048576" and "dev_msr_ns c0000102=316", nanoseconds per
 * access; or what dd says of each run, all of them of the identification.
 */
export function putTimes(node: VirtualNode, text: string): void {
  const numbers = (pattern: RegExp): readonly number[] =>
    [...text.matchAll(pattern)].map(([, number]) => Number(number))
  const summaries = [...text.matchAll(/^(\d+) bytes .*copied, ([\d.]+) s/gm)].map(
    ([, bytes, seconds]) => (Number(seconds) * 1e9) / (Number(bytes) * CPUID_CALLS_PER_BYTE),
  )
  const cpuid = [...numbers(/^dev_cpuid_ns=(\d+)/gm), ...summaries]
  if (cpuid.length > 0) putAccessTimes(node, 'cpuid', cpuid)
  for (const [, register = '', nanoseconds] of text.matchAll(/^dev_msr_ns ([0-9a-f]+)=(\d+)/gm))
    putAccessTimes(node, 'msr', [Number(nanoseconds)], Number.parseInt(register, 16))
}
