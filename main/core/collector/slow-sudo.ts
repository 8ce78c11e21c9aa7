import { sudoRemark } from '../probe.ts'
import type { CapturedAnswer } from '../recording.ts'

/** What is remembered of one answer that came, or should have come, through sudo. */
interface ThroughSudo {
  readonly status: CapturedAnswer['meta']['status']
  readonly seconds: number
  readonly remark: string | null
}

export interface SlowSudo {
  readonly hear: (answer: CapturedAnswer) => void
  /**
   * In one line: how long sudo took, what it said, and how many questions were not asked because of it. Null while no question was left
   * out and sudo took less than SLOW_SECONDS for at least half of what it was asked.
   */
  readonly words: () => string | null
  /** How many questions were not asked because sudo had passed its time limit. */
  readonly notAsked: () => number
}

/** A local sudo takes some ten milliseconds; what takes seconds waits for a name, a directory or a log. */
const SLOW_SECONDS = 3

/** Listens to the answers of one collection for a sudo that is slow, so that a loss can be told with its cause. */
export function slowSudo(): SlowSudo {
  const heard: ThroughSudo[] = []
  const notAsked = (): number => heard.filter(({ status }) => status === 'not-asked').length
  return {
    hear: (answer) => {
      const { meta } = answer
      if (meta.privilege !== 'sudo' && meta.argv[0] !== 'sudo') return
      if (meta.status === 'not-run' || meta.status === 'no-path' || meta.status === 'lost') return
      heard.push({ status: meta.status, seconds: meta.durationMs / 1000, remark: sudoRemark(answer) })
    },
    notAsked,
    words: () => {
      const asked = heard.filter(({ status }) => status !== 'not-asked')
      const slow = asked.filter(({ status, seconds }) => status === 'timed-out' || seconds >= SLOW_SECONDS)
      if (notAsked() === 0 && (slow.length === 0 || slow.length * 2 < asked.length)) return null
      const least = Math.floor(Math.min(...slow.map(({ seconds }) => seconds)))
      const remark = slow.find((one) => one.remark !== null)?.remark ?? null
      return [
        `${slow.length} of ${asked.length} questions through sudo took ${least} s or longer`,
        ...(remark === null ? [] : [`: ${remark}`]),
        ...(notAsked() === 0 ? [] : [`; ${notAsked()} more were not asked`]),
      ].join('')
    },
  }
}
