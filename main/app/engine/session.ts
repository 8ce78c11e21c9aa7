import type { EngineEvent } from '../../../schemas/ipc.ts'
import type { PackReview, Source } from '../../../schemas/ipc-views.ts'
import type { Assessment, Fleet, Scope } from '../../../schemas/types.ts'
import type { LoadedRecording } from '../../core/recording.ts'

/** What the window is looking at: the fleet, its latest run, and a pack that is open for review. */
export interface Session {
  fleet: Fleet | null
  demo: boolean
  run: RunState | null
  pack: PackState | null
  going: { readonly run: string; readonly stop: AbortController; readonly done: Promise<void> } | null
}

export interface RunState {
  readonly run: string
  readonly scope: Scope
  readonly recordings: readonly LoadedRecording[]
  readonly assessment: Assessment
}

export interface PackState {
  readonly review: PackReview
  readonly run: string
  readonly assessment: Assessment | null
  readonly recordings: readonly LoadedRecording[]
}

export const emptySession = (): Session => ({ fleet: null, demo: false, run: null, pack: null, going: null })

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
      for (const listener of all) listener(event)
    },
  }
}
