import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { wholeNumber } from '../../base/read-listing.ts'
import {
  ALWAYS_FILE,
  foundLines,
  gibibytes,
  grepIsComplete,
  OF_ALWAYS_FILE,
  oneLineFiles,
} from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import data from './checks.json' with { type: 'json' }
import { type CpuTopology, cpuFeatures, cpuPlatform, cpuTopology, listOf } from './features.ts'
import { cpuEnergy, cpuMsr, cpuSensors, steal } from './instruments.ts'
import { armPlatform, cpuHypervisorLeaf, cpuLeaves } from './leaves.ts'

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

/**
 * The state that a file of /sys/devices/system/cpu/vulnerabilities expresses.
 * Documentation/ABI/testing/sysfs-devices-system-cpu has three forms: “Not affected”, “Vulnerable” and “Mitigation:
 * …”. Documentation/admin-guide/hw-vuln and the kernel’s sources (arch/x86/kernel/cpu/bugs.c,
 * arch/arm64/kernel/proton-pack.c) add “KVM: …” before the last two, and “Unknown…”. Other forms are not read.
 */
type WeaknessState = 'not-affected' | 'mitigated' | 'vulnerable' | 'unclear'

/** Whether two threads share a core (SMT); null where the kernel does not state. */
export type Smt = 'on' | 'off' | null

/**
 * /sys/devices/system/cpu/smt/control (the same document): a number is that of the threads per core. “notimplemented” reports the switch
 * only, not of the processor.
 */
export function smtState(control: string | null): Smt {
  if (control === 'on' || (control !== null && /^[2-9]$/.test(control))) return 'on'
  return control !== null && /^(?:off|forceoff|notsupported)$/.test(control) ? 'off' : null
}

/** One weakness as the kernel prints it, given whether threads share cores. */
export function weaknessState(text: string, smt: Smt): WeaknessState {
  if (text.length > 300 || !/^[A-Za-z0-9_ ,;:/+().&-]+$/.test(text)) return 'unclear'
  if (text === 'Not affected') return 'not-affected'
  if (/^(?:KVM: )?Vulnerable(?:[:;,] .+)?$/.test(text)) return 'vulnerable'
  const means = /^(?:KVM: )?Mitigation: (.+)$/.exec(text)?.[1]
  return means === undefined ? 'unclear' : mitigationState(means, smt)
}

/**
 * A mitigation may be named in part only: “Vulnerable, KVM: Not affected” (indirect_target_selection), “BHI: Vulnerable” and
 * “PBRSB-eIBRS: Vulnerable” (spectre_v2), “CSV2, but not BHB” (arm64), “SMT vulnerable” (mds, l1tf and others, with threads on),
 * “IBPB: disabled” and “STIBP: disabled” (spectre_v2, between programs and, with threads on, between threads). “safe RET, no microcode”
 * is what kernels before 6.6 called a mitigation of spec_rstack_overflow and later ones call vulnerable.
 */
function mitigationState(means: string, smt: Smt): WeaknessState {
  const isSmtVulnerable = /\bSMT vulnerable\b/.test(means)
  const rest = means.replace(/\bSMT vulnerable\b/g, '')
  if (/\bvulnerable\b|\bbut not\b/i.test(rest) || /^none$/i.test(means)) return 'vulnerable'
  if (isSmtVulnerable && smt === 'on') return 'vulnerable'
  // With threads off the kernel prints “SMT disabled”, so that the two contradict each other.
  if (isSmtVulnerable || /\bunknown\b|\bIBPB: disabled\b|\bsafe RET, no microcode\b/i.test(rest)) return 'unclear'
  return /\bSTIBP: disabled\b/.test(rest) && smt !== 'off' ? 'unclear' : 'mitigated'
}

/**
 * Weaknesses through which one party reads what another computes on the same processor, of which a current kernel has a file on every
 * architecture (drivers/base/cpu.c). A kernel that lacks one was built before the weakness was known, and cannot report it.
 */
