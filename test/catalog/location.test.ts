import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { locationRttBound } from '../../main/catalog/location/checks.ts'
import { farthestKm, LIGHT_KM_PER_MS, neededMilliseconds, settledTime } from '../../main/catalog/location/peers.ts'
import { regionCountry } from '../../main/catalog/location/provider-signals.ts'
import { nonceEcho } from '../../main/catalog/operations/evidence/probes.ts'
import { geodesicKm, type Point } from '../../main/core/geo/geodesy.ts'
import { known } from '../../main/core/recording/probe.ts'
import { conclude } from '../../main/core/rules/check.ts'
import type { Place } from '../../schemas/types.ts'
import { BASELINE } from '../support/baseline.ts'
import { straightKm } from '../support/straight-line.ts'

describe('distance on the ellipsoid', () => {
  test('the equator, the poles, the date line, one point, and the antipode', () => {
    expect(geodesicKm({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 90 })).toBeCloseTo(10018.754, 1)
    expect(geodesicKm({ latitude: 90, longitude: 0 }, { latitude: 0, longitude: 50 })).toBeCloseTo(10001.966, 1)
    expect(geodesicKm({ latitude: 10, longitude: 179.5 }, { latitude: 10, longitude: -179.5 })).toBeLessThan(111)
    expect(geodesicKm({ latitude: 39, longitude: -77 }, { latitude: 39, longitude: -77 })).toBe(0)
    expect(geodesicKm({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 })).toBeCloseTo(20003.931, 2)
  })
})

const point = (latitude: number, longitude: number): Point => ({ latitude, longitude })
const place = (latitude: number, longitude: number, radiusKm: number): Place => ({
  name: 'a place',
  country: 'US',
  latitude,
  longitude,
  radiusKm,
  declaredBy: 'test',
})
const ASHBURN = place(39.0438, -77.4874, 60)
const DESK = place(39.04, -77.49, 2)

const timed = (samples: readonly number[], mismatches = 0) => ({
  bursts: [{ at: null, nonces: null, samples, wallDriftMs: 0 }],
  warmup: 3,
  mismatches,
})

function judge(samples: readonly number[], location: Place | undefined, vantage: Place | undefined, mismatches = 0) {
  const node = {
    name: 'n',
    address: '192.0.2.1',
    port: 22,
    user: 'u',
    sudo: false,
    ...(location === undefined ? {} : { location }),
    ...(vantage === undefined ? {} : { vantage }),
  }
  const time = '2026-11-20T09:12:00.000Z'
  return conclude(locationRttBound, new Map([[nonceEcho.id, known({ ...timed(samples, mismatches), path: null })]]), {
    node,
    asOf: time,
    observedAt: time,
    thresholds: BASELINE,
  })
}

const around = (base: number): readonly number[] => Array.from({ length: 30 }, (_, index) => base + index * 0.001)

