import type { Answer } from '../../core/probe.ts'

/** Of one live test, in seconds: the least that its command can have taken by what it is or states, and how long our own clock heard it. */
export interface Heard {
  readonly least: number
  readonly auditor: number | null
}

export interface DdTime {
  readonly bytes: number
  readonly seconds: number
}

// “1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.246199 s, 4.3 MB/s” of GNU dd; older ones name one unit, busybox states “seconds”.
const SUMMARY =
  /^(\d{1,15}) bytes? (?:\([^()\n]{1,60}\) )?copied, (\d{1,9}(?:\.\d{1,12})?(?:e[-+]?\d{1,3})?) s(?:econds)?\b/m

/**
 * What dd states on stderr of how much it copied and how long it took; null where it failed or states neither, as some builds of busybox.
 */
export function ddTime({ exitCode, errorText }: Pick<Answer, 'exitCode' | 'errorText'>): DdTime | null {
  if (exitCode !== 0) return null
  const found = SUMMARY.exec(errorText.slice(0, 4096))
  const [bytes, seconds] = [Number(found?.[1]), Number(found?.[2])]
  return found !== null && Number.isFinite(seconds) && seconds > 0 ? { bytes, seconds } : null
}

/** How long a load of dd was heard, against what it reports about itself and what the node's clock reports about the whole command. */
export const heardOf = (answer: Answer): Heard => ({
  least: Math.max(ddTime(answer)?.seconds ?? 0, answer.seconds.node ?? 0),
  auditor: answer.seconds.auditor,
})

/** Why a dd over a device of the processor gave no time. */
export function whyNoTime({ exitCode, errorText }: Pick<Answer, 'exitCode' | 'errorText'>, device: string): string {
  if (/No such file or directory|No such device/.test(errorText)) return `the kernel offers no ${device} here`
  if (/Operation not permitted|Permission denied/.test(errorText)) return `the kernel does not let ${device} be read`
  if (/affinity/.test(errorText)) return 'this session may not run on the first CPU'
  return exitCode === 0
    ? `dd read ${device} and did not report the duration`
    : `${device} could not be read in a row (exit status ${exitCode})`
}

export interface CallTimes {
  /** How many calls each run made. */
  readonly calls: number
  /** Microseconds per call of each run, fastest first. */
  readonly micros: readonly number[]
}

/** Runs of `calls` calls each, where every run copied exactly `bytes`; null where one did not. */
export function callTimes(runs: readonly (DdTime | null)[], bytes: number, calls: number): CallTimes | null {
  const whole = runs.flatMap((run) => (run !== null && run.bytes === bytes ? [run] : []))
  if (whole.length !== runs.length || runs.length === 0) return null
  return { calls, micros: whole.map(({ seconds }) => (seconds * 1e6) / calls).sort((a, b) => a - b) }
}

/** The middle run, and the fastest: whatever disturbs a run only makes it slower. */
export const median = ({ micros }: CallTimes): number => micros[Math.floor(micros.length / 2)] ?? Number.NaN
export const fastest = ({ micros }: CallTimes): number => micros[0] ?? Number.NaN
