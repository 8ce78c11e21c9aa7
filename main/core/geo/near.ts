import { asin, atan2, type SineAndCosine, sineAndCosine } from '../base/elementary.ts'
import type { Point } from './geodesy.ts'
import { geoClipRectangle, type RingSink } from './packages.js'
import type { XY } from './thin.ts'

/** Longitude and latitude in degrees, in that order, as GeoJSON has them. */
export type Position = readonly [longitude: number, latitude: number]
/** Rings of one polygon: its outline, then its holes. */
export type Outline = readonly (readonly Position[])[]

/** The part of a picture that the map fills. */
export interface Frame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const WHOLE_TURN = Math.PI * 2
const ONE_DEGREE = Math.PI / 180
/** Points closer than this many radians count as equal, as in d3-geo. */
const ONE_POINT = 1e-6
/** Cosine of the largest angle from the center, 80 degrees. */
const FARTHEST_COSINE = 0.17364817766693041

/** An equal-area picture around a center. */
interface NearView {
  readonly center: Point
  readonly scale: number
  readonly frame: Frame
}

type NearRings = (polygon: Outline) => readonly (readonly XY[])[] | null

/**
 * Returns a function that gives the visible rings of one polygon that encloses the smaller part of the Earth. The
 * result equals that of d3-geo’s azimuthal equal-area projection without resampling, because it performs the same
 * steps on the same numbers. It returns null where a corner is 80 degrees or more from the center, or where the
 * center is on the equator or the prime meridian, since d3-geo takes other steps there.
 *
 * d3-geo spends most of its time on cases that cannot occur here: it clips against a small circle around the antipode
 * and tests for every polygon whether it contains that point. Where all corners lie in one hemisphere, so do the
 * lines between them. The polygon then encloses either none of the other hemisphere or all of it, and the latter is
 * not the smaller part.
 */
export function nearRings({ center, scale, frame: { left, top, width, height } }: NearView): NearRings {
  const [east, north] = [((-center.longitude % 360) * ONE_DEGREE) % WHOLE_TURN, (-center.latitude % 360) * ONE_DEGREE]
  if (east === 0 || north === 0) return () => null
  sineAndCosine(north, ofFirst)
  const { sine, cosine } = ofFirst
  const turned = { east, sine, cosine, middleX: left + width / 2, middleY: top + height / 2, scale }
  const taken: [number, number][][] = []
  const cut = geoClipRectangle(left, top, left + width, top + height)(ringsTaker(taken))
  return (polygon) => {
    const rings: (readonly XY[])[] = []
    for (const ring of polygon) {
      const corners = distinctCorners(ring, turned)
      if (corners === null) return null
      if (corners.length > 0) rings.push(corners)
    }
    cut.polygonStart()
    for (const ring of rings) {
      cut.lineStart()
      for (let at = 0; at < ring.length; at += 1) {
        const corner = ring[at] ?? NO_CORNER
        cut.point(corner[0], corner[1])
      }
      cut.lineEnd()
    }
    cut.polygonEnd()
    return taken.splice(0)
  }
}

const NO_CORNER: Position = [0, 0]
// Reused for every corner of all land.
const ofFirst: SineAndCosine = { sine: 0, cosine: 0 }
const ofSecond: SineAndCosine = { sine: 0, cosine: 0 }
const onTurned = { longitude: 0, latitude: 0 }

/** A rotation that moves the center of a picture to the middle, and the placement of that picture. */
interface Turned {
  readonly east: number
  /** Of the angle of rotation to the north. */
  readonly sine: number
  readonly cosine: number
  readonly middleX: number
  readonly middleY: number
  readonly scale: number
}

/** Writes longitude and latitude after rotation, in radians, into `onTurned`. */
function turn({ east, sine, cosine }: Turned, longitude: number, latitude: number): void {
  let lambda = longitude + east
  if (Math.abs(lambda) > Math.PI) lambda -= Math.round(lambda / WHOLE_TURN) * WHOLE_TURN
  sineAndCosine(latitude, ofFirst)
  sineAndCosine(lambda, ofSecond)
  const x = ofSecond.cosine * ofFirst.cosine
  const y = ofSecond.sine * ofFirst.cosine
  const z = ofFirst.sine
  const k = z * cosine + x * sine
  // The third angle is zero; multiplying by it preserves the signs of zeros as d3-geo does.
  const height = k + y * 0
  onTurned.longitude = atan2(y - k * 0, x * cosine - z * sine)
  onTurned.latitude = height > 1 ? Math.PI / 2 : height < -1 ? -Math.PI / 2 : asin(height)
}

/**
 * The corners of a ring in the picture, without those that equal the one before; null where a corner is too far away.
 * No function or pair of numbers is passed per corner, because a short process would optimize such code once for each
 * view.
 */
function distinctCorners(ring: readonly Position[], turned: Turned): readonly XY[] | null {
  const kept: XY[] = []
  const ends = ring.length - 1
  let [longitude, latitude] = [0, 0]
  // Repeats the first corner in place of the last corner of the ring, which is identical.
  for (let at = 0; at <= ends; at += 1) {
    const corner = ring[at === ends ? 0 : at] ?? NO_CORNER
    turn(turned, corner[0] * ONE_DEGREE, corner[1] * ONE_DEGREE)
    sineAndCosine(onTurned.longitude, ofFirst)
    sineAndCosine(onTurned.latitude, ofSecond)
    const ahead = ofFirst.cosine * ofSecond.cosine
    if (!(ahead > FARTHEST_COSINE)) return null
    const isFar =
      Math.abs(longitude - onTurned.longitude) >= ONE_POINT || Math.abs(latitude - onTurned.latitude) >= ONE_POINT
    longitude = onTurned.longitude
    latitude = onTurned.latitude
    if (at > 0 && !isFar) continue
    const stretch = Math.sqrt(2 / (1 + ahead))
    kept.push([
      turned.middleX + turned.scale * (stretch * ofSecond.cosine * ofFirst.sine),
      turned.middleY - turned.scale * (stretch * ofSecond.sine),
    ])
  }
  kept.pop()
  return kept
}

/** Collects the rings that are drawn. */
function ringsTaker(rings: [number, number][][]): RingSink {
  let ring: [number, number][] | null = null
  const nothing = (): void => undefined
  return {
    polygonStart: nothing,
    polygonEnd: nothing,
    lineStart: () => {
      ring = null
    },
    lineEnd: nothing,
    point: (x, y) => {
      if (ring === null) {
        ring = []
        rings.push(ring)
      }
      ring.push([x, y])
    },
  }
}
