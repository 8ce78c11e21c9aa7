import { basename } from 'node:path'
import type { AddressDatabaseInFile } from '../../../schemas/types.ts'
import type { OpenAddressDatabase } from '../../core/all-ports.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { oneLine, quote } from '../../core/base/plain-text.ts'
import { address4, address6, addressValue, type IpAddress, isPublic, parseAddress } from '../../core/geo/addresses.ts'
import { readNamed, unread } from '../stored-file.ts'
import { answerOf, asNumber, type Given, isMmdb, type ReadDatabase, readMmdb } from './address-mmdb.ts'
import { placeOf } from './engagement-file.ts'

const LARGEST_MIB = 512
const LONGEST_NAME = 200

/**
 * An address database, MMDB or CSV, recognized by its bytes. Fails with input.not-found and input.refused; a line that
 * cannot be read is named.
 */
export async function openAddressDatabase(
  { file, provenance, builtOn }: AddressDatabaseInFile,
  beside: string | null,
): Promise<Outcome<OpenAddressDatabase>> {
  const path = placeOf(file, beside)
  const bytes = await readNamed(path, LARGEST_MIB)
  if (typeof bytes === 'string') return unread(path, bytes)
  const name = oneLine(basename(path).slice(0, LONGEST_NAME), LONGEST_NAME).slice(0, LONGEST_NAME)
  const format = isMmdb(bytes) ? 'mmdb' : 'csv'
  const read = format === 'mmdb' ? readMmdb(bytes) : readAddressCsv(bytes)
  if (typeof read === 'string')
    return fail('input.refused', `${quote(name)}${read.startsWith(',') ? read : ` ${read}`}`)
  const { type, families, answer } = read
  return ok({
    about: {
      file: { name, size: bytes.length, sha256: sha256(bytes) },
      format,
      type,
      provenance: provenance ?? provenanceOf(format === 'mmdb' ? type : name, name),
      builtOn: read.builtOn ?? builtOn ?? null,
      families,
    },
    answer: (asked) => {
      const address = parseAddress(asked)
      const isHeld = address !== null && isPublic(address) && families.some((family) => family === address.family)
      return isHeld ? answer(address) : null
    },
  })
}

const MAKERS: readonly (readonly [RegExp, string])[] = [
  [/^(GeoIP|GeoLite)|maxmind/i, 'MaxMind'],
  [/db-?ip/i, 'DB-IP'],
  [/ip2location/i, 'IP2Location'],
  [/iptoasn|ip2asn/i, 'iptoasn'],
  [/ipinfo/i, 'IPinfo'],
  [/geo-?whois/i, 'geo-whois-asn-country'],
  [/routeviews/i, 'RouteViews'],
]

/** The publisher, by the name in the database; otherwise that name itself. */
const provenanceOf = (type: string, name: string): string =>
  MAKERS.find(([pattern]) => pattern.test(type))?.[1] ?? (type === '' ? name : type).slice(0, 200)

const MOST_CHARACTERS = 4096
const MOST_ROWS = 8_000_000
const PIECE = 1024 * 1024

/** Columns after the two edges of a range. */
type Columns = 'country' | 'network' | 'network-country' | 'city'

/**
 * A database as text. Each line has the first and last address of a range, then a country; or a network’s number and
 * its organization (ip-location-db, iptoasn, with the country between them); or country, state, and city with degrees
 * (ip-location-db, DB-IP). Separated by commas or tabs. Addresses are written as such, or as whole numbers (IP2Location). An invalid
 * line is named, and so is a range that overlaps another.
 */
export function readAddressCsv(bytes: Uint8Array): ReadDatabase {
  const four = growRanges()
  const six = growRanges()
  const kept = new Map<string, number>()
  const statements: Given[] = []
  const numberOf = (given: Given): number => {
    const key = Object.values(given).join('\t')
    const known = kept.get(key)
    if (known !== undefined) return known
    kept.set(key, statements.push(given) - 1)
    return statements.length - 1
  }
  let columns: Columns | null = null
  let line = 0
  let rows = 0
  for (const text of linesOf(bytes)) {
    line += 1
    if (text === null) return `, line ${line}, has more than ${MOST_CHARACTERS} characters`
    if (text.trim() === '' || text.startsWith('#')) continue
    const cells = cellsOf(text)
    const edges = edgesOf(cells[0] ?? '', cells[1] ?? '')
    if (edges === null) {
      // Column headings, if any.
      if (rows === 0 && /^[a-z_ ]{2,40}$/i.test((cells[0] ?? '').trim())) continue
      return `, line ${line}, does not start with the first and last address of a range: ${quote(text, 80)}`
    }
    columns ??= columnsOf(cells)
    const given = columns === null ? null : givenOf(columns, cells)
    if (given === null) return `, line ${line}, has neither a country nor a network after its range: ${quote(text, 80)}`
    rows += 1
    if (rows > MOST_ROWS) return `has more than ${MOST_ROWS} ranges`
    const ranges = edges.family === 4 ? four : six
    ranges.add(edges.start, edges.end, line, numberOf(given))
  }
  if (columns === null) return 'contains no address range'
  return databaseOf(columns, four, six, statements)
}

