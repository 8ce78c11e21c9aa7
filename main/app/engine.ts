import type { Chosen, Engine, Method, Reply } from '../../schemas/ipc.ts'
import { DIALOGS } from '../../schemas/ipc-inputs.ts'
import { PORTAL_INPUTS, type PortalMethod } from '../../schemas/ipc-portal.ts'
import type { Ports } from '../core/all-ports.ts'
import { fail, ok } from '../core/base/failure.ts'
import type { Catalog } from '../core/rules/catalog.ts'
import type { Timers } from '../core/schedule/schedule.ts'
import type { EngineContext, Handlers, Scheduling } from './engine/context/context.ts'
import { turnOf } from './engine/context/kept-json.ts'
import { appMethods, tableMethods } from './engine/context/settings.ts'
import { declarationMethods } from './engine/declared/declaration-methods.ts'
import { engagementMethods } from './engine/declared/engagement-methods.ts'
import { fleetFileMethods } from './engine/declared/fleet-file-methods.ts'
import { fleetMethods } from './engine/declared/fleet-methods.ts'
import { mappingMethods } from './engine/declared/mapping-methods.ts'
import { providerMethods } from './engine/declared/provider-methods.ts'
import { registerMethods } from './engine/declared/register-methods.ts'
import { exportMethods } from './engine/export/export-methods.ts'
import { historyMethods } from './engine/history/history-methods.ts'
import { assessmentMethods } from './engine/results/assessment-methods.ts'
import { findingMethods } from './engine/results/finding-methods.ts'
import { searchMethods } from './engine/results/search-methods.ts'
import { reviewMethods } from './engine/review/review-methods.ts'
import { hostKeyMethods } from './engine/runs/hostkey-methods.ts'
import { runMethods } from './engine/runs/run-methods.ts'
import { listeners, openSession } from './engine/runs/session.ts'
import { type MissedRuns, missedRuns } from './engine/schedules/missed-runs.ts'
import { scheduleMethods } from './engine/schedules/schedule-methods.ts'
import { type ScheduledStarts, scheduledStarts } from './engine/schedules/scheduled-starts.ts'
import { trustMethods } from './engine/trust/trust-methods.ts'
import { finishInterrupted } from './export/continued-export.ts'

/** Members of EngineContext that differ between computers; without one, that of a computer of one person. */
interface EngineOptions
  extends Pick<EngineContext, 'folder' | 'desktop'>,
    Partial<Pick<EngineContext, 'remote' | 'requestsOfAuditors' | 'signing' | 'keepsSealed' | 'integrations'>> {
  /** Without it, schedules are stored where the command line stores them, and no schedule can be added. */
  readonly scheduling?: Partial<Scheduling>
}

/** The engine of the window over the given ports, as one object. Failures are returned as values. */
export async function createEngine(
  ports: Ports,
  catalog: Catalog,
  {
    folder,
    desktop,
    scheduling = {},
    remote = null,
    requestsOfAuditors = () => null,
    signing = 'here',
    keepsSealed = false,
    integrations = null,
  }: EngineOptions,
): Promise<StartingEngine> {
  const server = scheduling.server ?? null
  const own = server === null ? ports : { ...ports, timers: withoutTimers(ports.timers) }
  const { add, notify } = listeners()
  const { session, isOpen } = await openSession(own, catalog, folder, (progress) =>
    notify({ kind: 'run-opening', ...progress }),
  )
  // A later start finishes what cannot be finished now.
  const isFinished = finishInterrupted(own, folder).catch(() => undefined)
  const context: EngineContext = {
    ports: own,
    catalog,
    folder,
    session,
    desktop,
    scheduling: { file: ports.schedules.defaultFile, program: null, server: null, ...scheduling },
    remote,
    requestsOfAuditors,
    signing,
    keepsSealed,
    integrations,
    notify,
  }
  const starts = server === null ? null : scheduledStarts(context, server)
  const missed = server === null ? null : missedRuns(context)
  const handlers: Handlers = {
    ...appMethods(context),
    ...tableMethods(context),
    ...fleetMethods(context),
    ...fleetFileMethods(context),
    ...declarationMethods(context),
    ...hostKeyMethods(context),
    ...runMethods(context),
    ...assessmentMethods(context),
    ...searchMethods(context),
    ...registerMethods(context),
    ...findingMethods(context),
    ...engagementMethods(context),
    ...providerMethods(context),
    ...mappingMethods(context),
    ...exportMethods(context),
    ...reviewMethods(context),
    ...trustMethods(context),
    ...historyMethods(context),
    ...scheduleMethods(context),
    ...serverOnlyMethods(),
  }
  return {
    call: async (method, input, chosen) => {
      if (!WITHOUT_RUN.includes(method)) await Promise.all([isOpen, isFinished])
      const handler = handlers[method] as (input: unknown, chosen?: Chosen) => Promise<Reply<never>>
      if (chosen !== undefined && DIALOGS[method] === 'save-file' && (await isOurs(ports, folder, chosen.path)))
        return fail('input.refused', 'this is a file of Barewitness itself; choose another name')
      return await handler(input, chosen)
    },
    onEvent: add,
    startDue: async (noted) => {
      if (starts === null) return ok(null)
      await isOpen
      return await starts.startDue(noted)
    },
    recordMissedRun: async (noted) => {
      if (missed === null) return ok(null)
      await isOpen
      return await missed.recordMissedRun(noted)
    },
    close: async () => {
      const ended = starts?.close()
      // Waits for any run that is about to start.
      const turn = turnOf(context, 'fleet')
      await turn(async () => {
        session.going?.stop.abort()
        await session.going?.done
      })
      await ended
      await isFinished
    },
  }
}

/**
 * An engine that can start scheduled runs and have missed ones recorded. Only that of a team server does; elsewhere
 * nothing is ever due.
 */
export interface StartingEngine extends Engine, Pick<ScheduledStarts, 'startDue'>, MissedRuns {}

/** The server starts runs itself, and does not touch timers of its account, which may belong to others. */
const withoutTimers = ({ host }: Timers): Timers => ({
  host,
  kinds: async () => [],
  lingers: async () => null,
  install: async () => ok(null),
  remove: async () => ok(null),
  start: async () => ok(null),
  installed: async () => ok(null),
})

/** Methods of the first screen; all others are answered once the latest run is open. */
const WITHOUT_RUN: readonly Method[] = ['fleet.get', 'settings.get', 'tables.get']

/** A table that a person saves must not replace evidence, the register, or a key. */
const isOurs = async ({ files }: Pick<Ports, 'files'>, folder: string, path: string): Promise<boolean> =>
  [`${folder}/`, `${folder}\\`].some((ours) => path.startsWith(ours)) && (await files.isThere(path))

const refused = async () => fail('access.refused', 'packs are shared with auditors on a team server')

/** Methods that only a team server has: a computer of one person has no portal for auditors. */
const serverOnlyMethods = (): Pick<Handlers, PortalMethod> =>
  Object.fromEntries(Object.keys(PORTAL_INPUTS).map((method) => [method, refused])) as unknown as Pick<
    Handlers,
    PortalMethod
  >
