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

/** Everywhere within a distance of a point, on the WGS 84 ellipsoid. */
export interface Disc {
  readonly center: Point
  readonly radiusKm: number
}

/** A part of the world that a node is stated, or has, to be in. */
export type Region =
  | { readonly kind: 'disc'; readonly disc: Disc }
  /** ISO 3166-1 codes. Land only: water belongs to none. */
  | { readonly kind: 'countries'; readonly codes: readonly string[] }
  /** Joined by straight lines of a plate carrée; across neither a pole nor the date line. */
  | { readonly kind: 'polygon'; readonly corners: readonly Point[] }

/** Degrees; `west` is at most `east`, and neither leaves −180 to 180. */
export interface Box {
  readonly south: number
  readonly north: number
  readonly west: number
  readonly east: number
}

/** The borders of the world's countries, as far as verdicts need them. */
export interface Borders {
  /** Every country that may have land within the tolerance of the box: never one too few. */
  readonly landIn: (box: Box) => ReadonlySet<string>
  /** How far the drawn borders may be from the true ones, in km. */
  readonly toleranceKm: number
  /** Codes that are drawn at all. */
  readonly codes: ReadonlySet<string>
}

/**
 * Where the common part of discs lies against a region. `inside`, `outside`: all of it, by bounds that hold whatever the rounding.
 * `empty`: there is no common part, so that one of the discs is wrong. `undecided`: neither can be shown.
 */
export type Relation = 'inside' | 'outside' | 'undecided' | 'empty'
