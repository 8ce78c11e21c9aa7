import { LIVE_NOT_ASKED } from '../../../../core/recording/probe.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, supports, unclear } from '../../../base/steps.ts'
import { cpuFeatures } from '../../../hardware/processors/features.ts'
import { steal as stealProbe } from '../../../hardware/processors/instruments.ts'
import { type Heard, liveCpuidLong, liveEnergy, liveJitter, liveSteal, liveThermal } from '../../live-tests/index.ts'
import { hintSign, metal, neutral, notApplicable, oddSign, type Signal, sign, unreadable, virtual } from '../signal.ts'
import { cpuidTimingSignals } from './cpu-layout.ts'

/** By this much a command may appear shorter than it was, because its first frame was delayed and its last was not. */
const SLACK_SECONDS = 0.25

const TIMED = [liveCpuidLong, liveSteal, liveJitter, liveEnergy, liveThermal] as const

/** Every live test that was collected, with the least time that it can have taken and its duration by the collecting computer’s clock. */
function heardTests(read: Read): readonly { readonly title: string; readonly heard: Heard }[] {
  const long = read(liveCpuidLong)
  const others = [liveSteal, liveJitter, liveEnergy, liveThermal].flatMap((probe) => {
    const reading = read<{ readonly heard: Heard }, string>(probe)
    return reading.ok ? [{ title: probe.title, heard: reading.fact.heard }] : []
  })
  return [
    ...(long.ok
      ? [
          {
            title: liveCpuidLong.title,
            heard: {
              least: Math.max(long.fact.dd, long.fact.node ?? 0),
              collectingComputer: long.fact.collectingComputer,
            },
          },
        ]
      : []),
    ...others,
  ]
}

const heardSignal: Signal = {
  id: 'time.heard',
  family: 'timing',
  title: 'Duration of live tests by the collecting computer’s clock',
  onMetal: 'no test is observed for less time than it takes',
  onGuest: 'the same; a replay of another machine’s responses is observed for no time at all',
  spoofingEffort: 'S0',
  pitfalls: [
    'A party that falsifies responses can wait for as long as the test takes: matching times are no evidence of hardware.',
    'A network that delays only the first packet makes a test seem shorter. Repeat the test before concluding.',
  ],
  source: 'Our own clock between the first and the last frame of each command; see the capture’s heardMs. sleep(1).',
  probes: TIMED,
  observe(read) {
    const tests = heardTests(read)
    const [first] = tests
    if (first === undefined) {
      const reading = read(liveSteal)
      return unreadable(liveSteal, reading.ok ? 'no live test returned a response' : reading.reason)
    }
    const short = tests.filter(
      ({ heard: { least, collectingComputer } }) =>
        collectingComputer !== null && collectingComputer < least - SLACK_SECONDS,
    )
    if (short.length > 0)
      return virtual(
        `${short.length} of ${count(tests.length, 'live test')} observed for less time than it takes`,
        ...short.map(({ title, heard: { least, collectingComputer } }) =>
          oddSign(
            `${title}: it takes ${least.toFixed(2)} s, and was observed for ${(collectingComputer ?? 0).toFixed(2)} s. A command cannot end before its time; such a response was not produced during the request.`,
            liveSteal,
          ),
        ),
      )
    return tests.some(({ heard }) => heard.collectingComputer === null)
      ? unreadable(
          liveSteal,
          'no session of the collector carried all of the responses, so that the collecting computer’s clock could not time them',
        )
      : neutral(`${count(tests.length, 'live test')}, none observed for less time than it takes`)
  },
}

/** Our clock over every live test. */
export const heardSignals: readonly Signal[] = [heardSignal]

/** Power of one package in watts: less is not a running processor, more is not a processor. */
const WATTS: readonly [low: number, high: number] = [0.1, 2000]
/** Degrees Celsius that a running processor can have. */
const DEGREES: readonly [low: number, high: number] = [1, 125]

