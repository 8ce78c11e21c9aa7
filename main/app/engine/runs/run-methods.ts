import type { AssessmentView } from '../../../../schemas/ipc-results.ts'
import type { RunTicket } from '../../../../schemas/ipc-views.ts'
import type { DeclaredNode, Planned, Recording, Scope } from '../../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { isSudoersLogin, rootCommands, sudoersFor } from '../../../core/collector/sudoers.ts'
import { DEFAULT_USER, profileOf } from '../../../core/fleet/fleet.ts'
import type { ConnectTarget } from '../../../core/ports/ports.ts'
import { EMPTY_REGISTER } from '../../../core/register/register.ts'
import { DEFAULT_FRAMEWORKS, newRunId } from '../../collect/run.ts'
import { demoVantageRecord } from '../../collect/vantage-nodes.ts'
import { assessmentView, runPreview } from '../../evaluate/views.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { saved, turnOf } from '../context/kept-json.ts'
import type { Begun, RunState } from '../context/run-state.ts'
import { declaredAtFirst, declaredOrNone, type OwnDeclared, withDeclared } from '../stored/engagement-store.ts'
import { keepDemoLocation, locationOrNone } from '../stored/location-store.ts'
import { ownRegister, registerAtFirst } from '../stored/register-store.ts'
import { startRun } from './going-run.ts'
import { storedTargets } from './hostkey-methods.ts'
import { collectedNodes, listRuns, loadRun, type OnNode, shelfOf } from './stored-runs.ts'
import { stopEvaluating } from './up-to-now.ts'

const GOING_ON = 'a run is in progress'

/** Runs: start, prepare, stop and open again. */
export function runMethods(context: EngineContext) {
  const { ports, catalog, session, notify } = context
  const turn = turnOf(context, 'fleet')
  const opening = new Set<AbortController>()
  const preview = (nodes: readonly string[]) =>
    runPreview(catalog, nodes.length > 0 ? nodes : session.fleet === null ? [] : collectedNodes(session.fleet), {
      metadata: !session.demo && session.fleet?.askMetadata === true,
    })
  return methods({
    'demo.open': () => turn(() => collectDemo(context, [], null)),
    'run.preview': async ({ nodes }) => ok(preview(nodes)),
    'run.preview-save': ({ nodes }, chosen) =>
      saved(chosen, async (path) => {
        const lines = preview(nodes).questions.flatMap(({ probe, title, why, lines: commands }) =>
          commands.map(({ argv, by, timeoutSeconds }) => [probe, title, why, argv.join(' '), by, `${timeoutSeconds}`]),
        )
        return await ports.files.write(path, ports.csv([PREVIEW_HEAD, ...lines]))
      }),
    'run.sudoers-save': ({ node }, chosen) =>
      saved(chosen, async (path) => {
        const source = session.fleet?.nodes.find(({ name }) => name === node)
        if (source === undefined) return fail('input.refused', 'the fleet has no node of this name', node)
        const { user = DEFAULT_USER } = source
        return isSudoersLogin(user)
          ? await ports.files.write(path, sudoersFor(rootCommands(catalog.probes), { user }))
          : fail('input.refused', 'a sudoers file cannot be written for the account of this node', node)
      }),
    'run.start': ({ nodes, only }) =>
      turn(async () => {
        const before = only === 'missing' ? session.run : null
        return session.demo ? await collectDemo(context, nodes, before) : await collectOwn(context, nodes, before)
      }),
    'run.pause': async () => {
      const { going } = session
      if (going === null || going.stop.signal.aborted) return fail('input.refused', 'no run is in progress')
      if (!going.gate.isClosed()) {
        going.gate.close()
        notify({ kind: 'run-paused', run: going.run })
      }
      return ok(null)
    },
    'run.resume': async () => {
      const { going } = session
      if (going === null) return fail('input.refused', 'no run is in progress')
      if (going.gate.isClosed()) {
        going.gate.open()
        notify({ kind: 'run-resumed', run: going.run })
      }
      return ok(null)
    },
    'run.cancel': async () => {
      session.going?.stop.abort()
      await session.going?.done
      return ok(null)
    },
    'run.status': async () => ok(session.journal?.status(session.going) ?? null),
    'runs.list': async () => {
      const shelf = shelfOf(context)
      return shelf === null ? ok([]) : await listRuns(shelf, session.run?.run ?? null)
    },
    'runs.open': async ({ run }) => {
      const stop = new AbortController()
      opening.add(stop)
      const opened = await turn(() => openRun(context, run, stop.signal))
      opening.delete(stop)
      return opened
    },
    'runs.stop-opening': async () => {
      for (const stop of opening) stop.abort()
      return ok(null)
    },
    'runs.stop-evaluating': async () => {
      stopEvaluating(context)
      return ok(null)
    },
  })
}

/** Shows a stored run. The one that is shown stays where this fails, and where `signal` is aborted. */
async function openRun(context: EngineContext, run: string, signal: AbortSignal): Promise<Outcome<AssessmentView>> {
  const { catalog, session, notify } = context
  if (session.going !== null) return fail('input.refused', GOING_ON)
  const shelf = shelfOf(context)
  if (shelf === null) return fail('input.not-found', 'there is no fleet')
  const onNode: OnNode = (progress) => notify({ kind: 'run-loading', run, ...progress })
  const loaded = await loadRun(shelf, catalog, run, { onNode, signal, shown: session.run?.recordings })
  if (!loaded.ok) return loaded
  stopEvaluating(context)
  session.run = loaded.value
  const own = await ownRegister(context)
  const register = own.ok ? own.value : EMPTY_REGISTER
  return ok(assessmentView(catalog, { of: 'run', ...loaded.value, register }))
}

