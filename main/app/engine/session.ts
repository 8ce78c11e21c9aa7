import type { EngineEvent } from '../../../schemas/ipc.ts'
import type { PackReview } from '../../../schemas/ipc-packs.ts'
import type { Source } from '../../../schemas/ipc-views.ts'
import type { Assessment, Fleet, Register, Scope } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { Failure } from '../../core/failure.ts'
import { decisionsPath, fleetPath, folderIn } from '../../core/layout.ts'
import type { LoadedRecording } from '../../core/recording.ts'
import type { Checkpoint } from '../../core/run-chain/head.ts'
import type { GoingRun, RunJournal } from './run-journal.ts'
import type { ShownKey } from './shown-keys.ts'
import { latestStored, loadRun } from './stored-runs.ts'

/** What the window shows: the fleet, its latest run, and the pack open for review. */
export interface Session {
  fleet: Fleet | null
  demo: boolean
  run: RunState | null
  pack: PackState | null
  /** Ends the verification in progress. */
  verifying: AbortController | null
  /** Host keys that nodes showed since the program started, by node. */
  readonly keys: Map<string, ShownKey>
  /** The last pasted list, and the line in which each node’s key was found. */
  keyList: { readonly text: string; readonly lines: ReadonlyMap<string, number> } | null
  going: GoingRun | null
  /** The events of the run in progress, or of the last one since the program started. */
  journal: RunJournal | null
}

export interface RunState {
  readonly run: string
  readonly scope: Scope
  readonly recordings: readonly LoadedRecording[]
  readonly assessment: Assessment
  /** Stored recordings that cannot be read or were altered; each names its node, which counts as missing. */
  readonly unreadable: readonly Failure[]
}

export interface PackState {
  readonly review: PackReview
  readonly run: string
  readonly assessment: Assessment | null
  readonly recordings: readonly LoadedRecording[]
  /** The register of the pack; null when it cannot be read. */
  readonly register: Register | null
  /** Location of the pack, for opening it again and for documents in it. */
  readonly path: string
  /** The key under which the auditor's notes on it are stored. */
  readonly sha256: string
  /** An own draft, opened as its reader will open it: nothing is remembered of it. */
  readonly draft: boolean
  /** A checkpoint that the reader imported for it. */
  readonly imported: Checkpoint | null
}

/**
 * The fleet of this folder with its latest stored run, evaluated as of now, so that closing the window loses no
 * evidence.
 */
export async function openSession(ports: Ports, catalog: Catalog, folder: string): Promise<Session> {
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
  // Decisions of earlier versions stay in effect; copied, so that nothing is lost if this fails.
  if (await ports.files.isThere(folderIn(folder, 'hostKeys')))
    if (!(await ports.files.isThere(decisionsPath(fleetPath(folder)))))
      await ports.files.copyNew(folderIn(folder, 'hostKeys'), decisionsPath(fleetPath(folder)))
  const stored = await ports.fleets.read(fleetPath(folder))
  if (!stored.ok) return session
  session.fleet = stored.value.fleet
  session.run = await latestRunOf(ports, catalog, folder, stored.value.fleet)
  return session
}

/** The latest stored run of this folder's own fleet, or null. */
export async function latestRunOf(
  ports: Ports,
  catalog: Catalog,
  folder: string,
  fleet: Fleet,
): Promise<RunState | null> {
  const shelf = { ports, folder, fleet, demo: false }
  const run = await latestStored(shelf)
  const loaded = run === null ? null : await loadRun(shelf, catalog, run)
  return loaded?.ok === true ? loaded.value : null
}

export function recordingOf(session: Session, of: Source, node: string): LoadedRecording | undefined {
  const recordings = of === 'run' ? session.run?.recordings : session.pack?.recordings
  return recordings?.find(({ recording }) => recording.node.name === node)
}

/** Subscribers to the events of a run. A listener that throws does not affect the others. */
export interface Listeners {
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
