import { basename } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import type { Inventory, InventoryColumns, InventoryRow } from '../../../schemas/types.ts'
import type { InventoryTable } from '../../core/all-ports.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { oneLine, plain, quote } from '../../core/base/plain-text.ts'
import { listText } from '../../core/engagement/list-text.ts'
import { delimiterOf } from '../importers/csv.ts'
import { readNamed } from '../stored-file.ts'

export const LARGEST_INVENTORY_MIB = 16
const LONGEST_NAME = 200

/**
 * A provider inventory as a separate table, with common headings. Fails with input.refused; every problem names its
 * line.
 */
export async function readInventoryTable(path: string): Promise<Outcome<InventoryTable>> {
  const name = oneLine(basename(path), LONGEST_NAME)
  const bytes = await readNamed(path, LARGEST_INVENTORY_MIB)
  if (typeof bytes === 'string') return fail('input.refused', `${quote(name)} ${bytes}`)
  const { rows, problems } = inventoryRows(bytes, {})
  if (problems.length === 0) return ok({ file: inventoryFileOf(name, bytes), rows, bytes })
  const sentences = problems.map(({ line, text }) => `${quote(name)}${line === null ? '' : `, line ${line},`} ${text}`)
  return fail('input.refused', sentences.join('; '))
}

export const inventoryFileOf = (name: string, bytes: Uint8Array): Inventory['file'] => ({
  name,
  size: bytes.length,
  sha256: sha256(bytes),
})

const FIELDS = ['id', 'name', 'address', 'serial'] as const
type Field = (typeof FIELDS)[number]

/** Common headings, the most likely first, letters and digits only. */
const USUAL: Readonly<Record<Field, readonly string[]>> = {
  id: ['id', 'assetid', 'asset', 'assettag', 'serviceid', 'service', 'serverid', 'deviceid'],
  name: ['hostname', 'host', 'name', 'server', 'servername', 'device', 'devicename'],
  address: ['ip', 'ipaddress', 'address', 'ipv4', 'primaryip', 'mainip', 'publicip', 'ipv6'],
  serial: ['serial', 'serialnumber', 'serialno', 'sn', 'servicetag'],
}

const LONGEST: Readonly<Record<Field, number>> = { id: 200, name: 253, address: 255, serial: 200 }
const MOST_ROWS = 20_000
const MOST_PROBLEMS = 20

/** Cell contents that mean “unknown”. */
export const NOTHING = /^([-\u2013\u2014.?*]+|n\/?a|none|null|nil|unknown|tbd|not (available|applicable|assigned))$/i

/** The inventory as lines, or the errors in it. */
interface InventoryReading {
  readonly rows: readonly InventoryRow[]
  /** About the file, with its line where there is one. */
  readonly problems: readonly { readonly line: number | null; readonly text: string }[]
  /** About the columns that the engagement names. */
  readonly columns: readonly { readonly field: Field; readonly text: string }[]
}

/** One line of a table, with its number. */
export interface TableLine {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/**
 * A provider inventory from CSV: columns separated by comma, semicolon or tab, named in the first line; UTF-8, UTF-16
 * with a byte order mark, or Windows-1252 as spreadsheets write it. Every line with content becomes an entry: one
 * without an id is named by its line, as `line 7`. Cells are plain text: a formula stays as written, except that
 * `="00123"`, which spreadsheets write to keep zeros, gives 00123. Dashes, `n/a` and the like mean empty, except in
 * ids.
 */
export function inventoryRows(bytes: Uint8Array, columns: InventoryColumns): InventoryReading {
  const lines = tableOf(bytes)
  if ('problem' in lines) return refused(lines.line, lines.problem)
  const [heading, ...body] = lines.lines
  if (heading === undefined) return refused(null, 'is empty')
  const titles = heading.record.map((title) => title.trim())
  const placed = placesOf(titles, columns)
  if ('wrong' in placed) return { rows: [], problems: [], columns: placed.wrong }
  const { places } = placed
  if (places.name === -1 && places.address === -1 && places.serial === -1)
    return refused(
      heading.info.lines,
      `has no column for the name, address or serial number of servers. Its columns: ${listed(titles)}. Assign them under “columns”`,
    )
  if (body.length === 0) return refused(null, 'has a heading line but no entries')
  if (body.length > MOST_ROWS) return refused(null, `has more than ${MOST_ROWS} lines`)
  return rowsIn(body, titles, places)
}

const refused = (line: number | null, text: string): InventoryReading => ({
  rows: [],
  problems: [{ line, text }],
  columns: [],
})

/** The lines with content; a quoted cell may span several. A quotation mark inside a cell, as in 19", is a character of it. */
export function tableOf(
  bytes: Uint8Array,
): { readonly lines: readonly TableLine[] } | { readonly line: number | null; readonly problem: string } {
  const text = listText(bytes)
  if (text.includes('\0')) return { line: null, problem: 'is not a text table. Save the list as CSV' }
  const delimiter = delimiterOf(text)
  try {
    const lines = parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      // A tab that separates columns would be trimmed as space around a cell.
      trim: delimiter !== '\t',
      to: MOST_ROWS + 2,
    }) as unknown as readonly TableLine[]
    return { lines: lines.filter(({ record }) => record.some((cell) => cell.trim() !== '')) }
  } catch (problem) {
    if (!(problem instanceof CsvError)) return { line: null, problem: 'is not a readable table' }
    const line: unknown = problem.lines
    return {
      line: typeof line === 'number' ? line : null,
      problem: `is not a readable table: ${plain(problem.message)}`,
    }
  }
}

