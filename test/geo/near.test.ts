import { expect, test } from 'vitest'
import { drawnLand } from '../../main/catalog/location/peers.ts'
import { cos, sin, sineAndCosine } from '../../main/core/base/elementary.ts'
import { mapView, type Outline } from '../../main/core/geo/map.ts'
import { nearRings } from '../../main/core/geo/near.ts'
import { geoAzimuthalEqualArea, geoPath } from '../../main/core/geo/packages.js'
import type { XY } from '../../main/core/geo/thin.ts'
import { sampled, times } from '../support/thorough.ts'

const FRAME = { left: 0.5, top: 0.5, width: 519, height: 280 }
const [LEFT, TOP] = [FRAME.left, FRAME.top]

/** What d3-geo draws of a polygon, in the projection that map.ts asks it for. */
function rings(center: { latitude: number; longitude: number }, scale: number, polygon: Outline): readonly XY[][] {
  const projection = geoAzimuthalEqualArea()
    .rotate([-center.longitude, -center.latitude])
    .translate([LEFT + FRAME.width / 2, TOP + FRAME.height / 2])
    .scale(scale)
    .precision(0)
    .clipExtent([
      [LEFT, TOP],
      [LEFT + FRAME.width, TOP + FRAME.height],
    ])
  const pieces: XY[][] = []
  const nothing = (): void => undefined
  const pen = { beginPath: nothing, closePath: nothing, arc: nothing }
  const coordinates = [polygon.map((ring) => ring.map(([x, y]): [number, number] => [x, y]))]
  geoPath(projection, {
    ...pen,
    moveTo: (x, y) => void pieces.push([[x, y]]),
    lineTo: (x, y) => void pieces.at(-1)?.push([x, y]),
  })({ type: 'MultiPolygon', coordinates })
  return pieces
}

const LAND = drawnLand().flatMap(({ polygons }) => polygons)
/** Spread over the Earth, and where maps begin to be unusual. */
const CENTERS = [
  [50.11, 8.68],
  [40.71, -74.01],
  [-33.9, 151.2],
  [66.5, 179.9],
  [-77.8, 166.7],
  [89.9, 1],
  [1e-9, -1e-9],
  ...Array.from({ length: times(4, 40) }, (_, at) => [((at * 37.13) % 180) - 89.99, ((at * 101.7) % 360) - 179.99]),
] as [number, number][]

test.each(CENTERS)('land seen from %f, %f is drawn as d3-geo draws it, to the last bit', (latitude, longitude) => {
  const center = { latitude, longitude }
  let drawn = 0
  for (const scale of sampled([900.25, 310.5, 4000], 2)) {
    const near = nearRings({ center, scale, frame: FRAME })
    for (const polygon of LAND) {
      const ours = near(polygon)
      if (ours === null) continue
      drawn += 1
      expect(ours).toEqual(rings(center, scale, polygon))
    }
  }
  expect(drawn).toBeGreaterThan(0)
})

test('a middle on the equator or the first meridian is left to d3-geo', () => {
  const [polygon = []] = LAND
  for (const center of [
    { latitude: 0, longitude: 9 },
    { latitude: 9, longitude: 0 },
    { latitude: 9, longitude: 360 },
  ])
    expect(nearRings({ center, scale: 500, frame: FRAME })(polygon)).toBeNull()
})

test('a ring of one place is drawn as nothing', () => {
  const view = mapView([{ center: { latitude: 50, longitude: 8 }, radiusKm: 300 }], FRAME)
  expect(
    view.closeRings([
      [[[8, 50]]],
      [
        [
          [8, 50],
          [8, 50],
          [8, 50],
        ],
      ],
    ]),
  ).toEqual([])
})

test('sine and cosine of one angle are those of the functions, to the last bit', () => {
  const both = { sine: 0, cosine: 0 }
  const angles = Array.from({ length: 50_000 }, (_, at) => ((at * 7.1317) % 40) - 20)
  for (const angle of [...angles, 0, -0, 1e-300, Math.PI, -Math.PI, Math.PI / 2, 1023.9, -1023.9]) {
    sineAndCosine(angle, both)
    expect(Object.is(both.sine, sin(angle)) && Object.is(both.cosine, cos(angle))).toBe(true)
  }
})
