import type { Scope } from '../../../../schemas/types.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { assessNode, conclude, populationOf, termsOf } from '../../../core/conclusion/assess.ts'
import { EMPTY_REGISTER } from '../../../core/register/register.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import type { EngineContext } from '../context/context.ts'
import type { RunState } from '../context/run-state.ts'
import { declaredOrNone, withDeclared } from '../stored/engagement-store.ts'
import { assessedInTurns, assessedNow } from './stored-runs.ts'

/**
 * Brings the shown run up to date. During a run, the session shows its results so far, from the first finished node
 * on. Otherwise the shown run is evaluated again when the date has changed: a window can stay open for weeks,
 * evidence becomes stale, and risk acceptances expire. Both use the current declarations. Other calls are answered
 * between two nodes, and progress is reported. Fails with run.not-evaluated after stopEvaluating(), so that no call
 * is answered with results of the earlier date. What a caller stored before remains stored.
 */
export async function assessAgain(context: EngineContext): Promise<Outcome<null>> {
  const { ports, catalog, folder, session } = context
  for (;;) {
    const { demo } = session
    const declared = await declaredOrNone({ ports, folder, demo })
    // Another fleet may be shown by now; its caller reads the declarations of that fleet.
    if (session.demo !== demo) return ok(null)
    session.run = session.going?.soFar.state() ?? session.run
    const { run, going } = session
    if (run === null) return ok(null)
    const scope = withDeclared(run.scope, declared)
    const isSettled = isOfToday(ports, run) && hasSameProvider(scope, run.scope)
    if (isSettled || going !== null) {
      session.run = rescoped(ports, catalog, run, scope)
      return ok(null)
    }
    const evaluated = await evaluatedOnce(context, run, scope)
    // Another run may be shown by now, and declarations may have changed: looked at again, by each caller.
    if (session.run !== run) continue
    if (evaluated === null) return NOT_EVALUATED
    session.run = evaluated
  }
}

const isOfToday = ({ clock }: Pick<Ports, 'clock'>, { assessment }: RunState): boolean =>
  assessment.asOf.slice(0, 10) === clock.now().slice(0, 10)

const hasSameProvider = (one: Scope, other: Scope): boolean =>
  canonicalJson(one.provider ?? null) === canonicalJson(other.provider ?? null)

/** Ends the evaluation of the shown run. Calls that wait for it fail, and the next call starts another one. */
export function stopEvaluating({ session }: Pick<EngineContext, 'session'>): void {
  if (session.run !== null) EVALUATIONS.get(session.run)?.stop.abort()
}

const NOT_EVALUATED = fail('run.not-evaluated', 'cancelled before all nodes were evaluated')

interface Evaluation {
  readonly state: Promise<RunState | null>
  readonly stop: AbortController
}

/** Evaluations in progress, by the shown run. */
const EVALUATIONS = new WeakMap<RunState, Evaluation>()

/**
 * The run evaluated as of now; null where it was stopped. Calls that wait for the same run wait for one evaluation, with the scope of the first
 * of them.
 */
function evaluatedOnce(
  { ports, catalog, session, notify }: EngineContext,
  run: RunState,
  scope: Scope,
): Promise<RunState | null> {
  const known = EVALUATIONS.get(run)
  if (known !== undefined) return known.state
  const stop = new AbortController()
  const onNode = (done: number, total: number): void => {
    // During a run, only its own events are sent.
    if (session.going === null) notify({ kind: 'run-evaluating', run: run.run, done, total })
  }
  const state = assessedInTurns(ports, catalog, { ...run, scope }, onNode, stop.signal).finally(() => {
    EVALUATIONS.delete(run)
    if (stop.signal.aborted) notify({ kind: 'run-evaluation-stopped', run: run.run })
  })
  EVALUATIONS.set(run, { state, stop })
  return state
}

/**
 * A run evaluated with another scope; the same value where the scope is equal. Verdicts do not depend on an
 * engagement, so results of nodes are kept.
 */
function rescoped(ports: Pick<Ports, 'clock'>, catalog: Catalog, run: RunState, scope: Scope): RunState {
  if (canonicalJson(scope) === canonicalJson(run.scope)) return run
  if (!hasSameProvider(scope, run.scope)) return assessedNow(ports, catalog, { ...run, scope })
  const { schema, asOf, demo, nodes: before } = run.assessment
  const known = new Map(before.map((node) => [node.node, node]))
  const terms = termsOf({ ...scope, asOf })
  const nodes = populationOf(scope).map((name) => known.get(name) ?? assessNode(catalog, name, null, terms))
  const concluded = conclude(catalog, { scope, asOf, demo, register: EMPTY_REGISTER }, nodes)
  return { ...run, scope, assessment: { schema, ...concluded, nodes } }
}
