import type { SiteList, SiteRow } from '../../../../schemas/types.ts'
import { plain, quote } from '../../../core/base/plain-text.ts'
import { serialKey } from '../../../core/engagement/same.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import type { Context } from '../../../core/rules/check.ts'
import { type HostSerials, hostSerials } from '../../hardware/machine/identity.ts'
import type { Found } from '../registry.ts'

const ID = 'site-record'
/** Coordinates without a radius are often those of a town or a postcode. */
const USUAL_RADIUS_KM = 10

/**
 * The provider's record of the site of the machine with this serial number: a document that a person supplied (E6), or, where it is signed with the
 * certificate that the customer received from the provider, that signer's statement about this machine (E2). A signature by any other party shows
 * only that the document is unchanged. Placeholders that manufacturers and firmware use for a serial number match nothing.
 */
export function siteRecordSignals(reading: Parsed<HostSerials>, { location, asOf }: Context): readonly Found[] {
  const sites = location?.sites
  if (sites === undefined) return []
  const result = (of: Partial<Found> & Pick<Found, 'text'>): readonly Found[] => [
    {
      id: ID,
      class: isOfKnownSigner(sites) ? 'E2' : 'E6',
      hint: false,
      country: null,
      place: null,
      probe: hostSerials.id,
      ...of,
    },
  ]
  if (!reading.ok)
    return result({ text: `${named(sites)} could not be compared: ${hostSerials.title}: ${reading.reason}.` })
  const { product, chassis, board } = reading.fact
  const serials = [product, chassis, board].flatMap((text) => {
    const key = serialKey(text)
    return key === null ? [] : [{ text, key }]
  })
  if (serials.length === 0)
    return result({
      text: `${named(sites)} could not be compared: the firmware gives no serial number that identifies this machine.`,
    })
  const rows = rowsOf(sites)
  const found = serials.flatMap(({ text, key }) => {
    const row = rows.get(key)
    return row === undefined ? [] : [{ text, row }]
  })
  const [first] = found
  if (first === undefined)
    return result({
      text: `${named(sites)} has no row for a serial number of this machine (${serials.map(({ text }) => quote(text)).join(', ')}).`,
    })
  const { row, text } = first
  const isLater = sites.on > asOf.slice(0, 10)
  const isTwofold = found.some((other) => other.row.site !== row.site || other.row.country !== row.country)
  return result({
    // A record with a future date is no evidence yet; one with two places for a machine does not state which applies.
    hint: isLater || isTwofold,
    country: row.country ?? null,
    place: placeOf(row, sites),
    text: `${named(sites)} states, in line ${row.line}, that the machine with the serial number ${quote(text)}, which the firmware reports, is in ${where(row)}.${isLater ? ' It is dated after this moment, and is not counted.' : ''}${
      isTwofold ? ' Other serial numbers of this machine have rows with another site, so that it is not counted.' : ''
    }`,
  })
}

const isOfKnownSigner = ({ signature, signer }: SiteList): boolean =>
  signature !== undefined && signature.fingerprint === signer

function signedText(sites: SiteList): string {
  const { signature, declaredBy } = sites
  if (signature === undefined) return 'unsigned'
  const by = `signed as ${quote(signature.subject)}, certificate ${plain(signature.fingerprint.slice(0, 16))}…`
  return isOfKnownSigner(sites)
    ? `${by}, which ${quote(declaredBy)} recorded as the signer’s`
    : `${by}, a key that was not confirmed: a key with any name can be created`
}

function named(sites: SiteList): string {
  const { source, kind, on, file } = sites
  return `The record of ${quote(source)} of ${plain(on)} (${kind === 'csv' ? 'a table' : 'Redfish'} in ${quote(file.name)}, ${signedText(sites)})`
}

function where({ site, room, rack, unit, address, country }: SiteRow): string {
  const parts = [
    quote(site),
    address === undefined ? '' : quote(address),
    room === undefined ? '' : `room ${quote(room)}`,
    rack === undefined ? '' : `rack ${quote(rack)}`,
    unit === undefined ? '' : `unit ${quote(unit)}`,
    country ?? '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

function placeOf({ site, country, latitude, longitude, radiusKm }: SiteRow, { source }: SiteList): Found['place'] {
  if (latitude === undefined || longitude === undefined) return null
  return {
    name: plain(site).slice(0, 200),
    ...(country === undefined ? {} : { country }),
    latitude,
    longitude,
    radiusKm: radiusKm ?? USUAL_RADIUS_KM,
    declaredBy: plain(source).slice(0, 200),
  }
}

/** Rows by comparable serial number. Two rows of one number cannot come from our reader; then the first one counts. */
export function rowsOf(sites: SiteList): ReadonlyMap<string, SiteRow> {
  const known = ROWS.get(sites)
  if (known !== undefined) return known
  const rows = new Map<string, SiteRow>()
  for (const row of sites.rows) {
    const key = serialKey(row.serial)
    if (key !== null && !rows.has(key)) rows.set(key, row)
  }
  ROWS.set(sites, rows)
  return rows
}

const ROWS = new WeakMap<SiteList, ReadonlyMap<string, SiteRow>>()
