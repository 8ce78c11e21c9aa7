import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Port } from '../../main/electron/engine-process.ts'
import { IDLE_MS, ownHeap, sparing, WORTH_BYTES } from '../../main/electron/spare-memory.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function made() {
  const heap = { bytes: 0, collected: 0 }
  const posted: unknown[] = []
  let listener = (_message: unknown): void => undefined
  const port: Port = {
    post: (message) => posted.push(message),
    onMessage: (own) => {
      listener = own
    },
  }
  const spared = sparing(port, {
    used: () => heap.bytes,
    collect: () => {
      heap.collected += 1
      heap.bytes = 0
    },
  })
  return { heap, posted, spared, arrives: (message: unknown) => listener(message) }
}

test('a heap that grew is collected once no message passed for a while', () => {
  const { heap, posted, spared, arrives } = made()
  const heard: unknown[] = []
  spared.onMessage((message) => heard.push(message))
  heap.bytes = WORTH_BYTES
  arrives({ ask: 1 })
  vi.advanceTimersByTime(IDLE_MS - 1)
  spared.post({ id: 1, reply: null })
  vi.advanceTimersByTime(IDLE_MS - 1)
  expect(heap.collected).toBe(0)
  vi.advanceTimersByTime(1)
  expect(heap.collected).toBe(1)
  vi.advanceTimersByTime(10 * IDLE_MS)
  expect([heap.collected, heard, posted]).toEqual([1, [{ ask: 1 }], [{ id: 1, reply: null }]])
})

test('one that grew little is not', () => {
  const { heap, spared } = made()
  heap.bytes = WORTH_BYTES - 1
  spared.post({ id: 1, reply: null })
  vi.advanceTimersByTime(IDLE_MS)
  expect(heap.collected).toBe(0)
})

test('nothing is collected during a run, but after it', () => {
  const { heap, spared } = made()
  heap.bytes = WORTH_BYTES
  spared.post({ event: { kind: 'run-started', run: 'r' } })
  vi.advanceTimersByTime(IDLE_MS)
  expect(heap.collected).toBe(0)
  spared.post({ event: { kind: 'run-done', run: 'r', cancelled: false } })
  vi.advanceTimersByTime(IDLE_MS)
  expect(heap.collected).toBe(1)
})

test.each([
  { kind: 'run-done', run: 'r', cancelled: false },
  { kind: 'run-opening', step: 'evaluating', done: 3, total: 3 },
  { kind: 'run-loading', run: 'r', step: 'evaluating', done: 3, total: 3 },
])('after $kind, the next answer is followed by a collection, and others are not', (event) => {
  const { heap, posted, spared } = made()
  spared.post({ event })
  heap.bytes = WORTH_BYTES
  spared.post({ event: { kind: 'node-done', node: 'a' } })
  vi.advanceTimersByTime(1)
  expect(heap.collected).toBe(0)
  spared.post({ id: 1, reply: null })
  expect([heap.collected, posted.length]).toEqual([0, 3])
  vi.advanceTimersByTime(1)
  expect(heap.collected).toBe(1)
  heap.bytes = WORTH_BYTES
  spared.post({ id: 2, reply: null })
  vi.advanceTimersByTime(IDLE_MS - 1)
  expect(heap.collected).toBe(1)
})

test('a step of opening a stored run that ends is followed by a collection, however many messages pass', () => {
  const { heap, posted, spared } = made()
  const opening = (done: number): void => {
    heap.bytes = WORTH_BYTES
    spared.post({ event: { kind: 'run-opening', step: 'reading', done, total: 3 } })
  }
  opening(1)
  opening(2)
  expect(heap.collected).toBe(0)
  opening(3)
  expect([heap.collected, posted.length]).toEqual([1, 3])
  heap.bytes = WORTH_BYTES
  vi.advanceTimersByTime(IDLE_MS)
  expect(heap.collected).toBe(2)
})

test('the heap of this process can be measured and collected', () => {
  const heap = ownHeap()
  const before = heap.used()
  let waste: number[][] | null = Array.from({ length: 200 }, () => Array.from({ length: 10_000 }, (_, at) => at / 3))
  expect(heap.used()).toBeGreaterThan(before)
  expect(waste).toHaveLength(200)
  waste = null
  const grown = heap.used()
  heap.collect()
  expect(heap.used()).toBeLessThan(grown)
})
