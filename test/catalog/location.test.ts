import fc from 'fast-check'
import geodesic from 'geographiclib-geodesic'
import { describe, expect, test } from 'vitest'
import { locationRttBound } from '../../main/catalog/checks/location-rtt-bound.ts'
import { farthestKm, neededMilliseconds, settledTime } from '../../main/catalog/isolation/light.ts'
import { regionCountry } from '../../main/catalog/isolation/regions.ts'
import { nonceEcho } from '../../main/catalog/probes/nonce-echo.ts'
import { conclude } from '../../main/core/check.ts'
import { geodesicKm } from '../../main/core/geodesy.ts'
import { known } from '../../main/core/probe.ts'
import type { Place } from '../../schemas/types.ts'
import { BASELINE } from '../support/baseline.ts'

const WGS84 = geodesic.Geodesic.WGS84

const truth = (a: readonly [number, number], b: readonly [number, number]): number =>
  (WGS84.Inverse(a[0], a[1], b[0], b[1]).s12 ?? Number.NaN) / 1000

const point = fc.tuple(fc.double({ min: -90, max: 90, noNaN: true }), fc.double({ min: -180, max: 180, noNaN: true }))

describe('distance on the ellipsoid', () => {
  test('agrees with Karney’s algorithm to within a kilometre, and always encloses it', () => {
    fc.assert(
      fc.property(point, point, (a, b) => {
        const exact = truth(a, b)
        const { atLeast, atMost } = geodesicKm({ latitude: a[0], longitude: a[1] }, { latitude: b[0], longitude: b[1] })
        expect(atLeast).toBeLessThanOrEqual(exact)
        expect(atMost).toBeGreaterThanOrEqual(exact)
        if (exact < 19800) {
          expect(exact - atLeast).toBeLessThan(1)
          expect(atMost - exact).toBeLessThan(1)
        }
      }),
      { numRuns: 5000 },
    )
  })

  test('encloses the distance near the antipode, where the series does not settle', () => {
    fc.assert(
      fc.property(
        point,
        fc.double({ min: -2, max: 2, noNaN: true }),
        fc.double({ min: -2, max: 2, noNaN: true }),
        (a, dy, dx) => {
          const b: readonly [number, number] = [
            Math.max(-90, Math.min(90, -a[0] + dy)),
            a[1] > 0 ? a[1] - 180 + dx : a[1] + 180 + dx,
          ]
          const exact = truth(a, b)
          const { atLeast, atMost } = geodesicKm(
            { latitude: a[0], longitude: a[1] },
            { latitude: b[0], longitude: b[1] },
          )
          expect(atLeast).toBeLessThanOrEqual(exact)
          expect(atMost).toBeGreaterThanOrEqual(exact)
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('the equator, the poles, the date line and one point', () => {
    expect(geodesicKm({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 90 }).atMost).toBeCloseTo(10018.754, 1)
    expect(geodesicKm({ latitude: 90, longitude: 0 }, { latitude: 0, longitude: 50 }).atMost).toBeCloseTo(10001.966, 1)
    expect(geodesicKm({ latitude: 10, longitude: 179.5 }, { latitude: 10, longitude: -179.5 }).atMost).toBeLessThan(111)
    expect(geodesicKm({ latitude: 39, longitude: -77 }, { latitude: 39, longitude: -77 }).atLeast).toBe(0)
  })
})

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
  return conclude(locationRttBound, new Map([[nonceEcho.id, known({ samples, warmup: 3, mismatches })]]), {
    node,
    asOf: time,
    observedAt: time,
    limits: BASELINE,
  })
}
const around = (base: number): readonly number[] => Array.from({ length: 30 }, (_, index) => base + index * 0.001)

describe('a round trip against a declared place', () => {
  test('near enough, and every point in reach lies inside', () =>
    expect(judge(around(0.2), ASHBURN, DESK).verdict).toBe('met'))
  test('not contradicted and not bounded is undecided, with the time that would be needed', () => {
    const { verdict, because } = judge(around(12), ASHBURN, DESK)
    expect(verdict).toBe('inconclusive')
    expect(because[0]?.text).toMatch(/A round trip of 0\.3\d\d ms or less/)
  })
  test('too fast to be there', () => {
    const { verdict, because } = judge(around(12), place(50.1109, 8.6821, 60), DESK)
    expect(verdict).toBe('not-met')
    expect(because[0]?.text).toContain('6566.6 km')
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
    const glitch = settledTime({ samples: [0.000001, ...around(30)], warmup: 3, mismatches: 0 })
    expect(glitch).toMatchObject({ ok: true, milliseconds: 30 })
  })
  test('a slower answer never bounds closer', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 400, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (time, added) => {
          expect(farthestKm(time + added, 2)).toBeGreaterThanOrEqual(farthestKm(time, 2))
          expect(neededMilliseconds(farthestKm(time, 2), 2)).toBeCloseTo(time, 6)
        },
      ),
    )
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
