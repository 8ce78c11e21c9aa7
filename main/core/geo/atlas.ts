import { acos, atan2, hypot, sineAndCosine } from '../base/elementary.ts'
import { recentResults } from '../base/recent.ts'
import type { Disc } from './geodesy.ts'
import { enclosesMost, type MapView, type Outline, type Position } from './map.ts'
import { thinnedRing, type XY } from './thin.ts'

/**
 * Borders in packed form, as in TopoJSON: arcs, so that a border shared by two countries is stored once, and shapes
 * composed of arcs.
 */
export interface PackedAtlas {
  readonly title: string
  readonly asOf: string
  /** Size of one step of the arcs in degrees of longitude and latitude, and the origin of the steps. */
  readonly scale: readonly number[]
  readonly translate: readonly number[]
  readonly shapes: readonly {
    /** Codes of every country that the land belongs to, or may belong to. */
    readonly codes: readonly string[]
    /** The rings of each polygon, and the arcs of each ring. `~n` is arc n in reverse. */
    readonly polygons: readonly (readonly (readonly number[])[])[]
  }[]
  /**
   * Numbers in base64: for each arc, the number of points, then the steps east and north between consecutive points.
   */
  readonly arcs: string
}

/** An unpacked atlas. */
export interface Atlas {
  readonly shapes: PackedAtlas['shapes']
  /** Degrees of the points of all arcs, concatenated. */
  readonly longitudes: Float64Array
  readonly latitudes: Float64Array
  /** Index of the first point of each arc, and of the end of the last one. */
  readonly starts: Int32Array
}

/** Unpacks an atlas. Its text is part of the program, so it is not validated. */
export function readAtlas({ shapes, arcs, scale, translate }: PackedAtlas): Atlas {
  const bytes = Buffer.from(arcs, 'base64')
  let place = 0
  // Seven bits per byte, least significant first, the eighth bit marking a continuation. The lowest bit of the number
  // is its sign.
  const next = (): number => {
    let [value, shift] = [0, 0]
    for (; ; shift += 7) {
      const byte = bytes[place++] ?? 0
      value |= (byte & 127) << shift
      if (byte < 128) return (value >>> 1) ^ -(value & 1)
    }
  }
  const [longitudes, latitudes] = [new Float64Array(bytes.length / 2), new Float64Array(bytes.length / 2)]
  const [stepEast = 1, stepNorth = 1] = scale
  const [west = 0, south = 0] = translate
  const starts = [0]
  let points = 0
  while (place < bytes.length) {
    let [x, y] = [0, 0]
    for (let left = next(); left > 0; left--) {
      x += next()
      y += next()
      longitudes[points] = west + x * stepEast
      latitudes[points++] = south + y * stepNorth
    }
    starts.push(points)
  }
  return {
    shapes,
    longitudes: longitudes.slice(0, points),
    latitudes: latitudes.slice(0, points),
    starts: Int32Array.from(starts),
  }
}

/** The points of a ring as [longitude, latitude]; the last point equals the first. */
export function ringOf({ longitudes, latitudes, starts }: Atlas, ring: readonly number[]): [number, number][] {
  const points = ring.flatMap((arc, at) => {
    const index = arc < 0 ? ~arc : arc
    const line: [number, number][] = []
    for (let point = starts[index] ?? 0; point < (starts[index + 1] ?? 0); point++)
      line.push([longitudes[point] ?? 0, latitudes[point] ?? 0])
    // Each arc begins where the previous one ends.
    return (arc < 0 ? line.reverse() : line).slice(at === 0 ? 0 : 1)
  })
  return points
}

/** The land of one country, for drawing. */
interface DrawnCountry {
  /** ISO 3166-1, or the source’s own name for a part of the world without a code. */
  readonly code: string
  readonly polygons: readonly Outline[]
}

export type DrawnLand = readonly DrawnCountry[]

/** More points make a picture slow to open and add nothing visible at its size. */
const MOST_POINTS = 4500
const FINEST = 0.3
const COARSEST = 2.4
const EARTH_KM = 6371.0088

/** The visible land, in as much detail as the number of points allows. `codes` restricts it to these countries. */
export function landRings(view: MapView, land: DrawnLand, codes?: ReadonlySet<string>): readonly (readonly XY[])[] {
  return recentRings([view, land, codes === undefined ? null : [...codes].sort().join()], () =>
    ringsOf(view, land, codes),
  )
}

const recentRings = recentResults<readonly (readonly XY[])[]>()

function ringsOf(view: MapView, land: DrawnLand, codes: ReadonlySet<string> | undefined): readonly (readonly XY[])[] {
  const near = land
    .filter(({ code }) => codes === undefined || codes.has(code))
    .flatMap(({ polygons }) => polygons)
    .filter((polygon) => maySee(view, polygon))
  const drawn = (view.kind === 'world' ? near.flatMap(coarseOf) : near).flatMap((polygon) =>
    closeRingsOf(view, polygon),
  )
  for (let tolerance = FINEST; ; tolerance *= 2) {
    const rings = drawn.flatMap((ring) => thinnedRing(ring, tolerance))
    if (tolerance >= COARSEST || rings.reduce((sum, ring) => sum + ring.length, 0) <= MOST_POINTS) return rings
  }
}

/**
 * The rings of one polygon in a view. A polygon’s projection depends on no other polygon, and a map draws the land of
 * some countries over all land, so the rings of the latest view are kept. Keeping those of every view would take
 * several MiB each.
 */
function closeRingsOf(view: MapView, polygon: Outline): readonly (readonly XY[])[] {
  if (latest?.view !== view) latest = { view, rings: new WeakMap() }
  const known = latest.rings.get(polygon)
  if (known !== undefined) return known
  const rings = view.closeRings([polygon])
  latest.rings.set(polygon, rings)
  return rings
}

