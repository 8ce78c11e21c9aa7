import type { CallFailure, RunListItem } from '../../../schemas/ipc-views.ts'
import type { Fleet } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { HistoryStore, KeptHead, KeptRun } from '../../core/history.ts'
import { chainFolderOf, chainStart } from '../../core/layout.ts'
import { enteredRuns } from '../../core/period/runs.ts'
import { ok } from '../../core/result.ts'
import type { LoggedEntry } from '../../core/run-chain/entry.ts'
import { readChain } from '../chains.ts'
import type { EngineContext } from './context.ts'
import { historyRoot } from './keep-traces.ts'
import { listRuns, shelfOf } from './stored-runs.ts'

/** What this computer knows of the runs of the window's fleet. */
export interface KnownRuns {
  readonly fleet: Fleet
  readonly demo: boolean
  /** Null where there is no run chain: nothing was sealed into one. */
  readonly entries: readonly LoggedEntry[] | null
  /** Of this fleet, oldest first. */
  readonly heads: readonly KeptHead[]
  /** Runs whose evidence is stored here, newest first. */
  readonly stored: readonly RunListItem[]
  /** The run in progress; it is not listed yet. */
  readonly going: string | null
  readonly shortfalls: readonly CallFailure[]
}

/** Null without a fleet. Files that cannot be read are named, and the rest is returned. */
export async function knownRuns(context: EngineContext): Promise<KnownRuns | null> {
  const { ports, folder, session } = context
  const { fleet, demo } = session
  const shelf = shelfOf(context)
  if (fleet === null || shelf === null) return null
  const chainFolder = chainFolderOf(folder, fleet.name)
  // Demo data is in no chain.
  const begun = !demo && (await ports.files.isThere(chainStart(chainFolder)))
  const chain = begun ? await readChain(ports, chainFolder) : ok(null)
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
  const history = await ports.openHistory(historyRoot({ folder }, demo))
  if (!history.ok) return history
  return await work(history.value)
}

/**
 * The seal under which a run is compared: as the chain names it first, otherwise its latest demo seal, otherwise none.
 * Undefined: the run is not stored here.
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
export async function loadKept(context: EngineContext, known: KnownRuns, run: string): Promise<Outcome<KeptRun>> {
  const seal = sealKept(known, run)
  if (seal === undefined) return fail('input.not-found', `the trace of run ${run} is not stored here`)
  return await withHistory(context, (history) => history.load(run, seal))
}
