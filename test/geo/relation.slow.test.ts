import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BORDERS, farthestKm, LIGHT_KM_PER_MS } from '../../main/catalog/location/peers.ts'
import type { Disc, Region } from '../../main/core/geo/geodesy.ts'
import { geodesicKm, type Point } from '../../main/core/geo/geodesy.ts'
import { largestInside, reachableCountries, relate } from '../../main/core/geo/relation.ts'
import { straightKm } from '../support/straight-line.ts'
import { times } from '../support/thorough.ts'

const point = (latitude: number, longitude: number): Point => ({ latitude, longitude })
const disc = (center: Point, radiusKm: number): Disc => ({ center, radiusKm })
const countries = (...codes: string[]): Region => ({ kind: 'countries', codes })
const US = countries('US')

const CITIES = {
  kansasCity: point(39.0997, -94.5786),
  saltLakeCity: point(40.7608, -111.891),
  denver: point(39.7392, -104.9903),
  atlanta: point(33.749, -84.388),
  santaClara: point(37.3541, -121.9552),
  dallas: point(32.7767, -96.797),
  ashburn: point(39.0438, -77.4874),
  newYork: point(40.7128, -74.006),
  chicago: point(41.8781, -87.6298),
  hillsboro: point(45.5229, -122.9898),
  columbus: point(39.9612, -82.9988),
  phoenix: point(33.4484, -112.074),
  seattle: point(47.6062, -122.3321),
  miami: point(25.7617, -80.1918),
  buffalo: point(42.8864, -78.8784),
  windsor: point(42.28, -82.95),
} as const

describe('the largest disc inside the United States', () => {
  // The distances of the nearest foreign land by Natural Earth at 1:10,000,000, computed apart from this code with another library.
  test.each([
    ['kansasCity', 1019],
    ['saltLakeCity', 915],
    ['denver', 894],
    ['atlanta', 892],
    ['santaClara', 693],
    ['dallas', 546],
    ['ashburn', 433],
    ['newYork', 400],
    ['chicago', 371],
    ['hillsboro', 313],
    ['columbus', 192],
    ['phoenix', 187],
    ['seattle', 116],
    ['miami', 89],
  ] as const)('around %s ends short of %i km, and at most 12 km short', (city, km) => {
    const room = largestInside(CITIES[city], US, BORDERS) ?? 0
    expect(room).toBeLessThan(km + 0.5 - BORDERS.toleranceKm)
    expect(room).toBeGreaterThan(km - 12)
    expect(relate([disc(CITIES[city], room)], US, BORDERS)).toBe('inside')
    expect(relate([disc(CITIES[city], km + 1)], US, BORDERS)).toBe('undecided')
  })

  test('is none where Canada is nearer than the borders are exact, or around a place in Canada', () => {
    expect(largestInside(CITIES.buffalo, US, BORDERS)).toBeNull()
    expect(largestInside(CITIES.windsor, US, BORDERS)).toBeNull()
  })

  test('inside a disc is exact', () => {
    const region: Region = { kind: 'disc', disc: disc(CITIES.chicago, 400) }
    const room = largestInside(point(41, -88), region, BORDERS) ?? 0
    expect(room + geodesicKm(point(41, -88), CITIES.chicago)).toBeCloseTo(400, 9)
    expect(largestInside(CITIES.ashburn, region, BORDERS)).toBeNull()
  })
})