let latest: { readonly view: MapView; readonly rings: WeakMap<Outline, readonly (readonly XY[])[]> } | null = null

/**
 * Whether a polygon can be visible, which is the case where the disc around it can. The first corner and the bounding
 * box decide for most polygons without examining every corner.
 */
function maySee(view: MapView, polygon: Outline): boolean {
  const { first, box } = outerOf(polygon)
  if (view.mayShow(first)) return true
  return view.mayShow(box) && view.mayShow(aroundOf(polygon))
}

/**
 * Two discs that decide for most polygons without examining all corners. `first` lies within the disc around the
 * polygon by more than any rounding, because that disc contains every corner. `box` contains that disc: all corners
 * are within half the height and half the width of the center of their bounding box, as is their mean direction, and
 * the disc around them is at most twice as wide.
 */
export function outerOf(polygon: Outline): { readonly first: Disc; readonly box: Disc } {
  const known = OUTER.get(polygon)
  if (known !== undefined) return known
  const ring = polygon[0] ?? []
  let [west, south, east, north] = [180, 90, -180, -90]
  // By index, because this visits every corner of all land.
  for (let at = 0; at < ring.length; at += 1) {
    const corner = ring[at] ?? ORIGIN
    if (corner[0] < west) west = corner[0]
    if (corner[0] > east) east = corner[0]
    if (corner[1] < south) south = corner[1]
    if (corner[1] > north) north = corner[1]
  }
  const [longitude = 0, latitude = 0] = ring[0] ?? []
  const reach = (east - west + (north - south)) / 2
  const outer = {
    first: { center: { longitude, latitude }, radiusKm: -ROUNDING_KM },
    box: {
      center: { longitude: (west + east) / 2, latitude: (south + north) / 2 },
      // Beyond a quarter of the Earth, the mean direction can be anywhere.
      radiusKm: reach < 45 ? ((3 * reach * Math.PI) / 180) * EARTH_KM + ROUNDING_KM : Number.POSITIVE_INFINITY,
    },
  }
  OUTER.set(polygon, outer)
  return outer
}

const ORIGIN: Position = [0, 0]
const OUTER = new WeakMap<Outline, { readonly first: Disc; readonly box: Disc }>()
const ROUNDING_KM = 1

/** In degrees: where the whole world is visible, one point of the picture is more than half a degree. */
const COARSE = 0.2

/**
 * A polygon simplified for a view of the whole world; islands smaller than a dot are omitted. A narrow ring whose
 * orientation is reversed by the simplification is omitted as well, because on a sphere it would enclose everything
 * but itself.
 */
function coarseOf(polygon: Outline): readonly Outline[] {
  const known = COARSER.get(polygon)
  if (known !== undefined) return known
  const rings = polygon.flatMap((ring) =>
    thinnedRing(ring, COARSE)
      .map((kept): readonly Position[] => [...kept, ...kept.slice(0, 1)])
      .filter((kept) => enclosesMost(kept) === enclosesMost(ring)),
  )
  const coarse = rings.length === 0 ? [] : [rings]
  COARSER.set(polygon, coarse)
  return coarse
}

const COARSER = new WeakMap<Outline, readonly Outline[]>()

/**
 * A disc that contains a polygon with a margin larger than any rounding; kept, because land never changes and is
 * needed for every picture. The corners are treated as unit vectors, whose sines and cosines serve both their sum and
 * the most distant corner.
 */
export function aroundOf(polygon: Outline): Disc {
  const known = AROUND.get(polygon)
  if (known !== undefined) return known
  const corners = directionsOf(polygon[0] ?? [])
  const [x, y, z] = sumOf(corners)
  const length = Math.sqrt(x * x + y * y + z * z)
  let nearest = 1
  for (let at = 0; at < corners.length; at += 3) {
    const along = (corners[at] ?? 0) * x + (corners[at + 1] ?? 0) * y + (corners[at + 2] ?? 0) * z
    nearest = Math.min(nearest, along / length)
  }
  const around = {
    center: { longitude: (atan2(y, x) * 180) / Math.PI, latitude: (atan2(z, hypot(x, y)) * 180) / Math.PI },
    // Where the corners have no clear mean direction, any disc smaller than the largest might miss one.
    radiusKm: length > SMALLEST_SUM ? acos(Math.max(-1, nearest)) * EARTH_KM + ROUNDING_KM : Number.POSITIVE_INFINITY,
  }
  AROUND.set(polygon, around)
  return around
}

const AROUND = new WeakMap<Outline, Disc>()
const SMALLEST_SUM = 1e-6

/** The corners as unit vectors: three numbers each, concatenated. */
function directionsOf(ring: readonly Position[]): Float64Array {
  const directions = new Float64Array(ring.length * 3)
  const [east, north] = [
    { sine: 0, cosine: 0 },
    { sine: 0, cosine: 0 },
  ]
  for (let at = 0; at < ring.length; at += 1) {
    const corner = ring[at] ?? ORIGIN
    sineAndCosine((corner[0] * Math.PI) / 180, east)
    sineAndCosine((corner[1] * Math.PI) / 180, north)
    directions[at * 3] = north.cosine * east.cosine
    directions[at * 3 + 1] = north.cosine * east.sine
    directions[at * 3 + 2] = north.sine
  }
  return directions
}

function sumOf(directions: Float64Array): [number, number, number] {
  let [x, y, z] = [0, 0, 0]
  for (let at = 0; at < directions.length; at += 3) {
    x += directions[at] ?? 0
    y += directions[at + 1] ?? 0
    z += directions[at + 2] ?? 0
  }
  return [x, y, z]
}
