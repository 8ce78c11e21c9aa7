import { recentResults } from '../base/recent.ts'
import { type Cell, FINEST_KM, finestFor, halves, isFurther, WORLD, walkCommon } from './buckets.ts'
import type { Borders, Box, Disc, Region, Relation } from './geodesy.ts'
import { geodesicKm, type Point } from './geodesy.ts'

/** How a cell relates to a region. Both values err on the safe side. */
interface Lies {
  /** A part of the region may be in the cell. */
  readonly touches: boolean
  /** A part outside the region may be in the cell; for regions of land, open water counts as neither. */
  readonly leaves: boolean
}

type Assessor = (cell: Cell) => Lies

/** Cells wider than this are divided without examining their content. */
const TOO_WIDE_KM = 1500
const MIXED: Lies = { touches: true, leaves: true }

/**
 * Position of the intersection of the discs (at least one) relative to a region.
 *
 * Cells that may have a point in all discs are divided until the answer is settled. `outside`: no cell touches the
 * region and at least one lies elsewhere. `inside`: no cell leaves the region and at least one touches it. Larger
 * discs keep every cell that smaller ones keep, so that an added delay never makes an answer firmer. The exceptions
 * are `empty`, and an intersection entirely at sea, which is undecided until it reaches land.
 */
export function relate(discs: readonly Disc[], region: Region, borders: Borders): Relation {
  return relations([borders, keyOf(discs, region)], () => related(discs, region, borders))
}

// Nodes of one place have the same discs, and several questions are asked about each.
const relations = recentResults<Relation>()
const reachable = recentResults<readonly string[] | null>()
const rooms = recentResults<number | null>()

/** A cache key in which every number has its own form. */
const keyOf = (...values: readonly unknown[]): string =>
  JSON.stringify(values, (_, value: unknown) => (typeof value === 'number' ? `${value}` : value))

function related(discs: readonly Disc[], region: Region, borders: Borders): Relation {
  if (!areDiscs(region.kind === 'disc' ? [...discs, region.disc] : discs)) return 'undecided'
  const exact = region.kind === 'disc' ? discs.map((disc) => againstDisc(disc, region.disc)) : []
  if (exact.length === 1) return exact[0] ?? 'undecided'
  if (areApart(discs)) return 'empty'
  const judge = assessorOf(region, borders)
  let [any, touched, left] = [false, exact.includes('inside'), exact.includes('outside')]
  const settled = touched !== left
  walkCommon(discs, (cell, smallest) => {
    if (any && (settled || (touched && left))) return false
    if (settled) {
      any ||= smallest
      return true
    }
    const { touches, leaves } = cell.reachKm > TOO_WIDE_KM ? MIXED : judge(cell)
    if (smallest) {
      any = true
      touched ||= touches
      left ||= leaves
    }
    return !any || (touches && !touched) || (leaves && !left)
  })
  if (!any) return 'empty'
  if (touched === left) return 'undecided'
  if (touched) return 'inside'
  return region.kind === 'countries' && region.codes.some((code) => !borders.codes.has(code)) ? 'undecided' : 'outside'
}

/** Countries with land in the intersection of the discs, sorted; null where the discs do not intersect. */
export function reachableCountries(discs: readonly Disc[], borders: Borders): readonly string[] | null {
  return reachable([borders, keyOf(discs)], () => countriesWithin(discs, borders))
}

function countriesWithin(discs: readonly Disc[], borders: Borders): readonly string[] | null {
  if (!areDiscs(discs)) return [...borders.codes].sort()
  if (areApart(discs)) return null
  let any = false
  const found = new Set<string>()
  walkCommon(discs, (cell, smallest) => {
    if (cell.reachKm > TOO_WIDE_KM) return true
    const codes = borders.landIn(cell)
    if (any && isPartOf(codes, found)) return false
    const whole = discs.every(({ center, radiusKm }) => !isFurther(cell.center, center, radiusKm - cell.reachKm))
    if (!smallest && !whole) return true
    any = true
    for (const code of codes) found.add(code)
    return false
  })
  return any ? [...found].sort() : null
}

/** Radius in km of the largest disc around a point that lies inside the region; null where there is none. */
export function largestInside(center: Point, region: Region, borders: Borders): number | null {
  return rooms([borders, keyOf(center, region)], () => roomInside(center, region, borders))
}