function databaseOf(
  columns: Columns,
  four: GrowingRanges,
  six: GrowingRanges,
  statements: readonly Given[],
): ReadDatabase {
  const sorted = { 4: four.sorted(), 6: six.sorted() }
  const [in4, in6] = [sorted[4], sorted[6]]
  if ('overlap' in in4) return `, line ${in4.overlap}, is a range that overlaps another`
  if ('overlap' in in6) return `, line ${in6.overlap}, is a range that overlaps another`
  return {
    type: `CSV, ranges by ${TYPES[columns]}`,
    builtOn: null,
    families: [...(in4.size > 0 ? [4 as const] : []), ...(in6.size > 0 ? [6 as const] : [])],
    answer: (address) => {
      const found = (address.family === 4 ? in4 : in6).find(address.value)
      return found === null
        ? answerOf({ address, network: null, prefix: null }, {})
        : answerOf({ address, ...rangeText(address, found) }, statements[found.about] ?? {})
    },
  }
}

const TYPES: Readonly<Record<Columns, string>> = {
  country: 'country',
  network: 'network',
  'network-country': 'network and country',
  city: 'city',
}

/** Lines one by one, without holding the file as one text; null for a line that is too long. */
function* linesOf(bytes: Uint8Array): Generator<string | null> {
  const decoder = new TextDecoder()
  let rest = ''
  for (let at = 0; at < bytes.length; at += PIECE) {
    const lines = (rest + decoder.decode(bytes.subarray(at, at + PIECE), { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MOST_CHARACTERS) lines.push(rest)
    for (const line of lines) yield line.length > MOST_CHARACTERS ? null : line.replace(/\r$/, '')
  }
  if (rest !== '') yield rest.replace(/\r$/, '')
}

/** The cells of one line: no cell in these files spans lines. */
function cellsOf(line: string): readonly string[] {
  const mark = line.includes('\t') ? '\t' : line.includes(',') ? ',' : ';'
  if (!line.includes('"')) return line.split(mark)
  return [...line.matchAll(CELL[mark])].map(([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare)
}

const CELL = {
  '\t': /(?:^|\t)(?:"((?:[^"]|"")*)"|([^\t]*))/g,
  ',': /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g,
  ';': /(?:^|;)(?:"((?:[^"]|"")*)"|([^;]*))/g,
} as const

interface Edges {
  readonly family: 4 | 6
  readonly start: bigint
  readonly end: bigint
}

/** Both of one family, in order. IPv4-mapped IPv6 addresses count as IPv4. */
function edgesOf(first: string, last: string): Edges | null {
  const [a, b] = [edgeOf(first.trim()), edgeOf(last.trim())]
  if (a === null || b === null) return null
  // A whole number that fits both families is of the family of the other edge.
  const family = a.family === 6 || b.family === 6 ? 6 : 4
  const isWritten = [first, last].every((edge) => /[.:]/.test(edge))
  if ((isWritten && a.family !== b.family) || a.value > b.value) return null
  return family === 6 && a.value >= MAPPED && b.value <= MAPPED + 0xffff_ffffn
    ? { family: 4, start: a.value - MAPPED, end: b.value - MAPPED }
    : { family, start: a.value, end: b.value }
}

const MAPPED = 0xffffn << 32n

function edgeOf(text: string): Omit<IpAddress, 'text'> | null {
  if (!/^\d{1,39}$/.test(text)) return addressValue(text)
  const value = BigInt(text)
  return value >> 128n > 0n ? null : { family: value >> 32n > 0n ? 6 : 4, value }
}

const isCountry = (cell: string | undefined): boolean => /^([A-Za-z]{2}|-|None|)$/.test((cell ?? '').trim())
const isNumber = (cell: string | undefined): boolean => /^(AS)?\d{1,10}$/i.test((cell ?? '').trim())

/** By the first line that contains a range. */
function columnsOf([, , third, fourth, fifth, ...more]: readonly string[]): Columns | null {
  if (third === undefined) return null
  if (isNumber(third)) return fifth !== undefined && isCountry(fourth) ? 'network-country' : 'network'
  if (!isCountry(third)) return null
  return more.some((cell) => /^-?\d{1,3}\.\d+$/.test(cell)) ? 'city' : 'country'
}

