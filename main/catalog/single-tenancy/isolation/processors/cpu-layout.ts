import { quote } from '../../../../core/base/plain-text.ts'
import type { Parsed, Probe } from '../../../../core/recording/probe.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, supports, unclear } from '../../../base/steps.ts'
import { type CpuFeatures, type CpuTopology, cpuFeatures, cpuTopology } from '../../../hardware/processors/features.ts'
import {
  type CallTimes,
  type CpuidLong,
  fastest,
  liveCpuid,
  liveCpuidLong,
  liveMsr,
  median,
} from '../../live-tests/index.ts'
import { virtBuses } from '../../virtualization/index.ts'
import { coresByName, isServerPart, isSince2009, namesItsCores, secondLevelCache } from '../cpu-tables.ts'
import {
  hintSign,
  metal,
  neutral,
  notApplicable,
  type Observation,
  oddSign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'
import { isControlDomain } from '../signals/boot.ts'
import { onX86 } from './cpu-leaf.ts'

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

/** Judges the times of CPUID on an x86 processor. */
const onTimes = <T, C extends string>(
  read: Read,
  probe: Probe<T, C>,
  judge: (cpu: CpuFeatures, times: T) => Observation,
): Observation =>
  onX86(
    read,
    (cpu) => {
      const times = read(probe)
      return times.ok ? judge(cpu, times.fact) : unreadable(probe, times.reason)
    },
    'CPUID is an instruction of x86 processors.',
  )

const onlyRecorded = (summary: string): Observation =>
  neutral(
    summary,
    unclear(
      `${summary}. On this kind of processor the time decides nothing: the limits are those of Intel processors since 2009.`,
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
  observe: (read) => onTimes(read, liveCpuid, (cpu, cpuid) => judgeTime(cpu, cpuid, read(liveMsr))),
}

function judgeTime(cpu: CpuFeatures, cpuid: CallTimes, control: Parsed<CallTimes>): Observation {
  const [best, middle] = [fastest(cpuid), median(cpuid)]
  const summary = `One CPUID took ${us(middle)} (middle of ${cpuid.micros.length} runs)`
  if (!isDecisive(cpu)) return onlyRecorded(summary)
  if (middle < QUICK)
    return metal(summary, supports(`${summary}: too little for a hypervisor to have intervened at each.`, liveCpuid))
  const rest = control.ok ? best - fastest(control.fact) : best
  if (best < SLOW || rest < SLOW)
    return neutral(
      summary,
      unclear(`${summary}: more than hardware at full speed needs, but explained by the loop itself.`, liveCpuid),
    )
  return virtual(
    summary,
    oddSign(
      `${summary}, and ${us(best)} in the fastest run; an Intel processor needs about 0.1 to 0.3 µs. On Intel each CPUID of a guest enters its hypervisor.`,
      liveCpuid,
    ),
  )
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
  observe: (read) =>
    onTimes(read, liveCpuid, (cpu, cpuid) => {
      const control = read(liveMsr)
      return control.ok ? judgeDelta(cpu, cpuid, control.fact) : unreadable(liveMsr, control.reason)
    }),
}

function judgeDelta(cpu: CpuFeatures, cpuid: CallTimes, control: CallTimes): Observation {
  const middle = median(cpuid) - median(control)
  const summary = `One CPUID took ${us(middle)} longer than reading a register in the same way (${us(median(cpuid))} and ${us(median(control))})`
  if (!isDecisive(cpu)) return onlyRecorded(summary)
  if (middle >= SLOW && fastest(cpuid) - fastest(control) >= SLOW)
    return virtual(
      summary,
      oddSign(
        `${summary}; on Intel hardware the two differ by about 0.1 µs. On Intel each CPUID of a guest enters its hypervisor.`,
        liveCpuid,
      ),
    )
  return Math.abs(middle) < QUICK && median(control) < SLOW
    ? metal(summary, supports(`${summary}: too little for a hypervisor to have intervened at each.`, liveCpuid))
    : neutral(summary, unclear(`${summary}: this matches neither hardware at full speed nor a guest.`, liveCpuid))
}

const external: Signal = {
  id: 'time.external',
  family: 'timing',
  title: 'The same loop by the collecting computer’s clock',
  onMetal: 'the node’s clock and ours agree, and the loop takes well under a second',
  onGuest: 'seconds; where the guest’s clock was slowed, ours shows more than the node’s',
  spoofingEffort: 'S2',
  pitfalls: [
    UNMEASURED,
    'Agreement alone is no evidence: the clocks of an ordinary guest are correct as well.',
    'A network that delays packets shifts the collecting computer’s measurement either way; so can a network operator on purpose. Repeat the test before concluding.',
    'The loop is timed whole, with the start of its programs; only differences above half a second and a fifth count.',
    SELECTABLE,
  ],
  source: 'Our own clock between the first and the last frame of the command; see the capture’s heardMs.',
  probes: [cpuFeatures, liveCpuidLong],
  observe: (read) => onTimes(read, liveCpuidLong, judgeClocks),
}

function judgeClocks(cpu: CpuFeatures, { calls, dd, node, collectingComputer }: CpuidLong): Observation {
  if (collectingComputer === null)
    return unreadable(
      liveCpuidLong,
      'no session of the collector carried the response, so that the collecting computer’s clock could not time it',
    )
  // Duration of the whole command by the node, and of the program by itself: neither may exceed the time that the
  // collecting computer measured.
  const own = node ?? dd
  const summary = `${calls} CPUIDs took ${dd.toFixed(2)} s by the node’s clock, and at most ${collectingComputer.toFixed(2)} s by the collecting computer’s clock`
  if (disagree(own, collectingComputer) || (dd > collectingComputer && disagree(dd, collectingComputer)))
    return virtual(
      `${summary}: the clocks disagree`,
      oddSign(
        `The clocks disagree about one command: the node counted ${Math.max(own, dd).toFixed(2)} s, the collecting computer’s clock ${collectingComputer.toFixed(2)} s. A hypervisor that hides its overhead slows the clock of its guest; a network that delayed packets would look the same.`,
        liveCpuidLong,
      ),
    )
  const most = (collectingComputer * 1e6) / calls
  return isDecisive(cpu) && most < QUICK
    ? metal(
        summary,
        supports(
          `${summary}: at most ${us(most)} each, too little for a hypervisor to have intervened at each.`,
          liveCpuidLong,
        ),
      )
    : neutral(summary)
}

const disagree = (a: number, b: number): boolean => {
  const apart = Math.abs(a - b)
  return apart > DISAGREE_SECONDS && apart > DISAGREE_PART * Math.max(a, b)
}

/** The cost of CPUID: alone, against a control, and by a clock that no hypervisor of the node can influence. */
export const cpuidTimingSignals: readonly Signal[] = [cpuidTime, cpuidDelta, external]

/** Whether a hypervisor beneath an Intel processor would have shown in the CPUID loop, so that its time belongs to the minimum evidence. */
export const cpuidDecides = isDecisive

const SOURCE = 'Documentation/ABI/testing/sysfs-devices-system-cpu; Documentation/ABI/stable/sysfs-devices-node'

function withLayout(read: Read, observe: (layout: CpuTopology) => Observation): Observation {
  const layout = read(cpuTopology)
  return layout.ok ? observe(layout.fact) : unreadable(cpuTopology, layout.reason)
}

const cores: Signal = {
  id: 'cpu.cores',
  family: 'cpu-identity',
  title: 'Cores in use against those of the processor that is named',
  onMetal: 'As many in each socket as the processor has, or those that were left on.',
  onGuest: 'A part of them, in made-up sockets.',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s -smp gives any sockets and cores, and model-id= of its -cpu any name.',
    'Cores can be switched off in the firmware, in the kernel or by its command line.',
    'Only processors that are listed, or state it in their name, are evaluated; parts made for one customer are not listed.',
    'A host that is rented whole to one guest can show the right number.',
  ],
  source: `${SOURCE}; the manufacturers’ names and published numbers of cores, 33 of which agree with firmware tables of physical machines.`,
  probes: [cpuFeatures, cpuTopology, virtBuses],
  observe: (read) =>
    onX86(read, (cpu) => {
      const built = coresByName(cpu.modelName)
      if (built === null) return notApplicable('How many cores the named processor has is not listed.')
      return withLayout(read, ({ cpus, packages, cores: found, offline }) => {
        if (cpus !== cpu.logicalCpus) return neutral(`the layout covers ${cpus} of ${cpu.logicalCpus} CPUs`)
        if (found === null) return neutral('the kernel does not report which CPUs share a core')
        const each = found / packages
        const value = `${Number(each.toFixed(1))} of ${built} cores in each of ${count(packages, 'socket')}`
        if (isControlDomain(read)) return neutral(value)
        if (each === built)
          return metal(value, supports(`The processor has as many cores as its name states: ${value}.`, cpuTopology))
        const statement = `${quote(cpu.modelName ?? '', 60)} has ${built} cores; in use are ${found} in ${count(packages, 'socket')}`
        if (each > built)
          return virtual(
            value,
            sign(namesItsCores(cpu.modelName) ? 'odd' : 'hint', null, contradicts(`${statement}.`, cpuTopology)),
          )
        if (offline !== 0) return neutral(value)
        return virtual(
          value,
          sign(
            each * 4 < built ? 'odd' : 'hint',
            null,
            contradicts(`${statement}. Cores switched off in the firmware would explain it.`, cpuTopology),
          ),
        )
      })
    }),
}

const siblings: Signal = {
  id: 'cpu.siblings',
  family: 'cpu-identity',
  title: 'How the threads of a core are numbered',
  onMetal: 'On servers the first threads of all cores come before the second ones: 0 and N.',
  onGuest: 'Often 0 and 1; some hypervisors copy the host’s order.',
  spoofingEffort: 'S0',
  pitfalls: ['Some firmware and many desktops number them 0 and 1.', 'With threads switched off there is no evidence.'],
  source: `${SOURCE}; measured: layouts of real machines.`,
  probes: [cpuFeatures, cpuTopology],
  observe: (read) =>
    onX86(read, (cpu) =>
      withLayout(read, ({ firstSiblings }) => {
        const [first, second] = firstSiblings ?? []
        if (first === undefined) return notApplicable('The kernel does not report which CPUs share a core.')
        if (second === undefined) return neutral('one thread for each core')
        const value = `${first} and ${second} share a core`
        const isModernServer = isServerPart(cpu) && (cpu.vendor !== 'AuthenticAMD' || (cpu.family ?? 0) >= 23)
        if (second > first + 1) return metal(value)
        return isModernServer
          ? virtual(
              value,
              hintSign(
                'The two threads of a core have adjacent numbers, as in guests; server firmware numbers the second threads last.',
                cpuTopology,
              ),
            )
          : neutral(value)
      }),
    ),
}

/** The cache sizes that QEMU assigns to Intel models by default (target/i386/cpu.c). */
const QEMU_CACHES: readonly [second: number, third: number] = [4096, 16384]

const cache: Signal = {
  id: 'cpu.cache',
  family: 'cpu-identity',
  title: 'Second-level cache against the processor’s model',
  onMetal: 'The size that every processor of the model has.',
  onGuest: 'Where the host’s values are not passed on: 4096K and a third level of 16384K.',
  spoofingEffort: 'S0',
  pitfalls: [
    'Only models with a listed size are evaluated; a setting passes the host’s value on.',
    'The third level is not evaluated: it differs from part to part.',
  ],
  source:
    'Intel SDM vol. 2A, CPUID leaf 4; AMD PPR, CPUID leaf 8000001D; QEMU target/i386/cpu.c for its defaults; measured: CPUID dumps of physical machines.',
  probes: [cpuFeatures, cpuTopology],
  observe: (read) =>
    onX86(read, (cpu) =>
      withLayout(read, ({ caches }) => {
        const size = (level: number): number | null =>
          caches.find((one) => one.level === level && one.kind === 'Unified')?.kib ?? null
        const [second, third] = [size(2), size(3)]
        const built = secondLevelCache(cpu)
        if (second === null)
          return isSince2009(cpu) && caches.length === 0
            ? virtual('none listed', hintSign('The kernel lists no cache of the processor.', cpuTopology))
            : neutral('no second-level cache listed')
        const value = `${second}K`
        const isUnset = second === QEMU_CACHES[0] && third === QEMU_CACHES[1]
        if (built === second && !isUnset) return metal(value)
        if (built !== null && built !== second)
          return virtual(
            value,
            oddSign(
              `The second-level cache has ${second}K; every processor of this family and model has ${built}K.`,
              cpuTopology,
            ),
          )
        return isUnset
          ? virtual(
              value,
              hintSign(`The caches have ${second}K and ${third}K, the default sizes of QEMU.`, cpuTopology),
            )
          : neutral(value)
      }),
    ),
}

const nodes: Signal = {
  id: 'cpu.numa',
  family: 'cpu-identity',
  title: 'Memory nodes against sockets',
  onMetal: 'A node or more for each socket, at distances that the firmware measured.',
  onGuest: 'One node under several sockets, or all nodes at 10 and 20.',
  spoofingEffort: 'S0',
  pitfalls: [
    'A setting of the firmware interleaves the memory of all sockets into one node; so does a switch of the kernel.',
    'Machines with a front-side bus, before 2009, have one node.',
    'Memory of graphics units and behind CXL adds nodes without a socket.',
  ],
  source: `${SOURCE}; ACPI 6.5 §5.2.16, §5.2.17 (SRAT, SLIT); measured: layouts of real machines.`,
  probes: [cpuFeatures, cpuTopology, virtBuses],
  observe: (read) =>
    onX86(read, (cpu) =>
      withLayout(read, ({ cpus, packages, distances }) => {
        const value = `${count(distances.length, 'memory node')} for ${count(packages, 'socket')}`
        if (distances.length === 0) return notApplicable('The kernel knows no memory nodes.')
        if (packages < 2 || cpus !== cpu.logicalCpus || !isSince2009(cpu) || isControlDomain(read))
          return neutral(value)
        const apart = [...new Set(distances.flat())].filter((distance) => distance > 10).sort((a, b) => a - b)
        if (distances.length >= packages)
          return apart.some((distance) => distance !== 20)
            ? metal(`${value}, at ${apart.slice(0, 6).join(', ')}`)
            : neutral(value)
        return virtual(
          value,
          sign(
            distances.length === 1 ? 'odd' : 'hint',
            null,
            contradicts(
              `${value}: each processor since 2009 has memory of its own. Interleaving in the firmware would explain it.`,
              cpuTopology,
            ),
          ),
        )
      }),
    ),
}

/** Whether the layout of processors and memory fits the processor that is named. */
export const cpuLayoutSignals: readonly Signal[] = [cores, siblings, cache, nodes]
