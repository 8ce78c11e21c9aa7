import type { Point } from '../../main/core/geo/geodesy.ts'

/** Of WGS 84: the radius of the equator in km, and the first eccentricity squared. */
const EQUATOR_KM = 6378.137
const SQUARED = 0.0066943799901413

function cartesian({ latitude, longitude }: Point, heightKm: number): readonly [number, number, number] {
  const [north, east] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180]
  const across = EQUATOR_KM / Math.sqrt(1 - SQUARED * Math.sin(north) ** 2)
  return [
    (across + heightKm) * Math.cos(north) * Math.cos(east),
    (across + heightKm) * Math.cos(north) * Math.sin(east),
    (across * (1 - SQUARED) + heightKm) * Math.sin(north),
  ]
}

/** The straight line between two places, through the earth where that is in the way; heights are over the ellipsoid. */
export function straightKm(a: Point, b: Point, heights: readonly [number, number] = [0, 0]): number {
  const [[x, y, z], [u, v, w]] = [cartesian(a, heights[0]), cartesian(b, heights[1])]
  return Math.hypot(x - u, y - v, z - w)
}
