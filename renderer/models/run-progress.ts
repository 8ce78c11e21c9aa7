import { FAILURE_CODES, type FailureCode, failureWords, nextInWindow } from '../../schemas/failure-words.ts'
import type { EngineEvent, RunStatus } from '../../schemas/ipc-views.ts'
import { plural, visible } from './text.ts'

export type NodeProgress =
  | { readonly is: 'waiting' | 'connecting' }
  | { readonly is: 'collecting'; readonly done: number; readonly total: number }
  | { readonly is: 'timing'; readonly secondsLeft: number }
  | { readonly is: 'done'; readonly captures: number; readonly partial: boolean }
  | { readonly is: 'failed'; readonly code: string; readonly detail: string }

/** States that a node is not finished in the current run; null if it is, or without a run. */
export function stillToCome(progress: RunProgress | null, node: string): string | null {
  const so = progress?.ended === 'no' ? progress.nodes.get(node) : undefined
  if (so === undefined || so.is === 'done' || so.is === 'failed') return null
  return so.is === 'waiting' ? 'waiting in the current run' : 'collection in progress'
}

export interface RunProgress {
  readonly run: string
  readonly nodes: ReadonlyMap<string, NodeProgress>
  readonly paused: boolean
  readonly ended: 'no' | 'done' | 'cancelled'
  /** Nodes evaluated since every node ended; null before that. */
  readonly evaluated: { readonly done: number; readonly total: number } | null
  /** Milliseconds on this window’s clock at the first event. */
  readonly since: number
  /** Start of each active node, on the same clock. */
  readonly begun: ReadonlyMap<string, number>
}

type Of<K extends EngineEvent['kind']> = Extract<EngineEvent, { kind: K }>
type NodeEvent = Of<'node-connecting' | 'node-collecting' | 'node-timing' | 'node-done' | 'node-failed'>

/** An event and the time of its arrival, in milliseconds on this window’s clock. */
export interface TimedEvent {
  readonly event: EngineEvent
  readonly at: number
}

/**
 * The run after a batch of events, in order. A large fleet sends hundreds of them a second, so the maps of nodes are
 * copied once for each batch. Events of nodes that the run did not name are kept.
 */
export function applyEvents(before: RunProgress | null, events: readonly TimedEvent[]): RunProgress | null {
  let progress = before
  let copied: { readonly nodes: Map<string, NodeProgress>; readonly begun: Map<string, number> } | null = null
  for (const { event, at } of events) {
    if (!isOfNode(event)) {
      progress = withoutNode(progress, event, at)
      if (event.kind === 'run-started') copied = null
    } else if (progress !== null) {
      copied ??= { nodes: new Map(progress.nodes), begun: new Map(progress.begun) }
      if (!copied.begun.has(event.node)) copied.begun.set(event.node, at)
      copied.nodes.set(event.node, nodeAfter(event))
      progress = { ...progress, ...copied }
    }
  }
  return progress
}

/** The run after one more event, received at `now`. */
export const applyEvent = (before: RunProgress | null, event: EngineEvent, now: number): RunProgress | null =>
  applyEvents(before, [{ event, at: now }])

const NODE_EVENTS: ReadonlySet<string> = new Set<NodeEvent['kind']>([
  'node-connecting',
  'node-collecting',
  'node-timing',
  'node-done',
  'node-failed',
])

const isOfNode = (event: EngineEvent): event is NodeEvent => NODE_EVENTS.has(event.kind)

function withoutNode(
  before: RunProgress | null,
  event: Exclude<EngineEvent, NodeEvent>,
  now: number,
): RunProgress | null {
  switch (event.kind) {
    case 'run-started':
      return {
        run: event.run,
        ended: 'no',
        // The page shows a run before the engine reports its start, so the run may have been paused already.
        paused: before?.run === event.run && before.paused,
        evaluated: null,
        since: now,
        begun: new Map(),
        nodes: new Map(event.nodes.map((node) => [node, { is: 'waiting' }])),
      }
    case 'run-evaluating':
      return before === null ? null : { ...before, paused: false, evaluated: { done: event.done, total: event.total } }
    case 'run-paused':
      return before === null ? null : { ...before, paused: true }
    case 'run-resumed':
      return before === null ? null : { ...before, paused: false }
    case 'run-done':
      return before === null ? null : { ...before, paused: false, ended: event.cancelled ? 'cancelled' : 'done' }
    default:
      return before
  }
}

/** One node in the table of progress. */
export interface ProgressRow {
  readonly node: string
  readonly at: NodeProgress
}

const ROWS = new WeakMap<NodeProgress, ProgressRow>()

/** The nodes of a run as rows. A row is the same object until the progress of its node changes, so that tables draw only changed rows. */
export const rowsOf = ({ nodes }: RunProgress): readonly ProgressRow[] =>
  [...nodes].map(([node, at]) => {
    const known = ROWS.get(at)
    if (known !== undefined) return known
    const row = { node, at }
    ROWS.set(at, row)
    return row
  })

function nodeAfter(event: NodeEvent): NodeProgress {
  switch (event.kind) {
    case 'node-connecting':
      return { is: 'connecting' }
    case 'node-collecting':
      return { is: 'collecting', done: event.done, total: event.total }
    case 'node-timing':
      return { is: 'timing', secondsLeft: event.secondsLeft }
    case 'node-done':
      return { is: 'done', captures: event.captures, partial: event.partial }
    case 'node-failed':
      return { is: 'failed', code: event.code, detail: event.detail }
  }
}