const rapl: Signal = {
  id: 'time.rapl',
  family: 'timing',
  title: 'Energy counter under load',
  onMetal: 'rises by tens of watts',
  onGuest: 'no counter, or one that does not change',
  spoofingEffort: 'S0',
  pitfalls: [
    'Absence is weak evidence: some kernels lack the driver, and processors before 2011 the counter.',
    'QEMU since 9.1 can return its own estimate for the counters (rapl=on); then they rise in a guest.',
    'The counter covers the package, with all other work on it.',
  ],
  source:
    'Documentation/ABI/testing/sysfs-class-powercap; Intel SDM vol. 3B, power and thermal management; arch/x86/kvm/x86.c, energy registers of guests read zero.',
  probes: [cpuFeatures, liveEnergy],
  observe(read) {
    const [cpu, energy] = [read(cpuFeatures), read(liveEnergy)]
    if (cpu.ok && cpu.fact.architecture !== 'x86')
      return notApplicable('Energy counters of this form are those of x86.')
    if (!energy.ok) return unreadable(liveEnergy, energy.reason)
    const { zone } = energy.fact
    if (zone === null) return neutral('no energy counter')
    const watts = zone.microjoules / 1e6 / zone.seconds
    const summary = `${(zone.microjoules / 1e6).toFixed(1)} J in ${zone.seconds.toFixed(2)} s of load`
    if (zone.microjoules === 0)
      return virtual(
        summary,
        oddSign(
          `The energy counter of the processor did not change while the processor worked for ${zone.seconds.toFixed(2)} s.`,
          liveEnergy,
        ),
      )
    return watts >= WATTS[0] && watts <= WATTS[1]
      ? metal(summary, supports(`The energy counter of the processor rose with the load: ${summary}.`, liveEnergy))
      : neutral(
          summary,
          unclear(`The energy counter rose by more than a processor can consume: ${summary}.`, liveEnergy),
        )
  },
}

const liveness: Signal = {
  id: 'time.liveness',
  family: 'timing',
  title: 'Temperature of the processor under load',
  onMetal: 'sensors inside the processor, and some of them move',
  onGuest: 'no sensors, or ones that do not change',
  spoofingEffort: 'S1',
  pitfalls: [
    'Absence is weak evidence: the driver may be missing, and processors other than x86 report elsewhere.',
    'Sensors with steps of one degree may not change during the one second of load.',
    'A hypervisor that passes thermal registers through shows real temperatures in a guest.',
  ],
  source: 'Documentation/ABI/testing/sysfs-class-hwmon; Documentation/hwmon/coretemp.rst and k10temp.rst.',
  probes: [liveThermal, liveEnergy],
  observe(read) {
    const thermal = read(liveThermal)
    if (!thermal.ok) return unreadable(liveThermal, thermal.reason)
    const { sensors, moved, range, clock } = thermal.fact
    if (range === null) return neutral('no temperature sensor of the processor')
    const summary = `${moved} of ${count(sensors, 'temperature sensor')} of the processor moved under load, ${range[0].toFixed(0)} to ${range[1].toFixed(0)} °C`
    const isReal = range[0] >= DEGREES[0] && range[1] <= DEGREES[1]
    if (moved === 0 || !isReal)
      return neutral(summary, unclear(`${summary}: that shows no working sensor.`, liveThermal))
    const energy = read(liveEnergy)
    const together = [
      ...(energy.ok && (energy.fact.zone?.microjoules ?? 0) > 0 ? ['the energy counter rose'] : []),
      ...(clock !== null && clock[0] !== clock[1] ? ['the clock of the first CPU changed'] : []),
    ]
    return metal(summary, supports(`${[summary, ...together].join('; ')}.`, liveThermal))
  },
}

/** Instruments that move when the processor works. */
export const instrumentSignals: readonly Signal[] = [rapl, liveness]

/** The reason of a probe of which no reading was made at all. */
const NO_READING = 'this was not collected'

