import { asin, cos, sin } from '../base/elementary.ts'
import type { Atlas } from './atlas.ts'
import type { Box, Disc } from './geodesy.ts'
import { geodesicKm, type Point } from './geodesy.ts'

/** The grid counts degrees from the south-western corner of the plate carrée, row by row. */
export const ROWS = 180
export const COLUMNS = 360

/** An atlas indexed by square degrees. */
export interface Buckets {
  /** Calls `add` for each shape with a point in the square degree. */
  readonly addAll: (bucket: number, add: (shape: number) => void) => void
  /** Calls `add` for each shape with a point in a box that lies within the square degree. */
  readonly addIn: (bucket: number, box: Box, add: (shape: number) => void) => void
}

/**
 * Indexes an atlas. The shapes that contain a point are found by counting border crossings on a path from a point
 * whose shapes are known: an odd number is a change. The path starts at the north pole, which is sea, and follows the
 * middle meridian of each column, so that neither the date line nor the shape around the south pole is a special
 * case. Only the last part of the path, within the point’s own square degree, is walked on each query.
 */
export function bucketsOf(atlas: Atlas): Buckets {
  const segments = segmentsOf(atlas)
  const { first, items } = sorted(segments)
  const owners = ownersOf(atlas)
  const known: (readonly number[])[] = [[]]
  const ids = new Map([['', 0]])
  /** For each square degree, the shapes that contain the midpoint of its northern edge. */
  const atTop = new Uint16Array(ROWS * COLUMNS)
  const parity = new Uint8Array(atlas.shapes.length)

  const idOf = (shapes: readonly number[]): number => {
    const key = shapes.join()
    const id = ids.get(key) ?? known.push(shapes) - 1
    ids.set(key, id)
    return id
  }
  /** The shapes that contain a point of a square degree, or the midpoint of its southern edge. */
  const holding = (bucket: number, longitude: number, latitude: number): readonly number[] => {
    const before = known[atTop[bucket] ?? 0] ?? []
    const [from, to] = [first[bucket] ?? 0, first[bucket + 1] ?? 0]
    if (from === to) return before
    const middle = (bucket % COLUMNS) - 179.5
    const top = Math.floor(bucket / COLUMNS) - 89
    const touched: number[] = []
    const flip = (arc: number): void => {
      for (const shape of owners[arc] ?? []) {
        if (parity[shape] === 0) touched.push(shape)
        parity[shape] = (parity[shape] ?? 0) === 1 ? 2 : 1
      }
    }
    for (let at = from; at < to; at++) {
      const { ax, ay, bx, by, arc } = segments.read(items[at] ?? 0, middle)
      if (ax <= middle !== bx <= middle) {
        const y = ay + ((middle - ax) / (bx - ax)) * (by - ay)
        if (y > latitude && y <= top) flip(arc)
      }
      if (ay <= latitude !== by <= latitude) {
        const x = ax + ((latitude - ay) / (by - ay)) * (bx - ax)
        if (longitude < middle ? x > longitude && x <= middle : x > middle && x <= longitude) flip(arc)
      }
    }
    const changed = new Set(touched.filter((shape) => parity[shape] === 1))
    for (const shape of touched) parity[shape] = 0
    if (changed.size === 0) return before
    return [...before.filter((shape) => !changed.delete(shape)), ...changed].sort((a, b) => a - b)
  }
  const isReady = new Uint8Array(COLUMNS)
  /** Walks down a column before its first use, because most discs of a fleet lie in few columns. */
  const ready = (bucket: number): void => {
    const column = bucket % COLUMNS
    if (isReady[column] === 1) return
    isReady[column] = 1
    for (let row = ROWS - 2; row >= 0; row--) {
      const above = (row + 1) * COLUMNS + column
      atTop[above - COLUMNS] =
        first[above] === first[above + 1] ? (atTop[above] ?? 0) : idOf(holding(above, column - 179.5, row - 89))
    }
  }

  const addIn: Buckets['addIn'] = (bucket, box, add) => {
    ready(bucket)
    for (const shape of holding(bucket, (box.west + box.east) / 2, (box.south + box.north) / 2)) add(shape)
    const middle = (bucket % COLUMNS) - 179.5
    for (let at = first[bucket] ?? 0; at < (first[bucket + 1] ?? 0); at++) {
      const segment = segments.read(items[at] ?? 0, middle)
      if (meets(segment, box)) for (const shape of owners[segment.arc] ?? []) add(shape)
    }
  }
  const everything = new Int32Array(ROWS * COLUMNS).fill(-1)
  const addAll: Buckets['addAll'] = (bucket, add) => {
    ready(bucket)
    let id = everything[bucket] ?? -1
    if (id < 0) {
      const shapes = new Set(known[atTop[bucket] ?? 0])
      for (let at = first[bucket] ?? 0; at < (first[bucket + 1] ?? 0); at++)
        for (const shape of owners[segments.arcOf(items[at] ?? 0)] ?? []) shapes.add(shape)
      id = idOf([...shapes].sort((a, b) => a - b))
      everything[bucket] = id
    }
    for (const shape of known[id] ?? []) add(shape)
  }
  return { addAll, addIn }
}

