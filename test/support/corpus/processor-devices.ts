import { type CpuidDump, leafKey, type Registers, wordsOf } from './cpuid-dumps.ts'
import { sizeOf } from './shell-dd.ts'
import { type Printed, printed, type VirtualNode } from './virtual-node.ts'

const HYPERVISOR_LEAF = 0x40000000
const LATER_LEAF = 0x40000010
const EXTENDED_LEAF = 0x80000000
const NOTHING: Registers = [0, 0, 0, 0]

/**
 * The device that reads one leaf per 16 bytes, its offset being the leaf's number. Leaves that no one dumped are read as zeros, or as
 * those before them in the reserved range; but only where the ones that tell were dumped: the first asked for, the highest of a range
 * that is asked for whole and, where a hypervisor's first leaf is all zeros, one that follows it.
 */
export function putCpuidDevice(node: VirtualNode, { leaves }: CpuidDump): void {
  const at = (leaf: number): Registers | undefined => leaves.get(leafKey(leaf))
  node.program('dd', (argv) => {
    const asked = deviceRead(argv, '/dev/cpu/0/cpuid', 16)
    const first = asked === null ? undefined : at(asked.offset)
    if (asked === null || first === undefined || (asked.count > 1 && !isRange(at, asked.offset, first))) return null
    const bytes = Buffer.alloc(asked.count * 16)
    let filler = NOTHING
    for (let index = 0; index < asked.count; index += 1) {
      const leaf = asked.offset + index
      const own = at(leaf)
      if (leaf === LATER_LEAF && own !== undefined) filler = own
      for (const [place, word] of (own ?? filler).entries()) bytes.writeUInt32LE(word >>> 0, index * 16 + place * 4)
    }
    return printed(bytes)
  })
}

function isRange(at: (leaf: number) => Registers | undefined, offset: number, first: Registers): boolean {
  if (offset === HYPERVISOR_LEAF) return first.some((word) => word !== 0) || at(LATER_LEAF) !== undefined
  return offset === EXTENDED_LEAF || at(first[0]) !== undefined
}

/** The device that reads one register of the model per 8 bytes. Only registers that were captured are answered. */
export function putMsrDevice(node: VirtualNode, registers: ReadonlyMap<number, bigint>): void {
  node.program('dd', (argv) => {
    const asked = deviceRead(argv, '/dev/cpu/0/msr', 8)
    const value = asked === null ? undefined : registers.get(asked.offset)
    if (asked === null || value === undefined || asked.count !== 1) return null
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt.asUintN(64, value))
    return printed(bytes)
  })
}

interface DeviceRead {
  readonly offset: number
  readonly count: number
}

function deviceRead(argv: readonly string[], device: string, unit: number): DeviceRead | null {
  const settings = new Map(argv.slice(1).map((word) => [word.split('=')[0] ?? '', word.split('=').slice(1).join('=')]))
  if (settings.get('if') !== device || settings.has('of')) return null
  const size = sizeOf(settings.get('bs') ?? '512')
  const skip = Number(settings.get('skip') ?? '0') * (settings.get('iflag')?.includes('skip_bytes') ? 1 : size)
  const total = size * Number(settings.get('count') ?? '1')
  return total > 0 && total % unit === 0 ? { offset: skip, count: total / unit } : null
}

/** Nanoseconds that one access to a device took, by device and register, in runs: what dd says of a whole block of them. */
export function putAccessTimes(
  node: VirtualNode,
  device: 'cpuid' | 'msr',
  runs: readonly number[],
  register = 0,
): void {
  let next = 0
  node.program('dd', (argv): Printed | null => {
    const settings = new Map(argv.slice(1).map((word) => [word.split('=')[0] ?? '', word.split('=')[1] ?? '']))
    if (settings.get('if') !== `/dev/cpu/0/${device}` || settings.get('of') !== '/dev/null') return null
    if (device === 'msr' && Number(settings.get('skip') ?? '0') !== register) return null
    const bytes = sizeOf(settings.get('bs') ?? '512') * Number(settings.get('count') ?? '1')
    const nanoseconds = runs[next++ % runs.length]
    if (nanoseconds === undefined) return null
    const seconds = ((bytes / (device === 'cpuid' ? 16 : 8)) * nanoseconds) / 1e9
    const line = `${bytes} bytes copied, ${seconds.toFixed(6)} s, ${(bytes / seconds / 1e6).toFixed(1)} MB/s\n`
    return printed('', 0, `1+0 records in\n1+0 records out\n${line}`)
  })
}

/** A processor and a hypervisor that were seen by their signatures alone. */
export function signatureDump(vendor: string, level: number, signature: string): CpuidDump {
  // A vendor stands in EBX, EDX, ECX, a hypervisor's signature in EBX, ECX, EDX.
  const [ebx, edx, ecx] = wordsOf(vendor)
  return {
    leaves: new Map([
      [leafKey(0), [level, ebx, ecx, edx] as const],
      [leafKey(HYPERVISOR_LEAF), [HYPERVISOR_LEAF + 1, ...wordsOf(signature)] as const],
    ]),
    processors: 1,
  }
}