/** The current or last run, for a window that opens late: past events count as of its start. */
export function progressFrom(status: RunStatus, now: number, wallNow: number): RunProgress | null {
  const since = now - Math.max(0, wallNow - Date.parse(status.startedAt))
  const read = applyEvents(
    null,
    status.events.map((event) => ({ event, at: since })),
  )
  if (read === null) return null
  const ended = status.going ? 'no' : read.ended === 'no' ? 'done' : read.ended
  return { ...read, paused: status.paused, ended }
}

interface Counts {
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly partial: number
  readonly finished: number
}

export function counts(progress: RunProgress): Counts {
  const all = [...progress.nodes.values()]
  const done = all.filter(({ is }) => is === 'done').length
  const failed = all.filter(({ is }) => is === 'failed').length
  const partial = all.filter((node) => node.is === 'done' && node.partial).length
  return { total: all.length, done, failed, partial, finished: done + failed }
}

const inWork = (node: NodeProgress): boolean =>
  node.is === 'connecting' || node.is === 'collecting' || node.is === 'timing'

/** The active node that started first. */
export function slowest(progress: RunProgress): readonly [node: string, at: NodeProgress] | null {
  const working = [...progress.nodes].filter(([, at]) => inWork(at))
  const begun = (node: string): number => progress.begun.get(node) ?? Number.POSITIVE_INFINITY
  return working.sort(([a], [b]) => begun(a) - begun(b))[0] ?? null
}

/**
 * "about 2 min left", from the pace so far: a finished node counts as one, an active node for its finished part.
 * Null until a tenth of the work or one node is done, while paused, and after the end: an estimate would be meaningless.
 */
export function timeLeft(progress: RunProgress, now: number): string | null {
  if (progress.ended !== 'no' || progress.paused) return null
  const all = [...progress.nodes.values()]
  const share = (node: NodeProgress): number =>
    node.is === 'collecting' && node.total > 0
      ? node.done / node.total
      : node.is === 'timing' || node.is === 'done' || node.is === 'failed'
        ? 1
        : 0
  const done = all.reduce((sum, node) => sum + share(node), 0)
  if (done < 1 && done < all.length / 10) return null
  const seconds = ((now - progress.since) / 1000 / done) * (all.length - done)
  if (!Number.isFinite(seconds)) return null
  if (seconds < 50) return 'less than 1 min left'
  return `about ${Math.max(1, Math.round(seconds / 60))} min left`
}

/** What to do about a node that was not collected; empty for other nodes and for unknown failure codes. */
export const nextFor = (node: NodeProgress): string =>
  node.is === 'failed' && isFailureCode(node.code) ? nextInWindow(node.code) : ''

/** What a run that ended has, as one sentence below a heading that states its end. */
export function endOf(progress: RunProgress): string {
  const { total, finished, failed, partial } = counts(progress)
  const parts = [
    `${finished - failed} of ${plural(total, 'node')} collected`,
    ...(partial === 0 ? [] : [`${partial} of them partially`]),
    ...(failed === 0 ? [] : [`${failed} not collected`]),
    ...(finished === total ? [] : [`${total - finished} not started or not finished`]),
  ]
  return `${parts.join(', ')}.${progress.ended === 'cancelled' && finished > failed ? ' Collected evidence is kept.' : ''}`
}

/** One line, shown and announced politely. */
export function summaryOf(progress: RunProgress, now: number): string {
  const { total, finished, failed } = counts(progress)
  const so = `${finished} of ${plural(total, 'node')}`
  const missed = failed === 0 ? '' : `, ${failed} not collected`
  if (progress.ended === 'done') return `Collection finished: ${endOf(progress)}`
  if (progress.ended === 'cancelled') return `Collection stopped: ${endOf(progress)}`
  if (progress.evaluated !== null) return `${endOf(progress)} Results are being evaluated.`
  if (progress.paused) return `${so}${missed}; paused. Active nodes are finished; no further node is started.`
  const left = timeLeft(progress, now)
  const last = slowest(progress)
  const parts = [`${so}${missed}`, left, last === null ? null : `slowest ${last[0]}: ${wordOf(last[1])}`]
  return `${parts.filter((part) => part !== null).join('; ')}.`
}

/** Nodes that a further collection would include: failed, partial, or not started. */
export const missingNodes = (progress: RunProgress): readonly string[] =>
  [...progress.nodes].filter(([, node]) => node.is !== 'done' || node.partial).map(([node]) => node)

/** The status of a node in its row. */
export function wordOf(node: NodeProgress): string {
  switch (node.is) {
    case 'waiting':
      return 'Waiting'
    case 'connecting':
      return 'Connecting'
    case 'collecting':
      return `Collecting, ${node.done} of ${plural(node.total, 'command')}`
    case 'timing':
      return `Timing, ${node.secondsLeft} s left`
    case 'done':
      return node.partial ? 'Partial' : 'Collected'
    case 'failed':
      return 'Not collected'
  }
}

const isFailureCode = (code: string): code is FailureCode => (FAILURE_CODES as readonly string[]).includes(code)

export const failureTitle = (code: string): string => (isFailureCode(code) ? failureWords[code].title : code)

/** Detail next to the status of a node. */
export function detailOf(node: NodeProgress): string {
  switch (node.is) {
    case 'failed':
      return `${failureTitle(node.code)}: ${visible(node.detail)}`
    case 'done':
      return `${plural(node.captures, 'capture')}, including measurements from this computer${node.partial ? '; some probes have none' : ''}`
    case 'timing':
      return 'All commands ran; round-trip times are being measured. Other nodes continue meanwhile.'
    default:
      return ''
  }
}
