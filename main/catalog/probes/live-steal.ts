import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import type { Heard } from '../isolation/dd-times.ts'

export interface LiveSteal {
  /** Clock ticks of all CPUs together that passed between the two readings. */
  readonly ticks: number
  /** Those in which a hypervisor ran something else. */
  readonly steal: number
  /** The least that its command takes, and how long we heard it by our own clock; null where no session of ours carried it. */
  readonly heard: Heard
}

const firstLine = run(['head', '-n', '1', '/proc/stat'], { maxBytes: 4096 })

/** proc_stat(5), twice, three seconds apart. */
export const liveSteal = defineProbe({
  id: 'live.steal',
  title: 'Processor time taken by a hypervisor, over an interval',
  why: 'A machine on its own hardware loses no processor time to a hypervisor.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: { before: firstLine, wait: run(['sleep', '3'], { timeoutSeconds: 10, maxBytes: 4096 }), after: firstLine },
  parse({ before, wait, after }) {
    const [earlier, later] = [columns(before.text), columns(after.text)]
    if (wait.exitCode !== 0 || earlier === null || later === null)
      return unknown('the processor times have an unexpected format')
    const steal = (later[7] ?? 0) - (earlier[7] ?? 0)
    const ticks = sum(later) - sum(earlier)
    // Both are from one stretch of one boot; the kernel may set single columns back a little, never steal by design.
    if (ticks <= 0 || steal < 0) return unknown('the two samples of the processor times do not cover one interval')
    return known<LiveSteal>({ ticks, steal, heard: { least: 3, auditor: wait.seconds.auditor } })
  },
})

/** The first eight columns: user, nice, system, idle, iowait, irq, softirq, steal. Guest time is in user already. */
function columns(text: string): readonly number[] | null {
  const found = /^cpu +((?:\d{1,15} ){7}\d{1,15})(?: |\n|$)/.exec(text.slice(0, 512))
  return found === null ? null : (found[1] ?? '').split(' ').map(Number)
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
