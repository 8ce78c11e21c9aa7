import { LIVE_NOT_ASKED } from '../../../core/probe.ts'
import { liveJitter } from '../../probes/live-jitter.ts'
import { liveSteal } from '../../probes/live-steal.ts'
import { steal as stealProbe } from '../../probes/steal.ts'
import { contradicts, count, unclear } from '../../steps.ts'
import { metal, neutral, type Signal, sign, unreadable, virtual } from '../signal.ts'
import { cpuidTimingSignals } from './timing-cpuid.ts'
import { heardSignals } from './timing-heard.ts'
import { instrumentSignals } from './timing-instruments.ts'

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
    // Where the interval was requested, its response belongs to this one.
    if (!interval.ok && interval.reason !== LIVE_NOT_ASKED && interval.reason !== NO_READING)
      return unreadable(liveSteal, interval.reason)
    return metal('no clock tick was taken')
  },
}

// Of five seconds. Timer interrupts and system management stay below; a guest that was measured had 154 and 2.
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
    const said = `${count(over50, 'gap')} above 50 µs and ${over500} above 500 µs in five seconds, the longest ${longestMicros} µs`
    if (over50 >= MANY_GAPS || over500 >= MANY_LONG_GAPS)
      return virtual(
        said,
        sign(
          'hint',
          null,
          contradicts(
            `A busy processor was interrupted: ${said}. A host that shares it would cause this, and so would other work on the node.`,
            liveJitter,
          ),
        ),
      )
    return over50 <= FEW_GAPS && over500 === 0
      ? metal(said)
      : neutral(said, unclear(`A busy processor was interrupted briefly: ${said}.`, liveJitter))
  },
}

/** What time shows: of CPUID, of clocks, of processor time that another party took, of instruments that move with the load. */
export const timingSignals: readonly Signal[] = [
  ...cpuidTimingSignals,
  stealSignal,
  jitter,
  ...instrumentSignals,
  ...heardSignals,
]