describe('discs against regions', () => {
  const echo = (center: Point, milliseconds: number): Disc => disc(center, farthestKm(milliseconds, 0))

  test('four vantages of the United States reach Canada, too', () => {
    const four = [echo(CITIES.ashburn, 12), echo(CITIES.dallas, 24), echo(CITIES.denver, 31), echo(CITIES.chicago, 9)]
    expect(reachableCountries(four, BORDERS)).toEqual(['CA', 'US'])
    expect(relate(four, US, BORDERS)).toBe('undecided')
    expect(relate(four, countries('US', 'CA'), BORDERS)).toBe('inside')
    expect(relate(four, countries('DE', 'FR'), BORDERS)).toBe('outside')
  })

  test('small and huge ones', () => {
    expect(relate([disc(CITIES.kansasCity, 0.5)], US, BORDERS)).toBe('inside')
    expect(relate([disc(CITIES.kansasCity, 0)], US, BORDERS)).toBe('inside')
    expect(relate([disc(CITIES.windsor, 0.5)], US, BORDERS)).not.toBe('inside')
    for (const radius of [9_000, 15_000, 20_003, 30_000])
      expect(relate([disc(CITIES.kansasCity, radius)], US, BORDERS)).toBe('undecided')
    expect(reachableCountries([disc(CITIES.kansasCity, 30_000)], BORDERS)).toHaveLength(250)
    expect(relate([disc(CITIES.kansasCity, 15_000)], countries('AU'), BORDERS)).toBe('undecided')
  })

  test('poles and date line', () => {
    expect(relate([disc(point(-90, 0), 1000)], countries('AQ'), BORDERS)).toBe('inside')
    expect(relate([disc(point(-89, 100), 900)], US, BORDERS)).toBe('outside')
    expect(reachableCountries([disc(point(90, 0), 900)], BORDERS)).toEqual(['CA', 'GL'])
    expect(reachableCountries([disc(point(-17, 179.99), 150)], BORDERS)).toEqual(['FJ'])
    expect(relate([disc(point(66.5, 179.9), 150)], countries('RU'), BORDERS)).toBe('inside')
  })

  test('a common part at sea is undecided; times that exclude each other are empty', () => {
    expect(relate([disc(point(0, -30), 100)], US, BORDERS)).toBe('undecided')
    expect(reachableCountries([disc(point(0, -30), 100)], BORDERS)).toEqual([])
    const apart = [disc(CITIES.seattle, 500), disc(CITIES.miami, 500)]
    expect(relate(apart, US, BORDERS)).toBe('empty')
    expect(reachableCountries(apart, BORDERS)).toBeNull()
    // Each two of them have points in common, all three have none.
    const three = [point(0, 0), point(0, 10), point(8.7, 5)].map((center) => disc(center, 570))
    expect(relate(three, countries('GH'), BORDERS)).toBe('empty')
    expect(relate(three, { kind: 'disc', disc: disc(point(3, 5), 3000) }, BORDERS)).toBe('empty')
  })

  test.each([
    ['a reach that is no number', disc(CITIES.dallas, Number.NaN)],
    ['a reach below nought', disc(CITIES.dallas, -1)],
    ['a latitude that is no number', disc(point(Number.NaN, 0), 10)],
    ['a latitude beyond the pole', disc(point(91, 0), 10)],
    ['an endless longitude', disc(point(0, Number.POSITIVE_INFINITY), 10)],
  ])('%s decides nothing about any region, at once', (_, odd) => {
    const all = [US, countries('DE'), { kind: 'disc', disc: disc(CITIES.dallas, 9000) } as const]
    for (const region of all)
      for (const discs of [[odd], [odd, disc(CITIES.dallas, 10)]])
        expect(relate(discs, region, BORDERS)).toBe('undecided')
    expect(relate([disc(CITIES.dallas, 10)], { kind: 'disc', disc: odd }, BORDERS)).toBe('undecided')
    expect(reachableCountries([odd], BORDERS)).toHaveLength(250)
    if (odd.center !== CITIES.dallas) expect(largestInside(odd.center, US, BORDERS)).toBeNull()
  })

  test('a country that is not drawn is never excluded', () => {
    expect(relate([disc(CITIES.dallas, 10)], countries('ZZ'), BORDERS)).toBe('undecided')
  })

  test('polygons', () => {
    const colorado: Region = {
      kind: 'polygon',
      corners: [point(37, -109.05), point(37, -102.05), point(41, -102.05), point(41, -109.05)],
    }
    expect(relate([disc(CITIES.denver, 100)], colorado, BORDERS)).toBe('inside')
    expect(relate([disc(CITIES.denver, 200)], colorado, BORDERS)).toBe('undecided')
    expect(relate([disc(CITIES.kansasCity, 600)], colorado, BORDERS)).toBe('outside')
  })
})