const stealSignal: Signal = {
  id: 'time.steal',
  family: 'timing',
  title: 'Processor time taken by a hypervisor',
  onMetal: 'exactly zero, for ever',
  onGuest: 'above zero under KVM and Xen with a steal clock',
  spoofingEffort: 'S0',
  pitfalls: [
    'Zero is no sign of hardware: VMware, Hyper-V and guests with CPUs of their own show zero, and one setting hides it.',
    'Xen’s control domain counts it too.',
    'The kernel’s own accounting is read; the live interval detects a counter that was zero until now.',
  ],
  source: 'proc_stat(5), column steal. Measured: above zero in a Firecracker guest.',
  probes: [stealProbe, liveSteal],
  observe(read) {
    const [since, interval] = [read(stealProbe), read(liveSteal)]
    const total = since.ok ? since.fact.steal : 0
    const live = interval.ok ? interval.fact.steal : 0
    if (total > 0 || live > 0) {
      const signs = [
        ...(total > 0
          ? [
              sign(
                'names',
                null,
                contradicts(
                  `A hypervisor ran something else for ${count(total, 'clock tick')} since boot (“steal” is above zero).`,
                  stealProbe,
                ),
              ),
            ]
          : []),
        ...(live > 0 && interval.ok
          ? [
              sign(
                'names',
                null,
                contradicts(
                  `During the observation a hypervisor took ${count(live, 'clock tick')} of ${interval.fact.ticks} (“steal” rose).`,
                  liveSteal,
                ),
              ),
            ]
          : []),
      ]
      return virtual(`${count(Math.max(total, live), 'clock tick')} taken`, ...signs)
    }
    if (!since.ok) return unreadable(stealProbe, since.reason)
    // Where the interval was requested, its answer is part of this one.
    if (!interval.ok && interval.reason !== LIVE_NOT_ASKED && interval.reason !== NO_READING)
      return unreadable(liveSteal, interval.reason)
    return metal('no clock tick was taken')
  },
}

// Within five seconds. Timer interrupts and system management stay below; a measured guest had 154 and 2.
const MANY_GAPS = 50
const MANY_LONG_GAPS = 2
const FEW_GAPS = 10

const jitter: Signal = {
  id: 'time.jitter',
  family: 'timing',
  title: 'Interruptions of a busy processor',
  onMetal: 'few gaps above 50 µs, hardly any above 500 µs',
  onGuest: 'dozens above 50 µs in five seconds, some above 500 µs',
  spoofingEffort: 'S0',
  pitfalls: [
    'libvirt’s vcpupin gives a guest processors of its own.',
    'A node under load shows the same gaps: the test program runs at the lowest priority. It never decides.',
    'Interrupts, firmware (system management mode) and sleep states leave gaps on hardware too.',
    'A guest with CPUs of its own shows none.',
    'No hardware without a hypervisor was at hand to measure.',
  ],
  source: 'clock_gettime(2). Measured: 154 gaps above 50 µs and 2 above 500 µs in a Firecracker guest.',
  probes: [liveJitter],
  observe(read) {
    const gaps = read(liveJitter)
    if (!gaps.ok) return unreadable(liveJitter, gaps.reason)
    const { over50, over500, longestMicros } = gaps.fact
    const summary = `${count(over50, 'gap')} above 50 µs and ${over500} above 500 µs in five seconds, the longest ${longestMicros} µs`
    if (over50 >= MANY_GAPS || over500 >= MANY_LONG_GAPS)
      return virtual(
        summary,
        hintSign(
          `A busy processor was interrupted: ${summary}. A host that shares it would cause this, and so would other work on the node.`,
          liveJitter,
        ),
      )
    return over50 <= FEW_GAPS && over500 === 0
      ? metal(summary)
      : neutral(summary, unclear(`A busy processor was interrupted briefly: ${summary}.`, liveJitter))
  },
}

/** Signals of time: CPUID, clocks, stolen processor time, and instruments that follow the load. */
export const timingSignals: readonly Signal[] = [
  ...cpuidTimingSignals,
  stealSignal,
  jitter,
  ...instrumentSignals,
  ...heardSignals,
]
