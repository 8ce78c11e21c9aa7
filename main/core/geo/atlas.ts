import { acos, atan2, hypot, sineAndCosine } from '../elementary.ts'
import { recentResults } from '../recent.ts'
import type { Disc } from './geodesy.ts'
import { enclosesMost, type MapView, type Outline, type Position } from './map.ts'
import { thinnedRing, type XY } from './thin.ts'

/** Borders as they are packed: arcs, so that a border of two countries is stored once, and shapes made of them, as in TopoJSON. */
export interface PackedAtlas {
  readonly title: string
  readonly asOf: string
  /** Degrees of longitude and latitude in one step of the arcs, and where their steps begin. */
  readonly scale: readonly number[]
  readonly translate: readonly number[]
  readonly shapes: readonly {
    /** Every country whose land it is, or may be. */
    readonly codes: readonly string[]
    /** Of each polygon, the rings; of each ring, the arcs. `~n` is arc n from its end. */
    readonly polygons: readonly (readonly (readonly number[])[])[]
  }[]
  /** Base64 of numbers: of each arc, how many points, then the steps east and north from one point to the next. */
  readonly arcs: string
}

/** The same, unpacked. */
export interface Atlas {
  readonly shapes: PackedAtlas['shapes']
  /** Degrees of the points of all arcs, one arc after the other. */
  readonly longitudes: Float64Array
  readonly latitudes: Float64Array
  /** At which point each arc begins; one more than there are arcs. */
  readonly starts: Int32Array
}

/** Unpacks an atlas. The text is our own: nothing here is checked. */
export function readAtlas({ shapes, arcs, scale, translate }: PackedAtlas): Atlas {
  const bytes = Buffer.from(arcs, 'base64')
  let place = 0
  // Seven bits a byte, the lowest first, the eighth states that more follow; the lowest bit of all is the sign.
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

/** The points of a ring as [longitude, latitude], closed: its last is its first. */
export function ringOf({ longitudes, latitudes, starts }: Atlas, ring: readonly number[]): [number, number][] {
  const points = ring.flatMap((arc, at) => {
    const index = arc < 0 ? ~arc : arc
    const line: [number, number][] = []
    for (let point = starts[index] ?? 0; point < (starts[index + 1] ?? 0); point++)
      line.push([longitudes[point] ?? 0, latitudes[point] ?? 0])
    // Each arc begins where the one before it ends.
    return (arc < 0 ? line.reverse() : line).slice(at === 0 ? 0 : 1)
  })
  return points
}

/** The land of one country, for drawing. */
interface DrawnCountry {
  /** ISO 3166-1, or whatever else the source calls a part of the world that has no code. */
  readonly code: string
  readonly polygons: readonly Outline[]
}

export type DrawnLand = readonly DrawnCountry[]

/** More points make a picture slow to open and show nothing more at its size. */
const MOST_POINTS = 4500
const FINEST = 0.3
const COARSEST = 2.4
const EARTH_KM = 6371.0088

/** Land as far as it is in the picture, as fine as the number of points allows. `codes`: of these countries alone. */
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
 * The rings of one polygon. What is projected of a polygon depends on no other one, and a map shows the land of some countries over all land, so
 * those of the latest view are kept: of every view, they would be several MiB each.
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
 * Whether a polygon can be in the picture: whether the disc around it can. What follows from its first corner, or from the box around it, is
 * not worked out from all of its corners.
 */
function maySee(view: MapView, polygon: Outline): boolean {
  const { first, box } = outerOf(polygon)
  if (view.mayShow(first)) return true
  return view.mayShow(box) && view.mayShow(aroundOf(polygon))
}

/**
 * Two discs by which most polygons are decided without a look at all of their corners. `first`: within the one around the polygon by more than
 * any rounding, since that disc holds every corner. `box`: holds that disc. All corners are within half the height and half the width of
 * the middle of their box, so is their common direction, and the disc around them is at most twice as wide.
 */
export function outerOf(polygon: Outline): { readonly first: Disc; readonly box: Disc } {
  const known = OUTER.get(polygon)
  if (known !== undefined) return known
  const ring = polygon[0] ?? []
  let [west, south, east, north] = [180, 90, -180, -90]
  // By index: this looks at every corner of all land.
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
      // Beyond a quarter of the Earth the common direction can be anywhere.
      radiusKm: reach < 45 ? ((3 * reach * Math.PI) / 180) * EARTH_KM + ROUNDING_KM : Number.POSITIVE_INFINITY,
    },
  }
  OUTER.set(polygon, outer)
  return outer
}

const ORIGIN: Position = [0, 0]
const OUTER = new WeakMap<Outline, { readonly first: Disc; readonly box: Disc }>()
const ROUNDING_KM = 1

/** In degrees: where the whole world is in the picture, a point of it is more than half a degree. */
const COARSE = 0.2

/**
 * A polygon as the whole world needs it; none of an island that would be less than a dot. A ring that is left with its corners the other
 * way round, as a narrow one can be, is left out: on a sphere it would enclose everything but itself.
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
 * A disc around a polygon, by more than any rounding; land is never changed once it is made, and asked for again for every picture. Its corners
 * are taken as directions in space, whose sines and cosines are needed once, for their sum and for the farthest of them.
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
    // Where the corners lie in no direction on the whole, any disc but the largest might leave one out.
    radiusKm: length > SMALLEST_SUM ? acos(Math.max(-1, nearest)) * EARTH_KM + ROUNDING_KM : Number.POSITIVE_INFINITY,
  }
  AROUND.set(polygon, around)
  return around
}

const AROUND = new WeakMap<Outline, Disc>()
const SMALLEST_SUM = 1e-6

/** The directions of corners in space, of length 1: three numbers of each, one after the other. */
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
