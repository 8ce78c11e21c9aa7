import { readFileSync } from 'node:fs'
import geodesic from 'geographiclib-geodesic'
import { describe, expect, test } from 'vitest'
import { drawnLand, farthestKm } from '../../main/catalog/location/peers.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { landRings } from '../../main/core/geo/atlas.ts'
import { geodesicKm } from '../../main/core/geo/geodesy.ts'
import { angleBetween, commonEdge, discOutline, mapView, type Position } from '../../main/core/geo/map.ts'
import { geoDistance } from '../../main/core/geo/packages.js'
import { GEOMETRY, writtenGeometry } from '../support/write-geometry.ts'

const FRAME = { left: 10, top: 10, width: 480, height: 300 }
const NEAR = [
  { center: { latitude: 50.11, longitude: 8.68 }, radiusKm: 420 },
  { center: { latitude: 48.86, longitude: 2.35 }, radiusKm: 610.5 },
]
const FAR = [
  { center: { latitude: 40.71, longitude: -74.01 }, radiusKm: 5200 },
  { center: { latitude: -33.9, longitude: 151.2 }, radiusKm: 900 },
]

const PLACES = Array.from({ length: 2000 }, (_, at) => ({
  latitude: ((at * 37.13) % 180) - 90,
  longitude: ((at * 101.7) % 360) - 180,
}))
const kmTo = (of: number): number[] =>
  PLACES.map((place) => geodesicKm(place, PLACES[of] ?? { latitude: 0, longitude: 0 }))

describe('geometry of packages', () => {
  test('the module is what `npm run geometry` writes', async () => {
    expect(readFileSync(GEOMETRY, 'utf8')).toBe(await writtenGeometry())
  }, 30_000)

  test('the angle between two places is that of the package, to the last bit', () => {
    const places = [...PLACES, { latitude: 90, longitude: 0 }, { latitude: 0, longitude: -180 }]
    const positions = places.map(({ longitude, latitude }): [number, number] => [longitude, latitude])
    const [first = [0, 0] as Position] = positions
    for (const other of positions) expect(angleBetween(first, other)).toBe(geoDistance([first[0], first[1]], other))
  })

  test('the land of several polygons is drawn as that of each by itself', () => {
    const land = drawnLand().flatMap(({ polygons }) => polygons)
    for (const discs of [NEAR, FAR]) {
      const view = mapView(discs, FRAME)
      expect(view.closeRings(land)).toEqual(land.flatMap((polygon) => view.closeRings([polygon])))
    }
  })

  test.each([
    ['region', NEAR, '514a1ab3f4ecfc3823af639721835a3b54e40da7e083a1d8bf1ad3eaf9a7ca44'],
    ['world', FAR, '7560ed30f01e18433db96d04024a7a88f4d0fb2791b14623e49907f9c818d6f0'],
  ])('the map of a %s is the same bytes on every engine', (kind, discs, digest) => {
    const view = mapView(discs, FRAME)
    expect(view.kind).toBe(kind)
    const drawn = [
      [view.globe, view.kmPerPoint, landRings(view, drawnLand())],
      discs.map((disc) => [view.at(disc.center), view.rings([discOutline(disc) ?? []])]),
      commonEdge(discs).map((line) => view.pieces(line)),
    ]
    expect(sha256(JSON.stringify(drawn))).toBe(digest)
  })

  test('distances are the same numbers on every engine', () => {
    expect(sha256(JSON.stringify([...kmTo(3), ...[0.1, 1, 20, 60, 130].map((time) => farthestKm(time, 0.5))]))).toBe(
      '815153d27ae82dc3a3b0dbda4c10b9f315d422d03fd81f9e9fa5c2322194e0dd',
    )
  })

  test('distances are those of the package with the functions of the engine, to a micrometre', () => {
    const { latitude, longitude } = PLACES[7] ?? { latitude: 0, longitude: 0 }
    const off = kmTo(7).map((km, at) => {
      const place = PLACES[at] ?? { latitude: 0, longitude: 0 }
      return Math.abs(
        km - (geodesic.Geodesic.WGS84.Inverse(place.latitude, place.longitude, latitude, longitude).s12 ?? 0) / 1000,
      )
    })
    expect(Math.max(...off)).toBeLessThan(1e-9)
  })
})
