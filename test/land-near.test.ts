import { expect, test } from 'vitest'
import { drawnLand } from '../main/catalog/location/peers.ts'
import { aroundOf, outerOf } from '../main/core/geo/atlas.ts'
import type { Disc } from '../main/core/geo/geodesy.ts'
import { geoDistance } from '../main/core/geo/packages.js'

const apartKm = ({ center: a }: Disc, { center: b }: Disc): number =>
  geoDistance([a.longitude, a.latitude], [b.longitude, b.latitude]) * 6371.0088

test('the disc around a polygon holds its first corner, and is within the disc of its box', () => {
  let bounded = 0
  for (const { polygons } of drawnLand())
    for (const polygon of polygons) {
      const [around, { first, box }] = [aroundOf(polygon), outerOf(polygon)]
      expect(apartKm(around, first)).toBeLessThan(around.radiusKm - first.radiusKm)
      expect(apartKm(around, box) + around.radiusKm).toBeLessThan(box.radiusKm)
      if (Number.isFinite(box.radiusKm)) bounded += 1
    }
  expect(bounded).toBeGreaterThan(1000)
})
