import type { Sha256 } from '../base/digest.ts'
import { isOwnFolder, isSafeName } from '../base/layout.ts'
import { compare } from '../recording/recording.ts'
import type { ChainEntry, RunChain, RunEntry } from '../run-chain/entry.ts'

/** A run past its retention period. */
export interface Due {
  readonly run: string
  /** Evaluation date of its latest pack. */
  readonly at: string
  /** Tag manifests of all its packs. */
  readonly seals: readonly Sha256[]
  /** The chain already lists all of them as retired. */
  readonly entered: boolean
}

export interface Stays {
  readonly run: string
  readonly why: string
}

export interface Fate {
  readonly due: readonly Due[]
  readonly stays: readonly Stays[]
}

/**
 * Which runs of a chain are older than the given number of years, and which of those are retained regardless: the
 * baseline in effect, runs covered by a sealed period report within these years or by the latest one (by default),
 * and runs whose names could be mistaken for folders of the program.
 */
export function retentionPlan(
  { entries }: RunChain,
  { asOf, years, evenInPeriods }: { readonly asOf: string; readonly years: number; readonly evenInPeriods: boolean },
): Fate {
  const all = entries.map(({ entry }) => entry)
  const before = yearsBefore(asOf, years)
  const retired = new Set(all.flatMap((entry) => (entry.kind === 'retired' ? [entry.tagManifest] : [])))
  const baseline = all.findLast((entry) => entry.kind === 'baseline')?.run
  const due: Due[] = []
  const stays: Stays[] = []
  for (const [run, packs] of byRun(all)) {
    const at =
      packs
        .map((entry) => entry.at)
        .sort(compare)
        .at(-1) ?? ''
    const seals = packs.map(({ tagManifest }) => tagManifest)
    const entered = seals.every((seal) => retired.has(seal))
    if (at >= before && !entered) continue
    const why = entered ? null : whyItStays(run, packs, all, { baseline, before, evenInPeriods })
    if (!isSafeName(run) || isOwnFolder(run)) stays.push({ run, why: 'its name is not a valid run folder name' })
    else if (why !== null) stays.push({ run, why })
    else due.push({ run, at, seals, entered })
  }
  return { due, stays }
}

function byRun(entries: readonly ChainEntry[]): ReadonlyMap<string, readonly RunEntry[]> {
  const runs = new Map<string, RunEntry[]>()
  for (const entry of entries) if (entry.kind === 'run') runs.set(entry.run, [...(runs.get(entry.run) ?? []), entry])
  return runs
}

function whyItStays(
  run: string,
  packs: readonly RunEntry[],
  entries: readonly ChainEntry[],
  policy: { readonly baseline: string | undefined; readonly before: string; readonly evenInPeriods: boolean },
): string | null {
  if (run === policy.baseline) return 'it is the baseline with which later runs are compared'
  if (policy.evenInPeriods) return null
  const last = entries.findLast((entry) => entry.kind === 'period')
  const period = entries.find(
    (entry) =>
      entry.kind === 'period' &&
      // The latest period report rests on its runs regardless of its age, since none has replaced it.
      (entry.at >= policy.before || entry === last) &&
      packs.some(({ at }) => at.slice(0, 10) >= entry.from && at.slice(0, 10) <= entry.to),
  )
  return period?.kind === 'period' ? `the sealed period report of ${period.from} to ${period.to} depends on it` : null
}

/** The same time a number of years earlier, in UTC; 29 February becomes 1 March. */
const yearsBefore = (asOf: string, years: number): string => {
  const moment = new Date(asOf)
  moment.setUTCFullYear(moment.getUTCFullYear() - years)
  return moment.toISOString()
}
