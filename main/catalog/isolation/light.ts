import type { NonceEcho } from '../probes/nonce-echo.ts'

/** The speed of light in vacuum, in km per ms (SI definition of the metre). Fibre is slower, so nothing answers from further away. */
export const LIGHT_KM_PER_MS = 299.792458
/** Clocks steered by NTP run off by at most 500 parts per million. */
const CLOCK_RATE = 1 + 5e-4

export type Timing =
  | { readonly ok: true; readonly milliseconds: number; readonly samples: number }
  | { readonly ok: false; readonly reason: string }

const AGREEING = 3

/**
 * The round-trip time to argue from: the second smallest sample, so that one glitch of a clock cannot shrink it, where at least three
 * samples lie within 0.3 ms or 5 % of it. Nothing is subtracted for processing: that would make the bound unsound.
 */
export function settledTime({ samples, mismatches }: NonceEcho): Timing {
  if (mismatches > 0) return { ok: false, reason: `${mismatches} of the nonces came back altered` }
  const ordered = [...samples].sort((a, b) => a - b)
  const second = ordered[1]
  if (second === undefined) return { ok: false, reason: `only ${samples.length} round trips were timed` }
  const near = ordered.filter((sample) => Math.abs(sample - second) <= Math.max(0.3, second * 0.05)).length
  if (near < AGREEING)
    return {
      ok: false,
      reason: `the round trips do not agree: ${near} of ${samples.length} are near the second smallest`,
    }
  return { ok: true, milliseconds: second, samples: samples.length }
}

/** How far away the answering party can be, at most: light there and back within the time, plus the error of our own place. */
export const farthestKm = (milliseconds: number, ownErrorKm: number): number =>
  (milliseconds / 2) * LIGHT_KM_PER_MS * CLOCK_RATE + ownErrorKm

/** The longest round trip that still bounds within `km`. */
export const neededMilliseconds = (km: number, ownErrorKm: number): number =>
  (2 * (km - ownErrorKm)) / (LIGHT_KM_PER_MS * CLOCK_RATE)
