import type { EngineEvent } from '../../../../schemas/ipc-views.ts'
import type { Planned, Recording, TracedNode } from '../../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { evidenceFolder, shelfPath } from '../../../core/base/layout.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { traceNode, traceOf } from '../../../core/history/trace.ts'
import type { LoadedRecording } from '../../../core/recording/recording.ts'
import { catalogFor } from '../../../core/rules/catalog.ts'
import { type CollectRunInput, collectRun } from '../../collect/collect-run.ts'
import { keepRun } from '../../history/rebuild-history.ts'
import type { EngineContext, Gate, RunJournal } from '../context/context.ts'
import { collectAway, parted } from '../context/remote.ts'
import type { Begun, RunState } from '../context/run-state.ts'
import { readSettings } from '../context/settings.ts'
import { soFarOf } from '../context/so-far.ts'
import { declaredOrNone, ownFrameworks, withDeclared } from '../stored/engagement-store.ts'
import { askedOrNone } from '../stored/location-store.ts'
import { type RunNote, readNote, writeNote } from './run-notes.ts'
import { assessedInTurns, type OnEvaluated } from './stored-runs.ts'

interface How {
  readonly marks: (node: string) => Pick<Recording, 'demo' | 'synthetic'>
  /** Called once, whatever the result of the run. */
  readonly ended: () => Promise<void>
}

/**
 * Starts collecting and returns at once; progress arrives as events. Results so far are in `going.soFar`; when
 * `run-done` is sent, the session holds the new assessment. A run that cannot be stored reports that for every node,
 * and leaves the session unchanged.
 */
export function startRun(context: EngineContext, begun: Begun, how: How): void {
  const { session } = context
  const stop = new AbortController()
  const gate = openGate(stop.signal)
  const journal = runJournal(begun.run, begun.at)
  const notify = (event: EngineEvent): void => {
    journal.note(event)
    context.notify(event)
  }
  const soFar = soFarOf(context.ports, context.catalog, begun)
  const held = session.run
  const going = async (): Promise<void> => {
    // The caller has the ticket of the run before the first event.
    await Promise.resolve()
    const collected = await collect({ ...context, notify }, begun, how, {
      signal: stop.signal,
      mayBegin: gate.passed,
      onRecorded: soFar.add,
    }).catch(mistake)
    const onEvaluated: OnEvaluated = (done, total) => notify({ kind: 'run-evaluating', run: begun.run, done, total })
    const ended = collected.ok
      ? await concluded(context, begun, soFar.recordings(), onEvaluated).then(ok, mistake)
      : collected
    session.run = ended.ok ? ended.value : held
    if (!ended.ok)
      for (const { node } of begun.targets) notify({ kind: 'node-failed', node: node.name, ...ended.error })
    await how.ended().catch(() => undefined)
    session.going = null
    notify({ kind: 'run-done', run: begun.run, cancelled: stop.signal.aborted })
  }
  session.journal = journal
  session.going = { run: begun.run, stop, gate, soFar, done: going() }
}

const mistake = (thrown: unknown): Outcome<never> => fail('bug', plain(String(thrown), 600))

async function collect(
  { ports, catalog, folder, session, remote, notify }: EngineContext,
  begun: Begun,
  { marks }: How,
  controls: Required<Pick<CollectRunInput, 'signal' | 'mayBegin' | 'onRecorded'>>,
): Promise<Outcome<null>> {
  const { run, targets } = begun
  const noted = await writeNote(ports, folder, await noteOf({ ports, folder }, begun, null))
  if (!noted.ok) return noted
  const { concurrency } = await readSettings(ports, folder)
  const spreadSeconds = begun.demo ? 0 : session.fleet?.locationSpreadSeconds
  const metadata = !begun.demo && session.fleet?.askMetadata === true
  const { own, away } = parted(targets, begun.demo ? null : session.fleet, remote)
  const store = await ports.openStore(evidenceFolder(folder))
  if (!store.ok) return store
  // The event of collectRun() would name only the nodes that this computer collects.
  if (away.length > 0) notify({ kind: 'run-started', run, nodes: targets.map(({ node }) => node.name) })
  const asked = { run, metadata, store: store.value, before: begun.before, spreadSeconds: spreadSeconds ?? null }
  const elsewhere =
    remote === null ? [] : away.map((one) => collectAway(remote, one, { ...controls, ...asked, onEvent: notify }))
  const here =
    own.length === 0 && away.length > 0
      ? ok(null)
      : await collectRun(ports, catalog, {
          run,
          targets: own,
          marks,
          storeFolder: evidenceFolder(folder),
          concurrency: Math.min(concurrency, session.fleet?.concurrency ?? concurrency),
          ...(spreadSeconds === undefined ? {} : { spreadSeconds }),
          metadata,
          ...controls,
          onEvent: (event) =>
            event.kind !== 'run-done' && (event.kind !== 'run-started' || away.length === 0) && notify(event),
        })
  await Promise.all(elsewhere)
  return here.ok ? ok(null) : here
}

