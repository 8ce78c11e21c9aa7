import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdir, readdir } from 'node:fs/promises'
import type { RequestCounts } from '../../../../schemas/ipc-portal.ts'
import type { TeamRole } from '../../../../schemas/ipc-team.ts'
import type { TeamCollector, TeamConfig, TeamEngagement, TeamSealer } from '../../../../schemas/types.ts'
import type { Desktop } from '../../../app/engine/context/context.ts'
import type { RemoteCollection } from '../../../app/engine/context/remote.ts'
import type { StartingEngine } from '../../../app/engine.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { evidenceFolder, folderIn } from '../../../core/base/layout.ts'
import type { RemoteIdentities } from '../../../core/team/sealing-orders.ts'
import { eventBuffer } from '../../event-buffer.ts'
import { type AuditorDesks, auditorDesks, type Desk, notifyDesk } from './auditors.ts'
import { type Collecting, type EngagementJobs, engagementJobs } from './jobs.ts'
import { openPortal, type Portal } from './portal.ts'
import { type SealerDesk, type SealerParts, sealerDesk } from './sealers.ts'

/** Opens the engine of one data folder. */
export type OpenEngine = (folder: string, desktop: Desktop, elsewhere: Elsewhere) => Promise<StartingEngine>

/** The part of an engine that other computers or the server provide; null where they do not. */
interface Elsewhere {
  readonly collection: RemoteCollection | null
  readonly identities: RemoteIdentities | null
  /** Counts of auditor requests that wait for officers, for a call of an officer; null for every other call. */
  readonly requests: () => RequestCounts | null
  /** File with the configuration for sending packs to other systems; null where none is named, and for auditors. */
  readonly integrations: string | null
}

export interface ServedEngagement extends Desk {
  readonly engine: StartingEngine
  readonly engagement: TeamEngagement
  /** Null for an engagement without sealers. */
  readonly sealers: SealerDesk | null
  readonly portal: Portal
  readonly auditors: AuditorDesks
}

/** A call in progress, or work of the server itself. `path`: the file that the engine would have opened in the viewer of a desktop. */
interface Going {
  readonly by: string
  /** Null for work of the server itself. */
  readonly role: TeamRole | null
  /** Signal of the end of its session, or of the server. */
  readonly ended: AbortSignal
  path: string | null
}
const going = new AsyncLocalStorage<Going>()

/** The desktop of engines on the server: it asks for no secrets and keeps none. A file to be shown is noted for the call in progress. */
const serverDesktop: Desktop = {
  ask: async () => null,
  show: async (path) => {
    const call = going.getStore()
    if (call !== undefined) call.path = path
    return ok(null)
  },
  vault: null,
}

/** Runs a call of a person and returns its value with the path of the file that it would have shown on a desktop, or null. */
export async function withShown<T>(
  who: Pick<Going, 'by' | 'ended'> & { readonly role: TeamRole },
  call: () => Promise<T>,
): Promise<{ readonly value: T; readonly path: string | null }> {
  const store: Going = { ...who, path: null }
  const value = await going.run(store, call)
  return { value, path: store.path }
}

/** Runs work of the server itself. Its requests to sealers are withdrawn when `ended` is aborted. */
export const asServer = <T>(ended: AbortSignal, work: () => Promise<T>): Promise<T> =>
  going.run({ by: 'the server itself, for a schedule', role: null, ended, path: null }, work)

const MUST_BE_EMPTY = ['identities', 'schedulePassphrases'] as const

/** The open engagements of a process, by name. */
interface Opened {
  /** Empty where the process serves collectors alone. */
  readonly engagements: ReadonlyMap<string, ServedEngagement>
  /** Jobs of the engagements that have collectors. */
  readonly jobs: ReadonlyMap<string, EngagementJobs>
  /** Closes the engines last: jobs that they wait for stay in the queue. */
  readonly close: () => Promise<void>
}

/**
 * Opens every engagement. Fails with input.refused for a folder with signing identities or passphrases, which a server must not have, and as
 * queue and portal do. After a failure, everything that was opened is closed.
 */
export async function openEngagements(
  {
    engagements,
    collectors = [],
    sealers = [],
    serves,
  }: Pick<TeamConfig, 'engagements' | 'collectors' | 'sealers' | 'serves'>,
  how: Opening,
): Promise<Outcome<Opened>> {
  const [served, jobs] = [new Map<string, ServedEngagement>(), new Map<string, EngagementJobs>()]
  const close = async (): Promise<void> => {
    for (const { sealers: desk } of served.values()) desk?.close()
    for (const one of jobs.values()) await one.close()
    for (const { engine, portal, auditors } of served.values()) {
      await auditors.close()
      await portal.close()
      await engine.close()
    }
  }
  for (const engagement of engagements) {
    const isOwn = (one: TeamCollector | TeamSealer): boolean => one.engagement === engagement.name
    const own = {
      collectors: collectors.filter(isOwn),
      hasSealer: sealers.some(isOwn),
      forPeople: serves !== 'collectors',
    }
    const opened = await openOne(engagement, own, how)
    if (!opened.ok) {
      await close()
      return opened
    }
    if (opened.value.jobs !== null) jobs.set(engagement.name, opened.value.jobs)
    if (opened.value.served !== null) served.set(engagement.name, opened.value.served)
  }
  return ok({ engagements: served, jobs, close })
}

