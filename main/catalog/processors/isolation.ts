import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { defineProbe, glob, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { wholeNumber } from '../isolation/listing.ts'
import { ALWAYS_FILE, foundLines, grepIsComplete, OF_ALWAYS_FILE, oneLineFiles } from '../read-text.ts'
import { gibibytes } from '../steady.ts'
import { count, named, supports, unclear } from '../steps.ts'
import { type CpuTopology, cpuTopology, listOf } from './features.ts'

interface CpuIsolation {
  /** The kernel's arguments about it, as they were given: isolcpus, nohz_full, rcu_nocbs. */
  readonly kernelArguments: readonly string[]
  /** CPUs that the scheduler leaves alone, and CPUs without a periodic tick; null where the kernel does not show it. */
  readonly isolated: readonly number[] | null
  readonly tickless: readonly number[] | null
  /** The kernel preempts everywhere (PREEMPT_RT); null where nothing was readable that shows. */
  readonly isRealTime: boolean | null
  /** Whether the kernel moves pages and tasks between memory nodes on its own; null where it cannot. */
  readonly isBalancing: boolean | null
  /** Memory nodes, by number, with their memory. */
  readonly nodes: readonly { readonly node: number; readonly totalKib: number }[]
}

const FILES = {
  isolated: '/sys/devices/system/cpu/isolated',
  tickless: '/sys/devices/system/cpu/nohz_full',
  realTime: '/sys/kernel/realtime',
  balancing: '/proc/sys/kernel/numa_balancing',
  version: '/proc/sys/kernel/version',
} as const

/**
 * Documentation/ABI/testing/sysfs-devices-system-cpu (isolated, nohz_full) and stable/sysfs-devices-node (meminfo);
 * admin-guide/kernel-parameters.txt; admin-guide/sysctl/kernel.rst (numa_balancing). /sys/kernel/realtime is of the PREEMPT_RT patches;
 * kernels with it built in (6.12) name it in their version alone (init/version-timestamp.c).
 */
export const cpuIsolation = defineProbe({
  id: 'cpu.isolation',
  title: 'Isolated CPUs and memory nodes',
  why: 'Shows which CPUs the kernel keeps free of other work, whether it is a real-time kernel, and how memory is divided.',
  ignoredInDrift: {
    why: 'The kernel reserves a slightly different number of pages at each start.',
    normalize: ({ nodes, ...rest }: CpuIsolation) => ({
      ...rest,
      nodes: nodes.map(({ node, totalKib }) => ({ node, gibibytes: gibibytes(totalKib) })),
    }),
  },
  commands: {
    files: run(['grep', '-sH', '', ...Object.values(FILES), ALWAYS_FILE], OF_ALWAYS_FILE),
    kernel: run(
      ['grep', '-oHE', '(isolcpus|nohz_full|rcu_nocbs)(=[0-9a-z,:_/-]+)?|^Linux$', '/proc/cmdline', ALWAYS_FILE],
      OF_ALWAYS_FILE,
    ),
    memory: run(
      ['grep', '-sHE', 'MemTotal:|^Linux$', glob('/sys/devices/system/node/node*/meminfo'), ALWAYS_FILE],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ files, kernel, memory }) {
    if (!grepIsComplete(kernel)) return unknown('the kernel’s arguments could not be read')
    const values = oneLineFiles(files.text)
    const version = values.get(FILES.version)
    const realTime = values.get(FILES.realTime)
    const balancing = wholeNumber(values.get(FILES.balancing))
    return known<CpuIsolation>({
      kernelArguments: foundLines(kernel.text).flatMap(({ path, line }) => (path === ALWAYS_FILE ? [] : [line])),
      isolated: cpusOf(values.get(FILES.isolated)),
      tickless: cpusOf(values.get(FILES.tickless)),
      isRealTime: realTime === '1' ? true : version === undefined ? null : /\bPREEMPT[_ ]RT\b/.test(version),
      isBalancing: balancing === null ? null : balancing > 0,
      nodes: foundLines(memory.text)
        .flatMap(({ line }) => {
          const [, node, kib] = /^Node (\d{1,5}) MemTotal:\s+(\d{1,14}) kB$/.exec(line) ?? []
          return node === undefined ? [] : [{ node: Number(node), totalKib: Number(kib) }]
        })
        .sort((a, b) => a.node - b.node),
    })
  },
})

/** An empty file lists none; kernels before 5.15 print “(null)” where nohz_full is not in use (drivers/base/cpu.c). */
const cpusOf = (text: string | undefined): readonly number[] | null =>
  text === '' || text === '(null)' ? [] : listOf(text)

/** Nothing asks a server to set CPUs aside or to divide its memory in one way: what providers offer of it is compared with this record. */
export const tenancyCpuIsolation = defineCheck({
  id: 'tenancy.cpu-isolation',
  property: 'isolation',
  expected: 'Isolated CPUs, the kind of kernel, and the memory nodes with their distances are recorded.',
  ends: 'recorded',
  limitations:
    'The state at one moment. Where a provider claims dedicated CPUs, pinning or a real-time kernel, compare this with the contract; the binding of single programs to CPUs and memory nodes, interrupt affinity and measured latency are not read. No expected value is set.',
  requires: { isolation: cpuIsolation },
  optional: { topology: cpuTopology },
  evaluate: ({ isolation }, { topology }) => ({
    verdict: 'informational',
    observations: [
      setAside(isolation),
      ...ofKernel(isolation),
      memoryNodes(isolation),
      ...distancesOf(topology, isolation),
      ...balancing(isolation),
    ],
  }),
})

function setAside({ isolated, tickless, kernelArguments }: CpuIsolation): DraftObservation {
  const list = (cpus: readonly number[] | null, what: string): string =>
    cpus === null ? `${what}: not shown by this kernel` : `${what}: ${cpus.length === 0 ? 'none' : ranges(cpus)}`
  const given = kernelArguments.length === 0 ? '' : ` The kernel was started with ${named(kernelArguments)}.`
  const text = `${list(isolated, 'CPUs that the scheduler leaves alone (isolcpus)')}; ${list(tickless, 'CPUs without a periodic tick (nohz_full)')}.${given}`
  return supports(text, cpuIsolation, 'files', 'kernel')
}

/** As the kernel writes lists of CPUs: 0-3,8. */
function ranges(cpus: readonly number[]): string {
  const runs: [number, number][] = []
  for (const cpu of cpus) {
    const last = runs.at(-1)
    if (last !== undefined && cpu === last[1] + 1) last[1] = cpu
    else runs.push([cpu, cpu])
  }
  const shown = runs.slice(0, 8).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
  const rest = runs.length > shown.length ? ` and ${count(runs.length - shown.length, 'range')} more` : ''
  return `${shown.join(',')}${rest} (${cpus.length})`
}

function ofKernel({ isRealTime }: CpuIsolation): readonly DraftObservation[] {
  if (isRealTime === null) return [unclear('The kernel does not show its version.', cpuIsolation, 'files')]
  const text = isRealTime ? 'The kernel is a real-time kernel (PREEMPT_RT).' : 'The kernel is not a real-time kernel.'
  return [supports(text, cpuIsolation, 'files')]
}

function memoryNodes({ nodes }: CpuIsolation): DraftObservation {
  if (nodes.length === 0) return supports('The kernel shows no memory nodes.', cpuIsolation, 'memory')
  const shown = nodes.slice(0, 8).map(({ node, totalKib }) => `node ${node}: ${Math.round(totalKib / 1024 / 1024)} GiB`)
  const rest = nodes.length > shown.length ? ` and ${nodes.length - shown.length} more` : ''
  return supports(`${count(nodes.length, 'memory node')}: ${shown.join(', ')}${rest}.`, cpuIsolation, 'memory')
}

/** One node has no distance worth recording. */
function distancesOf(topology: Parsed<CpuTopology>, { nodes }: CpuIsolation): readonly DraftObservation[] {
  if (nodes.length < 2) return []
  if (!topology.ok) return unclearAbout(cpuTopology, topology)
  const rows = topology.fact.distances.slice(0, 8).map((row, node) => `node ${node}: ${row.slice(0, 8).join(' ')}`)
  return rows.length === 0
    ? []
    : [supports(`Distances between memory nodes (10 is itself): ${rows.join('; ')}.`, cpuTopology)]
}

const balancing = ({ isBalancing }: CpuIsolation): readonly DraftObservation[] =>
  isBalancing === null
    ? []
    : [
        supports(
          `The kernel ${isBalancing ? 'moves' : 'does not move'} pages and tasks between memory nodes automatically (numa_balancing).`,
          cpuIsolation,
          'files',
        ),
      ]
