import { DISTANCE, WGS84 } from './packages.js'

/** A point on the WGS 84 ellipsoid, in degrees. */
export interface Point {
  readonly latitude: number
  readonly longitude: number
}

/**
 * Length of the shortest line between two points on the WGS 84 ellipsoid, in km (Karney, J. Geodesy 87, 2013;
 * accurate to 15 nm).
 */
export function geodesicKm(a: Point, b: Point): number {
  const { s12 } = WGS84.Inverse(a.latitude, a.longitude, b.latitude, b.longitude, DISTANCE)
  return (s12 ?? Number.NaN) / 1000
}

/** All points within a distance of a center, on the WGS 84 ellipsoid. */
export interface Disc {
  readonly center: Point
  readonly radiusKm: number
}

/** A part of the world in which a node is declared, or required, to be. */
export type Region =
  | { readonly kind: 'disc'; readonly disc: Disc }
  /** ISO 3166-1 codes. Land only; water belongs to no country. */
  | { readonly kind: 'countries'; readonly codes: readonly string[] }
  /** Corners joined by straight lines of a plate carrée, crossing neither a pole nor the date line. */
  | { readonly kind: 'polygon'; readonly corners: readonly Point[] }

/** In degrees; `west` is at most `east`, and both lie within −180 to 180. */
export interface Box {
  readonly south: number
  readonly north: number
  readonly west: number
  readonly east: number
}

/** The borders of the world’s countries, as far as verdicts need them. */
export interface Borders {
  /** Every country that may have land within the tolerance of the box: the set may be too large, never too small. */
  readonly landIn: (box: Box) => ReadonlySet<string>
  /** Greatest distance between the drawn borders and the true ones, in km. */
  readonly toleranceKm: number
  /** Codes of the countries that are drawn at all. */
  readonly codes: ReadonlySet<string>
}

/**
 * Position of the intersection of discs relative to a region. `inside` and `outside` hold for all of it, regardless
 * of rounding. `empty`: the discs do not intersect, so that one of them is wrong. `undecided`: neither can be shown.
 */
export type Relation = 'inside' | 'outside' | 'undecided' | 'empty'
