import type { HomeNotice } from '../../../../schemas/ipc-findings.ts'
import { startedAt } from '../../../../schemas/run-start.ts'
import { driftOf } from '../../../core/drift/compare.ts'
import { needsIn } from '../../../core/drift/explain.ts'
import { changesSince, type DueRuns } from '../../../present/home-notices.ts'
import { chainOfFleet } from '../../history/run-chain.ts'
import { scheduledSince } from '../../schedules/schedule-status.ts'
import type { EngineContext } from '../context/context.ts'
import { knownRuns, loadPair, runsKnown, sealKept } from '../runs/history-read.ts'

/** Number of days that the calendar of runs shows at first. */
export const SHOWN_DAYS = 91

const NO_RUNS: DueRuns = { unexplained: [], overdue: [] }
const UNREADABLE: DueRuns = { ...NO_RUNS, isUnreadable: true }

/** Scheduled runs of the last weeks that did not arrive. None without a run chain; one that cannot be read is stated. */
export async function dueRunsOf({ ports, folder, session: { fleet, demo } }: EngineContext): Promise<DueRuns> {
  if (fleet === null || demo) return NO_RUNS
  const chain = await chainOfFleet(ports, folder, fleet.name)
  if (!chain.ok) return UNREADABLE
  if (chain.value === null) return NO_RUNS
  const read = scheduledSince(ports, chain.value.entries, SHOWN_DAYS - 1)
  if (!read.ok) return UNREADABLE
  return { unexplained: byTime(read.value.unrecorded), overdue: byTime(read.value.awaited) }
}

const byTime = <T extends { readonly due: string }>(runs: readonly T[]): readonly T[] =>
  [...runs].sort((a, b) => Date.parse(a.due) - Date.parse(b.due))

/** The last result of each engine, with the runs and seals that it compared: computing it reads both traces. */
const COMPARED = new WeakMap<EngineContext, { readonly of: string; readonly notices: readonly HomeNotice[] }>()

/**
 * Changes since the run before the shown one. None while a run is in progress, without an earlier run, and where a
 * trace cannot be read; the comparison of these runs then reports that.
 */
export async function changesOf(context: EngineContext): Promise<readonly HomeNotice[]> {
  const { run } = context.session
  const known = run === null || context.session.going !== null ? null : await knownRuns(context)
  if (run === null || known === null) return []
  const runs = runsKnown(known)
  const at = runs.findIndex((one) => one.run === run.run)
  const before = runs.slice(at + 1).find(({ comparable }) => comparable)
  const after = runs[at]
  if (after === undefined || !after.comparable || before === undefined) return []
  const missed = (known.entries ?? []).filter(
    ({ entry, signature }) =>
      entry.kind === 'gap' &&
      signature !== null &&
      Date.parse(entry.due) > Date.parse(before.at) &&
      Date.parse(entry.due) < Date.parse(after.at),
  ).length
  const of = JSON.stringify([before.run, sealKept(known, before.run), after.run, sealKept(known, after.run), missed])
  const kept = COMPARED.get(context)
  if (kept?.of === of) return kept.notices
  const pair = await loadPair(context, before.run, after.run)
  if (!pair.ok) return []
  const { was, is } = pair.value
  const notices = changesSince({
    before: { run: before.run, startedAt: startedAt(before) },
    after,
    drift: driftOf(was.trace, is.trace, needsIn(context.catalog)),
    explained: missed,
  })
  COMPARED.set(context, { of, notices })
  return notices
}