/** Repeatable numbers from 0 to 1 (Park and Miller, CACM 31, 1988). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

const anywhere = (random: () => number): Point =>
  point((Math.asin(2 * random() - 1) * 180) / Math.PI, random() * 360 - 180)
const near = (random: () => number, { latitude, longitude }: Point, degrees: number): Point =>
  point(
    Math.max(-90, Math.min(90, latitude + (random() - 0.5) * degrees)),
    Math.max(-180, Math.min(180, longitude + (random() - 0.5) * degrees)),
  )
/** What a vantage concludes of an answer that took its way at no more than the speed of light, even straight through the earth. */
function honest(random: () => number, node: Point, vantage: Point): Disc {
  const errorKm = random() * 20
  const trueVantage = near(random, vantage, errorKm / 160)
  const apart = Math.min(errorKm, geodesicKm(trueVantage, vantage))
  const delay = 1 + random() ** 4 * 3
  return disc(vantage, farthestKm((2 * straightKm(trueVantage, node) * delay) / LIGHT_KM_PER_MS, apart))
}

/** Enclaves, islands, parts overseas, the date line, a pole, and borders that go through a town. */
const HARD = [
  ...Object.values(CITIES),
  ...[point(41.9029, 12.4534), point(43.94, 12.45), point(-29.6, 28.3), point(54.7, 20.5), point(47.69, 8.69)],
  ...[point(4.9, -52.3), point(-21.1, 55.5), point(18.06, -63.05), point(28.1, -15.4), point(64.75, -147.4)],
  ...[point(-16.85, -179.97), point(66.5, 179.9), point(66.5, -175), point(-89.95, -120), point(36.14, -5.35)],
  ...[point(43.7384, 7.4246), point(1.3521, 103.8198), point(22.3, 114.17), point(51.44, 4.93), point(39.8, 70.9)],
]
const codesAt = ({ latitude, longitude }: Point): readonly string[] => [
  ...BORDERS.landIn({ south: latitude, north: latitude, west: longitude, east: longitude }),
]
function onLand(random: () => number): Point {
  const hard = HARD[Math.floor(random() * HARD.length)] ?? CITIES.denver
  const place = random() < 0.5 ? near(random, hard, random() ** 3 * 10) : anywhere(random)
  return codesAt(place).length > 0 ? place : onLand(random)
}

/** A triangle around a point, of any size and often thin. */
function around(random: () => number, { latitude, longitude }: Point): Region {
  const size = 10 ** (random() * 4 - 3)
  const [up, down, left, right] = [random() * size, random() * size, random() * size, random() * size]
  return {
    kind: 'polygon',
    corners: [
      point(Math.max(-90, latitude - down), Math.max(-180, longitude - left)),
      point(Math.max(-90, latitude - down), Math.min(180, longitude + right)),
      point(Math.min(90, latitude + up), longitude),
    ],
  }
}

