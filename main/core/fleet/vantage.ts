import type { Place, VantageRecord, VantageSignature } from '../../../schemas/types.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { millisOf } from '../base/days.ts'
import { quote } from '../base/plain-text.ts'

/** A record before it is signed. */
export type UnsignedVantage = Omit<VantageRecord, 'signature'>

/**
 * The signed bytes: the canonical JSON (RFC 8785) of the record, with the other members of the signature as
 * `signature`, so that neither its time nor its certificates can be changed.
 */
export function vantageBytes(record: UnsignedVantage, signature: Omit<VantageSignature, 'cms'>): Uint8Array {
  const { fingerprint, at, chain } = signature
  return new TextEncoder().encode(canonicalJson({ ...record, signature: { fingerprint, at, chain } }))
}

/** A vantage point known less precisely than this gives no useful bound. */
export const LARGEST_VANTAGE_ERROR_KM = 50

/**
 * Why a place is unsuitable as a vantage point, worded to follow its name; null where it is suitable. All conclusions
 * from round-trip times depend on it, so a person must declare it: the location of an address in a database is a
 * guess and bounds nothing.
 */
export function vantagePlaceProblem({ name, latitude, longitude, radiusKm, declaredBy }: Place): string | null {
  if (name.trim() === '') return 'has no name'
  if (declaredBy.trim() === '') return 'has no declaring person'
  if (GUESSED.test(name) || GUESSED.test(declaredBy))
    return 'is derived from an address (“IP-derived”) and cannot be used as a bound; a person must declare it'
  if (!(Math.abs(latitude) <= 90)) return 'has a latitude that is not between -90 and 90 degrees'
  if (!(Math.abs(longitude) <= 180)) return 'has a longitude that is not between -180 and 180 degrees'
  if (!(radiusKm > 0)) return 'must have an accuracy greater than 0 km'
  return radiusKm <= LARGEST_VANTAGE_ERROR_KM
    ? null
    : `has an accuracy of only ${radiusKm} km; at most ${LARGEST_VANTAGE_ERROR_KM} km is required for a vantage point`
}

/** Names that tools assign to places derived from an address. */
const GUESSED = /(?<![a-z])(?:geo[- ]?ip|ip[- ]?(?:address[- ]?)?(?:derived|based|geo\w*|locat\w*|lookup))/i

/** Clocks may be adjusted while they are read, so times of one record may be out of order by this much. */
const SLACK_MS = 60_000
/** Allows for the time to find the passphrase. */
const LONGEST_SIGNING_MS = 24 * 60 * 60 * 1000

/** The problems of a well-formed record, one sentence each; its signature is not examined. Never throws. */
export function vantageProblems(record: VantageRecord): readonly string[] {
  const { vantage, startedAt, endedAt, measurements, signature } = record
  const place = vantagePlaceProblem(vantage)
  const [start, end, signed] = [millisOf(startedAt), millisOf(endedAt), millisOf(signature.at)]
  const during = (at: string): boolean => within(millisOf(at), start - SLACK_MS, end + SLACK_MS)
  const names = new Set<string>()
  const twice = measurements.find(({ node }) => names.size === names.add(node).size)
  const strayed = measurements.find(
    ({ at, echo }) => !during(at) || (echo?.bursts ?? []).some((burst) => !during(burst.at)),
  )
  const silent = measurements.find(({ hostKey, echo, path }) => hostKey === null && (echo !== null || path !== null))
  return [
    ...(place === null ? [] : [`Its vantage point ${place}.`]),
    ...(within(end, start - SLACK_MS, Number.POSITIVE_INFINITY) ? [] : ['It ends before it begins.']),
    ...(within(signed, end - SLACK_MS, end + LONGEST_SIGNING_MS)
      ? []
      : ['It was not signed at the time of measurement: its signature has a different date.']),
    ...(strayed === undefined ? [] : [`Node ${quote(strayed.node)} was measured before its start or after its end.`]),
    ...(twice === undefined ? [] : [`Node ${quote(twice.node)} is in it twice.`]),
    ...(silent === undefined ? [] : [`Node ${quote(silent.node)} has measurements without a host key.`]),
  ]
}

/** False for NaN as well. */
const within = (value: number, from: number, to: number): boolean => from <= value && value <= to
