import { parse } from 'csv-parse/sync'
import type { ImportColumn, ImportField } from '../../../schemas/ipc-views.ts'
import type { FleetNode, Place } from '../../../schemas/types.ts'
import type { ImportLine } from '../../core/all-ports.ts'
import { stated } from '../../core/base/optional.ts'
import { DEFAULT_PORT } from '../../core/fleet/fleet.ts'
import { placedProblems, placeName } from '../schema-validator.ts'

type Field = ImportField

/** Supported headings of each field, in lower case without spaces, dashes and underscores. */
const HEADINGS: Readonly<Record<Field, string>> = {
  name: 'name node servername nodename machine server',
  address: 'address host hostname ip ipaddress fqdn ipv4 publicip',
  port: 'port sshport',
  user: 'user username login',
  hostKey: 'hostkey fingerprint',
  knownHosts: 'knownhosts',
  identityFile: 'identityfile keyfile',
  sudo: 'sudo',
  agent: 'agent',
  jump: 'jump jumphost',
  jumpOnly: 'jumponly',
  transport: 'transport',
  role: 'role',
  site: 'site datacenter datacentre location',
  country: 'country countrycode',
  latitude: 'latitude lat',
  longitude: 'longitude lon lng',
  radiusKm: 'radius radiuskm',
  declaredBy: 'declaredby owner',
}
const COLUMNS = new Map(
  Object.entries(HEADINGS).flatMap(([field, titles]) => titles.split(' ').map((title) => [title, field as Field])),
)

