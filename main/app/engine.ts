import type { Chosen, Engine, Method, Reply } from '../../schemas/ipc.ts'
import { DIALOGS } from '../../schemas/ipc-inputs.ts'
import { PORTAL_INPUTS, type PortalMethod } from '../../schemas/ipc-portal.ts'
import type { Ports } from '../core/all-ports.ts'
import type { Catalog } from '../core/catalog.ts'
import { fail } from '../core/failure.ts'
import { assessmentMethods } from './engine/assessment-methods.ts'
import type { Desktop, EngineContext, Handlers, Scheduling } from './engine/context.ts'
import { declarationMethods } from './engine/declaration-methods.ts'
import { engagementMethods } from './engine/engagement-methods.ts'
import { exportMethods } from './engine/export-methods.ts'
import { findingMethods } from './engine/finding-methods.ts'
import { fleetFileMethods } from './engine/fleet-file-methods.ts'
import { fleetMethods } from './engine/fleet-methods.ts'
import { historyMethods } from './engine/history-methods.ts'
import { hostKeyMethods } from './engine/hostkey-methods.ts'
import { turnOf } from './engine/kept-json.ts'
import { mappingMethods } from './engine/mapping-methods.ts'
import { providerMethods } from './engine/provider-methods.ts'
import { registerMethods } from './engine/register-methods.ts'
import type { RemoteCollection } from './engine/remote.ts'
import { reviewMethods } from './engine/review-methods.ts'
import { runMethods } from './engine/run-methods.ts'
import { scheduleMethods } from './engine/schedule-methods.ts'
import { searchMethods } from './engine/search-methods.ts'
import { listeners, openSession } from './engine/session.ts'
import { appMethods } from './engine/settings.ts'
import { tableMethods } from './engine/table-methods.ts'
import { trustMethods } from './engine/trust-methods.ts'

export interface EngineOptions {
  /** Folder of this user's fleet, evidence, register and identities. */
  readonly folder: string
  readonly desktop: Desktop
  /** Without it, schedules are stored where the command line stores them, and no schedule can be added. */
  readonly scheduling?: Partial<Scheduling>
  /** Collects nodes with a zone, on a team server with collectors. */
  readonly remote?: RemoteCollection
  /** See EngineContext; none without it. */
  readonly requestsOfAuditors?: EngineContext['requestsOfAuditors']
  /** See EngineContext; this computer without it. */
  readonly signing?: EngineContext['signing']
  /** See EngineContext; false without it. */
  readonly keepsSealed?: boolean
  /** See EngineContext; null without it. */
  readonly integrations?: string | null
}

/**
 * The whole product as one object, over the given ports: the interface for the window. Failures are returned as values.
 */
export async function createEngine(
  ports: Ports,
  catalog: Catalog,
  {
    folder,
    desktop,
    scheduling = {},
    remote,
    requestsOfAuditors = () => null,
    signing = 'here',
    keepsSealed = false,
    integrations = null,
  }: EngineOptions,
): Promise<Engine> {
  const { add, notify: tell } = listeners()
  const { session, isOpen } = await openSession(ports, catalog, folder, (progress) =>
    tell({ kind: 'run-opening', ...progress }),
  )
  const context: EngineContext = {
    ports,
    catalog,
    folder,
    session,
    desktop,
    scheduling: { file: ports.schedules.defaultFile, program: null, ...scheduling },
    remote: remote ?? null,
    requestsOfAuditors,
    signing,
    keepsSealed,
    integrations,
    notify: tell,
  }
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
      if (!WITHOUT_RUN.includes(method)) await isOpen
      const handler = handlers[method] as (input: unknown, chosen?: Chosen) => Promise<Reply<never>>
      if (chosen !== undefined && DIALOGS[method] === 'save-file' && (await isOurs(ports, folder, chosen.path)))
        return fail('input.refused', 'this is a file of Barewitness itself; choose another name')
      return await handler(input, chosen)
    },
    onEvent: add,
    close: async () => {
      // Waits for any run that is about to start.
      await turnOf(
        context,
        'fleet',
      )(async () => {
        session.going?.stop.abort()
        await session.going?.done
      })
    },
  }
}

/** What the window draws first; everything else is answered once the latest run is open. */
const WITHOUT_RUN: readonly Method[] = ['fleet.get', 'settings.get', 'tables.get']

/** A table that a person saves must not replace evidence, the register, or a key. */
const isOurs = async ({ files }: Pick<Ports, 'files'>, folder: string, path: string): Promise<boolean> =>
  [`${folder}/`, `${folder}\\`].some((ours) => path.startsWith(ours)) && (await files.isThere(path))

const refused = async () => fail('access.refused', 'packs are shared with auditors on a team server')

/** Methods that a team server answers by itself: a computer of one person has no portal for auditors. */
const serverOnlyMethods = (): Pick<Handlers, PortalMethod> =>
  Object.fromEntries(Object.keys(PORTAL_INPUTS).map((method) => [method, refused])) as unknown as Pick<
    Handlers,
    PortalMethod
  >
