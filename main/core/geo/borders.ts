import { cos } from '../base/elementary.ts'
import type { Atlas } from './atlas.ts'
import { type Buckets, bucketsOf, COLUMNS, ROWS } from './buckets.ts'
import type { Borders, Box } from './geodesy.ts'

/** The shortest degree of a meridian on WGS 84 and the shortest degree of the equator, in km, both rounded down. */
const DEGREE_KM = 110.5
/** Closer to a pole than this latitude, a box is widened to all longitudes. */
const POLAR = 89.5

/**
 * Border queries over an atlas. Lines between its points are straight in a plate carrée, as its makers drew them, so
 * that a border along a parallel stays on it. Answers rest on a one-degree grid that is built once.
 */
export function bordersOf(atlas: Atlas, toleranceKm: number): Borders {
  const buckets = bucketsOf(atlas)
  const codesOf = new Map<string, ReadonlySet<string>>()
  const seen = new Uint32Array(atlas.shapes.length)
  let call = 0

  const landIn = (box: Box): ReadonlySet<string> => {
    call++
    const found: number[] = []
    const add = (shape: number): void => {
      if (seen[shape] === call) return
      seen[shape] = call
      found.push(shape)
    }
    visit(buckets, widened(box, toleranceKm), add)
    const key = found.sort((a, b) => a - b).join()
    const known = codesOf.get(key)
    if (known !== undefined) return known
    const codes = new Set(found.flatMap((shape) => atlas.shapes[shape]?.codes ?? []))
    codesOf.set(key, codes)
    return codes
  }
  return { landIn, toleranceKm, codes: new Set(atlas.shapes.flatMap(({ codes }) => codes)) }
}

/** A box that contains every point within `km` of the given one; it may exceed −180 to 180. */
function widened({ south, north, west, east }: Box, km: number): Box {
  const up = km / DEGREE_KM
  const [low, high] = [Math.max(-90, south - up), Math.min(90, north + up)]
  const farthest = Math.max(Math.abs(low), Math.abs(high))
  if (farthest > POLAR) return { south: low, north: high, west: -180, east: 180 }
  const aside = up / cos((farthest * Math.PI) / 180)
  if (east - west + 2 * aside >= 360) return { south: low, north: high, west: -180, east: 180 }
  return { south: low, north: high, west: west - aside, east: east + aside }
}

/** Calls `add` for each shape that has a point in the box. */
function visit(buckets: Buckets, box: Box, add: (shape: number) => void): void {
  const top = Math.min(ROWS - 1, Math.floor(box.north + 90))
  const last = Math.min(Math.floor(box.east + 180), Math.floor(box.west + 180) + COLUMNS - 1)
  for (let row = Math.max(0, Math.floor(box.south + 90)); row <= top; row++)
    for (let column = Math.floor(box.west + 180); column <= last; column++) {
      const turn = Math.floor(column / COLUMNS) * 360
      const bucket = row * COLUMNS + (((column % COLUMNS) + COLUMNS) % COLUMNS)
      const [south, west] = [row - 90, column - 180]
      if (box.south <= south && south + 1 <= box.north && box.west <= west && west + 1 <= box.east) {
        buckets.addAll(bucket, add)
        continue
      }
      buckets.addIn(
        bucket,
        {
          south: Math.max(box.south, south),
          north: Math.min(box.north, south + 1),
          west: Math.max(box.west, west) - turn,
          east: Math.min(box.east, west + 1) - turn,
        },
        add,
      )
    }
}
