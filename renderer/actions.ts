import { useState } from 'react'
import type { CallFailure, Input, Method, Output } from '../schemas/ipc.ts'
import { call } from './bridge.ts'
import { change, go, refreshFleet } from './store.ts'

export interface Action<M extends Method> {
  readonly busy: boolean
  readonly error: CallFailure | null
  /** The value, or null when it failed; the failure is then in `error`. */
  readonly run: (input: Input<M>) => Promise<Output<M> | null>
}

/** A call that a person starts, with what a button needs to know about it. */
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

/** After a run was started: its rows are shown at once, waiting, and its events fill them in. */
export async function showRun(): Promise<void> {
  await refreshFleet()
  go({ screen: 'collecting' })
}

export const clearProgress = (): void => change({ progress: null })
