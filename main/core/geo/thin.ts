import { hypot } from '../elementary.ts'

/** A place in a picture, in points. */
export type XY = readonly [x: number, y: number]

/** A third of a point is less than the thinnest line. */
const TOLERANCE = 0.3
const tenth = (value: number): number => Math.round(value * 10) / 10

/**
 * The line with no more points than it takes to stay within `tolerance` of it (Douglas and Peucker, Cartographica 10, 1973), in tenths;
 * none where nothing is left of it.
 */
export function thinnedLine(line: readonly XY[], tolerance = TOLERANCE): readonly (readonly XY[])[] {
  const kept = rounded(simplified(line, tolerance))
  return kept.length < 2 ? [] : [kept]
}

/** The same of a closed ring, which is given back open. One that covers less than a dot is left out. */
export function thinnedRing(ring: readonly XY[], tolerance = TOLERANCE): readonly (readonly XY[])[] {
  const [first] = ring
  const last = ring.at(-1)
  if (first === undefined || last === undefined) return []
  const open = first[0] === last[0] && first[1] === last[1] ? ring.slice(0, -1) : ring
  if (coverage(open) < tolerance * 2) return []
  // From the first point to the one furthest from it and back: a ring has no ends to hold fast.
  const far = open.reduce(
    (best, point, index) => (apart(point, first) > apart(open[best] ?? first, first) ? index : best),
    0,
  )
  const there = simplified(open.slice(0, far + 1), tolerance)
  const back = simplified([...open.slice(far), first], tolerance)
  const kept = rounded([...there, ...back.slice(1, -1)])
  return kept.length < 3 ? [] : [kept]
}

const apart = ([x, y]: XY, [ofX, ofY]: XY): number => hypot(x - ofX, y - ofY)

/** Area by the shoelace formula. */
function coverage(ring: readonly XY[]): number {
  let twice = 0
  let [beforeX, beforeY] = ring.at(-1) ?? [0, 0]
  for (const [x, y] of ring) {
    twice += beforeX * y - x * beforeY
    beforeX = x
    beforeY = y
  }
  return Math.abs(twice) / 2
}

function simplified(line: readonly XY[], tolerance: number): readonly XY[] {
  const keep = new Uint8Array(line.length)
  const open: [number, number][] = [[0, line.length - 1]]
  keep[0] = 1
  keep[line.length - 1] = 1
  for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
    const [from, to] = piece
    const farthest = farthestBetween(line, from, to)
    if (farthest.distance <= tolerance) continue
    keep[farthest.index] = 1
    open.push([from, farthest.index], [farthest.index, to])
  }
  return line.filter((_, index) => keep[index] === 1)
}

function farthestBetween(
  line: readonly XY[],
  from: number,
  to: number,
): { readonly index: number; readonly distance: number } {
  const [ax, ay] = line[from] ?? [0, 0]
  const [bx, by] = line[to] ?? [0, 0]
  const [dx, dy] = [bx - ax, by - ay]
  const squared = dx * dx + dy * dy
  let [index, distance] = [from, 0]
  for (let at = from + 1; at < to; at += 1) {
    const [x, y] = line[at] ?? [0, 0]
    const along = squared === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / squared))
    const off = hypot(x - ax - along * dx, y - ay - along * dy)
    if (off > distance) [index, distance] = [at, off]
  }
  return { index, distance }
}

function rounded(line: readonly XY[]): readonly XY[] {
  const tenths = line.map(([x, y]): XY => [tenth(x), tenth(y)])
  return tenths.filter(([x, y], index) => {
    const before = tenths[index - 1]
    return before === undefined || before[0] !== x || before[1] !== y
  })
}
