import { asin, cos, sin } from '../elementary.ts'
import { geodesicKm, type Point } from './geodesy.ts'
import type { Box, Disc } from './region.ts'

/** A part of the world, bounded by meridians and parallels. */
export interface Cell extends Box {
  readonly center: Point
  /** No point of it is further from its center, in km. */
  readonly reachKm: number
}

const RADIANS = Math.PI / 180
/**
 * No path on WGS 84 is shorter, or longer, than its counterpart on spheres with these radii and the same latitudes and longitudes: they
 * are the least radius of curvature (of the meridian, at the equator: 6335.439 km) and the largest (at the poles: 6399.594 km).
 */
const LEAST_KM = 6335.43
const MOST_KM = 6399.6
/** More than rounding takes from an angle between opposite points, in km. */
const ROUNDING_KM = 0.001

/** The angle between two points on a sphere. */
function angle(a: Point, b: Point): number {
  const up = sin(((b.latitude - a.latitude) * RADIANS) / 2)
  const aside = sin(((b.longitude - a.longitude) * RADIANS) / 2)
  const share = up * up + cos(a.latitude * RADIANS) * cos(b.latitude * RADIANS) * aside * aside
  return 2 * asin(Math.min(1, Math.sqrt(share)))
}

/** Whether the points are more than so many km apart; the geodesic is solved only where the bounds do not tell. */
export function isFurther(a: Point, b: Point, km: number): boolean {
  const between = angle(a, b)
  if (LEAST_KM * between - ROUNDING_KM > km) return true
  return MOST_KM * between + ROUNDING_KM > km && geodesicKm(a, b) > km
}

/** A length that the distance of the points is never below. */
const atLeastKm = (a: Point, b: Point): number => LEAST_KM * angle(a, b) - ROUNDING_KM

function cellOf(box: Box): Cell {
  const center = { latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2 }
  // Of a box not wider than half the globe, the points furthest from its center are corners.
  const corner = Math.max(
    angle(center, { latitude: box.south, longitude: box.west }),
    angle(center, { latitude: box.north, longitude: box.west }),
  )
  return { ...box, center, reachKm: MOST_KM * corner + ROUNDING_KM }
}

/** The world in eight. */
export const WORLD: readonly Cell[] = [-90, 0].flatMap((south) =>
  [-180, -90, 0, 90].map((west) => cellOf({ south, north: south + 90, west, east: west + 90 })),
)

/** The halves of a cell, across its longer side on the ground, so that cells near the poles do not become slivers. */
export function halves({ south, north, west, east, center }: Cell): readonly [Cell, Cell] {
  const nearest = south <= 0 && north >= 0 ? 0 : Math.min(Math.abs(south), Math.abs(north))
  return (east - west) * cos(nearest * RADIANS) > north - south
    ? [cellOf({ south, north, west, east: center.longitude }), cellOf({ south, north, west: center.longitude, east })]
    : [cellOf({ south, north: center.latitude, west, east }), cellOf({ south: center.latitude, north, west, east })]
}

/** How small the smallest cells are, for discs of which this is the smallest: never finer for larger discs. */
export const finestFor = (radiusKm: number): number => Math.min(COARSEST_KM, Math.max(FINEST_KM, radiusKm / 1000))
export const FINEST_KM = 0.02
const COARSEST_KM = 5

/**
 * Walks the cells that may have a point in all of the discs. `wants` is asked of each, and says whether to look into it; the smallest
 * ones are not divided any more. The cells are the same for all discs, so that what is said of larger discs holds for smaller ones.
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

/** Cells that are not certainly outside of a disc; those that lie deeper in all of them first. */
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
