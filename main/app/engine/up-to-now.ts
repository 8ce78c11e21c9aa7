import type { Scope } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { assessNode, conclude, populationOf, termsOf } from '../../core/assess.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { Catalog } from '../../core/catalog.ts'
import { EMPTY_REGISTER } from '../../core/register.ts'
import type { EngineContext } from './context.ts'
import { declaredOrNone, withDeclared } from './engagement-store.ts'
import type { RunState } from './run-state.ts'
import { assessedNow } from './stored-runs.ts'

/**
 * During a run, shows its results so far from its first finished node on. Otherwise evaluates the shown run again when
 * the date has changed: a window can stay open for weeks, evidence becomes stale, and risk acceptances expire. Both use
 * the current declarations.
 */
export async function assessAgain({ ports, catalog, folder, session }: EngineContext): Promise<void> {
  const { demo } = session
  const declared = await declaredOrNone({ ports, folder, demo })
  // Another fleet may be shown by now; its caller reads the declarations of that fleet.
  if (session.demo !== demo) return
  session.run = session.going?.soFar.state() ?? session.run
  const { run, going } = session
  if (run === null) return
  const scope = withDeclared(run.scope, declared)
  if (going === null && run.assessment.asOf.slice(0, 10) !== ports.clock.now().slice(0, 10))
    session.run = assessedNow(ports, catalog, { ...run, scope })
  else session.run = rescoped(ports, catalog, run, scope)
}

/**
 * A run evaluated with another scope; the same value where nothing differs. Verdicts do not depend on an engagement, so
 * results of nodes are kept.
 */
function rescoped(ports: Pick<Ports, 'clock'>, catalog: Catalog, run: RunState, scope: Scope): RunState {
  if (canonicalJson(scope) === canonicalJson(run.scope)) return run
  if (canonicalJson(scope.provider ?? null) !== canonicalJson(run.scope.provider ?? null))
    return assessedNow(ports, catalog, { ...run, scope })
  const { schema, asOf, demo, nodes: before } = run.assessment
  const known = new Map(before.map((node) => [node.node, node]))
  const terms = termsOf({ ...scope, asOf })
  const nodes = populationOf(scope).map((name) => known.get(name) ?? assessNode(catalog, name, null, terms))
  const concluded = conclude(catalog, { scope, asOf, demo, register: EMPTY_REGISTER }, nodes)
  return { ...run, scope, assessment: { schema, ...concluded, nodes } }
}
