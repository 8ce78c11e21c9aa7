import { useSyncExternalStore } from 'react'
import type { CallFailure, EngineEvent, FleetView, Settings, TableChoice } from '../../schemas/ipc-views.ts'
import type { CheckSoFar, VerificationProgress } from '../../schemas/verification.ts'
import type { Route } from '../models/routes.ts'
import { applyEvents, progressFrom, type RunProgress, summaryOf, type TimedEvent } from '../models/run-progress.ts'
import { isAuditorPage, may } from '../models/team.ts'
import { call, onEvent } from './bridge.ts'
import { leave } from './return-focus.ts'

export interface Verifying extends VerificationProgress {
  /** For display. */
  readonly file: string
  /** Checks that are concluded. */
  readonly results: readonly CheckSoFar[]
}

export type Opening = Omit<Extract<EngineEvent, { kind: 'run-opening' }>, 'kind'>
export type Evaluating = Pick<Extract<EngineEvent, { kind: 'run-evaluating' }>, 'done' | 'total'>

interface State {
  readonly route: Route
  readonly earlier: readonly Route[]
  readonly fleet: FleetView | null
  readonly progress: RunProgress | null
  /** Incremented when results of the run change, by a finished run or a risk acceptance, so that screens reload. */
  readonly runs: number
  /** Incremented when the current run has more results. */
  readonly soFar: number
  /** Incremented when a pack is opened from outside the screens. */
  readonly packs: number
  /**
   * Progress of opening the latest stored run, whose results are shown afterwards. `total` is 0 while nothing is
   * counted.
   */
  readonly opening: Opening | null
  /** Progress of opening the run that was chosen last. */
  readonly loading: (Opening & { readonly run: string }) | null
  /**
   * Progress of evaluating results while no run is in progress. Calls that need these results are answered
   * afterwards.
   */
  readonly evaluating: Evaluating | null
  /** Incremented when the shown run was evaluated as of another day, so that counts outside the screens reload. */
  readonly days: number
  /** That evaluation was cancelled. No count of an earlier one is shown. */
  readonly isUncounted: boolean
  /** The verification in progress, whichever window started it. */
  readonly verifying: Verifying | null
  /** Announced politely to screen readers. */
  readonly announced: string
  readonly settings: Settings
  /** How tables are shown, by their names. */
  readonly tables: Readonly<Record<string, TableChoice>>
  /** A failure that belongs to no screen: a dropped pack that was refused, a run that could not start. */
  readonly problem: CallFailure | null
  readonly over: 'palette' | 'shortcuts' | null
  /** The current stop of the tour; null outside of it. */
  readonly tour: number | null
  /** Incremented when something between officers and auditors of a server changed. */
  readonly portal: number
  /** Incremented when a schedule of a server changed. */
  readonly schedules: number
  /** Whether an auditor’s page shows the shared pack that is open. */
  readonly reviewing: boolean
  /** What a pack shows first when it is opened. */
  readonly reviewStart: Route
  /** What was just recorded; null once it can no longer be withdrawn. */
  readonly toast: { readonly text: string; readonly undo: (() => void) | null } | null
}

const isOwnWindow = (): boolean => typeof location !== 'undefined' && location.hash === '#review'

/**
 * Whether this window shows one sealed pack, and nothing of this computer’s fleet. An auditor’s page does so while a
 * shared pack is open.
 */
export const isReviewWindow = (): boolean => isOwnWindow() || state.reviewing

/** Whether there is something to search: a pack, or a fleet. */
export const canSearch = (): boolean => isReviewWindow() || !isAuditorPage()

