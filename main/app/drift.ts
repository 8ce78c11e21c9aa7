import type { FlipDetail, RunDrift } from '../../schemas/drift.ts'
import type { RunTrace } from '../../schemas/types.ts'
import type { Ports } from '../core/all-ports.ts'
import { declaredJudging } from '../core/assess.ts'
import type { Catalog } from '../core/catalog.ts'
import type { Baseline } from '../core/drift/baseline.ts'
import { driftOf } from '../core/drift/compare.ts'
import { explainFlips, needsIn } from '../core/drift/explain.ts'
import type { Outcome } from '../core/failure.ts'
import type { KeptHead } from '../core/history.ts'
import { ok } from '../core/result.ts'
import { type DriftInput, namesOf } from './drift-names.ts'
import { scopeOfPack } from './scope-of-pack.ts'
import { recordingIn, traceFromEvidence } from './trace-from-evidence.ts'

export interface Compared {
  readonly drift: RunDrift
  readonly runs: readonly [before: FoundRun, after: FoundRun]
  /** The baseline that selected one of them; null where neither was selected so. */
  readonly baseline: Baseline | null
}

export interface FoundRun {
  readonly trace: RunTrace
  /**
   * `sealed`: from a sealed pack; `kept`: in the history, not sealed; `evidence`: evaluated from the stored evidence
   * under the current rules.
   */
  readonly from: 'sealed' | 'kept' | 'evidence'
  readonly head: KeptHead | null
}

/**
 * The drift between two runs of one folder. Fails with input.not-found where one of them is neither in the history nor
 * in the stored evidence, with input.refused where the selection is ambiguous; otherwise as history, chain and store
 * do.
 */
export async function driftBetween(
  world: Pick<Ports, 'files' | 'openHistory' | 'openRunChain' | 'openStore'>,
  catalog: Catalog,
  input: DriftInput,
): Promise<Outcome<Compared>> {
  const history = await world.openHistory(input.root)
  if (!history.ok) return history
  const heads = await history.value.list()
  if (!heads.ok) return heads
  const named = await namesOf(world, heads.value, input)
  if (!named.ok) return named
  const find = async (run: string): Promise<Outcome<FoundRun>> => {
    const own = heads.value.filter((one) => one.run === run)
    const head = own.findLast(({ sealed }) => sealed !== null) ?? own.at(-1) ?? null
    if (head === null) {
      const made = await traceFromEvidence(world, catalog, input.root, run)
      return made.ok ? ok({ trace: made.value, from: 'evidence', head }) : made
    }
    const kept = await history.value.load(run, head.sealed?.tagManifest ?? null)
    return kept.ok ? ok({ trace: kept.value.trace, from: head.sealed === null ? 'kept' : 'sealed', head }) : kept
  }
  const before = await find(named.value.before)
  if (!before.ok) return before
  const after = await find(named.value.after)
  if (!after.ok) return after
  const runs = [before.value, after.value] as const
  return ok({
    drift: comparable(driftOf(before.value.trace, after.value.trace, needsIn(catalog)), runs),
    runs,
    baseline: named.value.baseline,
  })
}

/**
 * A run that was never exported does not state its declarations other than its nodes: declarations of the other run are
 * no change.
 */
const comparable = (drift: RunDrift, runs: Compared['runs']): RunDrift =>
  runs.every(({ from }) => from !== 'evidence')
    ? drift
    : {
        ...drift,
        rules: drift.rules.filter(({ what }) => what !== 'profile'),
        scope: drift.scope.filter(({ what }) => what !== 'part'),
      }

export interface TakenApart {
  readonly flips: readonly FlipDetail[]
  /**
   * Runs whose packs no longer state their declarations: provider, location and profile count as not declared for both
   * runs.
   */
  readonly undeclared: readonly string[]
}

/**
 * The verdict changes of one node, analyzed with the stored evidence of both runs. Other declarations are read from the
 * packs of the runs, where these still are where they were written; a run that was never exported has none. Fails as
 * the store does.
 */
export async function flipsBetween(
  world: Pick<Ports, 'files' | 'openStore' | 'packs' | 'validator'>,
  catalog: Catalog,
  root: string,
  { runs: [before, after] }: Pick<Compared, 'runs'>,
  node: string,
): Promise<Outcome<TakenApart>> {
  const told = async ({ trace, head, from }: FoundRun) => {
    const recording = await recordingIn(world, root, trace.run, node)
    if (!recording.ok) return recording
    const scope = from === 'evidence' ? NOTHING_DECLARED : await scopeOfPack(world, root, head)
    return ok({ trace, recording: recording.value, judging: scope === null ? null : declaredJudging(scope) })
  }
  const [then, now] = [await told(before), await told(after)]
  if (!then.ok) return then
  if (!now.ok) return now
  return ok({
    flips: explainFlips(catalog, node, then.value, now.value),
    undeclared: [then, now].flatMap(({ value }) => (value.judging === null ? [value.trace.run] : [])),
  })
}

const NOTHING_DECLARED: Parameters<typeof declaredJudging>[0] = {}
