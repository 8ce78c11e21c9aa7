import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { type CallTimes, callTimes, ddTime, whyNoTime } from '../isolation/dd-times.ts'

const DEVICE = '/dev/cpu/0/cpuid'
const BLOCK = 1024 * 1024
// The driver executes CPUID once per 16 bytes (arch/x86/kernel/cpuid.c).
const CALLS = BLOCK / 16
const LONG = 32

const loop = (blocks: number, timeoutSeconds: number) =>
  runAsRoot(['taskset', '-c', '0', 'dd', `if=${DEVICE}`, 'of=/dev/null', 'bs=1M', `count=${blocks}`], {
    timeoutSeconds,
    maxBytes: 4096,
  })
const once = loop(1, 5)

/** cpuid(4): one read makes the kernel execute CPUID 65,536 times in a row on that CPU. Pinned to it, so that no other CPU is interrupted. */
export const liveCpuid = defineProbe({
  id: 'live.cpuid',
  title: 'CPUID duration',
  why: 'On Intel processors every CPUID of a guest stops the guest and enters the hypervisor, which takes several times as long as the instruction itself.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: { first: once, second: once, third: once, fourth: once, fifth: once },
  parse({ first, second, third, fourth, fifth }) {
    const runs = [first, second, third, fourth, fifth]
    const times = callTimes(runs.map(ddTime), BLOCK, CALLS)
    if (times !== null) return known<CallTimes>(times)
    const failed = runs.find((run) => ddTime(run)?.bytes !== BLOCK) ?? first
    return unknown(whyNoTime(failed, DEVICE))
  },
})

export interface CpuidLong {
  readonly calls: number
  /** As dd states, in seconds. */
  readonly dd: number
  /** The whole command, by the node's clock of uptime. */
  readonly node: number | null
  /** The same by the auditor's own clock; null where no session of ours carried it. */
  readonly auditor: number | null
}

/** The same loop, long enough in a guest that the auditor's own clock can time it over the network. */
export const liveCpuidLong = defineProbe({
  id: 'live.cpuid-long',
  title: 'CPUID duration by the auditor’s clock',
  why: 'A hypervisor that hides its overhead can slow the clocks of its guest, but not the auditor’s clock.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: { loop: loop(LONG, 20) },
  parse({ loop: answer }) {
    const time = ddTime(answer)
    if (time === null || time.bytes !== LONG * BLOCK) return unknown(whyNoTime(answer, DEVICE))
    return known<CpuidLong>({ calls: LONG * CALLS, dd: time.seconds, ...answer.seconds })
  },
})
