import type { Deviation, RunTrace } from '../../../schemas/types.ts'
import { type Verdict, verdictLetters } from '../../../schemas/words.ts'
import { compare } from '../recording/recording.ts'

const { 'not-satisfied': CONTRADICTED } = verdictLetters
/** Verdicts that end a deviation: satisfied or not applicable. */
const ENDS: ReadonlySet<string> = new Set(
  (['satisfied', 'not-applicable'] satisfies Verdict[]).map((one) => verdictLetters[one]),
)

interface Open {
  readonly node: string
  readonly check: string
  readonly found: Deviation['found']
  lastSeen: Deviation['lastSeen']
  runs: number
  unknown: number
  /** The last run that tested it, by count. */
  seen: number
}

/** Deviations, followed through the runs of a period. */
interface DeviationFold {
  /** The next run in chain order; null where its run trace is not available, which decides nothing. */
  readonly add: (trace: RunTrace | null) => void
  /** By node, check and run that found it. */
  readonly finish: () => readonly Deviation[]
}

export function deviationFold(): DeviationFold {
  const open = new Map<string, Open>()
  const closed: (Deviation & { readonly order: number })[] = []
  let count = 0
  const end = (key: string, one: Open, fixed: Deviation['fixed']): void => {
    const { node, check, found, lastSeen, runs, unknown } = one
    closed.push({ node, check, found, lastSeen, fixed, open: fixed === null, runs, unknown, order: closed.length })
    open.delete(key)
  }
  return {
    add: (trace) => {
      count += 1
      for (const { node, verdicts } of trace?.nodes ?? [])
        for (const [index, letter] of [...verdicts].entries()) {
          const check = trace?.checks[index]
          if (trace === null || check === undefined) continue
          const key = `${node} ${check}`
          const moment = { run: trace.run, at: trace.asOf }
          const one = open.get(key)
          if (letter === CONTRADICTED && one === undefined)
            open.set(key, { node, check, found: moment, lastSeen: moment, runs: 1, unknown: 0, seen: count })
          else if (letter === CONTRADICTED && one !== undefined) {
            one.lastSeen = moment
            one.runs += 1
            one.seen = count
          } else if (one !== undefined && ENDS.has(letter)) end(key, one, moment)
        }
      // Any other result leaves it open.
      for (const one of open.values()) if (one.seen !== count) one.unknown += 1
    },
    finish: () => {
      for (const [key, one] of [...open]) end(key, one, null)
      return closed
        .sort((a, b) => compare(a.node, b.node) || compare(a.check, b.check) || a.order - b.order)
        .map(({ order: _, ...one }) => one)
    },
  }
}
