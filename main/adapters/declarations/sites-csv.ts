import type { SiteRow } from '../../../schemas/types.ts'
import { listed, NOTHING, type TableLine, tableOf, unformulated } from './inventory-file.ts'
import { cellTexts, type SiteCells, type SitesReading, siteRow, uniqueRows } from './site-row.ts'

type Field = keyof SiteCells

/** Common headings, the most likely first, letters and digits only. */
const USUAL: Readonly<Record<Field, readonly string[]>> = {
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

const FIELDS = Object.keys(USUAL) as readonly Field[]
const MOST_ROWS = 20_000
const MOST_PROBLEMS = 20

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

type Places = Readonly<Record<Field, number>>

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
