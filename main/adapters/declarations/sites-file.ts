import { basename } from 'node:path'
import type { SiteList, SiteRow, SiteSignature, SitesInFile } from '../../../schemas/types.ts'
import type { DeclaredSites } from '../../core/all-ports.ts'
import { isDay } from '../../core/base/days.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { stated } from '../../core/base/optional.ts'
import { fromPem } from '../../core/base/pem.ts'
import { decodeUtf8, oneLine, quote } from '../../core/base/plain-text.ts'
import { readSigned, signerOf } from '../../core/der/cms-plain.ts'
import { readNamed, unread } from '../stored-file.ts'
import { placeOf } from './engagement-file.ts'
import { listed, NOTHING, type TableLine, tableOf, unformulated } from './inventory-file.ts'
import { cellTexts, type SiteField, type SitesReading, siteRow, uniqueRows } from './site-row.ts'

const LARGEST_MIB = 16
const LARGEST_SIGNATURE_MIB = 1
/** The part of a signature that a scope stores, in base64. */
const LONGEST_SIGNATURE = 40_000
const LONGEST_NAME = 200

/**
 * The provider's site record, CSV or Redfish, with its signature where one is named. Fails with input.not-found and
 * input.refused; every problem names its line or path. An invalid signature, or one by another certificate than the
 * declared one, refuses the whole record.
 */
export async function readSites(
  { file, source, on, declaredBy, signature, signer }: SitesInFile,
  beside: string | null,
): Promise<Outcome<DeclaredSites>> {
  if (!isDay(on)) return fail('input.refused', `sites.on: ${quote(on)} is not a calendar date`)
  const path = placeOf(file, beside)
  const bytes = await readNamed(path, LARGEST_MIB)
  if (typeof bytes === 'string') return unread(path, bytes)
  const name = oneLine(basename(path).slice(0, LONGEST_NAME), LONGEST_NAME).slice(0, LONGEST_NAME)
  const kind = looksLikeJson(bytes) ? 'redfish' : 'csv'
  const { rows, problems } = kind === 'redfish' ? siteRowsInRedfish(bytes) : siteRowsInCsv(bytes)
  if (problems.length > 0) {
    const sentences = problems.map(({ at, text }) => `${quote(name)}${at === null ? '' : `, ${at},`} ${text}`)
    return fail('input.refused', sentences.join('; '))
  }
  const signed = signature === undefined ? ok(undefined) : await signatureOf(placeOf(signature, beside), bytes)
  if (!signed.ok) return signed
  const known = signer?.replaceAll(':', '').toLowerCase()
  if (known !== undefined && known !== signed.value?.fingerprint)
    return fail('input.refused', `sites.signer: ${quote(name)} ${notTheirs(signed.value)}`)
  const sites: SiteList = {
    source,
    kind,
    on,
    declaredBy,
    file: { name, size: bytes.length, sha256: sha256(bytes) },
    rows: [...rows],
    ...stated({ signature: signed.value, signer: known }),
  }
  return ok({ sites, bytes })
}

const notTheirs = (signature: SiteSignature | undefined): string =>
  signature === undefined
    ? 'has no signature (sites.signature), so the signer is not confirmed'
    : `is signed by ${quote(signature.subject)} with another certificate, ${signature.fingerprint}`

/** By the first non-blank character: no supported table starts with a bracket. */
const looksLikeJson = (bytes: Uint8Array): boolean =>
  /^\uFEFF?\s*[[{]/.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, 1024)))

/**
 * A detached CMS signature over the record, in DER or PEM, under the certificate it contains. The signer's identity is
 * not checked here.
 */
