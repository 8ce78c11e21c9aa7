import {
  type CallTimes,
  type CpuidLong,
  fastest,
  liveCpuid,
  liveCpuidLong,
  liveMsr,
  median,
} from '../../live-tests/probes.ts'
import { type CpuFeatures, cpuFeatures } from '../../processors/features.ts'
import { contradicts, supports, unclear } from '../../steps.ts'
import { isSince2009 } from '../cpu-tables.ts'
import { metal, neutral, notApplicable, type Observation, type Signal, sign, unreadable, virtual } from '../signal.ts'

/** Microseconds per CPUID: from here on it needs an explanation on Intel hardware; below that it fits hardware. */
const SLOW = 0.4
const QUICK = 0.3
/** The two clocks disagree where they differ by more than both. */
const DISAGREE_SECONDS = 0.5
const DISAGREE_PART = 0.2

const UNMEASURED =
  'Our limits come from the length of the instruction and from measured guests; no hardware without a hypervisor was at hand to measure.'
const SELECTABLE =
  'AMD hypervisors choose whether CPUID enters them, so that a fast CPUID is no evidence there; on such processors the time is only recorded.'

const us = (micros: number): string => `${micros.toFixed(2)} µs`

/** Intel processors since 2009: there every CPUID of a guest enters its hypervisor, and the limits hold. */
const isDecisive = (cpu: CpuFeatures): boolean => cpu.vendor === 'GenuineIntel' && isSince2009(cpu)

const onlyRecorded = (said: string): Observation =>
  neutral(
    said,
    unclear(
      `${said}. On this kind of processor the time decides nothing: the limits are those of Intel processors since 2009.`,
      liveCpuid,
    ),
  )

const cpuidTime: Signal = {
  id: 'time.cpuid',
  family: 'timing',
  title: 'Time of one CPUID',
  onMetal: 'about 0.1 to 0.3 µs',
  onGuest: '0.6 to 4 µs, since each one enters the hypervisor',
  spoofingEffort: 'S2',
  pitfalls: [
    UNMEASURED,
    SELECTABLE,
    'A processor held at its lowest clock, or one that is busy, needs longer for the whole loop; time.delta takes that out.',
    'A hypervisor can slow the clock that the guest measures with; time.external is there for that.',
    'A control domain of Xen and the root partition of Hyper-V are slow too, on dedicated hardware. Software emulation is not slow.',
    'Kernels without the cpuid device cannot be tested.',
  ],
  source:
    'Intel SDM vol. 3C, instructions that cause VM exits unconditionally; AMD APM vol. 2, 15.9, intercept of CPUID; arch/x86/kernel/cpuid.c. Measured: 3.8 µs in a Firecracker guest.',
  probes: [cpuFeatures, liveCpuid, liveMsr],
  observe(read) {
    const [cpu, cpuid, control] = [read(cpuFeatures), read(liveCpuid), read(liveMsr)]
    if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
    if (cpu.fact.architecture !== 'x86') return notApplicable('CPUID is an instruction of x86 processors.')
    if (!cpuid.ok) return unreadable(liveCpuid, cpuid.reason)
    const [best, middle] = [fastest(cpuid.fact), median(cpuid.fact)]
    const said = `One CPUID took ${us(middle)} (middle of ${cpuid.fact.micros.length} runs)`
    if (!isDecisive(cpu.fact)) return onlyRecorded(said)
    if (middle < QUICK)
      return metal(said, supports(`${said}: too little for a hypervisor to have intervened at each.`, liveCpuid))
    const rest = control.ok ? best - fastest(control.fact) : best
    if (best < SLOW || rest < SLOW)
      return neutral(
        said,
        unclear(`${said}: more than hardware at full speed needs, but explained by the loop itself.`, liveCpuid),
      )
    return virtual(
      said,
      sign(
        'odd',
        null,
        contradicts(
          `${said}, and ${us(best)} in the fastest run; an Intel processor needs about 0.1 to 0.3 µs. On Intel each CPUID of a guest enters its hypervisor.`,
          liveCpuid,
        ),
      ),
    )
  },
}

const cpuidDelta: Signal = {
  id: 'time.delta',
  family: 'timing',
  title: 'Time of one CPUID without the loop around it',
  onMetal: 'near zero: within 0.1 µs of reading a register',
  onGuest: '0.4 µs and more',
  spoofingEffort: 'S2',
  pitfalls: [
    UNMEASURED,
    SELECTABLE,
    'A hypervisor that steps in at the other register as well makes both loops slow and the difference small; then nothing is concluded.',
    'Kernels without the cpuid and msr devices cannot be tested.',
  ],
  source:
    'Intel SDM vol. 3C, instructions that cause VM exits unconditionally; arch/x86/kvm/vmx/vmx.c, registers that guests read directly; arch/x86/kernel/msr.c.',
  probes: [cpuFeatures, liveCpuid, liveMsr],
  observe(read) {
    const [cpu, cpuid, control] = [read(cpuFeatures), read(liveCpuid), read(liveMsr)]
    if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
    if (cpu.fact.architecture !== 'x86') return notApplicable('CPUID is an instruction of x86 processors.')
    if (!cpuid.ok) return unreadable(liveCpuid, cpuid.reason)
    if (!control.ok) return unreadable(liveMsr, control.reason)
    return judgeDelta(cpu.fact, cpuid.fact, control.fact)
  },
}

