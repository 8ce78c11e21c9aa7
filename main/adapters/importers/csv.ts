import { CsvError, parse } from 'csv-parse/sync'
import type { FleetNode } from '../../../schemas/types.ts'
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
}
type Field =
  | 'name'
  | 'address'
  | 'port'
  | 'user'
  | 'hostKey'
  | 'knownHosts'
  | 'identityFile'
  | 'sudo'
  | 'agent'
  | 'jump'
  | 'jumpOnly'
  | 'transport'
  | 'role'

interface Row {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/** Nodes from a table with a heading line; comma, semicolon or tab. Without a name the address is used as name. */
export function importCsv(text: string, existing: readonly FleetNode[] = []): Preview {
  const preview = createPreview(text.replace(/^\uFEFF/, ''), existing)
  if (text.length > LARGEST_IMPORT) return preview.refuse('the file is larger than 8 MiB')
  let rows: readonly Row[]
  try {
    rows = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      comment: '#',
      comment_no_infix: true,
    }) as unknown as readonly Row[]
  } catch (problem) {
    return preview.refuse(
      problem instanceof CsvError ? `this is not a readable table: ${problem.message}` : 'this is not a readable table',
    )
  }
  const [heading, ...body] = rows
  const fields = heading?.record.map((title) => COLUMNS[title.toLowerCase().replace(/[\s_-]/g, '')] ?? null) ?? []
  if (heading === undefined || !fields.includes('address'))
    return preview.refuse('the first line must name the columns, one of them “address”')
  const unknown = heading.record.filter((title, index) => fields[index] === null && title !== '')
  preview.say(
    heading.info.lines,
    'skipped',
    unknown.length === 0 ? 'names of the columns' : `names of the columns; not used: ${unknown.join(', ')}`,
  )
  const jumping = (row: Row): number => ((row.record[fields.indexOf('jump')] ?? '') === '' ? 0 : 1)
  for (const row of [...body].sort((a, b) => jumping(a) - jumping(b))) {
    const line = row.info.lines
    if (row.record.every((cell) => cell === '')) continue
    if (row.record.length !== fields.length) {
      preview.say(line, 'problem', `has ${row.record.length} columns, not ${fields.length}`)
      continue
    }
    const cells = new Map(
      fields.flatMap((field, index) =>
        field === null || (row.record[index] ?? '') === '' ? [] : [[field, row.record[index] ?? ''] as const],
      ),
    )
    const node = nodeOf(cells)
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
    if (jump === null) preview.say(line, 'problem', 'jump could not be read')
    else preview.add(line, jump.length === 0 ? node : { ...node, jump })
  }
  return preview.done(() => 'continues the line above')
}

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
function nodeOf(cells: ReadonlyMap<Field, string>): FleetNode | string {
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
  const port = cells.get('port')
  if (port !== undefined && !/^\d{1,5}$/.test(port)) return `port must be a whole number, not “${port.slice(0, 40)}”`
  const texts = Object.fromEntries(
    (['user', 'hostKey', 'knownHosts', 'identityFile', 'role', 'transport'] as const).flatMap((field) =>
      cells.has(field) ? [[field, cells.get(field)]] : [],
    ),
  ) as Partial<FleetNode>
  return {
    name: nodeName(cells.get('name') ?? address),
    address,
    ...(port === undefined ? {} : { port: Number(port) }),
    ...texts,
    ...flags,
  }
}