async function signatureOf(path: string, content: Uint8Array): Promise<Outcome<SiteSignature>> {
  const file = await readNamed(path, LARGEST_SIGNATURE_MIB)
  if (typeof file === 'string') return unread(path, file)
  const text = Buffer.from(file).toString('latin1')
  const bytes = ['CMS', 'PKCS7'].flatMap((label) => fromPem(label, text))[0] ?? file
  const cms = Buffer.from(bytes).toString('base64')
  if (cms.length === 0 || cms.length > LONGEST_SIGNATURE)
    return fail('input.refused', `${path} is not a signature within the size limit`)
  const message = readSigned(bytes)
  if (message === null)
    return fail(
      'input.refused',
      `${path} is not a supported signature: CMS in PEM or DER by one signer, RSA or ECDSA, with signed attributes`,
    )
  const signer = signerOf(message, content)
  return signer.ok
    ? ok({ ...signer.value, cms })
    : fail('input.refused', `${path}: the signature is invalid: ${signer.error}`)
}

const MOST_ROWS = 20_000
const MOST_PROBLEMS = 20

/**
 * A provider's site record from Redfish (DMTF DSP2046): a Chassis resource, several in a list, or a collection with its
 * Members expanded. `line` of an entry is its position among them. A reference (`@odata.id` alone) is a problem:
 * nothing is fetched.
 */
export function siteRowsInRedfish(bytes: Uint8Array): SitesReading {
  const resources = resourcesIn(bytes)
  if (typeof resources === 'string') return { rows: [], problems: [{ at: null, text: resources }] }
  const rows: SiteRow[] = []
  const problems: { at: string; text: string }[] = []
  for (const [at, { path, resource }] of resources.entries()) {
    const read = rowOf(at + 1, resource)
    if ('problems' in read) problems.push(...read.problems.map((text) => ({ at: path, text })))
    else rows.push(read.row)
    if (problems.length >= MOST_PROBLEMS) break
  }
  return uniqueRows({ rows, problems }, ({ line }) => resources[line - 1]?.path ?? '')
}

type Members = Readonly<Record<string, unknown>>
interface Placed {
  readonly path: string
  readonly resource: Members
}

function resourcesIn(bytes: Uint8Array): readonly Placed[] | string {
  let value: unknown
  try {
    value = JSON.parse(decodeUtf8(bytes)?.replace(/^\uFEFF/, '') ?? '')
  } catch {
    return 'is not JSON in UTF-8'
  }
  const whole = membersOf(value)
  const inside: unknown = whole?.Members ?? value
  const list: readonly unknown[] = Array.isArray(inside) ? inside : [inside]
  if (list.length === 0) return 'contains no Chassis resource'
  if (list.length > MOST_ROWS) return `contains more than ${MOST_ROWS} resources`
  const isOne = !Array.isArray(inside)
  const placed = list.flatMap((one, at): Placed[] => {
    const resource = membersOf(one)
    const path = isOne ? '$' : whole === null ? `$[${at}]` : `$.Members[${at}]`
    return resource === null ? [] : [{ path, resource }]
  })
  return placed.length === list.length ? placed : 'contains resources other than Chassis'
}

/** Chassis v1: SerialNumber, AssetTag; Location.PostalAddress, .Placement, .PartLocation, .Latitude, .Longitude (Resource v1). */
function rowOf(line: number, resource: Members): ReturnType<typeof siteRow> {
  const names = Object.keys(resource)
  if (names.length <= 2 && names.every((name) => name.startsWith('@odata')))
    return { problems: ['is a reference to a resource. Request the resource itself with $expand'] }
  const location = part(resource.Location)
  const [postal, placement] = [part(location.PostalAddress), part(location.Placement)]
  const street = [
    [text(postal.HouseNumber), text(postal.Street)].filter(Boolean).join(' '),
    text(postal.PostalCode),
    text(postal.City),
    text(postal.Territory),
  ]
  const room = [
    text(postal.Floor) && `floor ${text(postal.Floor)}`,
    text(postal.Room),
    text(placement.Row) && `row ${text(placement.Row)}`,
  ]
  const unit = [text(placement.RackOffset), text(placement.RackOffsetUnits)].filter(Boolean).join(' ')
  return siteRow(
    line,
    cellTexts({
      serial: text(resource.SerialNumber),
      site: text(postal.Building) || text(postal.Name) || text(postal.City) || text(postal.Territory),
      country: text(postal.Country),
      latitude: text(location.Latitude),
      longitude: text(location.Longitude),
      address: street.filter(Boolean).join(', '),
      room: room.filter(Boolean).join(', '),
      rack: text(placement.Rack),
      unit: unit || (text(resource.AssetTag) && `asset ${text(resource.AssetTag)}`),
    }),
  )
}

