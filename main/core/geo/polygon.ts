import type { Point } from './geodesy.ts'
import type { Box } from './region.ts'

type Edge = readonly [Point, Point]

const edgesOf = (corners: readonly Point[]): Edge[] =>
  corners.map((corner, at) => [corner, corners[(at + 1) % corners.length] ?? corner])

/** On which side of a line a point lies: above nought, below, or on it. */
const side = ([a, b]: Edge, p: Point): number =>
  (b.longitude - a.longitude) * (p.latitude - a.latitude) - (b.latitude - a.latitude) * (p.longitude - a.longitude)

const isWithinExtent = ([a, b]: Edge, p: Point): boolean =>
  Math.min(a.longitude, b.longitude) <= p.longitude &&
  p.longitude <= Math.max(a.longitude, b.longitude) &&
  Math.min(a.latitude, b.latitude) <= p.latitude &&
  p.latitude <= Math.max(a.latitude, b.latitude)

/** Whether two stretches have a point in common, ends included. */
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

/** Why the corners bound no part of the world, in words; null where they do. */
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

/** Whether a point lies in the polygon, whose corners are joined by straight lines of a plate carrée. */
export function isInPolygon({ latitude, longitude }: Point, corners: readonly Point[]): boolean {
  let inside = false
  for (const [a, b] of edgesOf(corners)) {
    if (a.longitude <= longitude === b.longitude <= longitude) continue
    const share = (longitude - a.longitude) / (b.longitude - a.longitude)
    if (a.latitude + share * (b.latitude - a.latitude) > latitude) inside = !inside
  }
  return inside
}

/** Wider than what rounding can move a line by, and a tenth of a millimetre on the ground. */
const MARGIN = 1e-9

/** How a box lies to a polygon: `apart` and `within` hold whatever the rounding. */
export function boxAgainstPolygon(box: Box, corners: readonly Point[]): 'apart' | 'within' | 'mixed' {
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

/** Whether a stretch has a point in a box: no axis, and not its own direction, keeps them apart. */
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