interface Segment {
  ax: number
  ay: number
  bx: number
  by: number
  arc: number
}

interface Segments {
  readonly count: number
  /**
   * The end points of a segment, with longitudes shifted to those near `middle`. Returns the same object on each
   * call.
   */
  readonly read: (index: number, middle: number) => Segment
  readonly arcOf: (index: number) => number
  /** Whether a line begins at the point; none begins at the last point of an arc. */
  readonly begins: (index: number) => boolean
}

function segmentsOf({ longitudes, latitudes, starts }: Atlas): Segments {
  const arcs = new Uint16Array(longitudes.length)
  const ends = new Uint8Array(longitudes.length)
  for (let arc = 0; arc + 1 < starts.length; arc++) {
    arcs.fill(arc, starts[arc], starts[arc + 1])
    ends[(starts[arc + 1] ?? 1) - 1] = 1
  }
  const segment: Segment = { ax: 0, ay: 0, bx: 0, by: 0, arc: 0 }
  const read = (index: number, middle: number): Segment => {
    const ax = longitudes[index] ?? 0
    const step = (longitudes[index + 1] ?? 0) - ax
    // Takes the shorter way round, which may cross the date line.
    const across = step > 180 ? step - 360 : step < -180 ? step + 360 : step
    const near = ax - middle > 180 ? ax - 360 : ax - middle < -180 ? ax + 360 : ax
    segment.ax = near
    segment.bx = near + across
    segment.ay = latitudes[index] ?? 0
    segment.by = latitudes[index + 1] ?? 0
    segment.arc = arcs[index] ?? 0
    return segment
  }
  return { count: longitudes.length, read, arcOf: (index) => arcs[index] ?? 0, begins: (index) => ends[index] === 0 }
}

/**
 * Sorts segments by square degree: those of bucket b are at first[b] to first[b + 1]. A segment that passes through
 * several buckets is listed in each.
 */
function sorted(segments: Segments): { readonly first: Int32Array; readonly items: Int32Array } {
  const { places, listed } = placed(segments)
  const first = new Int32Array(ROWS * COLUMNS + 1)
  for (let at = 0; at < places.length; at++) {
    const next = (places[at] ?? 0) + 1
    first[next] = (first[next] ?? 0) + 1
  }
  for (let bucket = 0; bucket < ROWS * COLUMNS; bucket++)
    first[bucket + 1] = (first[bucket + 1] ?? 0) + (first[bucket] ?? 0)
  const items = new Int32Array(places.length)
  const next = first.slice()
  for (let at = 0; at < places.length; at++) {
    const bucket = places[at] ?? 0
    const place = next[bucket] ?? 0
    items[place] = listed[at] ?? 0
    next[bucket] = place + 1
  }
  return { first, items }
}

/** Pairs of square degree and segment, in the order of the segments. */
function placed(segments: Segments): { readonly places: Int32Array; readonly listed: Int32Array } {
  let [places, listed] = [new Int32Array(segments.count * 2), new Int32Array(segments.count * 2)]
  let count = 0
  for (let index = 0; index < segments.count; index++) {
    if (!segments.begins(index)) continue
    const { ax, ay, bx, by } = segments.read(index, 0)
    const low = Math.floor(Math.min(ay, by) + 90)
    const high = Math.min(ROWS - 1, Math.floor(Math.max(ay, by) + 90))
    const west = Math.floor(Math.min(ax, bx) + 180)
    const east = Math.floor(Math.max(ax, bx) + 180)
    const more = (high - low + 1) * (east - west + 1)
    if (count + more > places.length) [places, listed] = [longer(places, more), longer(listed, more)]
    for (let row = low; row <= high; row++)
      for (let column = west; column <= east; column++) {
        places[count] = row * COLUMNS + (((column % COLUMNS) + COLUMNS) % COLUMNS)
        listed[count++] = index
      }
  }
  return { places: places.subarray(0, count), listed: listed.subarray(0, count) }
}

function longer(numbers: Int32Array<ArrayBuffer>, more: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(numbers.length * 2 + more)
  copy.set(numbers)
  return copy
}

/** For each arc, the shapes that it bounds. */
function ownersOf({ shapes, starts }: Atlas): readonly (readonly number[])[] {
  const owners: number[][] = Array.from(starts, () => [])
  for (const [shape, { polygons }] of shapes.entries())
    for (const arc of polygons.flat(2)) owners[arc < 0 ? ~arc : arc]?.push(shape)
  return owners
}

/** Whether a segment has a point in a box: true unless an axis, or the segment’s own direction, separates them. */
function meets(segment: Segment, { south, north, west, east }: Box): boolean {
  const { ax, ay, bx, by } = segment
  if ((ax < west && bx < west) || (ax > east && bx > east)) return false
  if ((ay < south && by < south) || (ay > north && by > north)) return false
  const [a, b] = [side(segment, west, south), side(segment, east, south)]
  const [c, d] = [side(segment, west, north), side(segment, east, north)]
  return Math.min(a, b, c, d) <= 0 && Math.max(a, b, c, d) >= 0
}

