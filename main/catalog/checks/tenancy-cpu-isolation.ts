import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type CpuIsolation, cpuIsolation } from '../probes/cpu-isolation.ts'
import { type CpuTopology, cpuTopology } from '../probes/cpu-topology.ts'
import { count, named, supports, unclear } from '../steps.ts'

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
