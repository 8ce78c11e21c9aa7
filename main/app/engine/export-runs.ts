import { fail, type Outcome, ok } from '../../core/failure.ts'
import type { EngineContext, Session } from './context.ts'
import { NO_RUN, STILL_GOING } from './export-plan.ts'
import { loadRun, type ReadRun, type RunShelf, readRun, shelfOf } from './stored-runs.ts'

/** The name of a run that is not shown; null for the one that is, however it is named. */
const nameOfStored = ({ session }: EngineContext, wanted: string | null): string | null =>
  wanted === session.run?.run ? null : wanted

/** Where a run that is not shown is looked up. Fails with input.refused for a demo and for the run in progress. */
function shelfFor(context: EngineContext, run: string): Outcome<RunShelf> {
  const { session } = context
  if (session.going?.run === run) return fail('input.refused', STILL_GOING)
  const shelf = session.demo ? null : shelfOf(context)
  return shelf === null ? fail('input.refused', NO_RUN) : ok(shelf)
}

/** The run that is sealed: the one that is shown, or a stored one as it is read. The export evaluates it. */
export async function runToSeal(context: EngineContext, wanted: string | null): Promise<Outcome<ReadRun>> {
  const { session } = context
  const run = nameOfStored(context, wanted)
  if (run === null) return session.run === null ? fail('input.refused', NO_RUN) : ok(session.run)
  const shelf = shelfFor(context, run)
  return shelf.ok ? await readRun(shelf.value, run) : shelf
}

type Question = 'plan' | 'preflight'

/**
 * Contexts of the plan of an export and of what is open before it, which the window requests one after the other:
 * both are answered from one evaluation of a stored run. It is kept for the other one of the two alone, since a large
 * run takes much memory.
 */
export function evaluatedRuns(context: EngineContext) {
  let kept: { readonly run: string; readonly by: Question; readonly session: Session } | null = null
  return {
    /**
     * With a stored run in the place of the one that is shown, which others keep seeing, and without a run in
     * progress, whose results so far would replace it. Fails as the run is read, and with input.refused for a demo
     * and for the run in progress.
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
        // Its run was evaluated on this day, or is evaluated again: all else is as it is now.
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