interface Row {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/**
 * Nodes from a table with a heading line, separated by comma, semicolon or tab. Without a name the address is the name.
 * `columns` assigns a field to each column; without it, fields are guessed from the headings. Where the table cannot be
 * read as a whole, each line is read separately, so that an invalid line affects no other.
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
  // Without a readable heading line, the columns are unknown.
  if (rows[0] === undefined || unreadable.some((line) => line < (rows[0]?.info.lines ?? 0)))
    return preview.refuse('the line of headings has a quotation mark that is not closed')
  for (const line of unreadable) preview.report(line, 'problem', 'has a quotation mark that is not closed')
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
  preview.report(
    heading.info.lines,
    unknown.length === 0 ? 'read' : 'skipped',
    unknown.length === 0 ? 'names of the columns' : `names of the columns; not used: ${unknown.join(', ')}`,
  )
  const jumping = (row: Row): number => ((row.record[fields.indexOf('jump')] ?? '') === '' ? 0 : 1)
  for (const row of [...body].sort((a, b) => jumping(a) - jumping(b))) {
    const line = row.info.lines
    if (row.record.every((cell) => cell === '')) continue
    if (row.record.length !== heading.record.length) {
      preview.report(line, 'problem', `has ${row.record.length} columns, not ${heading.record.length}`)
      continue
    }
    const cells = new Map(
      fields.flatMap((field, index) =>
        field === null || (row.record[index] ?? '') === '' ? [] : [[field, row.record[index] ?? ''] as const],
      ),
    )
    const node = nodeOf(cells, preview.has)
    if (typeof node === 'string') {
      preview.report(line, 'problem', node)
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
    if (jump === null) preview.report(line, 'problem', 'jump could not be read')
    else preview.add(line, jump.length === 0 ? placed : { ...placed, jump }, note)
  }
  return { ...preview.done(() => 'continues the line above'), columns: described }
}

/** The first column with a known heading is the field; further ones are not used. */
function guessedFields(headings: readonly string[]): readonly (Field | null)[] {
  const known = headings.map((title) => COLUMNS.get(title.toLowerCase().replace(/[\s_-]/g, '')) ?? null)
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
    ...stated({ country: country?.toUpperCase() }),
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

const YES: readonly string[] = ['yes', 'true', '1', 'y', 'x']
const NO: readonly string[] = ['no', 'false', '0', 'n']

const TEXTS = ['user', 'hostKey', 'knownHosts', 'identityFile', 'role', 'transport'] as const

/** A node from cells, or the errors in them. Texts are checked against the schema later. */
function nodeOf(cells: ReadonlyMap<Field, string>, isTaken: (name: string) => boolean): FleetNode | string {
  const address = cells.get('address')
  if (address === undefined) return 'has no address'
  const flags: { sudo?: boolean; agent?: boolean; jumpOnly?: boolean } = {}
  for (const field of ['sudo', 'agent', 'jumpOnly'] as const) {
    const value = cells.get(field)
    if (value === undefined) continue
    flags[field] = YES.includes(value.toLowerCase())
    if (!flags[field] && !NO.includes(value.toLowerCase()))
      return `${field} must be yes or no, not “${value.slice(0, 40)}”`
  }
  const notNumber = (['latitude', 'longitude', 'radiusKm'] as const).find(
    (field) => cells.has(field) && !Number.isFinite(numberIn(cells.get(field) ?? '')),
  )
  if (notNumber !== undefined) return `${notNumber} must be a number, not “${cells.get(notNumber)?.slice(0, 40)}”`
  const port = cells.get('port')
  if (port !== undefined && !/^\d{1,5}$/.test(port)) return `port must be a whole number, not “${port.slice(0, 40)}”`
  const texts = Object.fromEntries(TEXTS.map((field) => [field, cells.get(field)])) as Partial<FleetNode>
  // Several machines behind one address differ by their port.
  const named = port !== undefined && isTaken(nodeName(address)) ? `${address}-${port}` : address
  return {
    name: nodeName(cells.get('name') ?? named),
    address,
    ...stated({ port: port === undefined ? port : Number(port), ...texts }),
    ...flags,
  }
}

/** The nodes of an import, and the result of every line of the file. Nothing is contacted or written. */
export interface Preview {
  readonly nodes: readonly FleetNode[]
  readonly lines: readonly ImportLine[]
  /** As in `Importers`. */
  readonly knownHosts?: ReadonlyMap<string, readonly string[]>
  /** As in `Importers`. */
  readonly columns?: readonly ImportColumn[]
}

/** Larger files are not server lists. */
export const LARGEST_IMPORT = 8 * 1024 * 1024
const MOST_NODES = 20_000

/**
 * Collects nodes and the result of each line. Lines without a result count as skipped, for the reason given at the end.
 */
export function createPreview(text: string, existing: readonly FleetNode[]) {
  const texts = text.split(/\r?\n/)
  if (texts.at(-1) === '') texts.pop()
  const nodes: FleetNode[] = []
  const outcomes = new Map<number, Omit<ImportLine, 'line' | 'text'>>()

  const report = (line: number, outcome: ImportLine['outcome'], why: string, node?: string): void => {
    const before = outcomes.get(line)
    const worst = before !== undefined && RANK[before.outcome] > RANK[outcome] ? before.outcome : outcome
    const reasons = [before?.why ?? '', why].filter((reason) => reason !== '')
    const name = node ?? before?.node
    outcomes.set(line, {
      outcome: worst,
      why: [...new Set(reasons)].join('; '),
      ...stated({ node: name }),
    })
  }

  return {
    report,
    nodes: (): readonly FleetNode[] => nodes,
    /**
     * Adds a node when it fits the fleet schema and is not in the fleet yet, and notes the result on its line. True
     * when it is in the fleet afterwards.
     */
    add: (line: number, node: FleetNode, why = ''): boolean => {
      const known = [...existing, ...nodes]
      const there = known.find((other) => sameDoor(other, node))
      if (there !== undefined) {
        report(line, 'already', there.name === node.name ? '' : `“${there.name}” has this address and port`, there.name)
        return true
      }
      // Another server under a name that is taken: without a mark it would be missing from the population.
      if (known.some(({ name }) => name === node.name)) {
        report(line, 'problem', `“${node.name}” has this name and another address, port or jump host`, node.name)
        return false
      }
      const [misfit] = placedProblems('fleet', { name: 'x', nodes: [node] })
      if (misfit !== undefined || nodes.length >= MOST_NODES) {
        report(
          line,
          'problem',
          misfit === undefined ? `more than ${MOST_NODES} nodes` : `${placeName(misfit.path.slice(2))} ${misfit.text}`,
        )
        return false
      }
      nodes.push(node)
      report(line, 'added', why, node.name)
      return true
    },
    has: (name: string): boolean => [...existing, ...nodes].some((node) => node.name === name),
    /** `isRead` marks lines that belong to a node of another line. */
    done: (
      otherwise: (text: string, line: number) => string,
      isRead: (text: string) => boolean = () => false,
    ): Preview => ({
      nodes,
      lines: texts.map((text, index) => ({
        line: index + 1,
        text,
        ...(outcomes.get(index + 1) ?? {
          outcome: isRead(text) ? ('read' as const) : ('skipped' as const),
          why: isBlank(text) ? '' : otherwise(text, index + 1),
        }),
      })),
    }),
    /** Everything refused for one reason. */
    refuse: (why: string): Preview => ({
      nodes: [],
      lines: texts.map((text, index) => ({
        line: index + 1,
        text,
        outcome: index === 0 ? ('problem' as const) : ('skipped' as const),
        why: index === 0 ? why : '',
      })),
    }),
  }
}

const RANK: Readonly<Record<ImportLine['outcome'], number>> = {
  skipped: 0,
  read: 1,
  already: 2,
  added: 3,
  problem: 4,
}

const isBlank = (text: string): boolean => /^\s*([#;].*)?$/.test(text)

const sameDoor = (a: FleetNode, b: FleetNode): boolean =>
  a.address.toLowerCase() === b.address.toLowerCase() &&
  (a.port ?? DEFAULT_PORT) === (b.port ?? DEFAULT_PORT) &&
  (a.jump ?? []).join() === (b.jump ?? []).join()

/** A host alias as a node name: lower case, other characters as dashes. Empty when nothing is left. */
export const nodeName = (alias: string): string =>
  alias
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 63)

/** `[user@]host[:port]` of ProxyJump and -J, also with `ssh://` and IPv6 in brackets; null for anything else. */
export function parseJump(
  text: string,
): { readonly user?: string; readonly host: string; readonly port?: number } | null {
  const found = /^(?:ssh:\/\/)?(?:([^@\s]+)@)?(\[[0-9a-fA-F:.%a-z]+\]|[^:@\s[\]/]+)(?::(\d{1,5}))?\/?$/.exec(
    text.trim(),
  )
  if (found === null) return null
  const [, user, host = '', port] = found
  return { host, ...stated({ user, port: port === undefined ? port : Number(port) }) }
}

/**
 * Names of the nodes for a chain of jump hosts. A host that is not a node yet becomes one that is used as a jump host
 * only; `known` resolves an alias to the name of its node. Null when a part cannot be read.
 */
export function jumpNames(
  preview: ReturnType<typeof createPreview>,
  line: number,
  chain: string,
  known: (alias: string) => string | null,
): readonly string[] | null {
  const names: string[] = []
  for (const part of chain.split(',')) {
    const jump = parseJump(part)
    if (jump === null) return null
    const name = known(jump.host) ?? nodeName(jump.host)
    if (!preview.has(name)) {
      const { host, ...door } = jump
      const node: FleetNode = { name, address: host, jumpOnly: true, ...door }
      if (!preview.add(line, node, `with jump host “${name}”`)) return null
    }
    names.push(name)
  }
  return names
}