let state: State = {
  reviewing: false,
  reviewStart: { screen: 'review' },
  route: isOwnWindow() ? { screen: 'review' } : { screen: 'first-run' },
  earlier: [],
  fleet: null,
  progress: null,
  runs: 0,
  soFar: 0,
  packs: 0,
  opening: null,
  loading: null,
  evaluating: null,
  days: 0,
  isUncounted: false,
  verifying: null,
  announced: '',
  settings: { concurrency: 64, authority: null, singleKeys: true, theme: 'system' },
  tables: {},
  problem: null,
  over: null,
  tour: null,
  toast: null,
  portal: 0,
  schedules: 0,
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

export function go(route: Route): void {
  leave(state.route, route)
  change({ route, earlier: [...state.earlier, state.route].slice(-MOST_EARLIER), announced: '', over: null })
}

/** The same screen with other parameters, such as a filter: no step in the back history. */
export const replace = (route: Route): void => change({ route })

export function back(): void {
  const route = state.earlier.at(-1)
  if (route !== undefined) change({ route, earlier: state.earlier.slice(0, -1), announced: '' })
}

export const announce = (announced: string): void => change({ announced })

/** Invalidates results of the run or pack: after a risk acceptance, a document or another run. */
export const outdated = (): void => change({ runs: state.runs + 1, isUncounted: false })

/** Announces a recorded change and invalidates the results that depend on it. */
export function recorded(words: string): void {
  announce(words)
  outdated()
}

export async function refreshFleet(): Promise<void> {
  const fleet = await call('fleet.get', null)
  if (fleet.ok) change({ fleet: fleet.value })
}

/** Minimum interval between progress announcements; the end is always announced. */
const QUIET_MS = 10_000
/**
 * Interval at which events of nodes are shown: a large fleet sends hundreds of them a second. Drawing once takes
 * about 40 ms of processor time, which the collection lacks on a computer with few processors.
 */
const GATHER_MS = 400

/** Subscribes to the engine, and opens the fleet when there is one. */
export function startStore(): void {
  onEvent(listen)
  void call('settings.get', null).then((reply) => {
    if (reply.ok) change({ settings: reply.value })
  })
  if (isReviewWindow()) return
  if (isAuditorPage()) {
    change({ route: SHARED })
    return
  }
  void openFleet()
  if (may('tables.get'))
    void call('tables.get', null).then((reply) => {
      if (reply.ok) change({ tables: reply.value })
    })
}

const SHARED: Route = { screen: 'shared' }

/** Shows the pack that an auditor opened, beginning with `first`, or the list of shared packs. */
export const showShared = (open: boolean, first: Route = { screen: 'review' }): void =>
  change({
    reviewing: open,
    packs: state.packs + 1,
    reviewStart: first,
    route: open ? first : SHARED,
    ...{ earlier: [], announced: '' },
  })

async function openFleet(): Promise<void> {
  await refreshFleet()
  if (state.fleet !== null && state.opening === null) change({ opening: { step: 'reading', done: 0, total: 0 } })
  const [status, known] = await Promise.all([call('run.status', null), call('assessment.get', { of: 'run' })])
  if (status.ok && status.value !== null && state.progress === null)
    change({ progress: progressFrom(status.value, performance.now(), Date.now()) })
  change({ opening: null })
  if (state.earlier.length > 0) return
  if (state.progress?.ended === 'no') change({ route: { screen: 'collecting' } })
  else if (known.ok && known.value !== null) change({ route: { screen: 'overview', of: 'run' } })
  else if (state.fleet !== null) change({ route: { screen: 'nodes' } })
}

const GOES: Readonly<Record<Exclude<Extract<EngineEvent, { kind: 'go' }>['to'], 'shortcuts' | 'tour'>, Route>> = {
  settings: { screen: 'settings' },
  export: { screen: 'export' },
  nodes: { screen: 'nodes' },
  overview: { screen: 'overview', of: 'run' },
}

/** The checks of a file concluded so far; none for another file. */
const resultsOf = (verifying: Verifying | null, file: string): readonly CheckSoFar[] =>
  verifying?.file === file ? verifying.results : []

/** Minimum interval between two updates of the progress of opening and of evaluating. */
const PICTURE_MS = 100
let pictureAt = Number.NEGATIVE_INFINITY

function isDue(): boolean {
  const now = performance.now()
  if (now - pictureAt < PICTURE_MS) return false
  pictureAt = now
  return true
}

function showOpening({ step, done, total }: Opening): void {
  if (isDue() || state.opening?.step !== step) change({ opening: { step, done, total } })
}

function showLoading({ run, step, done, total }: Opening & { readonly run: string }): void {
  const { loading } = state
  if (isDue() || loading?.run !== run || loading.step !== step) change({ loading: { run, step, done, total } })
}

/** Progress ends with the last node. */
function showEvaluating({ done, total }: Evaluating): void {
  if (done === total) change({ evaluating: null, days: state.days + 1, isUncounted: false })
  else if (isDue()) change({ evaluating: { done, total } })
}

let waiting: TimedEvent[] = []
let announcedAt = Number.NEGATIVE_INFINITY

function listen(event: EngineEvent): void {
  switch (event.kind) {
    case 'go':
      if (event.to === 'shortcuts') change({ over: 'shortcuts' })
      // Tour.tsx starts the tour.
      else if (event.to !== 'tour') go(GOES[event.to])
      return
    case 'run-opening':
      if (!isReviewWindow()) showOpening(event)
      return
    case 'run-loading':
      showLoading(event)
      return
    case 'run-evaluating':
      if (state.progress?.ended === 'no') gather(event)
      else showEvaluating(event)
      return
    case 'run-evaluation-stopped':
      change({ evaluating: null, isUncounted: true })
      return
    case 'verifying':
      change({ verifying: { file: event.file, ...event.progress, results: resultsOf(state.verifying, event.file) } })
      return
    case 'check-concluded':
      if (state.verifying !== null)
        change({
          verifying: { ...state.verifying, results: [...resultsOf(state.verifying, event.file), event.result] },
        })
      return
    case 'verified':
      change({ verifying: null })
      return
    case 'portal-changed':
      change({ portal: state.portal + 1 })
      return
    case 'schedules-changed':
      change({ schedules: state.schedules + 1 })
      return
    case 'pack-opened':
      change({ packs: state.packs + 1, problem: null })
      return
    case 'pack-refused':
      change({ problem: event.error })
      return
    default:
      gather(event)
  }
}

/** Changes of the run itself, which follow what a person did, are shown at once. */
const TURNS: ReadonlySet<EngineEvent['kind']> = new Set(['run-started', 'run-paused', 'run-resumed', 'run-done'])

function gather(event: EngineEvent): void {
  if (waiting.length === 0) setTimeout(applyWaiting, GATHER_MS)
  waiting.push({ event, at: performance.now() })
  if (TURNS.has(event.kind)) applyWaiting()
}

/** Minimum interval for reloading the results of the current run. */
const FRESH_MS = 1000
let refreshing = false

function showSoon(): void {
  if (refreshing) return
  refreshing = true
  setTimeout(() => {
    refreshing = false
    if (state.progress?.ended === 'no') change({ soFar: state.soFar + 1 })
  }, FRESH_MS)
}

function applyWaiting(): void {
  const [events, now] = [waiting, performance.now()]
  if (events.length === 0) return
  waiting = []
  const started = events.some(({ event }) => event.kind === 'run-started')
  const ended = events.some(({ event }) => event.kind === 'run-done')
  const turned = events.some(({ event }) => event.kind === 'run-paused' || event.kind === 'run-resumed')
  const progress = applyEvents(state.progress, events)
  const isDue = ended || turned || now - announcedAt >= QUIET_MS
  if (isDue) announcedAt = now
  if (started) void refreshFleet()
  if (events.some(({ event }) => event.kind === 'node-done' || event.kind === 'node-failed')) showSoon()
  change({
    progress,
    // The progress of an evaluation in progress when the run began is no longer reported.
    ...(started ? { evaluating: null } : {}),
    runs: ended ? state.runs + 1 : state.runs,
    announced: isDue && progress !== null ? summaryOf(progress, now) : state.announced,
  })
}
