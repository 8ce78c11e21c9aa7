import type { EarlierRuns, RunTrace, Scope } from '../../schemas/types.ts'
import type { Ports } from '../core/all-ports.ts'
import type { Outcome } from '../core/failure.ts'
import type { HistoryStore } from '../core/history.ts'
import { dayOf } from '../core/period/days.ts'
import { deviationFold } from '../core/period/deviations.ts'
import { enteredRuns } from '../core/period/runs.ts'
import { ok } from '../core/result.ts'
import type { RunChain, RunEntry } from '../core/run-chain/entry.ts'

interface EarlierInput {
  readonly scope: Scope
  /** The chain before the run is entered. */
  readonly chain: RunChain
  /** The run that the report covers. */
  readonly own: RunTrace
}

/**
 * Results that were not satisfied in earlier runs of the declared period: runs that the chain names and whose traces
 * the history keeps under the same seal. Null where no period was declared, or no run of it is kept. Fails as the
 * history does.
 */
export async function earlierRuns(
  ports: Pick<Ports, 'openHistory'>,
  root: string,
  { scope, chain, own }: EarlierInput,
): Promise<Outcome<EarlierRuns | null>> {
  const basis = scope.engagement?.reportingBasis
  if (basis?.kind !== 'period') return ok(null)
  const entered = enteredRuns(chain.entries).first.filter(
    ({ entry }) => dayOf(entry.at) >= basis.from && dayOf(entry.at) <= basis.to && entry.run !== own.run,
  )
  if (entered.length === 0) return ok(null)
  const history = await ports.openHistory(root)
  if (!history.ok) return history
  return await followed(
    history.value,
    entered.map(({ entry }) => entry),
    own,
  )
}

/** One trace at a time, so that the traces of a long period are never in memory together. */
async function followed(
  history: HistoryStore,
  entered: readonly RunEntry[],
  own: RunTrace,
): Promise<Outcome<EarlierRuns | null>> {
  const fold = deviationFold()
  const runs: EarlierRuns['runs'][number][] = []
  for (const { run, at, tagManifest } of entered) {
    const kept = await history.load(run, tagManifest)
    if (!kept.ok && kept.error.code !== 'input.not-found') return kept
    const trace = kept.ok ? kept.value.trace : null
    fold.add(trace)
    runs.push({ run, at, tagManifest, kept: trace !== null })
  }
  if (!runs.some(({ kept }) => kept)) return ok(null)
  fold.add(own)
  return ok({ runs, deviations: fold.finish() })
}
