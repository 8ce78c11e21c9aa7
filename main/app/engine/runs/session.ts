import type { EngineEvent, Source } from '../../../../schemas/ipc-views.ts'
import type { Fleet } from '../../../../schemas/types.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { decisionsPath, fleetPath, folderIn } from '../../../core/base/layout.ts'
import type { LoadedRecording } from '../../../core/recording/recording.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import type { Session } from '../context/context.ts'
import type { RunState } from '../context/run-state.ts'
import { latestStored, loadRun, type OnNode } from './stored-runs.ts'

/** A session whose latest run is being opened. */
interface OpenedSession {
  readonly session: Session
  /** Resolves once the latest run is in the session. */
  readonly isOpen: Promise<void>
}

/**
 * The fleet of this folder, and its latest stored run, evaluated as of now, so that closing the window loses no
 * evidence. The run is opened after this has returned, because a large fleet takes a while.
 */
export async function openSession(
  ports: Ports,
  catalog: Catalog,
  folder: string,
  onNode: OnNode,
): Promise<OpenedSession> {
  const session: Session = {
    fleet: null,
    demo: false,
    run: null,
    pack: null,
    verifying: null,
    keys: new Map(),
    keyList: null,
    going: null,
    journal: null,
  }
  // Decisions of earlier versions stay in effect. They are copied, so that nothing is lost if this fails.
  if (await ports.files.isThere(folderIn(folder, 'hostKeys')))
    if (!(await ports.files.isThere(decisionsPath(fleetPath(folder)))))
      await ports.files.copyNew(folderIn(folder, 'hostKeys'), decisionsPath(fleetPath(folder)))
  const stored = await ports.fleets.read(fleetPath(folder))
  if (!stored.ok) return { session, isOpen: Promise.resolve() }
  const { fleet } = stored.value
  session.fleet = fleet
  const isOpen = latestRunOf(ports, catalog, folder, fleet, onNode).then((run) => {
    session.run = run
  })
  // Reported by each call that needs the run.
  isOpen.catch(() => undefined)
  return { session, isOpen }
}

/** The latest stored run of this folder's own fleet, or null. */
export async function latestRunOf(
  ports: Ports,
  catalog: Catalog,
  folder: string,
  fleet: Fleet,
  onNode?: OnNode,
): Promise<RunState | null> {
  const shelf = { ports, folder, fleet, demo: false }
  const run = await latestStored(shelf)
  const loaded = run === null ? null : await loadRun(shelf, catalog, run, { onNode })
  return loaded?.ok === true ? loaded.value : null
}

export function recordingOf(session: Session, of: Source, node: string): LoadedRecording | undefined {
  const recordings = of === 'run' ? session.run?.recordings : session.pack?.recordings
  return recordings?.find(({ recording }) => recording.node.name === node)
}

/** Subscribers to the events of a run. A listener that throws does not affect the others. */
interface Listeners {
  readonly add: (listener: (event: EngineEvent) => void) => () => void
  readonly notify: (event: EngineEvent) => void
}

export function listeners(): Listeners {
  const all = new Set<(event: EngineEvent) => void>()
  return {
    add: (listener) => {
      all.add(listener)
      return () => void all.delete(listener)
    },
    notify: (event) => {
      for (const listener of all) {
        try {
          listener(event)
        } catch {
          // A closed window must not affect the collection of a node.
        }
      }
    },
  }
}