function judgeDelta(cpu: CpuFeatures, cpuid: CallTimes, control: CallTimes): Observation {
  const middle = median(cpuid) - median(control)
  const said = `One CPUID took ${us(middle)} longer than reading a register in the same way (${us(median(cpuid))} and ${us(median(control))})`
  if (!isDecisive(cpu)) return onlyRecorded(said)
  if (middle >= SLOW && fastest(cpuid) - fastest(control) >= SLOW)
    return virtual(
      said,
      sign(
        'odd',
        null,
        contradicts(
          `${said}; on Intel hardware the two differ by about 0.1 µs. On Intel each CPUID of a guest enters its hypervisor.`,
          liveCpuid,
        ),
      ),
    )
  return Math.abs(middle) < QUICK && median(control) < SLOW
    ? metal(said, supports(`${said}: too little for a hypervisor to have intervened at each.`, liveCpuid))
    : neutral(said, unclear(`${said}: this matches neither hardware at full speed nor a guest.`, liveCpuid))
}

const external: Signal = {
  id: 'time.external',
  family: 'timing',
  title: 'The same loop by the auditor’s clock',
  onMetal: 'the node’s clock and ours agree, and the loop takes well under a second',
  onGuest: 'seconds; where the guest’s clock was slowed, ours shows more than the node’s',
  spoofingEffort: 'S2',
  pitfalls: [
    UNMEASURED,
    'Agreement alone is no evidence: the clocks of an ordinary guest are correct as well.',
    'A network that delays packets shifts the auditor’s measurement either way; so can a network operator on purpose. Repeat the test before concluding.',
    'The loop is timed whole, with the start of its programs; only differences above half a second and a fifth count.',
    SELECTABLE,
  ],
  source: 'Our own clock between the first and the last frame of the command; see the capture’s heardMs.',
  probes: [cpuFeatures, liveCpuidLong],
  observe(read) {
    const [cpu, long] = [read(cpuFeatures), read(liveCpuidLong)]
    if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
    if (cpu.fact.architecture !== 'x86') return notApplicable('CPUID is an instruction of x86 processors.')
    if (!long.ok) return unreadable(liveCpuidLong, long.reason)
    return judgeClocks(cpu.fact, long.fact)
  },
}

function judgeClocks(cpu: CpuFeatures, { calls, dd, node, auditor }: CpuidLong): Observation {
  if (auditor === null)
    return unreadable(
      liveCpuidLong,
      'no session of the collector carried the response, so that the auditor’s clock could not time it',
    )
  // What the node reports about the whole command, and what the program in it reports about itself: neither may last longer than what we
  // heard.
  const own = node ?? dd
  const said = `${calls} CPUIDs took ${dd.toFixed(2)} s by the node’s clock, and at most ${auditor.toFixed(2)} s by the auditor’s clock`
  if (disagree(own, auditor) || (dd > auditor && disagree(dd, auditor)))
    return virtual(
      `${said}: the clocks disagree`,
      sign(
        'odd',
        null,
        contradicts(
          `The clocks disagree about one command: the node counted ${Math.max(own, dd).toFixed(2)} s, the auditor’s clock ${auditor.toFixed(2)} s. A hypervisor that hides its overhead slows the clock of its guest; a network that delayed packets would look the same.`,
          liveCpuidLong,
        ),
      ),
    )
  const most = (auditor * 1e6) / calls
  return isDecisive(cpu) && most < QUICK
    ? metal(
        said,
        supports(
          `${said}: at most ${us(most)} each, too little for a hypervisor to have intervened at each.`,
          liveCpuidLong,
        ),
      )
    : neutral(said)
}

const disagree = (a: number, b: number): boolean => {
  const apart = Math.abs(a - b)
  return apart > DISAGREE_SECONDS && apart > DISAGREE_PART * Math.max(a, b)
}

/** What CPUID costs: alone, against a control, and by a clock that no hypervisor of the node can reach. */
export const cpuidTimingSignals: readonly Signal[] = [cpuidTime, cpuidDelta, external]

/** Whether a hypervisor beneath an Intel processor would have shown in the CPUID loop, so that its time belongs to the minimum evidence. */
export const cpuidDecides = isDecisive
