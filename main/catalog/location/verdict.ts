import type { LocationIndication, LocationResult, Place } from '../../../schemas/types.ts'
import type { Box, Region } from '../../core/geo/geodesy.ts'
import { relate } from '../../core/geo/relation.ts'
import type { Context } from '../../core/rules/check.ts'
import { type Delay, type DelayIndication, delayIndication } from './discs.ts'
import { BORDERS } from './peers.ts'
import { type Found, registryOf } from './registry.ts'

/** A part of the world that a node is stated, or has, to be in. */
export interface Asked {
  readonly region: Region
  /** The country that the claim itself names next to it, as a declared place may. */
  readonly country?: string | undefined
}

export interface PlaceResult {
  readonly verdict: LocationResult['result']
  readonly delay: DelayIndication
  readonly indications: readonly LocationIndication[]
}

/**
 * The six verdicts, for a declared place as for a policy. Light decides first: E1 outside, or a statement that is signed and bound to this
 * machine (E2) or attested by its hardware (E3) and names another place, contradicts. Then any other statement that disagrees makes it
 * conflicting, whatever the times state. Only then may something support it. Times that exclude each other leave it unverified: one of the
 * vantages is wrong, which is nothing against the node. A hint counts nowhere.
 */
export function placeResult(asked: Asked, delay: Delay, signals: readonly Found[], context: Context): PlaceResult {
  const read = signals.map((signal) => ({ signal, indicates: placeIndication(signal, asked) }))
  const byDelay = delayIndication(delay, asked.region)
  const counted = read.filter(({ signal }) => !signal.hint)
  const against = counted.filter(({ indicates }) => indicates === 'outside').map(({ signal }) => signal.class)
  const agreeing = counted.filter(({ indicates }) => indicates === 'inside').map(({ signal }) => signal)
  return {
    verdict: verdictOf(byDelay, against, { isAny: agreeing.length > 0, kinds: kindsOf(agreeing, context) }),
    delay: byDelay,
    indications: read.map(({ signal: { id }, indicates }) => ({ id, indicates })),
  }
}

/** Databases of addresses copy each other, so that they count as a kind only where two of different provenance agree about one address. */
function kindsOf(agreeing: readonly Found[], context: Context): number {
  const read = agreeing.flatMap(({ id }) => registryOf(id, context) ?? [])
  const agreed = read.some((one) =>
    read.some(({ source, address }) => address === one.address && source !== one.source),
  )
  return new Set(agreeing.flatMap((signal) => (signal.class === 'E4' && !agreed ? [] : [signal.class]))).size
}

/**
 * Whether what names another place is enough to contradict a record: something signed or attested, or two sources that represent
 * themselves. One file, table or database alone may be the one that is wrong.
 */
export function isWeighty(against: readonly Found[], context: Context): boolean {
  if (against.some(({ class: kind }) => kind === 'E2' || kind === 'E3')) return true
  return new Set(against.map(({ id, class: kind }) => `${kind} ${registryOf(id, context)?.source ?? ''}`)).size >= 2
}

function verdictOf(
  byDelay: DelayIndication,
  against: readonly Found['class'][],
  { isAny, kinds }: { readonly isAny: boolean; readonly kinds: number },
): PlaceResult['verdict'] {
  if (byDelay === 'outside' || against.some((kind) => kind === 'E2' || kind === 'E3')) return 'contradicted'
  if (against.length > 0) return 'conflicting'
  if (byDelay === 'empty') return 'undetermined'
  if (byDelay === 'inside') return 'bounded'
  if (byDelay === 'undecided' && kinds >= 2) return 'corroborated'
  return isAny ? 'uncorroborated' : 'undetermined'
}

/**
 * One statement against a region. A statement of a country agrees only with a claim that names the country, since a country is more than a
 * part of it; it disagrees where the region has no land of that country, or the claim names another.
 */
export function placeIndication(
  { country, place }: Pick<Found, 'country' | 'place'>,
  asked: Asked,
): LocationIndication['indicates'] {
  const named = country ?? place?.country ?? null
  const byCountry = named === null ? 'silent' : countryIndication(named, asked)
  if (byCountry === 'outside' || place === null) return byCountry
  const byPlace = relate([discOf(place)], asked.region, BORDERS)
  return byPlace === 'inside' || byPlace === 'outside' ? byPlace : byCountry
}

function countryIndication(named: string, { region, country }: Asked): LocationIndication['indicates'] {
  if (region.kind === 'countries') return region.codes.includes(named) ? 'inside' : 'outside'
  if (country !== undefined && country !== named) return 'outside'
  if (!BORDERS.codes.has(named)) return country === named ? 'inside' : 'silent'
  if (region.kind === 'polygon') return BORDERS.landIn(boxAround(region.corners)).has(named) ? 'silent' : 'outside'
  if (relate([region.disc], { kind: 'countries', codes: [named] }, BORDERS) === 'outside') return 'outside'
  return country === named ? 'inside' : 'silent'
}

export const discOf = (place: Place): { readonly center: Place; readonly radiusKm: number } => ({
  center: place,
  radiusKm: place.radiusKm,
})

/** Polygons cross neither a pole nor the date line, so their corners span them. */
function boxAround(corners: readonly { readonly latitude: number; readonly longitude: number }[]): Box {
  const [latitudes, longitudes] = [corners.map(({ latitude }) => latitude), corners.map(({ longitude }) => longitude)]
  return {
    south: Math.min(...latitudes),
    north: Math.max(...latitudes),
    west: Math.min(...longitudes),
    east: Math.max(...longitudes),
  }
}
