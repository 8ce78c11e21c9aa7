import { useSyncExternalStore } from 'react'
import type { EngineEvent } from '../schemas/ipc.ts'
import type { FleetView } from '../schemas/ipc-views.ts'
import { call } from './bridge.ts'
import type { Route } from './routes.ts'
import { applyEvent, type RunProgress, summaryOf } from './run-progress.ts'

export interface State {
  readonly route: Route
  readonly earlier: readonly Route[]
  readonly fleet: FleetView | null
  /** The pack under review is demo data. */
  readonly packDemo: boolean
  readonly progress: RunProgress | null
  /** Counts finished runs, so that answers about the run are asked again. */
  readonly runs: number
  /** What a screen reader is told politely. */
  readonly said: string
}

let state: State = {
  route: { screen: 'first-run' },
  earlier: [],
  fleet: null,
  packDemo: false,
  progress: null,
  runs: 0,
  said: '',
}
const listeners = new Set<() => void>()

export const getState = (): State => state

export function change(part: Partial<State>): void {
  state = { ...state, ...part }
  for (const listener of listeners) listener()
}

export const useStore = (): State =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, getState)

const MOST_EARLIER = 50

export const go = (route: Route): void =>
  change({ route, earlier: [...state.earlier, state.route].slice(-MOST_EARLIER), said: '' })

export function back(): void {
  const route = state.earlier.at(-1)
  if (route !== undefined) change({ route, earlier: state.earlier.slice(0, -1), said: '' })
}

export const say = (said: string): void => change({ said })

export async function refreshFleet(): Promise<void> {
  const fleet = await call('fleet.get', null)
  if (fleet.ok) change({ fleet: fleet.value })
}

/** Progress is announced at most this often, and at the end. */
const QUIET_MS = 10_000

/** Subscribes to the engine, and opens on the fleet when there is one. */
export function startStore(): void {
  let spokeAt = 0
  window.barewitness.onEvent((event: EngineEvent) => {
    const progress = applyEvent(state.progress, event)
    const ended = event.kind === 'run-done'
    const now = performance.now()
    const speak = ended || now - spokeAt >= QUIET_MS
    if (speak) spokeAt = now
    if (event.kind === 'run-started') void refreshFleet()
    change({
      progress,
      runs: ended ? state.runs + 1 : state.runs,
      said: speak && progress !== null ? summaryOf(progress) : state.said,
    })
  })
  void (async () => {
    await refreshFleet()
    const known = await call('assessment.get', { of: 'run' })
    if (state.earlier.length > 0) return
    if (known.ok && known.value !== null) change({ route: { screen: 'overview', of: 'run' } })
    else if (state.fleet !== null) change({ route: { screen: 'nodes' } })
  })()
}
