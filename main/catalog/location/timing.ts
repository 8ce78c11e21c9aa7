import type { EchoTiming } from '../../../schemas/types.ts'
import { asin, sin } from '../../core/elementary.ts'
import { type PackedAtlas, readAtlas, ringOf } from '../../core/geo/atlas.ts'
import { bordersOf } from '../../core/geo/borders.ts'
import type { DrawnLand } from '../../core/geo/land.ts'
import type { Borders, Box } from '../../core/geo/region.ts'
import { quote } from '../../core/plain-text.ts'
import fine from './borders-10m.json' with { type: 'json' }
import coarse from './borders-50m.json' with { type: 'json' }

/** Rounded up, so that nothing is stated to be nearer than it may be. */
export const kilometres = (distance: number): string => `${(Math.ceil(distance * 10) / 10).toFixed(1)} km`
export const milliseconds = (time: number): string => `${time.toFixed(3)} ms`

/** What people typed, in a list: “a”, “b” and “c”. */
export function listed(names: readonly string[]): string {
  const quoted = [...new Set(names)].map((name) => quote(name))
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} and ${last}`
}

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** A line of 0.2 mm at 1:10,000,000 is 2 km wide, and its manufacturers straightened what is narrower; the steps of the arcs add 0.3 km. */
const TOLERANCE_KM = 5

const packed: PackedAtlas = fine
const unpacked = once(() => bordersOf(readAtlas(packed), TOLERANCE_KM))

/**
 * Countries of the world by their land, for verdicts. Read when first asked. Land that several states hold or claim names each of them;
 * islands too small for 1:10,000,000 are missing.
 */
export const BORDERS: Borders = {
  landIn: (box: Box) => unpacked().landIn(box),
  toleranceKm: TOLERANCE_KM,
  codes: new Set(packed.shapes.flatMap(({ codes }) => codes)),
}

/** The same at 1:50,000,000, for drawing alone; of land with several codes, the first. */
export const drawnLand: () => DrawnLand = once(() => {
  const atlas = readAtlas(coarse)
  return atlas.shapes.map(({ codes, polygons }) => ({
    code: codes[0] ?? '',
    polygons: polygons.map((rings) => rings.map((ring) => ringOf(atlas, ring))),
  }))
})

/** The speed of light in vacuum, in km per ms (SI definition of the metre). Fibre is slower, so nothing responds from further away. */
export const LIGHT_KM_PER_MS = 299.792458
/**
 * How much a clock that NTP steers may run off: 500 parts per million (RFC 5905; `adjtimex(2)`). Programs can steer the monotonic clock
 * further, chrony while it takes out an offset up to 8.3 % (`maxslewrate`), and no clock that we can read shows. So it is assumed that none
 * does so while we time, and every result states this.
 */
const CLOCK_RATE = 1 + 5e-4

export type Timing =
  | { readonly ok: true; readonly milliseconds: number; readonly samples: number; readonly jitterMs: number }
  | { readonly ok: false; readonly reason: string }

const AGREEING = 3

/** What the estimate takes of a timing, from the collection or from a record. */
export interface Timed extends Pick<EchoTiming, 'mismatches'> {
  readonly bursts: readonly Pick<EchoTiming['bursts'][number], 'samples' | 'wallDriftMs'>[]
}

/** During a burst the two clocks of the measuring side must stay within this of each other, in ms; else it was suspended, or set. */
const LARGEST_DRIFT_MS = 50

/**
 * The round-trip time to argue from: the second smallest sample, so that one glitch of a clock cannot shrink it, where at least three
 * samples are within 0.3 ms or 5 % of it. Bursts during which the clock was set are left out. Nothing is subtracted for processing: that
 * would make the bound unsound.
 */
export function settledTime({ bursts, mismatches }: Timed): Timing {
  if (mismatches > 0) return { ok: false, reason: `${mismatches} of the nonces came back altered` }
  const steady = bursts.filter(({ wallDriftMs }) => Math.abs(wallDriftMs) <= LARGEST_DRIFT_MS)
  const samples = steady.flatMap((burst) => burst.samples)
  if (steady.length < bursts.length && samples.length === 0)
    return { ok: false, reason: 'the measuring side’s clock was set while it timed' }
  const ordered = [...samples].sort((a, b) => a - b)
  const second = ordered[1]
  if (second === undefined) return { ok: false, reason: `only ${samples.length} round trips were timed` }
  const near = ordered.filter((sample) => Math.abs(sample - second) <= Math.max(0.3, second * 0.05)).length
  if (near < AGREEING)
    return {
      ok: false,
      reason: `the round trips do not agree: ${near} of ${samples.length} are near the second smallest`,
    }
  const median = ordered[Math.floor(ordered.length / 2)] ?? second
  return { ok: true, milliseconds: second, samples: samples.length, jitterMs: median - second }
}

/** The least radius of curvature of WGS 84 (of the meridian, at the equator), in km, rounded down; and the same 440 m further down. */
const LEAST_RADIUS_KM = 6335.43
const DEEP_RADIUS_KM = 6334.99
/** Half of the equator, rounded up: no place is further away from another (20,003.93 km), and maps draw no circle. */
export const EVERYWHERE_KM = 20_040
/** Up to here the circle below bounds ways on the surface. */
const LAST_ON_CIRCLE_KM = 19_800

/** A straight line that joins places which are never further apart on the surface than so much. */
const straightKm = (surfaceKm: number): number =>
  2 * DEEP_RADIUS_KM * sin(Math.min(surfaceKm, LAST_ON_CIRCLE_KM) / (2 * LEAST_RADIUS_KM))
const LAST_STRAIGHT_KM = straightKm(LAST_ON_CIRCLE_KM)

/**
 * How far apart on the surface two places can be that a straight line of a length joins, through the earth. No shortest way on the surface
 * bends more sharply than a circle of the least radius of curvature, so that its ends are no nearer than those of an arc of that circle
 * which is as long (Schur’s comparison theorem). It holds for places on the surface or above it, and down to 440 m under the ellipsoid.
 */
const surfaceKm = (straight: number): number =>
  straight > LAST_STRAIGHT_KM ? EVERYWHERE_KM : 2 * LEAST_RADIUS_KM * asin(Math.max(0, straight) / (2 * DEEP_RADIUS_KM))

/**
 * How far away on the surface the answering party can be, at most: light there and back within the time, plus the error of our own place.
 * Light is given a straight line through the earth, which nothing in use takes: so the bound asks nothing of cables, satellites or tunnels.
 */
export const farthestKm = (milliseconds: number, ownErrorKm: number): number =>
  surfaceKm((milliseconds / 2) * LIGHT_KM_PER_MS * CLOCK_RATE) + ownErrorKm

/** The longest round trip that still bounds within `km`; not above nought where our own error is that large. */
export const neededMilliseconds = (km: number, ownErrorKm: number): number =>
  (2 * straightKm(km - ownErrorKm)) / (LIGHT_KM_PER_MS * CLOCK_RATE)
