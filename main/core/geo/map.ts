import { asin, atan2, cos, hypot, sin } from '../base/elementary.ts'
import { recentResults } from '../base/recent.ts'
import type { Disc, Point } from './geodesy.ts'
import { type Frame, nearRings, type Outline, type Position } from './near.ts'
import {
  geoArea,
  geoAzimuthalEqualArea,
  geoCircle,
  geoEqualEarth,
  geoInterpolate,
  geoPath,
  type Projection,
  type Shape,
} from './packages.js'
import { thinnedLine, thinnedRing, type XY } from './thin.ts'

export type { Frame, Outline, Position } from './near.ts'

/**
 * A flat picture of part of the Earth, or of all of it. It is drawn on a sphere and only for illustration: verdicts
 * rest on geodesics of the ellipsoid, never on a map.
 */
export interface MapView {
  readonly kind: 'region' | 'world'
  readonly frame: Frame
  /** The visible parts of the polygons’ rings, for filling by the even-odd rule. */
  readonly rings: (polygons: readonly Outline[]) => readonly (readonly XY[])[]
  /**
   * The same for polygons with closely spaced corners that enclose the smaller part of the Earth; keeps every corner.
   */
  readonly closeRings: (polygons: readonly Outline[]) => readonly (readonly XY[])[]
  /** The visible pieces of a line. */
  readonly pieces: (line: readonly Position[]) => readonly (readonly XY[])[]
  readonly at: (point: Point) => XY | null
  /** Whether any point of the disc can be visible. */
  readonly mayShow: (disc: Disc) => boolean
  /** Kilometres per point of the picture, where that is constant across it. */
  readonly kmPerPoint: number | null
  /** The edge of the Earth as an open ring; null where only a part of the Earth is visible. */
  readonly globe: readonly XY[] | null
}

/** Mean radius of the Earth in km (IUGG), used for drawing only. */
const EARTH_KM = 6371.0088
const DEGREES = 180 / Math.PI
const RADIANS = Math.PI / 180
/** Beyond this radius, an equal-area map centered on one point no longer has familiar outlines. */
const WIDEST_KM = 3500
/** Closer than this, a map would show neither coast nor border for orientation. */
const CLOSEST_KM = 220
const MARGIN = 1.12
/** Maximum deviation of curved lines from their true course, in points. */
const PRECISION = 0.4
/** Half the circumference of the Earth; a disc of this radius covers all of it. */
export const FARTHEST_KM = Math.PI * EARTH_KM

/**
 * The angle between two directions, in radians. It performs the steps of d3-geo’s geoDistance() in the same order,
 * without its point stream, because a map needs it many thousand times.
 */
export function angleBetween(a: Position, b: Position): number {
  const [north, other] = [a[1] * RADIANS, b[1] * RADIANS]
  const apart = Math.abs(b[0] * RADIANS - a[0] * RADIANS)
  const [sine, cosine, otherSine, otherCosine] = [sin(north), cos(north), sin(other), cos(other)]
  const [sineApart, cosineApart] = [sin(apart), cos(apart)]
  const x = otherCosine * sineApart
  const y = cosine * otherSine - sine * otherCosine * cosineApart
  return atan2(hypot(x, y), sine * otherSine + cosine * otherCosine * cosineApart)
}

const angle = (km: number): number => km / EARTH_KM
const positionOf = ({ latitude, longitude }: Point): [number, number] => [longitude, latitude]
const farKm = (a: Point, b: Point): number => angleBetween(positionOf(a), positionOf(b)) * EARTH_KM

/** A view that contains all of the discs; the whole world where they do not fit a map centered on one point. */
export function mapView(discs: readonly Disc[], frame: Frame): MapView {
  const around = discs.reduce<Disc | null>((held, disc) => (held === null ? disc : enclosing(held, disc)), null)
  const middle = around?.center ?? { latitude: 0, longitude: 0 }
  const radiusKm =
    around === null || around.radiusKm > WIDEST_KM ? null : Math.max(CLOSEST_KM, around.radiusKm * MARGIN)
  const { left, top, width, height } = frame
  // Returns one object for all nodes of a place, so that their land is drawn once.
  return views([middle.latitude, middle.longitude, radiusKm, left, top, width, height], () =>
    radiusKm === null ? world(middle, frame) : region(middle, radiusKm, frame),
  )
}

const views = recentResults<MapView>()

/** The smallest disc that contains both. */
function enclosing(a: Disc, b: Disc): Disc {
  const between = farKm(a.center, b.center)
  if (between + b.radiusKm <= a.radiusKm) return a
  if (between + a.radiusKm <= b.radiusKm) return b
  const radiusKm = (between + a.radiusKm + b.radiusKm) / 2
  const [longitude, latitude] = geoInterpolate(
    positionOf(a.center),
    positionOf(b.center),
  )((radiusKm - a.radiusKm) / between)
  return { center: { latitude, longitude }, radiusKm }
}

/** Equal-area view around a center: a disc around the center remains a circle, and discs elsewhere keep their area. */
function region(center: Point, radiusKm: number, frame: Frame): MapView {
  const { left, top, width, height } = frame
  const scale = Math.min(width, height) / 2 / (2 * sin(angle(radiusKm) / 2))
  const corner = 2 * asin(Math.min(1, hypot(width, height) / 2 / scale / 2))
  const projection = (precision: number): Projection =>
    geoAzimuthalEqualArea()
      .rotate([-center.longitude, -center.latitude])
      .translate([left + width / 2, top + height / 2])
      .scale(scale)
      .precision(precision)
      .clipExtent([
        [left, top],
        [left + width, top + height],
      ])
  const drawn = drawing(projection, frame)
  const near = nearRings({ center, scale, frame })
  return {
    ...drawn,
    closeRings: (polygons) => polygons.flatMap((polygon) => near(polygon) ?? drawn.closeRings([polygon])),
    frame,
    kind: 'region',
    mayShow: (disc) => angle(farKm(center, disc.center) - disc.radiusKm) <= corner,
    kmPerPoint: EARTH_KM / scale,
    globe: null,
  }
}

