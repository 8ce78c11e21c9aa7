import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { change, getState, startStore } from '../../renderer/state/store.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'

let send: (event: EngineEvent) => void = () => undefined
const before = getState()

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', {
    barewitness: {
      call: async () => ({ ok: false, error: { code: 'input.refused', detail: 'not now' } }),
      onEvent: (listener: typeof send) => {
        send = listener
      },
    },
  })
  startStore()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  change(before)
})

const evaluated = (done: number): void => send({ kind: 'run-evaluating', run: 'r1', done, total: 4 })

test('without a run in progress, the progress is shown until the last node', () => {
  vi.advanceTimersByTime(1000)
  evaluated(1)
  expect(getState().evaluating).toEqual({ done: 1, total: 4 })
  evaluated(2)
  expect(getState().evaluating).toEqual({ done: 1, total: 4 })
  vi.advanceTimersByTime(1000)
  evaluated(3)
  expect(getState().evaluating).toEqual({ done: 3, total: 4 })
  evaluated(4)
  expect(getState().evaluating).toBeNull()
  expect(getState().days).toBe(before.days + 1)
})

test('once it is cancelled, no progress is shown, and no count until results are evaluated', () => {
  vi.advanceTimersByTime(1000)
  evaluated(1)
  send({ kind: 'run-evaluation-stopped', run: 'r1' })
  expect(getState()).toMatchObject({ evaluating: null, isUncounted: true, days: before.days })
  evaluated(4)
  expect(getState().isUncounted).toBe(false)
})

test('during a run it belongs to the run, and what began before is shown no longer', () => {
  vi.advanceTimersByTime(1000)
  evaluated(1)
  send({ kind: 'run-started', run: 'r1', nodes: ['db-1'] })
  vi.advanceTimersByTime(1000)
  expect(getState().evaluating).toBeNull()
  evaluated(2)
  vi.advanceTimersByTime(1000)
  expect([getState().evaluating, getState().progress?.evaluated]).toEqual([null, { done: 2, total: 4 }])
})

test('progress of nodes is gathered for one picture; what a person did with the run is shown at once', () => {
  send({ kind: 'run-started', run: 'r1', nodes: ['db-1', 'db-2'] })
  const started = getState().progress
  expect(started?.nodes.size).toBe(2)
  send({ kind: 'node-connecting', node: 'db-1' })
  send({ kind: 'node-connecting', node: 'db-2' })
  expect(getState().progress).toBe(started)
  send({ kind: 'run-paused', run: 'r1' })
  expect(getState().progress).toMatchObject({ paused: true })
  expect(getState().progress?.nodes.get('db-2')?.is).toBe('connecting')
  send({ kind: 'node-done', node: 'db-1', captures: 9, partial: false })
  expect(getState().progress?.nodes.get('db-1')?.is).toBe('connecting')
  vi.advanceTimersByTime(1000)
  expect(getState().progress?.nodes.get('db-1')?.is).toBe('done')
})

test('of a chosen run, its own progress is shown from its first node on', () => {
  const loaded = (run: string, step: 'reading' | 'evaluating', done: number): void =>
    send({ kind: 'run-loading', run, step, done, total: 4 })
  vi.advanceTimersByTime(1000)
  loaded('r1', 'reading', 1)
  loaded('r1', 'reading', 2)
  expect(getState().loading).toEqual({ run: 'r1', step: 'reading', done: 1, total: 4 })
  loaded('r1', 'evaluating', 1)
  expect(getState().loading).toMatchObject({ step: 'evaluating', done: 1 })
  loaded('r2', 'evaluating', 1)
  expect(getState().loading).toMatchObject({ run: 'r2', done: 1 })
  expect(getState().opening).toBeNull()
})
