import type { RunMoment, RunTrace, TracedAccount, TracedKey, TracedNode } from '../../../schemas/types.ts'
import { VERDICTS, verdictLetters } from '../../../schemas/words.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { dayOf } from '../base/days.ts'
import { growingTree } from '../base/digest.ts'
import { quote } from '../base/plain-text.ts'
import type { KeptHead } from '../history/history.ts'
import { answeredIn } from '../history/trace.ts'
import { compare } from '../recording/recording.ts'
import { type LoggedEntry, leafOf, type RetiredEntry, type RunChain, type RunEntry } from '../run-chain/entry.ts'
import { CHAIN_SCHEMA, type StatedHead } from '../run-chain/notes.ts'

/** One node in one run. */
export interface NodeRunRow {
  readonly run: string
  readonly at: string
  readonly node: string
  readonly status: TracedNode['status']
  readonly failure: string | null
  readonly observedAt: string | null
  /** Counts: satisfied, not satisfied, inconclusive, not applicable, not tested, informational. */
  readonly verdicts: readonly number[]
  readonly hostKey: string | null
  readonly recording: string | null
}

/** One node over the period. */
export interface NodeRow {
  readonly node: string
  readonly first: RunMoment
  readonly last: RunMoment
  /** The last run that collected it; null when none did. */
  readonly lastRead: string | null
  readonly declared: number
  readonly answered: number
  readonly atBeginning: boolean
  readonly atEnd: boolean
}

/** An account or a key on one node over the period. */
export interface AccessRow {
  readonly key: string
  readonly node: string
  /** Its description, as cells. */
  readonly about: readonly string[]
  readonly first: RunMoment
  readonly last: RunMoment
  readonly runs: number
  readonly atBeginning: boolean
  readonly atEnd: boolean
}

/** Accumulates the facts of a period run by run, without keeping run traces. */
interface SeenFold {
  readonly add: (trace: RunTrace) => void
  readonly finish: () => {
    readonly nodeRuns: readonly NodeRunRow[]
    readonly nodes: readonly NodeRow[]
    readonly accounts: readonly AccessRow[]
    readonly keys: readonly AccessRow[]
  }
}

export function seenFold(): SeenFold {
  const nodeRuns: NodeRunRow[] = []
  const nodes = new Map<string, { -readonly [K in keyof NodeRow]: NodeRow[K] }>()
  const accounts = accessFold<TracedAccount>(accountKey, accountCells)
  const keys = accessFold<TracedKey>(({ account, fingerprint }) => [account, fingerprint], keyCells)
  let [beginning, end] = ['', '']
  return {
    add: (trace) => {
      const moment = { run: trace.run, at: trace.asOf }
      beginning ||= trace.run
      end = trace.run
      for (const traced of [...trace.nodes].sort((a, b) => compare(a.node, b.node))) {
        const { node, status, failure, observedAt, hostKey, recording } = traced
        const answered = status === 'complete' || status === 'partial'
        nodeRuns.push({ ...moment, node, status, failure, observedAt, verdicts: tally(traced), hostKey, recording })
        const row = nodes.get(node)
        if (row === undefined)
          nodes.set(node, {
            node,
            first: moment,
            last: moment,
            lastRead: answered ? trace.run : null,
            declared: 1,
            answered: answered ? 1 : 0,
            atBeginning: trace.run === beginning,
            atEnd: true,
          })
        else {
          row.last = moment
          row.declared += 1
          row.answered += answered ? 1 : 0
          if (answered) row.lastRead = trace.run
        }
        accounts.add(node, moment, traced.accounts)
        keys.add(node, moment, traced.keys)
      }
    },
    finish: () => ({
      nodeRuns,
      nodes: [...nodes.values()]
        .sort((a, b) => compare(a.node, b.node))
        .map((row) => ({ ...row, atEnd: row.last.run === end })),
      accounts: accounts.finish(),
      keys: keys.finish(),
    }),
  }
}

/** In the order of the verdicts. */
function tally({ verdicts }: TracedNode): readonly number[] {
  const counts = new Map<string, number>()
  for (const letter of verdicts) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return VERDICTS.map((verdict) => counts.get(verdictLetters[verdict]) ?? 0)
}

const accountKey = ({ name, uid }: TracedAccount): readonly string[] => [name, String(uid)]
/** A cell of a list; null: the run did not collect it. */
export const yesNo = (is: boolean | null): string => (is === null ? 'not collected' : is ? 'yes' : 'no')

const accountCells = (last: TracedAccount, all: Always): readonly string[] => [
  last.name,
  String(last.uid),
  yesNo(last.login),
  yesNo(last.administrator),
  yesNo(all.administrator),
]
const keyCells = ({ account, type, fingerprint }: TracedKey): readonly string[] => [account, type, fingerprint]

/** True if it was so in any run. */
interface Always {
  readonly administrator: boolean | null
}

interface Seen<T> {
  readonly node: string
  readonly parts: readonly string[]
  last: T
  readonly first: RunMoment
  lastAt: RunMoment
  runs: number
  administrator: boolean | null
}

/** Accounts or keys, each by name and node; unreadable lists are not used. */
function accessFold<T>(
  partsOf: (one: T) => readonly string[],
  cellsOf: (last: T, all: Always) => readonly string[],
): {
  readonly add: (node: string, moment: RunMoment, list: readonly T[] | null) => void
  readonly finish: () => readonly AccessRow[]
} {
  const seen = new Map<string, Seen<T>>()
  /** First and last run that read the list of a node. */
  const read = new Map<string, { readonly first: string; last: string }>()
  return {
    add: (node, moment, list) => {
      if (list === null) return
      const spans = read.get(node)
      if (spans === undefined) read.set(node, { first: moment.run, last: moment.run })
      else spans.last = moment.run
      for (const one of list) {
        const parts = partsOf(one)
        const key = [node, ...parts].join('/')
        const before = seen.get(key)
        const { administrator = null } = one as { readonly administrator?: boolean | null }
        if (before === undefined)
          seen.set(key, { node, parts, last: one, first: moment, lastAt: moment, runs: 1, administrator })
        else {
          // A list can contain duplicates.
          if (before.lastAt.run !== moment.run) before.runs += 1
          before.last = one
          before.lastAt = moment
          before.administrator = before.administrator === true ? true : (administrator ?? before.administrator)
        }
      }
    },
    finish: () =>
      [...seen]
        .sort(([, a], [, b]) => byParts([a.node, ...a.parts], [b.node, ...b.parts]))
        .map(([key, { node, last, first, lastAt, runs, administrator }]) => ({
          key,
          node,
          about: cellsOf(last, { administrator }),
          first,
          last: lastAt,
          runs,
          atBeginning: read.get(node)?.first === first.run,
          atEnd: read.get(node)?.last === lastAt.run,
        })),
  }
}

/** Part by part, by code unit. */
function byParts(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const order = compare(part, b[index] ?? '')
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** A run in the run chain; `place` numbers the lines of entries.jsonl from 1. */
export interface EnteredRun {
  readonly entry: RunEntry
  readonly place: number
}

interface EnteredRuns {
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