describe('a round trip against a declared place', () => {
  test('near enough, and every point in reach is inside', () =>
    expect(judge(around(0.2), ASHBURN, DESK).verdict).toBe('satisfied'))
  test('not contradicted and not bounded is undecided, with the time that would be needed', () => {
    const { verdict, observations } = judge(around(12), ASHBURN, DESK)
    expect(verdict).toBe('inconclusive')
    expect(observations[0]?.text).toMatch(/A round trip of 0\.3\d\d ms or less/)
  })
  test('too fast to be there', () => {
    const { verdict, observations } = judge(around(12), place(50.1109, 8.6821, 60), DESK)
    expect(verdict).toBe('not-satisfied')
    expect(observations[0]?.text).toContain('6566.6 km')
  })
  test.each([
    ['no declared place', around(0.2), undefined, DESK, 0],
    ['no place of our own', around(0.2), ASHBURN, undefined, 0],
    ['a place of our own that is too vague', around(0.2), ASHBURN, place(39.04, -77.49, 51), 0],
    ['altered nonces', around(0.2), ASHBURN, DESK, 1],
    ['one sample', [0.2], ASHBURN, DESK, 0],
    ['no sample', [], ASHBURN, DESK, 0],
    ['times that do not agree', [0.001, 0.2, 4, 5, 6], ASHBURN, DESK, 0],
  ] as const)('undecided: %s', (_, samples, location, vantage, mismatches) =>
    expect(judge(samples, location, vantage, mismatches).verdict).toBe('inconclusive'),
  )

  test('one impossibly small sample moves nothing', () => {
    const glitch = settledTime(timed([0.000001, ...around(30)]))
    expect(glitch).toMatchObject({ ok: true, milliseconds: 30 })
  })
  test('a slower answer never bounds closer', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 400, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (time, added) => {
          expect(farthestKm(time + added, 2)).toBeGreaterThanOrEqual(farthestKm(time, 2))
        },
      ),
    )
  })
  test('the time that is needed to bound within so much bounds within it, and no longer one does', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 25_000, noNaN: true }),
        fc.double({ min: 0, max: 50, noNaN: true }),
        (km, error) => {
          const needed = neededMilliseconds(km + error, error)
          expect(farthestKm(needed, error)).toBeLessThanOrEqual(km + error + 1e-6)
          if (km < 20_004) expect(farthestKm(needed * 1.0001 + 1e-6, error)).toBeGreaterThan(km + error - 1e-6)
        },
      ),
    )
  })
})

describe('a straight line through the earth', () => {
  const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true })
  const height = fc.double({ min: -0.43, max: 9, noNaN: true })
  /** Half of them near each other, or near the antipode. */
  const other = (a: Point, b: Point, how: number): Point => {
    if (how === 0) return b
    const up = Math.max(-90, Math.min(90, a.latitude + b.latitude / 1000))
    const aside = (a.longitude + b.longitude / 1000 + 540) % 360
    return how === 1 ? point(up, aside - 180) : point(-up, ((aside + 180) % 360) - 180)
  }

  test('is never too short for where the answering party is, with clocks that run off as far as is allowed', () => {
    fc.assert(
      fc.property(
        degrees(90),
        degrees(180),
        degrees(90),
        degrees(180),
        fc.tuple(height, height),
        fc.nat(2),
        (a, b, c, d, heights, how) => {
          const [here, there] = [point(a, b), other(point(a, b), point(c, d), how)]
          const timed = (2 * straightKm(here, there, heights)) / LIGHT_KM_PER_MS / (1 + 5e-4)
          expect(farthestKm(timed, 0) + 1e-6).toBeGreaterThanOrEqual(geodesicKm(here, there))
        },
      ),
      { numRuns: 20_000 },
    )
  })

  test('reaches hardly further than along the surface at short range, and everywhere near the antipode', () => {
    const along = (milliseconds: number): number => (milliseconds / 2) * LIGHT_KM_PER_MS * (1 + 5e-4)
    expect(farthestKm(1, 0) / along(1)).toBeLessThan(1.0002)
    expect(farthestKm(6.67, 0) / along(6.67)).toBeLessThan(1.002)
    expect(farthestKm(33, 0) / along(33)).toBeLessThan(1.03)
    expect(farthestKm(84.3, 0)).toBeGreaterThan(19_000)
    expect(farthestKm(85, 3)).toBe(20_043)
    expect(farthestKm(0, 3)).toBe(3)
  })
})

describe('regions of providers', () => {
  test.each([
    ['aws', 'us-east-1', 'US'],
    ['aws', 'eu-central-2', 'CH'],
    ['oracle', 'us-ashburn-1', 'US'],
    ['gce', 'europe-west3-a', 'DE'],
    ['aws', 'xx-nowhere-1', null],
    ['nobody', 'us-east-1', null],
  ])('%s %s is %s', (cloud, region, country) => expect(regionCountry(cloud, region)).toBe(country))
})