const PREVIEW_HEAD = ['probe', 'title', 'reason', 'command line', 'rights', 'timeout (seconds)']

/** A run that a schedule requires, under the name that was stored before its start. */
export interface ScheduledRun {
  readonly run: string
  readonly planned: Planned
}

/** Collects from the stored fleet, in the turn of the fleet. Fails with input.refused while another run is in progress. */
export async function collectOwn(
  context: EngineContext,
  nodes: readonly string[],
  before: RunState | null,
  scheduled: ScheduledRun | null = null,
): Promise<Outcome<RunTicket>> {
  const stored = await storedTargets(context)
  if (!stored.ok) return stored
  const { fleet, targets } = stored.value
  if (before !== null && before.scope.fleet !== fleet.name)
    return fail('input.refused', 'this run was started with a fleet of another name; start a new run')
  // The file may have been edited by hand: collection, view and declarations must be of one fleet.
  if (context.session.going === null) context.session.fleet = fleet
  const shelf = { ...context, demo: false, fleet }
  const declared = await declaredOrNone(shelf)
  return begin(context, targets, nodes, before, {
    declared,
    located: await locationOrNone(shelf, []),
    marks: () => ({ demo: false, synthetic: null }),
    ended: async () => undefined,
    scheduled,
  })
}

async function collectDemo(
  context: EngineContext,
  nodes: readonly string[],
  before: RunState | null,
): Promise<Outcome<RunTicket>> {
  const { ports, session } = context
  if (session.going !== null) return fail('input.refused', GOING_ON)
  const demo = await ports.demo.start()
  const shelf = { ...context, demo: true, fleet: demo.fleet }
  const now = ports.clock.now()
  const made = demo.declared(now)
  const vantage = await demoVantageRecord(ports, demo, now)
  if (!vantage.ok) {
    await demo.close()
    return vantage
  }
  const declared = await declaredAtFirst(shelf, made)
  const entered = await registerAtFirst(shelf, made)
  if (!entered.ok) {
    await demo.close()
    return entered
  }
  await keepDemoLocation(shelf, made, vantage.value)
  const located = await locationOrNone(shelf, [
    ...demo.targets.flatMap(({ trust }) => trust.fingerprint ?? []),
    ...(before?.recordings ?? []).flatMap(({ recording }) => recording.hostKey?.fingerprint ?? []),
  ])
  session.keys.clear()
  Object.assign(session, { fleet: demo.fleet, demo: true, run: before })
  const how = { declared, located, marks: demo.marks, ended: demo.close, scheduled: null }
  const begun = begin(context, demo.targets, nodes, before, how)
  if (!begun.ok) await demo.close()
  return begun
}

/** Whether a name may belong to another machine now: captures of two machines must not be in one recording. */
const isElsewhere = (then: DeclaredNode, now: DeclaredNode): boolean =>
  then.name === now.name && (then.address !== now.address || then.port !== now.port)

/** Starts a run, or resumes the one that is shown: then only nodes without a complete recording are collected. */
function begin(
  context: EngineContext,
  all: readonly ConnectTarget[],
  nodes: readonly string[],
  before: RunState | null,
  how: {
    readonly declared: OwnDeclared
    readonly located: Pick<Scope, 'location'>
    readonly marks: (node: string) => Pick<Recording, 'demo' | 'synthetic'>
    readonly ended: () => Promise<void>
    readonly scheduled: ScheduledRun | null
  },
): Outcome<RunTicket> {
  const { ports, session } = context
  if (session.going !== null) return fail('input.refused', GOING_ON)
  const unknown = nodes.find((name) => !all.some(({ node }) => node.name === name))
  if (unknown !== undefined) return fail('input.refused', 'the fleet has no node of this name', unknown)
  const complete = new Set(
    before?.recordings.flatMap(({ recording }) =>
      recording.outcome.status === 'complete' ? [recording.node.name] : [],
    ),
  )
  const targets = all.filter(
    ({ node }) => (nodes.length === 0 || nodes.includes(node.name)) && !complete.has(node.name),
  )
  if (targets.length === 0) return fail('input.refused', 'all of these nodes have been collected')
  // The demo servers have other addresses at each start.
  const moved = (session.demo ? [] : targets).find(({ node }) =>
    before?.recordings.some(({ recording }) => isElsewhere(recording.node, node)),
  )
  if (moved !== undefined)
    return fail('input.refused', 'its address has changed since this run was started; start a new run', moved.node.name)
  const held = before?.scope.inFleet ?? before?.scope.population ?? []
  const population = new Set([...held, ...all.map(({ node }) => node.name)])
  const begun: Begun = {
    run: before?.run ?? how.scheduled?.run ?? newRunId(ports.clock, ports.entropy),
    at: ports.clock.now(),
    targets,
    scope: withDeclared(
      {
        fleet: session.fleet?.name ?? 'nodes',
        population: [...population],
        frameworks: session.fleet?.frameworks ?? DEFAULT_FRAMEWORKS,
        ...(session.fleet === null ? {} : profileOf(session.fleet)),
        ...how.located,
      },
      how.declared,
    ),
    demo: session.demo,
    before,
    planned: how.scheduled?.planned ?? null,
  }
  startRun(context, begun, how)
  return ok({ run: begun.run, nodes: targets.map(({ node }) => node.name) })
}
