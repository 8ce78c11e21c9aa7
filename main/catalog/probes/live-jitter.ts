import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import type { Heard } from '../isolation/dd-times.ts'

export interface LiveJitter {
  /** How often the clock was read in five seconds. */
  readonly readings: number
  /** Gaps between two readings above 50 and above 500 microseconds; the former include the latter. */
  readonly over50: number
  readonly over500: number
  readonly longestMicros: number
  /** The least that its command takes, and how long we heard it by our own clock; null where no session of ours carried it. */
  readonly heard: Heard
}

// Reads the clock for five seconds and counts how often it jumped. Not pinned: the scheduler finds a quiet CPU, the first one seldom is.
const SCRIPT =
  '$e=clock_gettime(CLOCK_MONOTONIC);$z=$e+5;$n=$a=$b=$m=0;while($e<$z){$t=clock_gettime(CLOCK_MONOTONIC);$g=$t-$e;$n++;$a++ if $g>50e-6;$b++ if $g>500e-6;$m=$g if $g>$m;$e=$t}printf "%d %d %d %d\\n",$n,$a,$b,$m*1e6'

/** clock_gettime(2), CLOCK_MONOTONIC, in a loop: time in which nothing of ours ran shows as a gap. */
export const liveJitter = defineProbe({
  id: 'live.jitter',
  title: 'Interruptions of a busy processor',
  why: 'A guest’s processor is occasionally suspended while the host does other work.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: {
    spin: run(['perl', '-MTime::HiRes=clock_gettime,CLOCK_MONOTONIC', '-e', SCRIPT], {
      timeoutSeconds: 15,
      maxBytes: 4096,
    }),
  },
  parse({ spin }) {
    if (/Can't locate Time\/HiRes/.test(spin.errorText)) return unknown('perl has no module Time::HiRes here')
    const found = /^(\d{1,12}) (\d{1,12}) (\d{1,12}) (\d{1,12})\s*$/.exec(spin.text.slice(0, 128))
    const [readings = 0, over50 = 0, over500 = 0, longestMicros = 0] = (found ?? []).slice(1).map(Number)
    if (spin.exitCode !== 0 || found === null || readings === 0 || over500 > over50 || over50 > readings)
      return unknown('perl did not count the gaps')
    return known<LiveJitter>({
      readings,
      over50,
      over500,
      longestMicros,
      heard: { least: 5, auditor: spin.seconds.auditor },
    })
  },
})
