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
  const far = farthestFrom(first, open)
  const there = simplified(open.slice(0, far + 1), tolerance)
  const back = simplified([...open.slice(far), first], tolerance)
  const kept = rounded([...there, ...back.slice(1, -1)])
  return kept.length < 3 ? [] : [kept]
}

// Below, points are read by index: taking a pair apart by its iterator is most of what a short process spends here.
const NOWHERE: XY = [0, 0]

function farthestFrom(from: XY, points: readonly XY[]): number {
  let [index, distance] = [0, 0]
  for (let at = 0; at < points.length; at += 1) {
    const point = points[at] ?? NOWHERE
    const off = hypot(point[0] - from[0], point[1] - from[1])
    if (off > distance) {
      index = at
      distance = off
    }
  }
  return index
}

/** Area by the shoelace formula. */
function coverage(ring: readonly XY[]): number {
  let twice = 0
  let before = ring.at(-1) ?? NOWHERE
  for (let at = 0; at < ring.length; at += 1) {
    const point = ring[at] ?? NOWHERE
    twice += before[0] * point[1] - point[0] * before[1]
    before = point
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
  const [ax, ay] = line[from] ?? NOWHERE
  const [bx, by] = line[to] ?? NOWHERE
  const [dx, dy] = [bx - ax, by - ay]
  const squared = dx * dx + dy * dy
  let [index, distance, square] = [from, 0, 0]
  for (let at = from + 1; at < to; at += 1) {
    const point = line[at] ?? NOWHERE
    const x = point[0] - ax
    const y = point[1] - ay
    const along = squared === 0 ? 0 : Math.min(1, Math.max(0, (x * dx + y * dy) / squared))
    const offX = x - along * dx
    const offY = y - along * dy
    const off = offX * offX + offY * offY
    // Of two squares the larger one never has the smaller root; both can have the same one.
    if (off <= square || Math.sqrt(off) <= distance) continue
    index = at
    distance = Math.sqrt(off)
    square = off
  }
  return { index, distance }
}

function rounded(line: readonly XY[]): readonly XY[] {
  const kept: XY[] = []
  let before = NOWHERE
  for (let at = 0; at < line.length; at += 1) {
    const point = line[at] ?? NOWHERE
    const tenths: XY = [tenth(point[0]), tenth(point[1])]
    if (at === 0 || before[0] !== tenths[0] || before[1] !== tenths[1]) kept.push(tenths)
    before = tenths
  }
  return kept
}
