import { defineProbe, glob, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { sysfsValues, wholeNumber } from '../isolation/listing.ts'

export interface CpuCache {
  readonly level: number
  readonly kind: 'Data' | 'Instruction' | 'Unified'
  readonly kib: number
}

export interface CpuTopology {
  /** CPUs that are in use and state where they sit. */
  readonly cpus: number
  readonly packages: number
  /** Distinct cores, by which CPUs share one; null where the kernel does not state. Core numbers repeat within a socket on some kernels. */
  readonly cores: number | null
  /** The CPUs that share the first CPU's core, such as "0,56". */
  readonly firstSiblings: readonly number[] | null
  /** Caches of the first CPU. */
  readonly caches: readonly CpuCache[]
  /** Memory nodes, and how far each calls the others (10 is itself). Empty where the kernel knows no nodes. */
  readonly distances: readonly (readonly number[])[]
  /** CPUs that could be in use and are not. Null where the kernel does not state. */
  readonly offline: number | null
  /** on, off, forceoff, notsupported, notimplemented; null on older kernels. */
  readonly threads: string | null
}

const CPUS = '/sys/devices/system/cpu'
const NAMES = [
  'physical_package_id',
  'thread_siblings_list',
  'level',
  'type',
  'size',
  'distance',
  'online',
  'present',
  'control',
]

/** Documentation/ABI/testing/sysfs-devices-system-cpu and sysfs-devices-node (Documentation/ABI/stable). */
export const cpuTopology = defineProbe({
  id: 'cpu.topology',
  title: 'Layout of the processors, their caches and their memory',
  why: 'Sockets, cores, caches and distances between memory nodes follow from the processor’s model; guests often receive different ones.',
  commands: {
    values: run(
      [
        'grep',
        '-sH',
        '',
        glob('/sys/devices/system/cpu/cpu*/topology/physical_package_id'),
        glob('/sys/devices/system/cpu/cpu*/topology/thread_siblings_list'),
        glob('/sys/devices/system/cpu/cpu0/cache/index*/level'),
        glob('/sys/devices/system/cpu/cpu0/cache/index*/type'),
        glob('/sys/devices/system/cpu/cpu0/cache/index*/size'),
        glob('/sys/devices/system/node/node*/distance'),
        '/sys/devices/system/cpu/online',
        '/sys/devices/system/cpu/present',
        '/sys/devices/system/cpu/smt/control',
      ],
      { maxBytes: 1024 * 1024 },
    ),
  },
  parse: ({ values }) => parseTopology(values.text),
})

/** `grep -H` over the files above: the layout, or a reason where no CPU states where it sits. */
export function parseTopology(text: string): Parsed<CpuTopology> {
  const values = sysfsValues(text, NAMES)
  const of = (pattern: RegExp): readonly (readonly [string, string])[] =>
    [...values].flatMap(([path, value]) => {
      const key = pattern.exec(path)?.[1]
      return key === undefined ? [] : [[key, value] as const]
    })
  const packages = new Map(of(/^\/sys\/devices\/system\/cpu\/cpu(\d{1,5})\/topology\/physical_package_id$/))
  const siblings = new Map(of(/^\/sys\/devices\/system\/cpu\/cpu(\d{1,5})\/topology\/thread_siblings_list$/))
  if (packages.size === 0) return unknown('the kernel does not report the location of its processors')
  return known({
    cpus: packages.size,
    packages: new Set(packages.values()).size,
    cores: siblings.size === packages.size ? new Set(siblings.values()).size : null,
    firstSiblings: listOf(siblings.get('0')),
    caches: cachesOf(values),
    distances: [...of(/^\/sys\/devices\/system\/node\/node(\d{1,5})\/distance$/)]
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([, row]) => row.split(/\s+/).map(Number).filter(Number.isFinite)),
    offline: offlineOf(listOf(values.get(`${CPUS}/online`)), listOf(values.get(`${CPUS}/present`))),
    threads: values.get(`${CPUS}/smt/control`) ?? null,
  })
}

function cachesOf(values: ReadonlyMap<string, string>): readonly CpuCache[] {
  return Array.from({ length: 8 }, (_, index) => `${CPUS}/cpu0/cache/index${index}`).flatMap((folder) => {
    const [level, kind] = [wholeNumber(values.get(`${folder}/level`)), values.get(`${folder}/type`)]
    const kib = wholeNumber(/^(\d{1,9})K$/.exec(values.get(`${folder}/size`) ?? '')?.[1])
    return level !== null && kib !== null && (kind === 'Data' || kind === 'Instruction' || kind === 'Unified')
      ? [{ level, kind, kib }]
      : []
  })
}

const MOST_CPUS = 65536

/** A list of the kernel such as "0-3,8": its numbers, or null where it is none. */
export function listOf(text: string | undefined): readonly number[] | null {
  if (text === undefined) return null
  const numbers = new Set<number>()
  for (const part of text.split(',')) {
    const [, from, to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? []
    if (from === undefined) return null
    const [first, last] = [Number(from), Math.min(Number(to ?? from), MOST_CPUS)]
    if (last < first || numbers.size > MOST_CPUS) return null
    for (let number = first; number <= last; number++) numbers.add(number)
  }
  return [...numbers].sort((a, b) => a - b)
}

function offlineOf(online: readonly number[] | null, present: readonly number[] | null): number | null {
  if (online === null || present === null) return null
  const running = new Set(online)
  return present.filter((cpu) => !running.has(cpu)).length
}
