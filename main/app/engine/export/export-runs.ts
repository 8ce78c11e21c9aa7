import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import type { EngineContext, Session } from '../context/context.ts'
import { loadRun, type ReadRun, type RunShelf, readRun, shelfOf } from '../runs/stored-runs.ts'
import { NO_RUN, STILL_GOING } from './export-plan.ts'

/** The name of a run that is not shown; null for the shown run, whether or not it was named. */
const nameOfStored = ({ session }: EngineContext, wanted: string | null): string | null =>
  wanted === session.run?.run ? null : wanted

/** Where a run that is not shown is stored. Fails with input.refused for a demo and for the run in progress. */
function shelfFor(context: EngineContext, run: string): Outcome<RunShelf> {
  const { session } = context
  if (session.going?.run === run) return fail('input.refused', STILL_GOING)
  const shelf = session.demo ? null : shelfOf(context)
  return shelf === null ? fail('input.refused', NO_RUN) : ok(shelf)
}

/** The run to seal: the shown one, or a stored one before evaluation. The export evaluates it. */
export async function runToSeal(context: EngineContext, wanted: string | null): Promise<Outcome<ReadRun>> {
  const { session } = context
  const run = nameOfStored(context, wanted)
  if (run === null) return session.run === null ? fail('input.refused', NO_RUN) : ok(session.run)
  const shelf = shelfFor(context, run)
  return shelf.ok ? await readRun(shelf.value, run) : shelf
}

type Question = 'plan' | 'preflight'

/**
 * Contexts for the plan of an export and for its open points, which the window requests one after the other. Both are
 * answered from one evaluation of a stored run. It is kept for the second request only, because a large run takes
 * much memory.
 */
export function evaluatedRuns(context: EngineContext) {
  let kept: { readonly run: string; readonly by: Question; readonly session: Session } | null = null
  return {
    /**
     * A context in which a stored run replaces the shown one. Other calls still see the shown run. A run in progress
     * is left out, because its results so far would replace the stored run. Fails as reading the run does, and with
     * input.refused for a demo and for the run in progress.
     */
    contextOf: async (wanted: string | null, by: Question): Promise<Outcome<EngineContext>> => {
      const before = kept
      kept = null
      const run = nameOfStored(context, wanted)
      if (run === null) return ok(context)
      const shelf = shelfFor(context, run)
      if (!shelf.ok) return shelf
      const { session } = context
      if (before?.run === run && before.by !== by && before.session.fleet === session.fleet) {
        // The run was evaluated today, or is evaluated again; everything else is current.
        return ok({ ...context, session: { ...session, run: before.session.run, going: null } })
      }
      const loaded = await loadRun(shelf.value, context.catalog, run)
      if (!loaded.ok) return loaded
      const own: Session = { ...session, run: loaded.value, going: null }
      kept = { run, by, session: own }
      return ok({ ...context, session: own })
    },
    forget: () => {
      kept = null
    },
  }
}