function roomInside(center: Point, region: Region, borders: Borders): number | null {
  if (region.kind === 'disc') {
    const room = region.disc.radiusKm - geodesicKm(center, region.disc.center)
    return room > 0 ? room : null
  }
  if (!areDiscs([{ center, radiusKm: 0 }])) return null
  const judge = assessorOf(region, borders)
  // Relating a disc of that size examines cells that are no larger, and can only find more room.
  const nearest = nearestAround(center, judge)
  const room = roomBy(nearest, finestFor(roomBy(nearest, FINEST_KM)))
  return room > 0 && relate([{ center, radiusKm: room }], region, borders) === 'inside' ? room : null
}

/** Half the circumference of the Earth, in km. */
const FARTHEST_KM = 20_004
const MILLIMETRE = 1e-6

/** A cell that may leave a region, with its distance from a point. */
interface Near {
  readonly reachKm: number
  readonly km: number
}

/** Distance to the first cell that is small enough, in km. */
const roomBy = (nearest: readonly Near[], finestKm: number): number =>
  nearest.find(({ reachKm }) => reachKm <= finestKm)?.km ?? FARTHEST_KM

/**
 * The nearest cells that may leave the region, each smaller than the one before, down to one of the smallest. Nearer
 * cells are divided before more distant ones regardless of the size that is asked for, so that one walk answers for
 * every size.
 */
function nearestAround(center: Point, judge: Assessor): readonly Near[] {
  const waiting: { readonly cell: Cell; readonly km: number }[] = []
  const wait = (cell: Cell): void => {
    if (cell.reachKm <= TOO_WIDE_KM && !judge(cell).leaves) return
    const km = geodesicKm(center, cell.center) - cell.reachKm - MILLIMETRE
    let [low, high] = [0, waiting.length]
    while (low < high) {
      const half = (low + high) >> 1
      if ((waiting[half]?.km ?? 0) > km) low = half + 1
      else high = half
    }
    waiting.splice(low, 0, { cell, km })
  }
  for (const cell of WORLD) wait(cell)
  const found: Near[] = []
  for (let smallest = Number.POSITIVE_INFINITY; smallest > FINEST_KM; ) {
    const nearest = waiting.pop()
    if (nearest === undefined) return found
    const { cell, km } = nearest
    if (cell.reachKm < smallest) {
      smallest = cell.reachKm
      found.push({ reachKm: smallest, km })
    }
    if (smallest > FINEST_KM) for (const half of halves(cell)) wait(half)
  }
  return found
}

/** NaN compares as false, which would keep every cell or none; a negative radius would exclude its own center. */
const areDiscs = (discs: readonly Disc[]): boolean =>
  discs.every(
    ({ center: { latitude, longitude }, radiusKm }) =>
      Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && radiusKm >= 0,
  )

function againstDisc(disc: Disc, region: Disc): Relation {
  const distance = geodesicKm(disc.center, region.center)
  if (distance > disc.radiusKm + region.radiusKm) return 'outside'
  return distance + disc.radiusKm <= region.radiusKm ? 'inside' : 'undecided'
}

/** Whether two of the discs have no point in common. */
const areApart = (discs: readonly Disc[]): boolean =>
  discs.some((one, at) =>
    discs.slice(at + 1).some((other) => isFurther(one.center, other.center, one.radiusKm + other.radiusKm)),
  )

const isPartOf = (some: ReadonlySet<string>, all: ReadonlySet<string>): boolean => {
  for (const code of some) if (!all.has(code)) return false
  return true
}

function assessorOf(region: Region, borders: Borders): Assessor {
  if (region.kind === 'disc')
    return ({ center, reachKm }) => ({
      touches: !isFurther(center, region.disc.center, region.disc.radiusKm + reachKm),
      leaves: isFurther(center, region.disc.center, region.disc.radiusKm - reachKm),
    })
  if (region.kind === 'polygon')
    return (cell) => {
      const lies = boxAgainstPolygon(cell, region.corners)
      return { touches: lies !== 'apart', leaves: lies !== 'within' }
    }
  const allowed = new Set(region.codes)
  return (cell) => {
    const codes = borders.landIn(cell)
    return { touches: region.codes.some((code) => codes.has(code)), leaves: !isPartOf(codes, allowed) }
  }
}

type Edge = readonly [Point, Point]

const edgesOf = (corners: readonly Point[]): Edge[] =>
  corners.map((corner, at) => [corner, corners[(at + 1) % corners.length] ?? corner])

/** Side of a line on which a point lies: positive for above, negative for below, zero on the line. */
const side = ([a, b]: Edge, p: Point): number =>
  (b.longitude - a.longitude) * (p.latitude - a.latitude) - (b.latitude - a.latitude) * (p.longitude - a.longitude)

