import { parse } from 'csv-parse/sync'
import type { ImportColumn, ImportField } from '../../../schemas/ipc-views.ts'
import type { FleetNode, Place } from '../../../schemas/types.ts'
import { createPreview, jumpNames, LARGEST_IMPORT, nodeName, type Preview } from './preview.ts'

/** Supported headings, in lower case without spaces, dashes and underscores. */
const COLUMNS: Readonly<Record<string, Field>> = {
  name: 'name',
  node: 'name',
  address: 'address',
  host: 'address',
  hostname: 'address',
  ip: 'address',
  ipaddress: 'address',
  port: 'port',
  sshport: 'port',
  user: 'user',
  username: 'user',
  login: 'user',
  hostkey: 'hostKey',
  fingerprint: 'hostKey',
  knownhosts: 'knownHosts',
  identityfile: 'identityFile',
  keyfile: 'identityFile',
  sudo: 'sudo',
  agent: 'agent',
  jump: 'jump',
  jumphost: 'jump',
  jumponly: 'jumpOnly',
  transport: 'transport',
  role: 'role',
  servername: 'name',
  nodename: 'name',
  machine: 'name',
  server: 'name',
  fqdn: 'address',
  ipv4: 'address',
  publicip: 'address',
  site: 'site',
  datacenter: 'site',
  datacentre: 'site',
  location: 'site',
  country: 'country',
  countrycode: 'country',
  latitude: 'latitude',
  lat: 'latitude',
  longitude: 'longitude',
  lon: 'longitude',
  lng: 'longitude',
  radius: 'radiusKm',
  radiuskm: 'radiusKm',
  declaredby: 'declaredBy',
  owner: 'declaredBy',
}

type Field = ImportField

