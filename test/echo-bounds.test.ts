import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { farthestKm, settledTime, type Timed } from '../main/catalog/location/peers.ts'
import { frontEnd } from '../main/catalog/location/registry.ts'

const timed = (bursts: readonly (readonly number[])[], drifts: readonly number[] = []): Timed => ({
  bursts: bursts.map((samples, burst) => ({ samples, wallDriftMs: drifts[burst] ?? 0 })),
  mismatches: 0,
})
const time = fc.double({ min: 0.001, max: 300, noNaN: true })
const burst = fc.array(time, { minLength: 1, maxLength: 10 })
const bursts = fc.array(burst, { minLength: 1, maxLength: 6 })
const second = (samples: readonly number[]): number => [...samples].sort((a, b) => a - b)[1] ?? Number.POSITIVE_INFINITY

describe('an intermediary can only lengthen', () => {
  test('delay added to any of the samples never lowers the time that is argued from', () => {
    fc.assert(
      fc.property(bursts, fc.infiniteStream(fc.double({ min: 0, max: 200, noNaN: true })), (before, added) => {
        const later = before.map((samples) => samples.map((sample) => sample + added.next().value))
        const [then, now] = [settledTime(timed(before)), settledTime(timed(later))]
        if (now.ok) expect(now.milliseconds).toBeGreaterThanOrEqual(second(before.flat()))
        if (then.ok && now.ok)
          expect(farthestKm(now.milliseconds, 0)).toBeGreaterThanOrEqual(farthestKm(then.milliseconds, 0))
      }),
      { numRuns: 2000 },
    )
  })

  test('one sample that is too small, by whatever glitch, never brings the bound below the true shortest time', () => {
    fc.assert(
      fc.property(bursts, fc.nat(), fc.double({ min: 0.001, max: 1, noNaN: true }), (honest, which, share) => {
        const shortest = Math.min(...honest.flat())
        const all = honest.map((samples) => [...samples])
        const chosen = all[which % all.length] as number[]
        chosen[which % chosen.length] = shortest * share
        const settled = settledTime(timed(all))
        if (settled.ok) expect(settled.milliseconds).toBeGreaterThanOrEqual(shortest * 0.999999)
      }),
      { numRuns: 2000 },
    )
  })

  test('leaving out bursts during which the clock was set never lowers it', () => {
    fc.assert(
      fc.property(bursts, fc.array(fc.constantFrom(0, 3000), { maxLength: 6 }), (samples, drifts) => {
        const [all, some] = [settledTime(timed(samples)), settledTime(timed(samples, drifts))]
        if (all.ok && some.ok) expect(some.milliseconds).toBeGreaterThanOrEqual(all.milliseconds)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('what takes connections in the node’s place', () => {
  const path = { tcpMs: 0.15, keepaliveMs: [], jumps: 0, remoteAddress: '192.0.2.1' }
  const settled = (milliseconds: number, jitterMs = 0.1) => ({ ok: true, milliseconds, samples: 30, jitterMs }) as const

  test('the relay: the connection opens in 0.15 ms, the echo takes 59.9', () =>
    expect(frontEnd(settled(59.9), path)).toEqual({
      echoMs: 59.9,
      tcpMs: 0.15,
      gapMs: 59.75,
      allowedMs: 5,
      exceeds: true,
    }))
  test.each([
    ['a gap of five milliseconds is allowed', 5.15, 0.1, false],
    ['a little more is not', 5.2, 0.1, true],
    ['unless the times waver as much', 5.2, 2, false],
    ['an echo that is faster than the connection was', 0.1, 0, false],
  ] as const)('%s', (_, echoMs, jitterMs, exceeds) =>
    expect(frontEnd(settled(echoMs, jitterMs), path)?.exceeds).toBe(exceeds),
  )
  test.each([
    ['no echo', { ok: false, reason: 'test' } as const, path],
    ['nothing beside it', settled(60), null],
    ['no time of the connection', settled(60), { ...path, tcpMs: null }],
    ['a jump host', settled(60), { ...path, jumps: 1 }],
  ] as const)('nothing is reported with %s', (_, timing, beside) => expect(frontEnd(timing, beside)).toBeNull())
})
