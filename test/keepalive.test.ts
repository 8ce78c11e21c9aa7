import type { Client } from 'ssh2'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepaliveTimes } from '../main/adapters/ssh/ssh2-internals.ts'

// ssh2 has no public call for these: what stands in for its private fields answers as the library does.
type Answer = (answer: unknown) => void
const client = (ping: (queue: Answer[]) => void) => {
  const _callbacks: Answer[] = []
  return { _callbacks, _protocol: { ping: () => ping(_callbacks) } } as unknown as Client
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  ['a failure, as OpenSSH answers', true],
  ['a success', false],
])('ten round trips: %s', async (_, answer) => {
  const asked = keepaliveTimes(client((queue) => void setTimeout(() => queue.shift()?.(answer), 40)))
  await vi.advanceTimersByTimeAsync(1000)
  expect(await asked).toEqual(Array(10).fill(40))
})

test('a server that stops answering is asked no more', async () => {
  let asked = 0
  const times = keepaliveTimes(
    client((queue) => {
      asked += 1
      if (asked < 4) setTimeout(() => queue.shift()?.(true), 40)
    }),
  )
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await times).toEqual([40, 40, 40])
  expect(asked).toBe(4)
})

test('a connection that ends gives no time', async () => {
  const times = keepaliveTimes(client((queue) => queue.shift()?.(new Error('No response from server'))))
  expect(await times).toEqual([])
})

test('without those private fields, or where they throw, there is none', async () => {
  expect(await keepaliveTimes({} as Client)).toEqual([])
  expect(await keepaliveTimes({ _callbacks: [], _protocol: {} } as unknown as Client)).toEqual([])
  const throwing = client(() => {
    throw new Error('gone')
  })
  expect(await keepaliveTimes(throwing)).toEqual([])
})