export interface Opening {
  readonly open: OpenEngine
  readonly collecting: Collecting
  readonly sealing: Omit<SealerParts, 'askedBy' | 'withdrawn'>
  /** Distinguishes the events of this start of the server from those of earlier ones. */
  readonly started: string
  readonly now: () => number
}

/** The programs of an engagement, and whether this process serves people. */
interface Own {
  readonly collectors: readonly TeamCollector[]
  readonly hasSealer: boolean
  readonly forPeople: boolean
}

interface OpenedOne {
  readonly served: ServedEngagement | null
  /** Null for an engagement without collectors. */
  readonly jobs: EngagementJobs | null
}

async function openOne(
  engagement: TeamEngagement,
  { collectors, hasSealer, forPeople }: Own,
  { open, collecting, sealing, started, now }: Opening,
): Promise<Outcome<OpenedOne>> {
  const { name, folder } = engagement
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch {
    return fail('store.failed', `${folder} cannot be created`)
  }
  for (const secret of MUST_BE_EMPTY) {
    const path = folderIn(folder, secret)
    const held = await readdir(path).catch(() => [])
    if (held.length > 0)
      return fail(
        'input.refused',
        `${name}: ${path} holds signing keys or passphrases; move it to an officer’s machine`,
      )
  }
  const jobs = collectors.length === 0 ? ok(null) : await openJobs(engagement, collectors, collecting)
  if (!jobs.ok) return jobs
  if (!forPeople) return ok({ served: null, jobs: jobs.value })
  const asking = {
    askedBy: (): string => going.getStore()?.by ?? '',
    withdrawn: (): AbortSignal | null => going.getStore()?.ended ?? null,
  }
  const sealers = hasSealer ? sealerDesk({ ...sealing, ...asking }, name) : null
  const engine = await open(folder, serverDesktop, {
    collection: jobs.value?.remote ?? null,
    identities: sealers?.identities ?? null,
    integrations: engagement.integrations ?? null,
    requests: () => (going.getStore()?.role === 'officer' ? (opened[0]?.requestCounts('officer') ?? null) : null),
  })
  const desk: Desk = { engine, events: eventBuffer(started), streams: new Set() }
  const auditors = auditorDesks({
    folder,
    started,
    mayRead: (subject, share) => opened.some((one) => one.mayRead(subject, share)),
    open: async (own) =>
      await open(own, serverDesktop, { collection: null, identities: null, requests: () => null, integrations: null }),
  })
  const opened: Portal[] = []
  const portal = await openPortal({
    ...{ engagement: name, folder, now, newId: sealing.newId },
    changed: async (concerns) => {
      await auditors.closePacks()
      notifyDesk(desk, { kind: 'portal-changed' })
      auditors.notify({ kind: 'portal-changed' }, concerns)
    },
  })
  if (!portal.ok) {
    await jobs.value?.close()
    await engine.close()
    return portal
  }
  opened.push(portal.value)
  engine.onEvent((event) => notifyDesk(desk, event))
  jobs.value?.onLate((run) => void showAgain(desk, run))
  return ok({ served: { engagement, ...desk, engine, sealers, portal: portal.value, auditors }, jobs: jobs.value })
}

async function openJobs(
  { name, folder }: TeamEngagement,
  collectors: readonly TeamCollector[],
  { openQueue, openIncoming, patienceMs }: Collecting,
): Promise<Outcome<EngagementJobs>> {
  const own = folderIn(folder, 'jobs')
  const queue = await openQueue(own, name)
  if (!queue.ok) return queue
  const jobs = engagementJobs({
    queue: queue.value,
    incoming: openIncoming(own, evidenceFolder(folder)),
    zones: new Set(collectors.map(({ zone }) => zone)),
    patienceMs,
  })
  // Before the engine opens the latest run.
  const recovered = await jobs.recover()
  if (recovered.ok) return ok(jobs)
  await jobs.close()
  return recovered
}

/** Opens a run again after a late recording, if pages show this run. */
async function showAgain(desk: Desk, run: string): Promise<void> {
  const { engine } = desk
  const runs = await engine.call('runs.list', null)
  if (!runs.ok || !runs.value.some((one) => one.run === run && one.open)) return
  const opened = await engine.call('runs.open', { run })
  if (opened.ok) notifyDesk(desk, { kind: 'run-done', run, cancelled: false })
}
