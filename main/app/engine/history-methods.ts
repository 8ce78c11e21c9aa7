import type { DayWindow, Entered, HistoryDeviation, HistoryRun } from '../../../schemas/ipc-history.ts'
import type { Deviation } from '../../../schemas/types.ts'
import { declaredTerms } from '../../core/assess.ts'
import { catalogFor } from '../../core/catalog.ts'
import { driftOf } from '../../core/drift/compare.ts'
import { type DescribedRun, explainFlips, needsIn } from '../../core/drift/explain.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { chainFolderOf } from '../../core/layout.ts'
import { deviationFold } from '../../core/period/deviations.ts'
import { runsWithin } from '../../core/period/runs.ts'
import { ok } from '../../core/result.ts'
import type { RunChain } from '../../core/run-chain/entry.ts'
import { type EnterInput, nameBaseline, recordGap } from '../append-signed.ts'
import type { EngineContext, Handlers } from './context.ts'
import { driftView, flipView } from './history-drift.ts'
import { type KnownRuns, knownRuns, loadKept, sealKept, withHistory } from './history-read.ts'
import { historyView, runsKnown, windowOf } from './history-view.ts'
import { turnOf } from './kept-json.ts'
import { loadNodeOfRun, shelfOf } from './stored-runs.ts'
import { signingKey } from './trust-identities.ts'

type Methods =
  | 'history.get'
  | 'history.deviations'
  | 'history.compare'
  | 'history.flip'
  | 'history.record-gap'
  | 'history.set-baseline'

const NO_FLEET = 'there is no fleet'
const DEMO = 'demo data is never entered into a run chain; nothing was recorded'

/** Runs of the window's fleet over time: runs, missed runs, and the drift between two of them. */
export function historyMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { ports, catalog } = context
  return {
    'history.get': async ({ window }) => {
      const known = await knownRuns(context)
      if (known === null) return ok(null)
      const days = windowOf(window, ports.clock.now())
      return days.ok ? historyView(ports, known, days.value) : days
    },
    'history.deviations': async (window) => {
      const known = await knownRuns(context)
      const days = windowOf(window, ports.clock.now())
      if (known === null || !days.ok) return days.ok ? fail('input.not-found', NO_FLEET) : days
      const found = await deviations(context, known, days.value)
      return found.ok ? ok(shownFirst(context, found.value)) : found
    },
    'history.compare': async ({ before, after }) => {
      const pair = await loadPair(context, before, after)
      if (!pair.ok) return pair
      const { was, is, runs } = pair.value
      return ok(driftView(catalog, driftOf(was.trace, is.trace, needsIn(catalog)), runs))
    },
    'history.flip': async ({ before, after, node, check }) => {
      const pair = await loadPair(context, before, after)
      if (!pair.ok) return pair
      const told = await toldBoth(context, pair.value, node)
      if (!told.ok) return told
      const { was, is, scope } = told.value
      const detail = explainFlips(catalogFor(catalog, scope), node, was, is).find((one) => one.check === check)
      return detail === undefined
        ? fail('input.not-found', `${check} has the same verdict on ${node} in both runs`, node)
        : ok(flipView(catalog, detail))
    },
    'history.record-gap': ({ schedule, due, why, identity }) =>
      saying(context, identity, (input) =>
        recordGap(ports, { ...input, due, why, ...(schedule === null ? {} : { schedule }) }),
      ),
    'history.set-baseline': ({ run, why, identity }) =>
      saying(context, identity, (input) => nameBaseline(ports, { ...input, run, why })),
  }
}

/** Deviations in the sealed runs of a period, one trace in memory at a time. In a demo, in the stored runs. */
async function deviations(
  context: EngineContext,
  known: KnownRuns,
  { from, to }: DayWindow,
): Promise<Outcome<readonly Deviation[]>> {
  const runs = known.demo
    ? known.heads.filter(({ asOf }) => asOf.slice(0, 10) >= from && asOf.slice(0, 10) <= to).map(({ run }) => run)
    : runsWithin(known.entries ?? [], { from, to }).map(({ entry }) => entry.run)
  return await withHistory(context, async (history) => {
    const fold = deviationFold()
    for (const run of new Set(runs)) {
      const seal = sealKept(known, run)
      const kept = seal === undefined ? null : await history.load(run, seal)
      if (kept?.ok === false) return kept
      fold.add(kept?.value.trace ?? null)
    }
    return ok(fold.finish())
  })
}

const MOST_DEVIATIONS = 200

/** Deviations that are open at the end first. */
function shownFirst({ catalog }: EngineContext, all: readonly Deviation[]) {
  const claims = new Map(catalog.checks.map(({ id, expected }) => [id, expected]))
  const ordered = [...all].sort((a, b) => Number(b.open) - Number(a.open))
  const rows = ordered
    .slice(0, MOST_DEVIATIONS)
    .map((one): HistoryDeviation => ({ ...one, expected: claims.get(one.check) ?? one.check }))
  return { rows, total: all.length }
}

interface Pair {
  readonly was: ToldTrace
  readonly is: ToldTrace
  readonly runs: { readonly before: HistoryRun; readonly after: HistoryRun }
}
type ToldTrace = Pick<DescribedRun, 'trace'>

async function loadPair(context: EngineContext, before: string, after: string): Promise<Outcome<Pair>> {
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

/**
 * Both runs with the recording of one node. Declarations are the current ones: they were not stored with the evidence.
 */
async function toldBoth(context: EngineContext, { was, is }: Pair, node: string) {
  const shelf = shelfOf(context)
  if (shelf === null) return fail('input.not-found', NO_FLEET)
  const [then, now] = [await loadNodeOfRun(shelf, was.trace.run, node), await loadNodeOfRun(shelf, is.trace.run, node)]
  if (!then.ok) return then
  if (!now.ok) return now
  const missing = [then, now].find(({ value }) => value.recording === null)
  if (missing !== undefined)
    return fail(
      'input.not-found',
      'the recording of one of these runs is not stored here; the run traces show only that it differs',
      node,
    )
  return ok({
    was: { trace: was.trace, recording: then.value.recording, terms: declaredTerms(then.value.scope) },
    is: { trace: is.trace, recording: now.value.recording, terms: declaredTerms(now.value.scope) },
    scope: now.value.scope,
  })
}

/** A signed statement, appended to the run chain of the window's fleet. */
async function saying(
  context: EngineContext,
  identity: string | null,
  say: (input: EnterInput) => Promise<Outcome<RunChain>>,
): Promise<Outcome<Entered>> {
  const { folder, session } = context
  const { fleet, demo } = session
  if (fleet === null) return fail('input.not-found', NO_FLEET)
  if (demo) return fail('input.refused', DEMO)
  return await turnOf(
    context,
    'identities',
  )(async () => {
    const said = await say({
      fleet: fleet.name,
      chainFolder: chainFolderOf(folder, fleet.name),
      openSigner: async () => {
        const signer = await signingKey(context, identity)
        return signer.ok ? ok(signer.value.value) : signer
      },
    })
    return said.ok ? ok({ entries: said.value.entries.length }) : said
  })
}