type Places = Readonly<Record<Field, number>>

/** Position of each field; -1 where no column has it. A named heading must occur exactly once. */
function placesOf(
  titles: readonly string[],
  columns: InventoryColumns,
): { readonly places: Places } | { readonly wrong: InventoryReading['columns'] } {
  const wrong: { field: Field; text: string }[] = []
  const place = (field: Field): number => {
    const named = columns[field]
    if (named === null) return -1
    if (named === undefined)
      return USUAL[field].map((usual) => titles.findIndex((title) => bare(title) === usual)).find((at) => at >= 0) ?? -1
    const found = titles.flatMap((title, at) => (title.toLowerCase() === named.trim().toLowerCase() ? [at] : []))
    if (found.length === 1) return found[0] ?? -1
    const text =
      found.length === 0
        ? `is ${quote(named)}, but the list has no such column. Its columns: ${listed(titles)}`
        : `is ${quote(named)}, but the list has ${found.length} such columns`
    wrong.push({ field, text })
    return -1
  }
  const places = { id: place('id'), name: place('name'), address: place('address'), serial: place('serial') }
  return wrong.length > 0 ? { wrong } : { places }
}

const bare = (title: string): string => title.toLowerCase().replace(/[^a-z0-9]+/g, '')
/** Headings, for error messages. */
export const listed = (titles: readonly string[]): string => {
  const shown = titles.slice(0, 12).map((title) => quote(title, 40))
  return `${shown.join(', ')}${titles.length > shown.length ? ` and ${titles.length - shown.length} more` : ''}`
}

function rowsIn(body: readonly TableLine[], titles: readonly string[], places: Places): InventoryReading {
  const rows: InventoryRow[] = []
  const problems: { line: number; text: string }[] = []
  const seen = new Map<string, number>()
  for (const { record, info } of body) {
    const line = info.lines
    if (record.slice(titles.length).some((cell) => cell.trim() !== ''))
      problems.push({ line, text: `has ${record.length} columns, but there are ${titles.length} headings` })
    const cells = cellsOf(record, places)
    for (const field of FIELDS)
      if (cells[field].length > LONGEST[field])
        problems.push({
          line,
          text: `has more than ${LONGEST[field]} characters in column ${quote(titles[places[field]] ?? '')}`,
        })
    const row = rowOf(cells, line)
    const { id } = row
    const before = seen.get(id)
    if (before !== undefined)
      problems.push({
        line,
        text: `has the id ${quote(id)}, as line ${before} does. Name a unique column under “columns: id”, or set “id: null” to use line numbers`,
      })
    else seen.set(id, line)
    rows.push(row)
    if (problems.length >= MOST_PROBLEMS) break
  }
  return { rows, problems, columns: [] }
}

const cellsOf = (record: readonly string[], places: Places): Readonly<Record<Field, string>> =>
  Object.fromEntries(FIELDS.map((field) => [field, cellOf(record[places[field]])])) as Record<Field, string>

/** An entry of the list: without an id it is named by its line. */
function rowOf(cells: Readonly<Record<Field, string>>, line: number): InventoryRow {
  const known = (text: string): string | null => (text === '' || NOTHING.test(text) ? null : text)
  return {
    id: cells.id === '' ? `line ${line}` : cells.id,
    name: known(cells.name),
    address: known(cells.address),
    serial: known(cells.serial),
  }
}

/**
 * The columns with which a list gives these rows: an engagement stores only the rows, but its file names the columns.
 * Columns with usual headings are omitted. Null where no choice of columns gives the rows.
 */
export function inventoryColumns(bytes: Uint8Array, rows: readonly InventoryRow[]): InventoryColumns | null {
  const table = tableOf(bytes)
  if ('problem' in table) return null
  const [heading, ...body] = table.lines
  const titles = heading?.record.map((title) => title.trim()) ?? []
  const placed = placesOf(titles, {})
  if ('wrong' in placed || body.length !== rows.length) return null
  const gives = (field: Field, place: number): boolean =>
    body.every(
      ({ record, info }, at) =>
        rowOf(cellsOf(record, { ...NOWHERE, [field]: place }), info.lines)[field] === rows[at]?.[field],
    )
  const isAlone = (title: string): boolean =>
    titles.filter((other) => other.toLowerCase() === title.toLowerCase()).length === 1
  const columns: Partial<Record<Field, string | null>> = {}
  for (const field of FIELDS) {
    const usual = placed.places[field]
    if (usual >= 0 && gives(field, usual)) continue
    // Any column is preferred to none: a list without a column for names, addresses and serial numbers is refused.
    const found = titles.find((title, place) => isAlone(title) && gives(field, place)) ?? null
    if (found === null && !gives(field, -1)) return null
    if (found !== null || usual >= 0) columns[field] = found
  }
  return columns
}

const NOWHERE: Places = { id: -1, name: -1, address: -1, serial: -1 }

/** A cell as one displayable line. Not truncated, so that a cell that is too long is reported. */
const cellOf = (cell: string | undefined): string => oneLine(unformulated(cell ?? ''), Number.MAX_SAFE_INTEGER)

/** Spreadsheets write `="00123"` to keep zeros. */
export const unformulated = (cell: string): string => cell.replace(/^\s*="([^"]*)"\s*$/, '$1')
