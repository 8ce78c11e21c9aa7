import type { HistoryRun } from '../../../../schemas/ipc-history.ts'
import type { CallFailure, RunListItem } from '../../../../schemas/ipc-views.ts'
import type { Fleet } from '../../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { shelfPath } from '../../../core/base/layout.ts'
import { baselineIn, type DescribedRun } from '../../../core/drift/explain.ts'
import type { HistoryStore, KeptHead, KeptRun } from '../../../core/history/history.ts'
import { enteredRuns } from '../../../core/period/seen.ts'
import { compare } from '../../../core/recording/recording.ts'
import type { LoggedEntry } from '../../../core/run-chain/entry.ts'
import { factsOf } from '../../history/rebuild-history.ts'
import { chainOfFleet } from '../../history/run-chain.ts'
import type { EngineContext } from '../context/context.ts'
import { listRuns, shelfOf } from './stored-runs.ts'

/** The runs of the window's fleet that this computer has. */
export interface KnownRuns {
  readonly fleet: Fleet
  readonly demo: boolean
  /** Null where there is no run chain, because no run was sealed into one. */
  readonly entries: readonly LoggedEntry[] | null
  /** Runs of this fleet in the history, oldest first. */
  readonly heads: readonly KeptHead[]
  /** Runs whose evidence is stored here, newest first. */
  readonly stored: readonly RunListItem[]
  /** The run in progress; it is not listed yet. */
  readonly going: string | null
  readonly shortfalls: readonly CallFailure[]
}

/**
 * Reads what is known of the runs of the current fleet; null without a fleet. Files that cannot be read are named in
 * `shortfalls`.
 */
export async function knownRuns(context: EngineContext): Promise<KnownRuns | null> {
  const { ports, folder, session } = context
  const { fleet, demo } = session
  const shelf = shelfOf(context)
  if (fleet === null || shelf === null) return null
  // Demo data is in no chain.
  const chain = demo ? ok(null) : await chainOfFleet(ports, folder, fleet.name)
  const heads = await withHistory(context, (history) => history.list())
  const stored = await listRuns(shelf, null)
  return {
    fleet,
    demo,
    entries: chain.ok ? (chain.value?.entries ?? null) : null,
    heads: heads.ok ? heads.value.filter((head) => head.fleet === fleet.name && head.demo === demo) : [],
    stored: stored.ok ? stored.value : [],
    going: session.going?.run ?? null,
    shortfalls: [chain, heads, stored].flatMap((read) => (read.ok ? [] : [read.error])),
  }
}

/** Works with the history of the window's fleet. */
export async function withHistory<T>(
  { ports, folder, session: { demo } }: EngineContext,
  work: (history: HistoryStore) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const history = await ports.openHistory(shelfPath(folder, demo))
  if (!history.ok) return history
  return await work(history.value)
}

/**
 * The seal under which a run is compared: the first one in the chain, otherwise its latest demo seal, otherwise null.
 * Undefined where the run is not stored here.
 */
export function sealKept({ entries, heads, demo }: KnownRuns, run: string): string | null | undefined {
  const own = heads.filter((head) => head.run === run)
  const named = enteredRuns(entries ?? []).first.find(({ entry }) => entry.run === run)?.entry.tagManifest
  const sealed = demo
    ? own.findLast((head) => head.sealed !== null)
    : own.find((head) => head.sealed?.tagManifest === named)
  if (sealed?.sealed != null) return sealed.sealed.tagManifest
  return own.some((head) => head.sealed === null) ? null : undefined
}

/** The stored trace of a run of this fleet. Fails with input.not-found. */
async function loadKept(context: EngineContext, known: KnownRuns, run: string): Promise<Outcome<KeptRun>> {
  const seal = sealKept(known, run)
  if (seal === undefined) return fail('input.not-found', `the trace of run ${run} is not stored here`)
  return await withHistory(context, (history) => history.load(run, seal))
}

export const NO_FLEET = 'there is no fleet'

/** Two runs with their traces, the earlier one first. */
export interface Pair {
  readonly was: TraceOfRun
  readonly is: TraceOfRun
  readonly runs: { readonly before: HistoryRun; readonly after: HistoryRun }
}

/** The part of a described run that its trace provides. */
type TraceOfRun = Pick<DescribedRun, 'trace'>

/** Fails with input.not-found. */
export async function loadPair(context: EngineContext, before: string, after: string): Promise<Outcome<Pair>> {
  const known = await knownRuns(context)
  if (known === null) return fail('input.not-found', NO_FLEET)
  const [was, is] = [await loadKept(context, known, before), await loadKept(context, known, after)]
  if (!was.ok) return was
  if (!is.ok) return is
  const runs = runsKnown(known)
  const [old, young] = [before, after].map((run) => runs.find((one) => one.run === run))
  return old === undefined || young === undefined
    ? fail('input.not-found', 'one of these runs is not of this fleet')
    : ok({ was: was.value, is: is.value, runs: { before: old, after: young } })
}

/** Runs in the chain and outside it, each once, newest first. */
export function runsKnown(known: KnownRuns): readonly HistoryRun[] {
  const baseline = baselineIn({ entries: known.entries ?? [] })?.run
  const facts = factsOf(known.heads)
  const all = new Map<string, HistoryRun>()
  const put = (one: Omit<HistoryRun, 'comparable' | 'baseline'>): void => {
    const { run } = one
    if (!all.has(run) && run !== known.going)
      all.set(run, { ...one, comparable: sealKept(known, run) !== undefined, baseline: run === baseline })
  }
  for (const { entry } of enteredRuns(known.entries ?? []).first) {
    const { run, at, planned, tagManifest } = entry
    const { declared, answered } = facts.get(tagManifest) ?? { declared: 0, answered: 0 }
    put({ run, at, declared, answered, seal: 'sealed', schedule: planned?.schedule ?? null })
  }
  // Outside a demo, a run that no chain names counts as not sealed: it would hide a missing run.
  for (const { run, asOf: at, declared, answered, planned, sealed } of [...known.heads].reverse()) {
    const seal = known.demo && sealed !== null ? 'demo' : 'none'
    put({ run, at, declared, answered, seal, schedule: planned?.schedule ?? null })
  }
  // From earlier versions, and where the trace could not be written.
  for (const { run, at, nodes, complete } of known.stored)
    put({ run, at, declared: nodes, answered: complete, seal: 'none', schedule: null })
  return [...all.values()].sort((a, b) => compare(b.at, a.at) || compare(b.run, a.run))
}
