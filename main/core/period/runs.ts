import type { RunTrace } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'
import { growingTree } from '../merkle.ts'
import { quote } from '../plain-text.ts'
import { type LoggedEntry, leafOf, type RetiredEntry, type RunChain, type RunEntry } from '../run-chain/entry.ts'
import { CHAIN_SCHEMA, type StatedHead } from '../run-chain/files.ts'
import { answeredIn } from '../trace.ts'
import type { RunFacts } from './calendar.ts'
import { dayOf } from './days.ts'

/** A run in the chain; `place` counts lines of entries.jsonl from 1. */
export interface EnteredRun {
  readonly entry: RunEntry
  readonly place: number
}

export interface EnteredRuns {
  /** Each run once, as it was sealed first: nobody can seal it again until it suits. In the order of the chain. */
  readonly first: readonly EnteredRun[]
  /** On runs that were sealed more than once, one of those times in the period. */
  readonly notes: (within: (instant: string) => boolean) => readonly string[]
}

export function enteredRuns(entries: readonly LoggedEntry[]): EnteredRuns {
  const byRun = new Map<string, EnteredRun[]>()
  for (const [index, { entry }] of entries.entries()) {
    if (entry.kind !== 'run') continue
    const before = byRun.get(entry.run)
    if (before === undefined) byRun.set(entry.run, [{ entry, place: index + 1 }])
    else before.push({ entry, place: index + 1 })
  }
  return {
    first: [...byRun.values()].flatMap(([one]) => one ?? []),
    notes: (within) =>
      [...byRun]
        .filter(([, all]) => all.length > 1 && all.some(({ entry }) => within(entry.at)))
        .map(
          ([run, all]) =>
            `Run ${quote(run)} was sealed ${all.length} times, as entries ${all.map(({ place }) => place).join(', ')}. It counts once, as it was sealed first.`,
        ),
  }
}

/** The runs of a period, by the day of UTC that they are dated; each once, in the order of the chain. */
export const runsWithin = (
  entries: readonly LoggedEntry[],
  { from, to }: { readonly from: string; readonly to: string },
): readonly EnteredRun[] =>
  enteredRuns(entries).first.filter(({ entry }) => dayOf(entry.at) >= from && dayOf(entry.at) <= to)

/** What a calendar takes from a trace. */
export const factsOf = (trace: RunTrace): RunFacts => ({
  declared: trace.nodes.length,
  answered: answeredIn(trace),
  catalog: trace.catalog.digest,
  rules: trace.rules,
})

/** A sentence on each run whose trace is not at hand, and why where the chain says so. */
export function withoutTrace(
  runs: readonly { readonly run: string; readonly entry: number; readonly at: string; readonly tagManifest: string }[],
  entries: readonly LoggedEntry[],
): readonly string[] {
  const retired = new Map<string, RetiredEntry>()
  for (const { entry } of entries)
    if (entry.kind === 'retired' && !retired.has(entry.tagManifest)) retired.set(entry.tagManifest, entry)
  return runs.map(({ run, entry, at, tagManifest }) => {
    const taken = retired.get(tagManifest)
    const why =
      taken === undefined
        ? 'Its pack was not at hand.'
        : `Its evidence was taken away at ${taken.at}: ${quote(taken.why, 300)}.`
    return `Of run ${quote(run)}, entry ${entry}, dated ${at}, nothing is stated but that it was sealed. ${why} It supports nothing, and by it alone no day has evidence.`
  })
}

/**
 * The head that the pack of a run must state, as canonical JSON: of the chain up to the entry before it, since an entry follows all that its
 * pack states. Runs are asked for in the order of the chain.
 */
export function headsBefore({ id, fleet, entries }: RunChain): (run: EnteredRun) => string {
  const tree = growingTree()
  let size = 0
  return ({ place }) => {
    for (const { entry } of entries.slice(size, place - 1)) tree.add(leafOf(entry))
    size = Math.max(size, place - 1)
    return canonicalJson({ schema: CHAIN_SCHEMA, id, fleet, size, root: tree.root() } satisfies StatedHead)
  }
}
