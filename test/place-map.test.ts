import { describe, expect, test } from 'vitest'
import { placeMap, pointOnMap } from '../main/catalog/figures/fleet-map.ts'
import { FRAME } from '../main/catalog/figures/location-map.ts'
import { mapView } from '../main/core/geo/map.ts'
import type { PlaceView } from '../schemas/ipc-declarations.ts'

const WORLD: PlaceView = { middle: null, km: 3000 }
const PLACES = [
  ['Ashburn', 39.04, -77.49],
  ['Sydney', -33.87, 151.21],
  ['Longyearbyen', 78.22, 15.65],
  ['Fiji', -17.71, 178.07],
  ['Null Island', 0, 0],
] as const

describe('a point of the map', () => {
  test.each(PLACES)('%s is the place whose point it is', (_, latitude, longitude) => {
    const place = { latitude, longitude }
    for (const [view, within] of [
      [WORLD, 0.06],
      [{ middle: place, km: 3000 }, 0.06],
      [{ middle: { latitude: latitude - 1, longitude: longitude - 1 }, km: 500 }, 0.011],
    ] as const) {
      const discs = view.middle === null ? [] : [{ center: view.middle, radiusKm: view.km }]
      const at = mapView(discs, FRAME).at(place)
      const found = at === null ? null : pointOnMap(view, at[0], at[1])
      expect(found?.latitude).toBeCloseTo(latitude, within < 0.02 ? 1 : 0)
      expect(Math.abs((found?.latitude ?? 99) - latitude)).toBeLessThanOrEqual(within)
      expect(Math.abs((found?.longitude ?? 999) - longitude)).toBeLessThanOrEqual(within)
    }
  })

  test('beside the Earth there is none', () => {
    expect(pointOnMap(WORLD, 1, 1)).toBeNull()
    expect(pointOnMap(WORLD, FRAME.width - 1, 1)).toBeNull()
  })
})

test('the map draws the land and the place as entered, at its radius', () => {
  const without = placeMap(WORLD, null)
  const small = placeMap(
    { middle: { latitude: 39, longitude: -77 }, km: 500 },
    { latitude: 39, longitude: -77, radiusKm: 100 },
  )
  const hatched = (figure: typeof small): number =>
    figure.marks.filter((mark) => mark.is === 'area' && mark.fill === 'hatched').length
  expect(hatched(without)).toBe(0)
  expect(hatched(small)).toBe(1)
  expect(without.marks.length).toBeGreaterThan(1)
})