const WEAKNESSES = [
  'gather_data_sampling',
  'indirect_target_selection',
  'itlb_multihit',
  'l1tf',
  'mds',
  'meltdown',
  'mmio_stale_data',
  'reg_file_data_sampling',
  'retbleed',
  'spec_rstack_overflow',
  'spec_store_bypass',
  'spectre_v1',
  'spectre_v2',
  'srbds',
  'tsa',
  'tsx_async_abort',
  'vmscape',
]

const tenancyCpuSideChannels = defineCheck({
  id: 'tenancy.cpu-side-channels',
  property: 'isolation',
  expected: 'The kernel reports each known side-channel weakness of the processor as not affecting it or as mitigated.',
  limitations:
    'It is the report of the running kernel, which knows the weaknesses published before it was built and relies on the microcode that the processor states. In a virtual machine the state of the host is not part of it. Weaknesses of GPUs, of memory (Rowhammer) and of programs are not part of it.',
  requires: { platform: cpuPlatform },
  optional: { topology: cpuTopology },
  evaluate({ platform: { vulnerabilities } }, { topology }) {
    if (vulnerabilities.size === 0)
      return decide([
        unclear(
          'The kernel has no list of weaknesses of the processor (/sys/devices/system/cpu/vulnerabilities).',
          cpuPlatform,
          'values',
        ),
      ])
    const smt = topology.ok ? smtState(topology.fact.threads) : null
    return decide([...weaknessSteps(vulnerabilities, smt), ...missing(vulnerabilities), ...threads(smt)])
  },
})

function weaknessSteps(vulnerabilities: ReadonlyMap<string, string>, smt: Smt): readonly DraftObservation[] {
  const read = [...vulnerabilities].map(([name, text]) => ({ name, text, state: weaknessState(text, smt) }))
  const of = (state: (typeof read)[number]['state']) => read.filter((one) => one.state === state)
  const [safe, mitigated] = [of('not-affected'), of('mitigated')]
  return [
    ...of('vulnerable')
      .slice(0, 20)
      .map(({ name, text }) =>
        contradicts(
          `The kernel reports the processor as vulnerable: ${name}, ${quote(text, 200)}.`,
          cpuPlatform,
          'values',
        ),
      ),
    ...of('unclear')
      .slice(0, 20)
      .map(({ name, text }) =>
        unclear(`Whether ${name} is mitigated is not clear from ${quote(text, 200)}.`, cpuPlatform, 'values'),
      ),
    ...(safe.length + mitigated.length > 0
      ? [
          supports(
            `Of ${count(read.length, 'weakness', 'weaknesses')} that the kernel lists, ${safe.length} do not affect this processor and ${mitigated.length} are mitigated${mitigated.length === 0 ? '' : `: ${named(mitigated.map(({ name }) => name))}`}.`,
            cpuPlatform,
            'values',
          ),
        ]
      : []),
  ]
}

function missing(vulnerabilities: ReadonlyMap<string, string>): readonly DraftObservation[] {
  const names = WEAKNESSES.filter((name) => !vulnerabilities.has(name))
  return names.length === 0
    ? []
    : [
        unclear(
          `The running kernel does not report ${count(names.length, 'known weakness', 'known weaknesses')}: ${named(names, 20)}.`,
          cpuPlatform,
          'values',
        ),
      ]
}

/** Reported, since it decides only where the kernel names threads as the part that is not mitigated. */
const threads = (smt: Smt): readonly DraftObservation[] =>
  smt === null ? [] : [supports(`Simultaneous multithreading (SMT) is ${smt}.`, cpuTopology, 'values')]

export const processorsSubject = defineSubject({
  id: 'processors',
  title: 'Processors',
  probes: [
    cpuFeatures,
    cpuHypervisorLeaf,
    cpuPlatform,
    cpuEnergy,
    cpuSensors,
    steal,
    armPlatform,
    cpuLeaves,
    cpuMsr,
    cpuTopology,
    cpuIsolation,
  ],
  checks: [tenancyCpuSideChannels, tenancyCpuIsolation],
  data,
})
