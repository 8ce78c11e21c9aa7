import { describe, expect, test } from 'vitest'
import { closer, firstView, movedBy, placeIn, pointIn, wider } from '../../renderer/models/place-map-model.ts'

const POINT = { latitude: 39, longitude: -77 }

describe('the map of a place', () => {
  test('shows the Earth until there are coordinates, then their surroundings', () => {
    expect(pointIn({ latitude: 39 })).toBeNull()
    expect(pointIn({ latitude: 91, longitude: 0 })).toBeNull()
    expect(firstView(null).middle).toBeNull()
    expect(firstView(pointIn(POINT)).middle).toEqual(POINT)
  })

  test('a radius that is none yet does not keep the place from being drawn', () => {
    expect(placeIn({ ...POINT })).toEqual({ ...POINT, radiusKm: 1 })
    expect(placeIn({ ...POINT, radiusKm: -3 })?.radiusKm).toBe(1)
    expect(placeIn({ ...POINT, radiusKm: 60 })?.radiusKm).toBe(60)
    expect(placeIn({ radiusKm: 60 })).toBeNull()
  })

  test('zooms out to the Earth and back in around the place', () => {
    let view = firstView(POINT)
    const kilometres = [view.km]
    for (let next = wider(view); next !== null; next = wider(view)) {
      view = next
      kilometres.push(view.km)
    }
    expect(kilometres).toEqual([500, 1200, 3000, 3000])
    expect(view.middle).toBeNull()
    expect(closer(view, null)).toBeNull()
    const back = closer(view, POINT)
    expect(back).toEqual({ middle: POINT, km: 3000 })
    expect(closer({ middle: POINT, km: 220 }, POINT)).toBeNull()
  })

  test('arrow keys move the place by a part of what is shown, over the date line and never over a pole', () => {
    const view = firstView(POINT)
    expect(movedBy('ArrowUp', view, POINT)?.latitude).toBeGreaterThan(39)
    expect(movedBy('ArrowLeft', view, POINT)?.longitude).toBeLessThan(-77)
    expect(movedBy('Enter', view, POINT)).toBeNull()
    expect(movedBy('ArrowUp', view, null)).toBeNull()
    const world = firstView(null)
    expect(movedBy('ArrowRight', world, { latitude: 0, longitude: 179.5 })?.longitude).toBe(-179.5)
    expect(movedBy('ArrowUp', world, { latitude: 90, longitude: 0 })?.latitude).toBe(90)
  })
})
