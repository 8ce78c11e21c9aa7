import type { SiteRow } from '../../../schemas/types.ts'
import { decodeUtf8 } from '../../core/plain-text.ts'
import { cellTexts, type SitesReading, siteRow, uniqueRows } from './site-row.ts'

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
  const members = (one: unknown): Members | null =>
    typeof one === 'object' && one !== null && !Array.isArray(one) ? Object.fromEntries(Object.entries(one)) : null
  const whole = members(value)
  const inside: unknown = whole?.Members ?? value
  const list: readonly unknown[] = Array.isArray(inside) ? inside : [inside]
  if (list.length === 0) return 'contains no Chassis resource'
  if (list.length > MOST_ROWS) return `contains more than ${MOST_ROWS} resources`
  const isOne = !Array.isArray(inside)
  const placed = list.flatMap((one, at): Placed[] => {
    const resource = members(one)
    const path = isOne ? '$' : whole === null ? `$[${at}]` : `$.Members[${at}]`
    return resource === null ? [] : [{ path, resource }]
  })
  return placed.length === list.length ? placed : 'contains resources other than Chassis'
}

type Row = ReturnType<typeof siteRow>

/** Chassis v1: SerialNumber, AssetTag; Location.PostalAddress, .Placement, .PartLocation, .Latitude, .Longitude (Resource v1). */
function rowOf(line: number, resource: Members): Row {
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

const part = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

/** Numbers as written; null, which means “not known”, and everything else as empty. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
