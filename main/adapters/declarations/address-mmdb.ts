import { Reader, type Response } from 'mmdb-lib'
import type { AddressAnswer, AddressDatabase } from '../../../schemas/types.ts'
import { oneLine } from '../../core/base/plain-text.ts'
import { type IpAddress, networkText } from '../../core/geo/addresses.ts'

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
interface Answered {
  readonly address: IpAddress
  readonly network: string | null
  /** Its prefix length in bits; null where it does not cover the address. */
  readonly prefix: number | null
}

/** Networks with a shorter prefix may be spread over a country; an IPv6 /32 is all that one operator has (RIPE-738). */
const NARROW = { 4: 20, 6: 32 } as const
/** The coordinates that databases return for “somewhere in the United States”. */
const US_MIDDLE = { latitude: 37.751, longitude: -97.822 }

/** An entry as stored, with the level of detail that can be used. */
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

function countryCode(value: unknown): string | null {
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

/** A parsed database, or the error in it, worded to follow its name. */
export type ReadDatabase = DatabaseReading | string
interface DatabaseReading extends Pick<AddressDatabase, 'type' | 'builtOn' | 'families'> {
  /** Looks up an address of one of the families. */
  readonly answer: (address: IpAddress) => AddressAnswer
}

/** MaxMind DB File Format 2.0: precedes the metadata, in the last 128 KiB of the file. */
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const METADATA_MOST = 128 * 1024

export const isMmdb = (bytes: Uint8Array): boolean =>
  bufferOf(bytes.subarray(-METADATA_MOST - MARKER.length)).includes(MARKER)

/** Separator between the tree and the records. */
const SEPARATOR = 16

/**
 * A database in the MaxMind DB format. An address of a family that the file does not contain is never looked up: the
 * library would read the first bits of an IPv6 address as an IPv4 one, and return a wrong city. No input makes it
 * throw, and the library reads only data that was checked to stay small.
 */
export function readMmdb(bytes: Uint8Array): ReadDatabase {
  const about = bufferOf(bytes).lastIndexOf(MARKER) + MARKER.length
  // If the metadata started like the marker, the library would look for it elsewhere.
  const isUnclear = about < MARKER.length || MARKER.includes(bytes[about] ?? 0)
  if (isUnclear || !staysSmall(bytes, about, about)) return 'is not a readable database: its metadata is damaged'
  let [isFirst, base] = [true, 0]
  // The library calls this for each record before reading it, and then for everything that the record refers to.
  const guard = {
    get: (offset: string | number) => {
      if (isFirst && !staysSmall(bytes, Number(offset), base)) throw new Error('a record exceeds the size limit')
      isFirst = false
      return undefined
    },
    set: () => undefined,
  }
  let reader: Reader<Response>
  try {
    reader = new Reader<Response>(bufferOf(bytes), { cache: guard })
  } catch {
    return 'is not a readable database: its metadata is damaged'
  }
  const { ipVersion, databaseType, buildEpoch, nodeCount, searchTreeSize } = reader.metadata
  if (ipVersion !== 4 && ipVersion !== 6) return 'has another address family than IPv4 and IPv6'
  if (!Number.isSafeInteger(nodeCount) || nodeCount < 1 || searchTreeSize > bytes.length)
    return 'is truncated: its tree is larger than the file'
  base = searchTreeSize + SEPARATOR
  const lookUp = (address: IpAddress): readonly [unknown, number] | null => {
    isFirst = true
    try {
      return reader.getWithPrefixLength(address.text)
    } catch {
      return null
    }
  }
  const families: DatabaseReading['families'] = ipVersion === 4 ? [4] : holdsIpv4(bytes, reader.metadata) ? [4, 6] : [6]
  return {
    type: typeof databaseType === 'string' ? oneLine(databaseType.slice(0, 300)).slice(0, 300) : '',
    builtOn: dayOf(buildEpoch),
    families,
    answer: (address) => {
      const [record, prefix] = lookUp(address) ?? [null, 0]
      return record === null
        ? answerOf({ address, network: null, prefix: null }, {})
        : answerOf({ address, network: networkText(address, prefix), prefix }, givenIn(record))
    },
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** IPv4 addresses are in an IPv6 tree below 96 zero bits; in a file of IPv6 alone that path has no end. */
function holdsIpv4(bytes: Uint8Array, { nodeCount, recordSize, nodeByteSize }: Reader<Response>['metadata']): boolean {
  const view = bufferOf(bytes)
  let node = 0
  for (let depth = 0; depth < 96 && node < nodeCount; depth++) {
    const at = node * nodeByteSize
    if (at + nodeByteSize > view.length) return false
    node =
      recordSize === 28
        ? ((view.readUInt8(at + 3) & 0xf0) << 20) | view.readUIntBE(at, 3)
        : view.readUIntBE(at, recordSize / 8)
  }
  return node !== nodeCount
}

function dayOf(moment: Date): string | null {
  const time = moment.getTime()
  return Number.isNaN(time) || time <= 0 || time > LAST ? null : moment.toISOString().slice(0, 10)
}

const LAST = Date.parse('9999-12-31')

/**
 * The parts of a record, by the names of MaxMind and DB-IP (nested, by language) and of flat databases (iptoasn,
 * ip-location-db, IPinfo).
 */
function givenIn(record: unknown): Given {
  const flat = fields(record)
  const { country, location, city, subdivisions } = flat
  const names = (value: unknown): unknown => (typeof value === 'string' ? value : fields(fields(value).names).en)
  const [first] = Array.isArray(subdivisions) ? subdivisions : []
  const place = fields(location)
  return {
    country: fields(country).iso_code ?? flat.country_code ?? country,
    subdivision: names(first) ?? flat.state1 ?? flat.region,
    city: names(city),
    latitude: place.latitude ?? flat.latitude ?? flat.lat,
    longitude: place.longitude ?? flat.longitude ?? flat.lng,
    radiusKm: place.accuracy_radius ?? flat.accuracy_radius,
    asn: flat.autonomous_system_number ?? flat.asn ?? flat.as_number,
    organisation:
      flat.autonomous_system_organization ?? flat.as_organization ?? flat.as_name ?? flat.organization ?? flat.name,
  }
}

/** Own members only: a record can contain any key. */
const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

/** Larger than any record or metadata of an address database. */
const [MOST_VALUES, MOST_BYTES, DEEPEST] = [2000, 64 * 1024, 24]

const [EXTENDED, POINTER, MAP, ARRAY, BOOLEAN] = [0, 1, 7, 11, 14]

/**
 * Whether the value at a position of a MaxMind DB file (format 2.0, “Data Section”) stays small once read: number of
 * values, bytes in texts, depth. A file can announce sixteen million values in five bytes, or refer to itself; a reader
 * that trusts it runs out of memory and the program ends. `base` is the origin of references.
 */
function staysSmall(bytes: Uint8Array, place: number, base: number): boolean {
  let [values, size] = [0, 0]
  /** Position after the value; null where it is too large, or outside the file. */
  const walk = (start: number, depth: number): number | null => {
    const byte = (at: number): number => bytes[at] ?? Number.NaN
    const number = (at: number, length: number): number => {
      let sum = 0
      for (let next = at; next < at + length; next++) sum = sum * 256 + byte(next)
      return sum
    }
    values += 1
    const control = byte(start)
    if (values > MOST_VALUES || depth > DEEPEST || Number.isNaN(control)) return null
    const kind = control >> 5
    if (kind === POINTER) {
      const length = ((control >> 3) & 3) + 1
      const high = length === 4 ? 0 : (control & 7) * 256 ** length
      const to = base + high + number(start + 1, length) + (POINTER_BASE[length] ?? 0)
      return walk(to, depth + 1) === null ? null : start + 1 + length
    }
    const [type, from] = kind === EXTENDED ? [byte(start + 1) + 7, start + 2] : [kind, start + 1]
    const short = control & 31
    const extra = short < 29 ? 0 : short - 28
    const count = short < 29 ? short : (SIZE_BASE[extra] ?? 0) + number(from, extra)
    let at = from + extra
    if (type === BOOLEAN) return at
    if (type !== MAP && type !== ARRAY) {
      size += count
      return size <= MOST_BYTES && at + count <= bytes.length ? at + count : null
    }
    if (!(count <= MOST_VALUES)) return null
    for (let left = type === MAP ? count * 2 : count; left > 0; left--) {
      const next = walk(at, depth + 1)
      if (next === null) return null
      at = next
    }
    return at
  }
  return walk(place, 0) !== null
}

/** By the number of bytes that follow. */
const POINTER_BASE = [0, 0, 2048, 526_336, 0]
const SIZE_BASE = [0, 29, 285, 65_821]
