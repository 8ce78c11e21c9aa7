import type { EngineEvent } from '../schemas/ipc.ts'
import { FAILURE_CODES, type FailureCode, failureWords } from '../schemas/words.ts'

export type NodeProgress =
  | { readonly is: 'waiting' | 'connecting' }
  | { readonly is: 'collecting'; readonly done: number; readonly total: number }
  | { readonly is: 'done'; readonly captures: number; readonly partial: boolean }
  | { readonly is: 'failed'; readonly code: string; readonly detail: string }

export interface RunProgress {
  readonly run: string
  readonly nodes: ReadonlyMap<string, NodeProgress>
  readonly ended: 'no' | 'done' | 'cancelled'
}

/** A run as it stands after one more event. Events of nodes that the run did not name are kept, too. */
export function applyEvent(before: RunProgress | null, event: EngineEvent): RunProgress | null {
  if (event.kind === 'run-started')
    return { run: event.run, ended: 'no', nodes: new Map(event.nodes.map((node) => [node, { is: 'waiting' }])) }
  if (before === null) return null
  if (event.kind === 'run-done') return { ...before, ended: event.cancelled ? 'cancelled' : 'done' }
  return { ...before, nodes: new Map(before.nodes).set(event.node, nodeAfter(event)) }
}

function nodeAfter(event: Exclude<EngineEvent, { kind: 'run-started' | 'run-done' }>): NodeProgress {
  switch (event.kind) {
    case 'node-connecting':
      return { is: 'connecting' }
    case 'node-collecting':
      return { is: 'collecting', done: event.done, total: event.total }
    case 'node-done':
      return { is: 'done', captures: event.captures, partial: event.partial }
    case 'node-failed':
      return { is: 'failed', code: event.code, detail: event.detail }
  }
}

export function counts(progress: RunProgress): {
  readonly total: number
  readonly done: number
  readonly failed: number
} {
  const all = [...progress.nodes.values()]
  return {
    total: all.length,
    done: all.filter(({ is }) => is === 'done').length,
    failed: all.filter(({ is }) => is === 'failed').length,
  }
}

export function summaryOf(progress: RunProgress): string {
  const { total, done, failed } = counts(progress)
  const so = `${done + failed} of ${total} nodes finished, ${failed} not collected`
  if (progress.ended === 'done') return `Collection finished: ${so}.`
  return progress.ended === 'cancelled' ? `Collection stopped: ${so}. What was collected is kept.` : `${so}.`
}

/** The one moving word of a node's row, with what it needs to be understood. */
export function wordOf(node: NodeProgress): string {
  switch (node.is) {
    case 'waiting':
      return 'Waiting'
    case 'connecting':
      return 'Connecting'
    case 'collecting':
      return `Collecting ${node.done} of ${node.total}`
    case 'done':
      return node.partial ? 'Done, in part' : 'Done'
    case 'failed':
      return 'Not collected'
  }
}

export const isFailureCode = (code: string): code is FailureCode => (FAILURE_CODES as readonly string[]).includes(code)

export const failureTitle = (code: string): string => (isFailureCode(code) ? failureWords[code].title : code)
