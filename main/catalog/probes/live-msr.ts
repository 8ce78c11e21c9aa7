import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { type CallTimes, callTimes, ddTime, whyNoTime } from '../isolation/dd-times.ts'

const DEVICE = '/dev/cpu/0/msr'
const BLOCK = 512 * 1024
// The driver reads the same register once per 8 bytes (arch/x86/kernel/msr.c).
const CALLS = BLOCK / 8
// IA32_KERNEL_GS_BASE, 0xC0000102: an address of the reading program itself, which hypervisors let a guest read without stepping in.
const REGISTER = 0xc0000102

const once = runAsRoot(
  [
    'taskset',
    '-c',
    '0',
    'dd',
    `if=${DEVICE}`,
    'of=/dev/null',
    'bs=512K',
    'count=1',
    'iflag=skip_bytes',
    `skip=${REGISTER}`,
  ],
  { timeoutSeconds: 5, maxBytes: 4096 },
)

/** msr(4): the loop of live.cpuid over a register that no hypervisor needs to guard. What it takes is the cost of the loop itself. */
export const liveMsr = defineProbe({
  id: 'live.msr',
  title: 'Duration of the same loop without CPUID',
  why: 'Subtracted from the duration of the CPUID loop, it leaves the cost of CPUID, independent of processor speed and load.',
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