/** Null where the line has other columns than the first one. */
function givenOf(columns: Columns, cells: readonly string[]): Given | null {
  const [, , third = '', fourth, fifth, sixth] = cells
  switch (columns) {
    case 'country':
      return isCountry(third) && cells.length > 2 ? { country: third } : null
    case 'network':
      return isNumber(third) ? { asn: asNumber(third), organisation: fourth } : null
    case 'network-country':
      return isNumber(third) && isCountry(fourth)
        ? { asn: asNumber(third), country: fourth, organisation: fifth }
        : null
    case 'city': {
      if (!isCountry(third)) return null
      // ip-location-db: country, state1, state2, city, postcode, latitude, longitude, time zone.
      const at = cells.findIndex((cell, place) => place > 4 && /^-?\d{1,3}\.\d+$/.test(cell))
      return {
        country: third,
        subdivision: fourth,
        city: at === 5 ? fifth : sixth,
        latitude: at < 0 ? undefined : cells[at],
        longitude: at < 0 ? undefined : cells[at + 1],
      }
    }
  }
}

/** Address ranges of one family, each with its line and a number for its value. */
interface Ranges {
  readonly size: number
  readonly find: (value: bigint) => FoundRange | null
}

interface FoundRange {
  readonly start: bigint
  readonly end: bigint
  readonly about: number
}

/** Ranges while reading: added in any order. */
interface GrowingRanges {
  readonly add: (start: bigint, end: bigint, line: number, about: number) => void
  /** Sorted; or the line of a range that overlaps another. */
  readonly sorted: () => Ranges | { readonly overlap: number }
}

/** Stored in typed arrays, sixteen bytes per address, to keep hundreds of thousands of ranges small. */
function growRanges(): GrowingRanges {
  let room = 1024
  let size = 0
  let isSorted = true
  let [edges, lines, abouts] = [new BigUint64Array(room * 4), new Uint32Array(room), new Uint32Array(room)]
  const edge = (at: number, part: 0 | 2): bigint =>
    ((edges[at * 4 + part] ?? 0n) << 64n) | (edges[at * 4 + part + 1] ?? 0n)
  return {
    add: (start, end, line, about) => {
      if (size === room) {
        room *= 2
        const [before, lined, answers] = [edges, lines, abouts]
        ;[edges, lines, abouts] = [new BigUint64Array(room * 4), new Uint32Array(room), new Uint32Array(room)]
        edges.set(before)
        lines.set(lined)
        abouts.set(answers)
      }
      if (size > 0 && start <= edge(size - 1, 0)) isSorted = false
      edges[size * 4] = start >> 64n
      edges[size * 4 + 1] = start & LOW
      edges[size * 4 + 2] = end >> 64n
      edges[size * 4 + 3] = end & LOW
      lines[size] = line
      abouts[size] = about
      size += 1
    },
    sorted: () => {
      const order = Uint32Array.from({ length: size }, (_, at) => at)
      if (!isSorted)
        order.sort((a, b) => {
          const [first, second] = [edge(a, 0), edge(b, 0)]
          return first < second ? -1 : first > second ? 1 : 0
        })
      const place = (at: number): number => order[at] ?? 0
      for (let at = 1; at < size; at++)
        if (edge(place(at), 0) <= edge(place(at - 1), 2)) return { overlap: lines[place(at)] ?? 0 }
      const find = (value: bigint): FoundRange | null => {
        let [low, high] = [0, size]
        while (low < high) {
          const middle = (low + high) >>> 1
          if (edge(place(middle), 0) <= value) low = middle + 1
          else high = middle
        }
        if (low === 0) return null
        const found = place(low - 1)
        const end = edge(found, 2)
        return value > end ? null : { start: edge(found, 0), end, about: abouts[found] ?? 0 }
      }
      return { size, find }
    },
  }
}

const LOW = (1n << 64n) - 1n

/** A range in common notation, and the number of bits that its first and last address share. */
function rangeText(
  { family }: IpAddress,
  { start, end }: FoundRange,
): { readonly network: string; readonly prefix: number } {
  const make = family === 4 ? address4 : address6
  const apart = start ^ end
  const prefix = (family === 4 ? 32 : 128) - (apart === 0n ? 0 : apart.toString(2).length)
  const size = end - start + 1n
  const isNetwork = (size & (size - 1n)) === 0n && start % size === 0n
  return { network: isNetwork ? `${make(start).text}/${prefix}` : `${make(start).text}–${make(end).text}`, prefix }
}