const isWithinExtent = ([a, b]: Edge, p: Point): boolean =>
  Math.min(a.longitude, b.longitude) <= p.longitude &&
  p.longitude <= Math.max(a.longitude, b.longitude) &&
  Math.min(a.latitude, b.latitude) <= p.latitude &&
  p.latitude <= Math.max(a.latitude, b.latitude)

/** Whether two line segments have a point in common, end points included. */
function meet(one: Edge, other: Edge): boolean {
  const [a, b, c, d] = [side(one, other[0]), side(one, other[1]), side(other, one[0]), side(other, one[1])]
  if (((a > 0 && b < 0) || (a < 0 && b > 0)) && ((c > 0 && d < 0) || (c < 0 && d > 0))) return true
  return (
    (a === 0 && isWithinExtent(one, other[0])) ||
    (b === 0 && isWithinExtent(one, other[1])) ||
    (c === 0 && isWithinExtent(other, one[0])) ||
    (d === 0 && isWithinExtent(other, one[1]))
  )
}

const same = (a: Point, b: Point): boolean => a.latitude === b.latitude && a.longitude === b.longitude

/** The reason why the corners do not bound a part of the world, in words; null where they do. */
export function polygonProblem(corners: readonly Point[]): string | null {
  if (corners.length < 3) return 'a polygon needs at least three corners'
  const astray = corners.findIndex(
    ({ latitude, longitude }) => !(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180),
  )
  if (astray >= 0) return `corner ${astray + 1} of the polygon is no [latitude, longitude]`
  const edges = edgesOf(corners)
  const still = edges.findIndex(([a, b]) => same(a, b))
  if (still >= 0) return `corner ${still + 1} of the polygon is given twice in a row; the last is joined to the first`
  const jump = edges.findIndex(([a, b]) => Math.abs(a.longitude - b.longitude) > 180)
  if (jump >= 0)
    return `the polygon crosses the date line after corner ${jump + 1}: write it as two policies, or set a corner in between`
  for (const [at, edge] of edges.entries()) {
    const next = edges[(at + 1) % edges.length] ?? edge
    if (side(edge, next[1]) === 0 && (isWithinExtent(edge, next[1]) || isWithinExtent(next, edge[0])))
      return `the polygon turns back on itself at corner ${((at + 1) % edges.length) + 1}`
    const crossing = edges.findIndex(
      (other, place) => place > at + 1 && !(at === 0 && place === edges.length - 1) && meet(edge, other),
    )
    if (crossing >= 0)
      return `the polygon crosses itself: the line after corner ${at + 1} meets the one after corner ${crossing + 1}`
  }
  return null
}

/** Whether a point is in a polygon whose corners are joined by straight lines of a plate carrée. */
function isInPolygon({ latitude, longitude }: Point, corners: readonly Point[]): boolean {
  let inside = false
  for (const [a, b] of edgesOf(corners)) {
    if (a.longitude <= longitude === b.longitude <= longitude) continue
    const share = (longitude - a.longitude) / (b.longitude - a.longitude)
    if (a.latitude + share * (b.latitude - a.latitude) > latitude) inside = !inside
  }
  return inside
}

/** In degrees: more than rounding can move a line, and a tenth of a millimetre on the ground. */
const MARGIN = 1e-9

/** Position of a box relative to a polygon; `apart` and `within` hold regardless of rounding. */
function boxAgainstPolygon(box: Box, corners: readonly Point[]): 'apart' | 'within' | 'mixed' {
  const wide = {
    south: box.south - MARGIN,
    north: box.north + MARGIN,
    west: box.west - MARGIN,
    east: box.east + MARGIN,
  }
  if (edgesOf(corners).some((edge) => reaches(edge, wide))) return 'mixed'
  const middle = { latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2 }
  return isInPolygon(middle, corners) ? 'within' : 'apart'
}

/** Whether a segment has a point in a box: true unless an axis, or the segment’s own direction, separates them. */
function reaches([a, b]: Edge, { south, north, west, east }: Box): boolean {
  if (Math.max(a.longitude, b.longitude) < west || Math.min(a.longitude, b.longitude) > east) return false
  if (Math.max(a.latitude, b.latitude) < south || Math.min(a.latitude, b.latitude) > north) return false
  const sides = [
    side([a, b], { latitude: south, longitude: west }),
    side([a, b], { latitude: south, longitude: east }),
    side([a, b], { latitude: north, longitude: west }),
    side([a, b], { latitude: north, longitude: east }),
  ]
  return Math.min(...sides) <= 0 && Math.max(...sides) >= 0
}