/** Own members of an object, which may have any key; null for any other value. */
const membersOf = (value: unknown): Members | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null

const part = (value: unknown): Members => membersOf(value) ?? {}

/** Numbers as written; null, which means “not known”, and everything else as empty. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''

/** Common headings, the most likely first, letters and digits only. */
const USUAL: Readonly<Record<SiteField, readonly string[]>> = {
  serial: ['serial', 'serialnumber', 'serialno', 'sn', 'servicetag', 'systemserial', 'chassisserial'],
  site: ['site', 'sitename', 'datacenter', 'datacentre', 'dc', 'facility', 'location', 'building', 'campus', 'city'],
  country: ['country', 'countrycode', 'iso', 'isocountry'],
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lon', 'lng', 'long'],
  radiusKm: ['radiuskm', 'radius', 'accuracykm', 'errorkm'],
  address: ['address', 'streetaddress', 'postaladdress', 'street'],
  room: ['room', 'hall', 'datahall', 'cage', 'suite', 'floor'],
  rack: ['rack', 'rackname', 'cabinet', 'rackid'],
  unit: ['unit', 'u', 'rackunit', 'rackposition', 'position', 'ru', 'rackoffset'],
}

const FIELDS = Object.keys(USUAL) as readonly SiteField[]

/**
 * A provider's site record from a table: separators and encodings as in its inventory. Each line needs a serial number
 * and a site, or a country instead. A line without a serial number is a problem: it would match no machine, unnoticed.
 */
export function siteRowsInCsv(bytes: Uint8Array): SitesReading {
  const table = tableOf(bytes)
  if ('problem' in table)
    return { rows: [], problems: [{ at: table.line === null ? null : `line ${table.line}`, text: table.problem }] }
  const [heading, ...body] = table.lines
  if (heading === undefined) return refused('is empty')
  const titles = heading.record.map((title) => title.trim())
  const places = placesOf(titles)
  if (places.serial === -1)
    return refused(`has no column for the serial number of machines. Its columns: ${listed(titles)}`)
  if (places.site === -1 && places.country === -1)
    return refused(`has no column for the site or country. Its columns: ${listed(titles)}`)
  if (body.length === 0) return refused('has a heading line but no entries')
  if (body.length > MOST_ROWS) return refused(`has more than ${MOST_ROWS} lines`)
  return rowsIn(body, places)
}

const refused = (text: string): SitesReading => ({ rows: [], problems: [{ at: null, text }] })

type Places = Readonly<Record<SiteField, number>>

/** Position of each field; -1 where no column has it. No column is used twice. */
function placesOf(titles: readonly string[]): Places {
  const bare = titles.map((title) => title.toLowerCase().replace(/[^a-z0-9]+/g, ''))
  return Object.fromEntries(
    FIELDS.map((field) => [field, USUAL[field].map((usual) => bare.indexOf(usual)).find((at) => at >= 0) ?? -1]),
  ) as Places
}

function rowsIn(body: readonly TableLine[], places: Places): SitesReading {
  const rows: SiteRow[] = []
  const problems: { at: string; text: string }[] = []
  for (const { record, info } of body) {
    const cells = cellTexts(
      Object.fromEntries(
        FIELDS.map((field) => {
          const cell = unformulated(record[places[field]] ?? '')
          return [field, NOTHING.test(cell.trim()) ? '' : cell]
        }),
      ),
    )
    const row = siteRow(info.lines, cells)
    if ('problems' in row) problems.push(...row.problems.map((text) => ({ at: `line ${info.lines}`, text })))
    else rows.push(row.row)
    if (problems.length >= MOST_PROBLEMS) break
  }
  return uniqueRows({ rows, problems }, (row) => `line ${row.line}`)
}
