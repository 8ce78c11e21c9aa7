import type { AddressAnswer } from '../../../schemas/types.ts'
import type { IpAddress } from '../../core/geo/addresses.ts'
import { oneLine } from '../../core/plain-text.ts'

/** Fields of a database entry, in any form; undefined and empty mean that the field is not given. */
export interface Given {
  readonly country?: unknown
  readonly subdivision?: unknown
  readonly city?: unknown
  readonly latitude?: unknown
  readonly longitude?: unknown
  readonly radiusKm?: unknown
  readonly asn?: unknown
  readonly organisation?: unknown
}

/** The network that an entry covers. */
export interface Answered {
  readonly address: IpAddress
  readonly network: string | null
  /** Its prefix length in bits; null where it does not cover the address. */
  readonly prefix: number | null
}

/** Networks with a shorter prefix may be spread over a country; an IPv6 /32 is all that one operator has (RIPE-738). */
const NARROW = { 4: 20, 6: 32 } as const
/** What databases return for “somewhere in the United States”. */
const US_MIDDLE = { latitude: 37.751, longitude: -97.822 }

/** An entry as stored, with how much of it can be used. */
export function answerOf({ address, network, prefix }: Answered, given: Given): AddressAnswer {
  const country = countryCode(given.country)
  const city = text(given.city, 200)
  const [latitude, longitude] = [degrees(given.latitude, 90), degrees(given.longitude, 180)]
  const asn = asNumber(given.asn)
  const organisation = text(given.organisation, 300)
  const placed = country !== null && city !== null && latitude !== null && longitude !== null
  const isMiddle = latitude === US_MIDDLE.latitude && longitude === US_MIDDLE.longitude
  const isWide = prefix === null || prefix < NARROW[address.family]
  const whole = latitude !== null && longitude !== null
  const radius = numberIn(given.radiusKm)
  return {
    address: address.text,
    network,
    country,
    subdivision: text(given.subdivision, 200),
    city,
    latitude: whole ? latitude : null,
    longitude: whole ? longitude : null,
    radiusKm: radius !== null && radius >= 0 && radius <= 20_040 ? radius : null,
    asn,
    organisation,
    level:
      country !== null
        ? placed && !isMiddle && !isWide
          ? 'city'
          : 'country'
        : asn !== null || organisation !== null
          ? 'network'
          : 'none',
  }
}

/** Codes that denote no country: unknown, and regions of registries. */
const NO_COUNTRY = /^(ZZ|XX|EU|AP|T1|A1|A2|O1)$/

export function countryCode(value: unknown): string | null {
  const code = typeof value === 'string' ? value.trim().toUpperCase() : ''
  return /^[A-Z]{2}$/.test(code) && !NO_COUNTRY.test(code) ? code : null
}

function text(value: unknown, longest: number): string | null {
  // A cell may be long; only its start can appear in the text, whose escapes make it longer.
  const line = typeof value === 'string' ? oneLine(value.slice(0, longest)).slice(0, longest) : ''
  return line === '' || line === '-' ? null : line
}

function numberIn(value: unknown): number | null {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && /^-?\d{1,5}(\.\d{1,20})?$/.test(value.trim())
        ? Number(value)
        : Number.NaN
  return Number.isFinite(number) ? number : null
}

function degrees(value: unknown, most: number): number | null {
  const number = numberIn(value)
  return number !== null && Math.abs(number) <= most ? number : null
}

/** `15169`, or `AS15169`; 0 is no network (RFC 7607). */
export function asNumber(value: unknown): number | null {
  const digits =
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim().replace(/^AS/i, '') : ''
  const number = /^\d{1,10}$/.test(digits) ? Number(digits) : 0
  return number > 0 && number <= 4_294_967_295 ? number : null
}