/** Height of the world in this projection, relative to its width. */
const WORLD_HEIGHT = 1 / 2.0546

function world(center: Point, { left, top, width, height: most }: Frame): MapView {
  const height = Math.min(most, width * WORLD_HEIGHT)
  const frame = { left, top, width, height }
  const projection = (precision: number): Projection =>
    geoEqualEarth()
      .rotate([-center.longitude, 0])
      .fitExtent(
        [
          [left, top],
          [left + width, top + height],
        ],
        { type: 'Sphere' },
      )
      .precision(precision)
  const [globe = null] = traced(projection(PRECISION), { type: 'Sphere' }).flatMap((ring) => thinnedRing(ring))
  return { ...drawing(projection, frame), frame, kind: 'world', mayShow: () => true, kmPerPoint: null, globe }
}

function drawing(
  projection: (precision: number) => Projection,
  { left, top, width, height }: Frame,
): Pick<MapView, 'rings' | 'closeRings' | 'pieces' | 'at'> {
  const [bent, straight] = [projection(PRECISION), projection(0)]
  return {
    rings: (polygons) => traced(bent, multiPolygon(polygons)).flatMap((ring) => thinnedRing(ring)),
    closeRings: (polygons) => traced(straight, multiPolygon(polygons)),
    pieces: (line) =>
      traced(bent, { type: 'LineString', coordinates: line.map(([x, y]) => [x, y]) }).flatMap((piece) =>
        thinnedLine(piece),
      ),
    at: (point) => {
      const [x, y] = bent(positionOf(point)) ?? [Number.NaN, Number.NaN]
      return x >= left && x <= left + width && y >= top && y <= top + height ? [x, y] : null
    },
  }
}

const multiPolygon = (polygons: readonly Outline[]): Shape => ({
  type: 'MultiPolygon',
  // d3-geo does not modify them, although its types ask for mutable arrays.
  coordinates: polygons as unknown as [number, number][][][],
})

/** What d3-geo would draw, as points. */
function traced(projection: Projection, object: Shape): readonly (readonly XY[])[] {
  const pieces: [number, number][][] = []
  const nothing = (): void => undefined
  geoPath(projection, {
    beginPath: nothing,
    closePath: nothing,
    arc: nothing,
    moveTo: (x, y) => void pieces.push([[x, y]]),
    lineTo: (x, y) => void pieces.at(-1)?.push([x, y]),
  })(object)
  return pieces
}

/** Angle between two points of a drawn circle, in degrees. */
const STEP = 0.5

/** A disc as a polygon; null where it covers the whole Earth. */
export function discOutline({ center, radiusKm }: Disc): Outline | null {
  const degrees = angle(radiusKm) * DEGREES
  if (degrees >= 179.5) return null
  // d3-geo does not close a circle of radius zero correctly; a radius of one metre is invisible as well.
  return geoCircle().center(positionOf(center)).radius(Math.max(degrees, 1e-5)).precision(STEP)().coordinates as [
    number,
    number,
  ][][]
}

/**
 * Outline of a polygon whose corners are joined by straight lines of a plate carrée, wound so that it encloses the
 * smaller part of the sphere.
 */
export function cornersOutline(corners: readonly Point[]): Outline {
  const ring = [...corners, ...corners.slice(0, 1)].flatMap((corner, index, all): Position[] => {
    const next = all[index + 1]
    if (next === undefined) return [positionOf(corner)]
    const [east, north] = [next.longitude - corner.longitude, next.latitude - corner.latitude]
    const steps = Math.max(1, Math.ceil(hypot(east, north)))
    return Array.from({ length: steps }, (_, step) => [
      corner.longitude + (east * step) / steps,
      corner.latitude + (north * step) / steps,
    ])
  })
  return [rightWay(ring)]
}

/** The ring, reversed where it would enclose the larger part of the sphere. */
const rightWay = (ring: readonly Position[]): readonly Position[] => (enclosesMost(ring) ? [...ring].reverse() : ring)

/**
 * Whether a ring encloses more than half of the sphere. d3-geo fills the area to the right of the line, whichever
 * part that is.
 */
export function enclosesMost(ring: readonly Position[]): boolean {
  const coordinates = [ring.map(([x, y]): [number, number] => [x, y])]
  return geoArea({ type: 'Polygon', coordinates }) > 2 * Math.PI
}

/**
 * For each disc, the part of its edge that lies within all the others. Together, these are the edge of their
 * intersection.
 */
export function commonEdge(discs: readonly Disc[]): readonly (readonly Position[])[] {
  return discs.flatMap((disc, index) => {
    const [ring] = discOutline(disc) ?? []
    if (ring === undefined) return []
    const others = discs.filter((_, other) => other !== index)
    const runs: Position[][] = [[]]
    for (const position of ring) {
      const [longitude, latitude] = position
      const held = others.every((other) => farKm(other.center, { latitude, longitude }) <= other.radiusKm)
      if (held) runs.at(-1)?.push(position)
      else if (runs.at(-1)?.length !== 0) runs.push([])
    }
    return runs.filter((run) => run.length > 1)
  })
}
