import { DISTANCE, WGS84 } from './packages.js'

/** A point on the WGS 84 ellipsoid, in degrees. */
export interface Point {
  readonly latitude: number
  readonly longitude: number
}

/** The length of the shortest line between two points on the WGS 84 ellipsoid, in km (Karney, J. Geodesy 87, 2013; good to 15 nm). */
export function geodesicKm(a: Point, b: Point): number {
  const { s12 } = WGS84.Inverse(a.latitude, a.longitude, b.latitude, b.longitude, DISTANCE)
  return (s12 ?? Number.NaN) / 1000
}