/** The run as now stored: `all` holds the recordings of this attempt, with earlier captures for the other nodes. */
async function concluded(
  context: EngineContext,
  begun: Begun,
  all: readonly LoadedRecording[],
  onEvaluated: OnEvaluated,
): Promise<RunState> {
  const { ports, catalog, folder, session } = context
  const { run, demo, before } = begun
  const recorded = new Set(all.map(({ recording }) => recording.node.name))
  const complete = all.filter(({ recording }) => recording.outcome.status === 'complete').length
  // The note is a cache: it saves looking the number up again.
  const note = await noteOf({ ports, folder }, begun, complete)
  await writeNote(ports, folder, note)
  const unreadable = before?.unreadable.filter(({ node }) => node === undefined || !recorded.has(node)) ?? []
  // Declarations may have changed during the run.
  const declared = withDeclared(begun.scope, await declaredOrNone({ ports, folder, demo }))
  const scope = await askedOrNone({ ports, folder, demo, fleet: session.fleet }, declared, all)
  const state = await assessedInTurns(ports, catalog, { run, scope, recordings: all, unreadable }, onEvaluated)
  // If this fails, the history shows the run from its evidence, and states that its trace is not stored.
  await keepCollected(context, state, { demo, planned: note.planned ?? null })
  return state
}

async function noteOf(
  { ports, folder }: Pick<EngineContext, 'ports' | 'folder'>,
  { run, at, demo, scope, planned }: Begun,
  complete: number | null,
): Promise<RunNote> {
  const first = await readNote(ports, folder, run)
  const { fleet, population, inFleet, profile } = scope
  const frameworks = ownFrameworks(scope)
  const chosen = profile === undefined ? {} : { profile }
  const scheduled = planned ?? first?.planned
  return {
    run,
    at: first?.at ?? at,
    demo,
    fleet,
    population: inFleet ?? population,
    frameworks,
    ...chosen,
    ...(scheduled === undefined ? {} : { planned: scheduled }),
    complete,
  }
}

/**
 * Stores the trace of a finished run for later comparison; other calls are answered between two nodes. Nothing is
 * sealed by this. Fails as keepRun() does.
 */
async function keepCollected(
  { ports, catalog, folder }: EngineContext,
  { run, scope, recordings, assessment }: RunState,
  { demo, planned }: { readonly demo: boolean; readonly planned: Planned | null },
): Promise<Outcome<null>> {
  const own = catalogFor(catalog, scope)
  const byNode = new Map(recordings.map((loaded) => [loaded.recording.node.name, loaded]))
  const nodes: TracedNode[] = []
  for (const assessed of assessment.nodes) {
    nodes.push(traceNode(own, byNode.get(assessed.node) ?? null, assessed))
    await ports.pause(0)
  }
  const trace = traceOf(catalog, { run, planned, assessment: { ...assessment, demo }, nodes })
  return await keepRun(ports, shelfPath(folder, demo), { trace, sealed: null })
}

/** A journal for a run that starts. It keeps only the last event of each node, so its size is bounded. */
function runJournal(run: string, startedAt: string): RunJournal {
  const events = new Map<string, EngineEvent>()
  return {
    note: (event) => {
      const key = 'node' in event ? `node ${event.node}` : event.kind === 'run-resumed' ? 'run-paused' : event.kind
      // Removed first, so that the order is that of the events.
      events.delete(key)
      events.set(key, event)
    },
    status: (going) => ({
      run,
      going: going?.run === run,
      paused: going?.run === run && going.gate.isClosed(),
      startedAt,
      events: [...events.values()],
    }),
  }
}

/** Returns an open gate. It no longer closes once the signal is aborted. */
function openGate(signal: AbortSignal): Gate {
  let closed = false
  let waiting: (() => void)[] = []
  const open = (): void => {
    closed = false
    for (const go of waiting) go()
    waiting = []
  }
  signal.addEventListener('abort', open, { once: true })
  return {
    close: () => {
      closed = !signal.aborted
    },
    open,
    isClosed: () => closed,
    passed: async () => {
      while (closed) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}
