import type { Chosen, Engine, Input, Method, Output, Reply, RunTicket } from '../../schemas/ipc.ts'
import type { Recording } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import { assess } from '../core/assess.ts'
import type { Catalog } from '../core/catalog.ts'
import { fail, type Outcome } from '../core/failure.ts'
import type { ConnectTarget } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import { collectRun } from './collect-run.ts'
import {
  acceptImport,
  chooseImport,
  confirmKey,
  fleetPath,
  listKeys,
  nothingPending,
  previewImport,
  scanKeys,
  storedTargets,
} from './engine/fleet-methods.ts'
import { type Ask, exportForWindow, reviewForWindow } from './engine/pack-methods.ts'
import { emptySession, listeners, recordingOf } from './engine/session.ts'
import { newRunId } from './run-id.ts'
import { assessmentView, evidenceList, evidencePiece, fleetView, runPreview } from './views.ts'

export interface EngineOptions {
  /** Where this user's fleet, evidence and identities are kept. */
  readonly folder: string
  /** Asks the person in front of the window for a secret. Without it nothing that needs one can be done. */
  readonly ask?: Ask
  /** How the signing key is protected here, told with every export. */
  readonly keyNote?: string
}

type Handlers = { readonly [M in Method]: (input: Input<M>, chosen?: Chosen) => Promise<Outcome<Output<M>>> }

/** The whole product as one object, over the given ports: what the window talks to. Failures come back as values. */
export async function createEngine(
  world: World,
  catalog: Catalog,
  { folder, ask = async () => null, keyNote }: EngineOptions,
): Promise<Engine> {
  const session = emptySession()
  const pending = nothingPending()
  const { add, tell } = listeners()
  const stored = await world.fleets.read(fleetPath(folder))
  if (stored.ok) session.fleet = stored.value.fleet

  /** Starts a run and returns at once; its moments come as events. */
  const start = (
    targets: readonly ConnectTarget[],
    marks: (node: string) => Pick<Recording, 'demo' | 'synthetic'>,
    ended: () => Promise<void>,
  ): Outcome<RunTicket> => {
    if (session.going !== null) return fail('input.refused', 'a run is going on')
    const run = newRunId(world.clock, world.entropy)
    const stop = new AbortController()
    const nodes = targets.map(({ node }) => node.name)
    const going = async (): Promise<void> => {
      try {
        const result = await collectRun(world, catalog, {
          run,
          targets,
          marks,
          storeFolder: `${folder}/evidence`,
          signal: stop.signal,
          concurrency: session.fleet?.concurrency ?? 64,
          onEvent: (event) => event.kind !== 'run-done' && tell(event),
        })
        if (result.ok) {
          const scope = {
            fleet: session.fleet?.name ?? 'nodes',
            population: nodes,
            frameworks: session.fleet?.frameworks ?? ['hipaa' as const, 'soc2' as const],
          }
          const { recordings } = result.value
          session.run = {
            run,
            scope,
            recordings,
            assessment: assess({ catalog, scope, recordings, asOf: world.clock.now() }),
          }
        }
      } finally {
        session.going = null
        await ended()
        tell({ kind: 'run-done', run, cancelled: stop.signal.aborted })
      }
    }
    session.going = { run, stop, done: going() }
    return ok({ run, nodes })
  }

  const handlers: Handlers = {
    'app.info': async () =>
      ok({
        version: VERSION,
        catalogVersion: catalog.version,
        probes: catalog.probes.length,
        checks: catalog.checks.length,
      }),
    'demo.open': async () => {
      if (session.going !== null) return fail('input.refused', 'a run is going on')
      const demo = await world.demo.start()
      Object.assign(session, { fleet: demo.fleet, demo: true, run: null })
      return start(demo.targets, demo.marks, demo.close)
    },
    'fleet.get': async () => ok(session.fleet === null ? null : fleetView(session.fleet, session.demo)),
    'fleet.import-choose': async ({ kind }, chosen) => await chooseImport(world, session, pending, kind, chosen),
    'fleet.import-text': async ({ kind, text }) => await previewImport(world, session, pending, kind, text, null),
    'fleet.accept': async ({ handle }) => await acceptImport(world, session, pending, folder, handle),
    'hostkeys.list': async () => ok(listKeys(session, pending)),
    'hostkeys.scan': async ({ nodes }) => await scanKeys(world, session, pending, folder, nodes),
    'hostkeys.confirm': async (input) => await confirmKey(world, session, pending, folder, input),
    'run.preview': async ({ nodes }) =>
      ok(runPreview(catalog, nodes.length > 0 ? nodes : (session.fleet?.nodes ?? []).map(({ name }) => name))),
    'run.start': async ({ nodes }) => {
      if (session.demo) return await handlers['demo.open'](null)
      const targets = await storedTargets(world, folder)
      if (!targets.ok) return targets
      const wanted = targets.value.filter(({ node }) => nodes.length === 0 || nodes.includes(node.name))
      return start(
        wanted,
        () => ({ demo: false, synthetic: null }),
        async () => undefined,
      )
    },
    'run.cancel': async () => {
      session.going?.stop.abort()
      await session.going?.done
      return ok(null)
    },
    'assessment.get': async ({ of }) => {
      const state = of === 'run' ? session.run : session.pack
      if (state === null || state.assessment === null) return ok(null)
      return ok(assessmentView(of, state.run, state.assessment, catalog))
    },
    'evidence.list': async ({ of, node }) => ok(evidenceList(recordingOf(session, of, node))),
    'evidence.get': async ({ of, node, capture, stream, offset }) =>
      evidencePiece(recordingOf(session, of, node), catalog, capture, stream, offset),
    'export.start': async ({ frameworks }, chosen) =>
      await exportForWindow(world, catalog, session, { folder, ask, keyNote }, frameworks, chosen),
    'pack.choose-and-verify': async (_input, chosen) => await reviewForWindow(world, catalog, session, chosen),
    'pack.review': async () => ok(session.pack?.review ?? null),
  }

  return {
    call: async (method, input, chosen) => {
      const handler = handlers[method] as (input: unknown, chosen?: Chosen) => Promise<Reply<never>>
      return await handler(input, chosen)
    },
    onEvent: add,
    close: async () => {
      session.going?.stop.abort()
      await session.going?.done
    },
  }
}
