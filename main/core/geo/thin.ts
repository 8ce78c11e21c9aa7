import { hypot } from '../base/elementary.ts'

/** A position in a picture, in points. */
export type XY = readonly [x: number, y: number]

/** In points; less than the width of the thinnest line. */
const TOLERANCE = 0.3
const tenth = (value: number): number => Math.round(value * 10) / 10

/**
 * Simplifies a line to within `tolerance` points of the original (Douglas and Peucker, Cartographica 10, 1973) and
 * rounds it to tenths. Returns no line where nothing remains of it.
 */
export function thinnedLine(line: readonly XY[]): readonly (readonly XY[])[] {
  const kept = rounded(simplified(line, TOLERANCE))
  return kept.length < 2 ? [] : [kept]
}

/** Simplifies a closed ring in the same way and returns it open. A ring that covers less than a dot is omitted. */
export function thinnedRing(ring: readonly XY[], tolerance = TOLERANCE): readonly (readonly XY[])[] {
  const [first] = ring
  const last = ring.at(-1)
  if (first === undefined || last === undefined) return []
  const open = first[0] === last[0] && first[1] === last[1] ? ring.slice(0, -1) : ring
  if (coverage(open) < tolerance * 2) return []
  // A ring has no fixed ends, so it is divided at the first point and at the point furthest from it.
  const far = farthestFrom(first, open)
  const there = simplified(open.slice(0, far + 1), tolerance)
  const back = simplified([...open.slice(far), first], tolerance)
  const kept = rounded([...there, ...back.slice(1, -1)])
  return kept.length < 3 ? [] : [kept]
}

// Points below are read by index: destructuring through an iterator takes most of the time of a short process here.
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
    // The larger of two squares never has the smaller root, but both can have the same one.
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
