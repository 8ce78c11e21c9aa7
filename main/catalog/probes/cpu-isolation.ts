import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { wholeNumber } from '../isolation/listing.ts'
import { ALWAYS_FILE, foundLines, grepIsComplete, OF_ALWAYS_FILE, oneLineFiles } from '../read-text.ts'
import { gibibytes } from '../steady.ts'
import { listOf } from './cpu-topology.ts'

export interface CpuIsolation {
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