interface Row {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/**
 * Nodes from a table with a heading line; comma, semicolon or tab. Without a name the address is used as name. `columns`
 * states what each column is; without it, that is guessed from the headings. Where the table cannot be read as a whole,
 * each line is read by itself, so that one line costs no other.
 */
export function importCsv(
  text: string,
  existing: readonly FleetNode[] = [],
  columns?: readonly (Field | null)[],
): Preview {
  const preview = createPreview(text.replace(/^\uFEFF/, ''), existing)
  if (text.length > LARGEST_IMPORT) return preview.refuse('the file is larger than 8 MiB')
  const { rows, unreadable } = rowsOf(text)
  if (rows.length === 0 && unreadable.length === 0) return preview.refuse('this is not a readable table')
  // What the columns are is not known then.
  if (rows[0] === undefined || unreadable.some((line) => line < (rows[0]?.info.lines ?? 0)))
    return preview.refuse('the line of headings has a quotation mark that is not closed')
  for (const line of unreadable) preview.say(line, 'problem', 'has a quotation mark that is not closed')
  const [heading, ...body] = rows as readonly [Row, ...Row[]]
  const fields = columns ?? guessedFields(heading.record)
  const described = heading.record.map(
    (title, at): ImportColumn => ({ heading: title, sample: body[0]?.record[at] ?? '', field: fields[at] ?? null }),
  )
  const twice = fields.find((field, at) => field !== null && fields.indexOf(field) !== at)
  if (twice != null) return { ...preview.refuse(`two columns are assigned to ${twice}`), columns: described }
  if (!fields.includes('address'))
    return { ...preview.refuse('no column is the address; assign it, or name it “address”'), columns: described }
  const unknown = heading.record.filter((title, index) => (fields[index] ?? null) === null && title !== '')
  preview.say(
    heading.info.lines,
    'skipped',
    unknown.length === 0 ? 'names of the columns' : `names of the columns; not used: ${unknown.join(', ')}`,
  )
  const jumping = (row: Row): number => ((row.record[fields.indexOf('jump')] ?? '') === '' ? 0 : 1)
  for (const row of [...body].sort((a, b) => jumping(a) - jumping(b))) {
    const line = row.info.lines
    if (row.record.every((cell) => cell === '')) continue
    if (row.record.length !== heading.record.length) {
      preview.say(line, 'problem', `has ${row.record.length} columns, not ${heading.record.length}`)
      continue
    }
    const cells = new Map(
      fields.flatMap((field, index) =>
        field === null || (row.record[index] ?? '') === '' ? [] : [[field, row.record[index] ?? ''] as const],
      ),
    )
    const node = nodeOf(cells, preview.has)
    if (typeof node === 'string') {
      preview.say(line, 'problem', node)
      continue
    }
    const chain = cells.get('jump')
    const jump =
      chain === undefined
        ? []
        : jumpNames(preview, line, chain.replaceAll(/[\s;]+/g, ','), (host) =>
            preview.has(nodeName(host)) ? nodeName(host) : null,
          )
    const { location, note } = placeOf(cells)
    const placed: FleetNode = location === undefined ? node : { ...node, location }
    if (jump === null) preview.say(line, 'problem', 'jump could not be read')
    else preview.add(line, jump.length === 0 ? placed : { ...placed, jump }, note)
  }
  return { ...preview.done(() => 'continues the line above'), columns: described }
}

/** The first column with a known heading is the field; further ones are not used. */
function guessedFields(headings: readonly string[]): readonly (Field | null)[] {
  const known = headings.map((title) => COLUMNS[title.toLowerCase().replace(/[\s_-]/g, '')] ?? null)
  return known.map((field, at) => (field !== null && known.indexOf(field) === at ? field : null))
}

/** The rows of a table, and the lines that cannot be read. */
function rowsOf(text: string): { readonly rows: readonly Row[]; readonly unreadable: readonly number[] } {
  const delimiter = delimiterOf(text)
  const read = (part: string): readonly Row[] | null => {
    try {
      return parse(part, {
        bom: true,
        delimiter,
        info: true,
        relax_column_count: true,
        skip_empty_lines: true,
        trim: true,
        comment: '#',
        comment_no_infix: true,
      }) as unknown as readonly Row[]
    } catch {
      return null
    }
  }
  const whole = read(text)
  if (whole !== null) return { rows: whole, unreadable: [] }
  const rows: Row[] = []
  const unreadable: number[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const own = read(line)
    if (own === null) unreadable.push(index + 1)
    else rows.push(...own.map(({ record }) => ({ record, info: { lines: index + 1 } })))
  }
  return { rows, unreadable }
}

/** The radius of a place whose table states none: the extent of a large city. */
const ASSUMED_RADIUS_KM = 50

/** The declared place of a row, and what is to be noted on its line. */
function placeOf(cells: ReadonlyMap<Field, string>): { readonly location?: Place; readonly note: string } {
  const [site, country, latitude, longitude, radius, declaredBy] = (
    ['site', 'country', 'latitude', 'longitude', 'radiusKm', 'declaredBy'] as const
  ).map((field) => cells.get(field))
  if (latitude === undefined || longitude === undefined)
    return {
      note:
        site === undefined && country === undefined
          ? ''
          : 'its place was not imported: latitude and longitude are needed',
    }
  const radiusKm = radius === undefined ? ASSUMED_RADIUS_KM : numberIn(radius)
  const location: Place = {
    name: site ?? `${latitude}, ${longitude}`,
    ...(country === undefined ? {} : { country: country.toUpperCase() }),
    latitude: numberIn(latitude),
    longitude: numberIn(longitude),
    radiusKm,
    declaredBy: declaredBy ?? 'imported table',
  }
  return { location, note: radius === undefined ? `with its place, radius ${ASSUMED_RADIUS_KM} km assumed` : '' }
}

/** A number as people write it, with a comma or a point; NaN for other texts. */
const numberIn = (text: string): number => Number(text.replace(',', '.'))

/** Column separator of a table, by its first line: comma, semicolon or tab. */
export function delimiterOf(text: string): string {
  const first =
    text
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
      .find((line) => line.trim() !== '' && !line.startsWith('#')) ?? ''
  return [';', '\t'].find((mark) => first.split(mark).length > first.split(',').length) ?? ','
}

const WORDS: Readonly<Record<string, boolean>> = {
  yes: true,
  true: true,
  '1': true,
  y: true,
  x: true,
  no: false,
  false: false,
  '0': false,
  n: false,
}

/** A node from cells, or the errors in them. Texts are checked against the schema later. */
function nodeOf(cells: ReadonlyMap<Field, string>, isTaken: (name: string) => boolean): FleetNode | string {
  const address = cells.get('address')
  if (address === undefined) return 'has no address'
  const flags: { sudo?: boolean; agent?: boolean; jumpOnly?: boolean } = {}
  for (const field of ['sudo', 'agent', 'jumpOnly'] as const) {
    const value = cells.get(field)
    if (value === undefined) continue
    const flag = WORDS[value.toLowerCase()]
    if (flag === undefined) return `${field} must be yes or no, not “${value.slice(0, 40)}”`
    flags[field] = flag
  }
  const notNumber = (['latitude', 'longitude', 'radiusKm'] as const).find(
    (field) => cells.has(field) && !Number.isFinite(numberIn(cells.get(field) ?? '')),
  )
  if (notNumber !== undefined) return `${notNumber} must be a number, not “${cells.get(notNumber)?.slice(0, 40)}”`
  const port = cells.get('port')
  if (port !== undefined && !/^\d{1,5}$/.test(port)) return `port must be a whole number, not “${port.slice(0, 40)}”`
  const texts = Object.fromEntries(
    (['user', 'hostKey', 'knownHosts', 'identityFile', 'role', 'transport'] as const).flatMap((field) =>
      cells.has(field) ? [[field, cells.get(field)]] : [],
    ),
  ) as Partial<FleetNode>
  // Several machines behind one address differ by their port.
  const named = port !== undefined && isTaken(nodeName(address)) ? `${address}-${port}` : address
  return {
    name: nodeName(cells.get('name') ?? named),
    address,
    ...(port === undefined ? {} : { port: Number(port) }),
    ...texts,
    ...flags,
  }
}