const side = ({ ax, ay, bx, by }: Segment, x: number, y: number): number => (bx - ax) * (y - ay) - (by - ay) * (x - ax)

/** A part of the world bounded by meridians and parallels. */
export interface Cell extends Box {
  readonly center: Point
  /** Greatest distance of any of its points from its center, in km. */
  readonly reachKm: number
}

const RADIANS = Math.PI / 180
/**
 * Bounds of the distance on WGS 84: no path is shorter, or longer, than its counterpart on spheres with these radii
 * and the same latitudes and longitudes. They are the smallest radius of curvature (of the meridian, at the equator:
 * 6335.439 km) and the largest (at the poles: 6399.594 km).
 */
const LEAST_KM = 6335.43
const MOST_KM = 6399.6
/** More than rounding can take from an angle between antipodal points, in km. */
const ROUNDING_KM = 0.001

/** The angle between two points on a sphere, in radians. */
function angle(a: Point, b: Point): number {
  const up = sin(((b.latitude - a.latitude) * RADIANS) / 2)
  const aside = sin(((b.longitude - a.longitude) * RADIANS) / 2)
  const share = up * up + cos(a.latitude * RADIANS) * cos(b.latitude * RADIANS) * aside * aside
  return 2 * asin(Math.min(1, Math.sqrt(share)))
}

/** Whether the points are more than `km` apart. The geodesic is solved only where the bounds do not decide. */
export function isFurther(a: Point, b: Point, km: number): boolean {
  const between = angle(a, b)
  if (LEAST_KM * between - ROUNDING_KM > km) return true
  return MOST_KM * between + ROUNDING_KM > km && geodesicKm(a, b) > km
}

/** A lower bound of the distance between the points. */
const atLeastKm = (a: Point, b: Point): number => LEAST_KM * angle(a, b) - ROUNDING_KM

function cellOf(box: Box): Cell {
  const center = { latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2 }
  // The points furthest from the center of a box no wider than half the globe are corners.
  const corner = Math.max(
    angle(center, { latitude: box.south, longitude: box.west }),
    angle(center, { latitude: box.north, longitude: box.west }),
  )
  return { ...box, center, reachKm: MOST_KM * corner + ROUNDING_KM }
}

/** The world in eight cells. */
export const WORLD: readonly Cell[] = [-90, 0].flatMap((south) =>
  [-180, -90, 0, 90].map((west) => cellOf({ south, north: south + 90, west, east: west + 90 })),
)

/**
 * The halves of a cell, divided across its longer side on the ground, so that cells near the poles do not become
 * slivers.
 */
export function halves({ south, north, west, east, center }: Cell): readonly [Cell, Cell] {
  const nearest = south <= 0 && north >= 0 ? 0 : Math.min(Math.abs(south), Math.abs(north))
  return (east - west) * cos(nearest * RADIANS) > north - south
    ? [cellOf({ south, north, west, east: center.longitude }), cellOf({ south, north, west: center.longitude, east })]
    : [cellOf({ south, north: center.latitude, west, east }), cellOf({ south: center.latitude, north, west, east })]
}

/** The size of the smallest cells, in km, where `radiusKm` is the smallest disc: never finer for larger discs. */
export const finestFor = (radiusKm: number): number => Math.min(COARSEST_KM, Math.max(FINEST_KM, radiusKm / 1000))
export const FINEST_KM = 0.02
const COARSEST_KM = 5

/**
 * Walks the cells that may have a point in all of the discs. `wants` decides for each cell whether to divide it; the
 * smallest are not divided further. The cells are the same for all discs, so that an answer for larger discs also
 * holds for smaller ones.
 */
export function walkCommon(discs: readonly Disc[], wants: (cell: Cell, smallest: boolean) => boolean): void {
  const finest = finestFor(Math.min(...discs.map(({ radiusKm }) => radiusKm)))
  const visit = (cell: Cell): void => {
    const smallest = cell.reachKm <= finest
    if (!wants(cell, smallest) || smallest) return
    for (const half of innermostFirst(halves(cell), discs)) visit(half)
  }
  for (const cell of innermostFirst(WORLD, discs)) visit(cell)
}

/** Cells that are not certainly outside one of the discs, ordered by how deep they lie within all of them. */
function innermostFirst(cells: readonly Cell[], discs: readonly Disc[]): readonly Cell[] {
  const kept = cells.filter((cell) =>
    discs.every(({ center, radiusKm }) => !isFurther(cell.center, center, radiusKm + cell.reachKm)),
  )
  if (kept.length < 2) return kept
  const depth = new Map(kept.map((cell) => [cell, excess(cell, discs)]))
  return kept.sort((a, b) => (depth.get(a) ?? 0) - (depth.get(b) ?? 0))
}

const excess = ({ center }: Cell, discs: readonly Disc[]): number =>
  discs.reduce((most, disc) => Math.max(most, atLeastKm(center, disc.center) - disc.radiusKm), -Infinity)
