import type { RunTrace } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'
import type { KeptHead } from '../history.ts'
import { growingTree } from '../merkle.ts'
import { quote } from '../plain-text.ts'
import { dayOf } from '../register/days.ts'
import { type LoggedEntry, leafOf, type RetiredEntry, type RunChain, type RunEntry } from '../run-chain/entry.ts'
import { CHAIN_SCHEMA, type StatedHead } from '../run-chain/files.ts'
import { answeredIn } from '../trace.ts'

/** A run in the run chain; `place` numbers the lines of entries.jsonl from 1. */
export interface EnteredRun {
  readonly entry: RunEntry
  readonly place: number
}

export interface EnteredRuns {
  /** Each run once, by its first seal, so that it cannot be sealed again to change its result. In chain order. */
  readonly first: readonly EnteredRun[]
  /** Notes on runs sealed more than once, at least once in the period. */
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
            `Run ${quote(run)} was sealed ${all.length} times, as entries ${all.map(({ place }) => place).join(', ')}. It counts once, by its first seal.`,
        ),
  }
}

/** The runs of a period, by their UTC date; each once, in chain order. */
export const runsWithin = (
  entries: readonly LoggedEntry[],
  { from, to }: { readonly from: string; readonly to: string },
): readonly EnteredRun[] =>
  enteredRuns(entries).first.filter(({ entry }) => dayOf(entry.at) >= from && dayOf(entry.at) <= to)

/** Facts for the calendar from a run trace. */
export const factsOf = (trace: RunTrace): RunFacts => ({
  declared: trace.nodes.length,
  answered: answeredIn(trace),
  catalog: trace.catalog.digest,
  rules: trace.rules,
})

/** A note on each run without an available run trace, with the reason if the run chain states it. */
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
        ? 'Its pack was not available.'
        : `Its evidence was deleted at ${taken.at}: ${quote(taken.why, 300)}.`
    return `Run ${quote(run)}, entry ${entry}, dated ${at}: only its seal is stated. ${why} It supports no result and no day.`
  })
}

/**
 * The checkpoint that the pack of a run must state, as canonical JSON: of the run chain up to the preceding entry, since an entry follows all that its
 * pack states. Call with runs in chain order.
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

/** Facts about a run for the calendar: from its run trace by factsOf(), or from the history. */
export type RunFacts = Pick<KeptHead, 'declared' | 'answered' | 'catalog' | 'rules'>
