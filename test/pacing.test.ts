import { afterEach, expect, test, vi } from 'vitest'
import { createPacer, networkOf } from '../main/adapters/ssh/transport.ts'
import { ok } from '../main/core/base/failure.ts'
import type { ConnectTarget } from '../main/core/ports/ports.ts'

const target = (address: string): ConnectTarget => ({
  node: { name: 'n', address, port: 22, user: 'u', sudo: false },
  trust: { knownHostsFiles: [] },
  credentials: { agent: false },
  transport: 'ssh2',
  jumps: [],
})
const never = new AbortController().signal
afterEach(() => vi.useRealTimers())

test('no more than four logins at once in one network, whatever the others do', async () => {
  const pacer = createPacer({ perSecond: 10_000 })
  const busy = new Map<string, number>()
  const most = new Map<string, number>()
  const work = (address: string) => async () => {
    const network = networkOf(address)
    busy.set(network, (busy.get(network) ?? 0) + 1)
    most.set(network, Math.max(most.get(network) ?? 0, busy.get(network) ?? 0))
    await new Promise((resolve) => setTimeout(resolve, 5))
    busy.set(network, (busy.get(network) ?? 0) - 1)
    return ok(null)
  }
  const addresses = Array.from({ length: 30 }, (_, at) => `192.0.2.${at}`).concat(
    Array.from({ length: 10 }, (_, at) => `198.51.100.${at}`),
  )
  const done = await Promise.all(addresses.map((address) => pacer.run(target(address), never, work(address))))
  expect(done.every(({ ok: fine }) => fine)).toBe(true)
  expect(Object.fromEntries(most)).toEqual({ '192.0.2.0/24': 4, '198.51.100.0/24': 4 })
})

test('starts are spread over time; stopping ends the waiting', async () => {
  vi.useFakeTimers()
  const pacer = createPacer({ perSecond: 50 })
  const started: number[] = []
  const all = Promise.all(
    Array.from({ length: 11 }, (_, at) =>
      pacer.run(target(`10.0.${at}.1`), never, async () => {
        started.push(performance.now())
        return ok(null)
      }),
    ),
  )
  await vi.runAllTimersAsync()
  await all
  expect(started).toHaveLength(11)
  const gaps = started.slice(1).map((at, index) => at - (started[index] ?? 0))
  // One fiftieth of a second, give or take 30 %; timers count whole milliseconds.
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(13)
  for (const gap of gaps) expect(gap).toBeLessThanOrEqual(27)
  const stop = new AbortController()
  const slow = createPacer({ perSecond: 0.1 })
  await slow.run(target('10.0.0.1'), stop.signal, async () => ok(null))
  const waits = slow.run(target('10.0.0.2'), stop.signal, async () => ok(null))
  await vi.advanceTimersByTimeAsync(20)
  stop.abort()
  expect(await waits).toMatchObject({
    ok: false,
    error: { code: 'run.cancelled' },
  })
})

test('a dead network adds one time-out, not one for every four of its servers; one that was heard keeps its place', async () => {
  vi.useFakeTimers()
  const pacer = createPacer({ perSecond: 10_000, patienceMs: 20 })
  const [timeout, dead] = [600, 40]
  const rest = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
  const hanging = async () => {
    await rest(timeout)
    return ok(null)
  }
  const began = performance.now()
  const all = Promise.all(
    Array.from({ length: dead }, (_, at) => pacer.run(target(`192.0.2.${at}`), never, hanging)).concat(
      pacer.run(target('192.0.2.200'), never, async () => ok(null)),
    ),
  )
  await vi.runAllTimersAsync()
  await all
  // Four at a time, each to its end, would be ten time-outs; ten times the patience of 20 ms is added to one here.
  expect(performance.now() - began).toBeLessThan(timeout * 1.5)
  let [now, most] = [0, 0]
  const slow = async (heard: () => void) => {
    now += 1
    most = Math.max(most, now)
    heard()
    await rest(100)
    now -= 1
    return ok(null)
  }
  const heard = Promise.all(Array.from({ length: 12 }, (_, at) => pacer.run(target(`198.51.100.${at}`), never, slow)))
  await vi.runAllTimersAsync()
  await heard
  expect(most).toBe(4)
})

test('networks', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2.0/24')
  expect(networkOf('[2001:db8:1:2:3::4]')).toBe('2001:db8:1:2::/64')
  expect(networkOf('Node.Example')).toBe('node.example')
})