describe('honest physics', () => {
  test('random placements are never contradicted', () => {
    const ROUNDS = times(2000, 100_000)
    const random = randomOf(20261122)
    const wrong: unknown[] = []
    const told = { countries: 0, polygon: 0, disc: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      const turn = round % 25
      const node = turn === 0 ? onLand(random) : anywhere(random)
      const vantages = [random() < 0.3 ? anywhere(random) : near(random, node, 20), near(random, node, 60)]
      const discs = vantages.slice(0, round % 50 < 25 ? 1 : 2).map((vantage) => honest(random, node, vantage))
      const center = near(random, node, random() * 30)
      const region: Region =
        turn === 0
          ? countries(codesAt(node)[round % codesAt(node).length] ?? '')
          : turn === 1
            ? around(random, node)
            : { kind: 'disc', disc: disc(center, geodesicKm(center, node) + 1e-6 + random() * 50) }
      told[region.kind]++
      const relation = relate(turn > 3 ? discs.slice(0, 1) : discs, region, BORDERS)
      if (relation === 'outside' || relation === 'empty') wrong.push({ relation, discs, region })
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(told).toEqual({ countries: ROUNDS / 25, polygon: ROUNDS / 25, disc: (ROUNDS * 23) / 25 })
  })

  test('a place 2,000 km off is excluded by a vantage near the node', () => {
    const random = randomOf(5)
    for (let round = 0; round < 2000; round++) {
      const node = anywhere(random)
      const claimed = anywhere(random)
      if (geodesicKm(node, claimed) < 2000) continue
      const seen = disc(node, farthestKm(4, 5))
      expect(relate([seen], { kind: 'disc', disc: disc(claimed, 60) }, BORDERS)).toBe('outside')
    }
  })

  test('the country of a place is always within reach of a disc that holds it', () => {
    const random = randomOf(11)
    const places: [Point, string][] = [
      [CITIES.windsor, 'CA'],
      [CITIES.buffalo, 'US'],
      [point(48.8566, 2.3522), 'FR'],
      [point(43.7384, 7.4246), 'MC'],
      [point(1.3521, 103.8198), 'SG'],
      [point(-17.7134, 178.065), 'FJ'],
      [point(64.1466, -21.9426), 'IS'],
      [point(-33.8688, 151.2093), 'AU'],
      [point(47.141, 9.5209), 'LI'],
      [point(25.2048, 55.2708), 'AE'],
      [point(-34.6037, -58.3816), 'AR'],
      [point(59.437, 24.7536), 'EE'],
    ]
    for (let round = 0; round < 40; round++)
      for (const [place, code] of places) {
        const center = near(random, place, random() ** 3 * 40)
        const radius = geodesicKm(center, place) * (1 + random() ** 6) + 0.001
        if (radius < 3000) expect(reachableCountries([disc(center, radius)], BORDERS)).toContain(code)
      }
  })

  const delays = fc.record({
    seed: fc.integer({ min: 1, max: 2_000_000_000 }),
    vantages: fc.integer({ min: 1, max: 3 }),
    added: fc.array(fc.double({ min: 0, max: 2000, noNaN: true }), { minLength: 3, maxLength: 3 }),
    spread: fc.constantFrom(2, 20, 60),
  })

  test('added delay makes no answer firmer', () => {
    fc.assert(
      fc.property(delays, ({ seed, vantages, added, spread }) => {
        const random = randomOf(seed)
        const places = Object.values(CITIES)
        const node = near(random, places[seed % places.length] ?? CITIES.denver, 4)
        const discs = Array.from({ length: vantages }, () => honest(random, node, near(random, node, spread)))
        const later = discs.map(({ center, radiusKm }, at) => disc(center, radiusKm + (added[at] ?? 0)))
        const center = near(random, node, 30)
        const regions: Region[] = [
          US,
          countries('CA', 'MX'),
          { kind: 'disc', disc: disc(center, 1 + random() * 2000) },
          { kind: 'polygon', corners: [point(30, -120), point(30, -80), point(45, -100)] },
        ]
        const onLand = (reachableCountries(discs, BORDERS) ?? []).length > 0
        for (const region of regions) {
          const before = relate(discs, region, BORDERS)
          const after = relate(later, region, BORDERS)
          expect(before).not.toBe('empty')
          if (region.kind !== 'countries' || onLand) expect([before, 'undecided']).toContain(after)
        }
        const reach = new Set(reachableCountries(later, BORDERS))
        for (const code of reachableCountries(discs, BORDERS) ?? []) expect(reach.has(code)).toBe(true)
      }),
      { numRuns: 80, seed: 8 },
    )
  })
})
