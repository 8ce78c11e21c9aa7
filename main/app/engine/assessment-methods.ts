import type { NodeView } from '../../../schemas/ipc-results.ts'
import type { Source } from '../../../schemas/ipc-views.ts'
import type { Assessment } from '../../../schemas/types.ts'
import { figuresOf } from '../../catalog/figures/figures.ts'
import type { Failure } from '../../core/failure.ts'
import type { LoadedRecording } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'
import { evidenceList, evidencePiece } from '../evidence-view.ts'
import { assessmentView, fleetNodeView, type ViewSource, withFailure } from '../views.ts'
import { exceptionsOf } from './accepted.ts'
import type { EngineContext, Handlers } from './context.ts'
import { recordingOf } from './session.ts'
import { judged, recordingsOfNode, shelfOf } from './stored-runs.ts'
import { timelineOf } from './timeline.ts'

type Methods = 'assessment.get' | 'node.get' | 'figures.get' | 'evidence.list' | 'evidence.get'

const MOST_MOMENTS = 10

/** What was concluded from the run that is shown, or is stated by the open pack, and the evidence it rests on. */
export function assessmentMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { catalog, session } = context
  return {
    'assessment.get': async ({ of }) => {
      const source = await viewSource(context, of)
      return ok(source === null ? null : assessmentView(catalog, source))
    },
    'node.get': async ({ of, node }) => ok(await nodeView(context, of, node)),
    'figures.get': async ({ of, node }) => {
      const loaded = recordingOf(session, of, node)
      const assessed = assessmentOf(context, of)?.nodes.find((one) => one.node === node)
      return ok(loaded === undefined || assessed === undefined ? [] : figuresOf(loaded, assessed))
    },
    'evidence.list': async ({ of, node }) => ok(evidenceList(recordingOf(session, of, node))),
    'evidence.get': async ({ of, node, capture, stream, offset }) =>
      evidencePiece(recordingOf(session, of, node), catalog, capture, stream, offset),
  }
}

/** What the view of a source rests on; null without a run, and where the open pack's own assessment cannot be read. */
async function viewSource(context: EngineContext, of: Source): Promise<ViewSource | null> {
  if (of === 'run') bringUpToNow(context)
  const state = of === 'run' ? context.session.run : context.session.pack
  if (state === null || state.assessment === null) return null
  const { run, assessment, recordings } = state
  const exceptions = await exceptionsOf(context, of)
  return { of, run, assessment, recordings, exceptions, unreadable: unreadableOf(context, of) }
}

/**
 * While a run goes on, what it gave so far is shown from its first finished node on. Otherwise judges the run that is shown again when the day is another one than it was judged on. A window can stay open for weeks: evidence grows old in
 * that time, and what was accepted ends with a day.
 */
function bringUpToNow({ world, catalog, session }: EngineContext): void {
  session.run = session.going?.soFar.state() ?? session.run
  const { run } = session
  if (session.going !== null) return
  if (run !== null && run.assessment.asOf.slice(0, 10) !== world.clock.now().slice(0, 10))
    session.run = judged(world, catalog, run)
}

const assessmentOf = ({ session }: EngineContext, of: Source): Assessment | null =>
  (of === 'run' ? session.run?.assessment : session.pack?.assessment) ?? null

const unreadableOf = ({ session }: EngineContext, of: Source): readonly Failure[] =>
  of === 'run' ? (session.run?.unreadable ?? []) : []

async function nodeView(context: EngineContext, of: Source, name: string): Promise<NodeView | null> {
  const { session, catalog } = context
  const assessed = assessmentOf(context, of)?.nodes.find(({ node }) => node === name)
  if (assessed === undefined) return null
  const declared = of === 'run' ? session.fleet?.nodes.find((node) => node.name === name) : undefined
  const [exceptions, recordings] = await Promise.all([
    exceptionsOf(context, of),
    of === 'run' ? earlier(context, name) : [],
  ])
  return {
    assessment: withFailure(assessed, unreadableOf(context, of)),
    recording: recordingOf(session, of, name)?.recording ?? null,
    declared: declared === undefined ? null : fleetNodeView(declared),
    timeline: timelineOf(catalog, recordings, MOST_MOMENTS, session.run?.scope.profile),
    exceptions: exceptions.filter(({ nodes }) => nodes.includes(name)),
  }
}

/** One more than is shown, so that the oldest moment is compared as well. A run that goes on is no moment yet. */
async function earlier(context: EngineContext, node: string): Promise<readonly LoadedRecording[]> {
  const shelf = shelfOf(context)
  const without = context.session.going?.run ?? null
  return shelf === null ? [] : await recordingsOfNode(shelf, node, { most: MOST_MOMENTS + 1, without })
}
