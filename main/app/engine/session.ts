import type { EngineEvent } from '../../../schemas/ipc.ts'
import type { PackReview } from '../../../schemas/ipc-packs.ts'
import type { Source } from '../../../schemas/ipc-views.ts'
import type { Assessment, Fleet, Register, Scope } from '../../../schemas/types.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { Failure } from '../../core/failure.ts'
import type { LoadedRecording } from '../../core/recording.ts'
import type { World } from '../../core/world.ts'
import { decisionsBefore, decisionsPath, fleetPath } from './places.ts'
import type { GoingRun, RunJournal } from './run-journal.ts'
import type { ShownKey } from './shown-keys.ts'
import { latestStored, loadRun } from './stored-runs.ts'

/** What the window is looking at: the fleet, its latest run, and a pack that is open for review. */
export interface Session {
  fleet: Fleet | null
  demo: boolean
  run: RunState | null
  pack: PackState | null
  /** Host keys that nodes showed since the program began, by node. */
  readonly keys: Map<string, ShownKey>
  /** The list that was pasted last, and in which line of it each node’s key was found. */
  keyList: { readonly text: string; readonly lines: ReadonlyMap<string, number> } | null
  going: GoingRun | null
  /** The moments of the run that goes on, or of the last one since the program began. */
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
  /** What people say in the pack; null when that cannot be read. */
  readonly register: Register | null
  /** Where the pack lies, for opening it again and for a record that is attached in it. */
  readonly path: string
  /** What the auditor's notes on it are kept under. */
  readonly sha256: string
  /** A draft of our own, opened as its reader will: nothing is remembered of it. */
  readonly draft: boolean
}

/** The fleet of this folder with its latest stored run, judged as of now, so that closing the window loses no evidence. */
export async function openSession(world: World, catalog: Catalog, folder: string): Promise<Session> {
  const session: Session = {
    fleet: null,
    demo: false,
    run: null,
    pack: null,
    keys: new Map(),
    keyList: null,
    going: null,
    journal: null,
  }
  // Decisions of earlier versions go on counting; a copy, so that nothing is lost where this fails.
  if (await world.files.isThere(decisionsBefore(folder)))
    if (!(await world.files.isThere(decisionsPath(folder))))
      await world.files.copyNew(decisionsBefore(folder), decisionsPath(folder))
  const stored = await world.fleets.read(fleetPath(folder))
  if (!stored.ok) return session
  session.fleet = stored.value.fleet
  session.run = await latestRunOf(world, catalog, folder, stored.value.fleet)
  return session
}

/** The latest stored run of this folder's own fleet, or null. */
export async function latestRunOf(
  world: World,
  catalog: Catalog,
  folder: string,
  fleet: Fleet,
): Promise<RunState | null> {
  const shelf = { world, folder, fleet, demo: false }
  const run = await latestStored(shelf)
  const loaded = run === null ? null : await loadRun(shelf, catalog, run)
  return loaded?.ok === true ? loaded.value : null
}

export function recordingOf(session: Session, of: Source, node: string): LoadedRecording | undefined {
  const recordings = of === 'run' ? session.run?.recordings : session.pack?.recordings
  return recordings?.find(({ recording }) => recording.node.name === node)
}

/** Subscribers to the moments of a run. A listener that throws is its own problem. */
export interface Listeners {
  readonly add: (listener: (event: EngineEvent) => void) => () => void
  readonly tell: (event: EngineEvent) => void
}

export function listeners(): Listeners {
  const all = new Set<(event: EngineEvent) => void>()
  return {
    add: (listener) => {
      all.add(listener)
      return () => void all.delete(listener)
    },
    tell: (event) => {
      for (const listener of all) {
        try {
          listener(event)
        } catch {
          // A window that is gone must not take the answers of a node away.
        }
      }
    },
  }
}
