import { type Cell, FINEST_KM, finestFor, halves, isFurther, WORLD, walkCommon } from './cells.ts'
import { geodesicKm, type Point } from './geodesy.ts'
import { boxAgainstPolygon } from './polygon.ts'
import type { Borders, Disc, Region, Relation } from './region.ts'

/** How a cell lies to a region. Both err to the careful side. */
interface Lies {
  /** Something of the region may be in the cell. */
  readonly touches: boolean
  /** Something that is not the region may be in the cell; open water is neither where the region is land. */
  readonly leaves: boolean
}

type Assessor = (cell: Cell) => Lies

/** Cells wider than this are divided without a look at what is in them. */
const TOO_WIDE_KM = 1500
const MIXED: Lies = { touches: true, leaves: true }

/**
 * Where the common part of the discs lies against a region. At least one disc.
 *
 * Cells that may have a point in all discs are divided until the answer is settled. `outside`: none of them touches the region, and some
 * is elsewhere; `inside`: none leaves it, and some touches it. Larger discs keep every cell that smaller ones keep, so that added delay
 * makes no answer firmer; the exceptions are `empty`, and a common part all at sea, which is undecided until it reaches land.
 */
export function relate(discs: readonly Disc[], region: Region, borders: Borders): Relation {
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

/** Countries with land in the common part of the discs, sorted; null where there is no common part. */
export function reachableCountries(discs: readonly Disc[], borders: Borders): readonly string[] | null {
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

/** How large a disc around a point can be and still lie inside the region, in km; null where none can. */
export function largestInside(center: Point, region: Region, borders: Borders): number | null {
  if (region.kind === 'disc') {
    const room = region.disc.radiusKm - geodesicKm(center, region.disc.center)
    return room > 0 ? room : null
  }
  if (!areDiscs([{ center, radiusKm: 0 }])) return null
  const judge = assessorOf(region, borders)
  // What relates a disc of that size looks at cells that are not larger, and can only find more room.
  const room = roomAround(center, judge, finestFor(roomAround(center, judge, FINEST_KM)))
  return room > 0 && relate([{ center, radiusKm: room }], region, borders) === 'inside' ? room : null
}

/** Half way round the world, in km. */
const FARTHEST_KM = 20_004
const MILLIMETRE = 1e-6

/** How near the nearest of the smallest cells is that may leave the region: nearer cells are divided before further ones. */
function roomAround(center: Point, judge: Assessor, finestKm: number): number {
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
  for (;;) {
    const nearest = waiting.pop()
    if (nearest === undefined) return FARTHEST_KM
    if (nearest.cell.reachKm <= finestKm) return nearest.km
    for (const half of halves(nearest.cell)) wait(half)
  }
}

/** Numbers that are none compare as false, which would keep every cell, or none; a reach below nought would exclude its own center. */
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
