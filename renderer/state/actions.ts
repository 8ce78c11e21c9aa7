import { useState } from 'react'
import type { Input, Method, Output } from '../../schemas/ipc.ts'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { applyEvent } from '../models/run-progress.ts'
import { may } from '../models/team.ts'
import { type Answer, call, useAnswer, useKept } from './bridge.ts'
import { change, getState, go, refreshFleet, useStore } from './store.ts'

export interface Action<M extends Method> {
  readonly busy: boolean
  readonly error: CallFailure | null
  /** The value; null after a failure, which is then in `error`. */
  readonly run: (input: Input<M>) => Promise<Output<M> | null>
}

/** A call started by a button, with its progress and failure. */
export function useAction<M extends Method>(method: M): Action<M> {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<CallFailure | null>(null)
  const run = async (input: Input<M>): Promise<Output<M> | null> => {
    setBusy(true)
    setError(null)
    const reply = await call(method, input)
    setBusy(false)
    if (reply.ok) return reply.value
    setError(reply.error)
    return null
  }
  return { busy, error, run }
}

/** The result of a call, called again when results of the run or pack change. The earlier result of the same input is kept meanwhile. */
export function useResults<M extends Method>(method: M, input: Input<M>): Answer<Output<M>> {
  const { runs } = useStore()
  return useKept(useAnswer(method, input, runs), JSON.stringify(input))
}

/** The same, called again also as nodes of a run in progress finish. */
export function useResultsSoFar<M extends Method>(method: M, input: Input<M>): Answer<Output<M>> {
  const { runs, soFar } = useStore()
  return useKept(useAnswer(method, input, `${runs} ${soFar}`), JSON.stringify(input))
}

export type Collect = 'all' | 'missing' | 'demo'

let asking = false

/**
 * Starts a run and shows it. `missing` continues the run that is shown, for the named nodes or all of them; `demo`
 * opens the demo fleet. A run that cannot start is reported above every screen, in `problem`.
 */
export async function collect(what: Collect, nodes: readonly string[] = []): Promise<void> {
  if (asking) return
  asking = true
  change({ problem: null })
  // The engine decides which fleet is collected: this page may not yet have received the fleet that replaced the
  // current one.
  const reply =
    what === 'demo'
      ? await call('demo.open', null)
      : await call('run.start', { nodes, only: what === 'missing' ? what : 'all' })
  asking = false
  if (!reply.ok) {
    change({ problem: reply.error })
    return
  }
  const { run, nodes: asked } = reply.value
  // The event `run-started` may arrive later; until then, the previous run must not be shown as this one.
  if (getState().progress?.run !== run)
    change({ progress: applyEvent(null, { kind: 'run-started', run, nodes: asked }, performance.now()) })
  await refreshFleet()
  if (getState().route.screen !== 'collecting') go({ screen: 'collecting' })
}

/** The reason why no run can start now, or null. */
export function whyNoCollect(): string | null {
  const { fleet, progress } = getState()
  if (!may('run.start')) return 'Your role does not collect.'
  if (progress?.ended === 'no') return 'Collection in progress.'
  return fleet === null || fleet.nodes.length === 0 ? 'Add nodes first.' : null
}
