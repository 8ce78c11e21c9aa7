import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { cpuPlatform, cpuTopology } from './features.ts'

/**
 * What a file of /sys/devices/system/cpu/vulnerabilities means. Documentation/ABI/testing/sysfs-devices-system-cpu has three forms, “Not
 * affected”, “Vulnerable” and “Mitigation: …”; Documentation/admin-guide/hw-vuln and the kernel’s sources (arch/x86/kernel/cpu/bugs.c,
 * arch/arm64/kernel/proton-pack.c) have “KVM: …” before the last two and “Unknown…” in addition to. Another form is not read.
 */
export type WeaknessState = 'not-affected' | 'mitigated' | 'vulnerable' | 'unclear'

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

export const tenancyCpuSideChannels = defineCheck({
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
