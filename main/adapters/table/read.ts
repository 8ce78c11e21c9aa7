import { type FileHandle, open, readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { Parser } from 'saxen'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { decodeUtf8, plain, quote } from '../../core/base/plain-text.ts'
import { MOST_TABLE_COLUMNS, MOST_TABLE_ROWS, type TableCell, type TableRow } from '../../core/base/table.ts'
import { listText } from '../../core/engagement/list-text.ts'
import { delimiterOf } from '../importers/csv.ts'
import type { Limits } from '../pack/limits.ts'
import { bytesAt } from '../pack/write.ts'
import { LOCAL_BYTES, STORED } from '../pack/zip-format.ts'
import { type EntryList, readEnd, readList } from '../pack/zip-list.ts'
import { inflateWhole } from '../pack/zip-unpack.ts'
import { isCode, messageOf } from '../store/durable.ts'
import { fused } from '../stored-file.ts'

/** A table of findings takes some hundred kilobytes. */
const LARGEST = 8 * 1024 * 1024

/**
 * The rows of a table that a person filled in: a CSV file, or the first sheet of a workbook (.xlsx). Fails with input.not-found, and with
 * input.refused for another kind of file, one that is too large, and one that cannot be read.
 */
export async function readTable(path: string): Promise<Outcome<readonly TableRow[]>> {
  const ending = /\.[^.]*$/.exec(path.toLowerCase())?.[0]
  const read = ending === '.csv' ? rowsOfCsvFile : ending === '.xlsx' ? rowsOfWorkbook : null
  if (read === null) return fail('input.refused', `${path} must end in .csv or .xlsx`)
  try {
    const file = await open(path, 'r')
    try {
      const stat = await file.stat()
      if (!stat.isFile()) return fail('input.refused', `${path} is not a file`)
      if (stat.size > LARGEST) return fail('input.refused', `${path} is larger than ${LARGEST / 1024 ** 2} MiB`)
      return ok(await read(file, stat.size))
    } finally {
      await file.close()
    }
  } catch (problem) {
    if (isCode(problem, 'ENOENT')) return fail('input.not-found', `${path} does not exist`)
    return fail('input.refused', `${path}: ${plain(messageOf(problem), 300)}`)
  }
}

const rowsOfCsvFile = async (file: Parameters<typeof readFile>[0]): Promise<readonly TableRow[]> =>
  rowsOfCsv(new Uint8Array(await readFile(file)))

/**
 * Rows with content of a CSV file (RFC 4180), as csvOf() or a spreadsheet writes it: separated by comma, semicolon or tab, in UTF-8, UTF-16
 * with a byte order mark, or Windows-1252. A cell that begins with an equals sign is a formula. Throws where it is not such a table.
 */
function rowsOfCsv(bytes: Uint8Array): readonly TableRow[] {
  const text = listText(bytes)
  if (text.includes('\0')) throw new Error('this is not a text table; save it as CSV')
  const rows = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    relax_column_count: true,
    // A formula such as ="x" has quotes inside.
    relax_quotes: true,
    to: MOST_TABLE_ROWS + 1,
  }) as unknown as readonly (readonly string[])[]
  if (rows.length > MOST_TABLE_ROWS) throw new Error(`it has more than ${MOST_TABLE_ROWS} rows`)
  if (rows.some((cells) => cells.length > MOST_TABLE_COLUMNS))
    throw new Error(`it has more than ${MOST_TABLE_COLUMNS} columns`)
  return rows.flatMap((cells, at) =>
    cells.every((cell) => cell.trim() === '')
      ? []
      : [{ row: at + 1, cells: cells.map((cell) => ({ text: fused(cell), isFormula: /^\s*=/.test(cell) })) }],
  )
}

/** The parts of a workbook that cells refer to. */
interface SheetParts {
  readonly texts: readonly string[]
  /** By style: whether its cells show a date. */
  readonly dateStyles: readonly boolean[]
  readonly countsFrom1904: boolean
}

interface OpenCell {
  readonly place: { readonly row: number; readonly column: number }
  readonly type: string
  readonly style: number
  value: string
  isFormula: boolean
}

/** Rows with content of one sheet (ECMA-376 part 1, 18.3.1), in order. Throws where it has more rows or columns than are read. */
function rowsOfSheet(xml: string, parts: SheetParts): readonly TableRow[] {
  const rows = new Map<number, TableCell[]>()
  let cell: OpenCell | null = null
  let inside = ''
  readXml(xml, {
    opened: (name, attributes) => {
      if (name === 'c') {
        const { r = '', t = 'n', s = '-1' } = attributes()
        cell = { place: placeOf(r), type: t, style: Number(s), value: '', isFormula: false }
      }
      if (cell !== null && name === 'f') cell.isFormula = true
      inside = name
    },
    closed: (name) => {
      inside = ''
      if (name !== 'c' || cell === null) return
      put(rows, cell, parts)
      cell = null
    },
    text: (more) => {
      if (cell !== null && (inside === 'v' || inside === 't')) cell.value += more
    },
  })
  return [...rows]
    .map(([row, cells]) => ({ row, cells: Array.from(cells, (one) => one ?? EMPTY) }))
    .sort((a, b) => a.row - b.row)
}

const EMPTY: TableCell = { text: '', isFormula: false }

function put(rows: Map<number, TableCell[]>, cell: OpenCell, parts: SheetParts): void {
  const text = textOf(cell, parts)
  if (text === '' && !cell.isFormula) return
  const { row, column } = cell.place
  if (row > MOST_TABLE_ROWS) throw new Error(`it has more than ${MOST_TABLE_ROWS} rows`)
  if (column > MOST_TABLE_COLUMNS) throw new Error(`it has more than ${MOST_TABLE_COLUMNS} columns`)
  const cells = rows.get(row) ?? []
  cells[column - 1] = { text, isFormula: cell.isFormula }
  rows.set(row, cells)
}

/** The place of a reference such as `C7`, counted from 1. Throws for any other text. */
function placeOf(reference: string): OpenCell['place'] {
  const [, letters, digits] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(reference) ?? []
  if (letters === undefined) throw new Error('a cell has no valid place')
  return {
    row: Number(digits),
    column: [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0),
  }
}

function textOf({ type, style, value }: OpenCell, { texts, dateStyles, countsFrom1904 }: SheetParts): string {
  if (type === 's') {
    const text = texts[Number(value)]
    if (text === undefined) throw new Error('a cell refers to a text that does not exist')
    return unescaped(text)
  }
  if (type === 'b') return value === '1' ? 'TRUE' : value === '' ? '' : 'FALSE'
  if (type === 'n' && dateStyles[style] === true && value !== '') return dayOf(Number(value), countsFrom1904) ?? value
  return type === 'd' ? value.slice(0, 10) : unescaped(value)
}

// ECMA-376 part 1, 22.9.2.19.
const unescaped = (text: string): string =>
  text.replace(/_x([0-9a-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

const DAY_MS = 86_400_000
/** The UTC day of a serial number (ECMA-376 part 1, 18.17.4.1); null where it denotes no day up to the year 9999. */
function dayOf(serial: number, countsFrom1904: boolean): string | null {
  const start = countsFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const at = new Date(start + Math.floor(serial) * DAY_MS)
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999 ? null : at.toISOString().slice(0, 10)
}

interface XmlReader {
  /** Names without their prefix. */
  readonly opened?: (name: string, attributes: () => Readonly<Record<string, string | undefined>>) => void
  readonly closed?: (name: string) => void
  readonly text?: (text: string) => void
}

/** Reads an XML document once, from start to end. Entities that a document declares are not expanded. Throws where it is not well-formed. */
function readXml(xml: string, { opened, closed, text }: XmlReader): void {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1)
  let problem: Error | null = null
  new Parser()
    .on('openTag', (name, attributes) => opened?.(local(name), attributes))
    .on('closeTag', (name) => closed?.(local(name)))
    .on('text', (words, decode) => text?.(decode(words)))
    .on('cdata', (words) => text?.(words))
    .on('error', (found) => {
      problem ??= found
    })
    .parse(xml)
  if (problem !== null) throw problem
}

const MIB = 1024 ** 2
/** Before anything is unpacked, an archive that exceeds one of these is refused. */
const LIMITS: Limits = {
  entries: 1_000,
  totalBytes: 64 * MIB,
  ratio: 200,
  ratioFrom: MIB,
  wholeRatio: 100,
  wholeRatioFrom: 16 * MIB,
  listBytes: MIB,
  readBytes: 32 * MIB,
}

/**
 * Rows with content of the first sheet of an Office Open XML workbook (ECMA-376). Nothing in it is evaluated, and no other document is loaded.
 * Throws where it is not a workbook, and where it exceeds a limit.
 */
async function rowsOfWorkbook(file: FileHandle, size: number): Promise<readonly TableRow[]> {
  const list = await readList(file, await readEnd(file, size, LIMITS), LIMITS)
  const part = (name: string): Promise<string | null> => partOf(file, list, name)
  const workbook = await part('xl/workbook.xml')
  const relations = await part('xl/_rels/workbook.xml.rels')
  if (workbook === null || relations === null) throw new Error('this is not a workbook')
  const { relation, countsFrom1904 } = firstSheet(workbook)
  const sheet = await part(pathOf(relations, relation))
  if (sheet === null) throw new Error('the workbook has no sheet')
  return rowsOfSheet(sheet, {
    texts: textsOf((await part('xl/sharedStrings.xml')) ?? '<sst/>'),
    dateStyles: dateStylesOf((await part('xl/styles.xml')) ?? '<styleSheet/>'),
    countsFrom1904,
  })
}

/** One part as text; null where there is none. */
async function partOf(file: FileHandle, list: EntryList, name: string): Promise<string | null> {
  const index = list.names.indexOf(name)
  if (index < 0) return null
  const entry = list.entry(index)
  if (entry.size > LIMITS.readBytes) throw new Error(`${quote(name)} is larger than ${LIMITS.readBytes / MIB} MiB`)
  const header = await bytesAt(file, entry.at, LOCAL_BYTES)
  const start = entry.at + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
  const packed = await bytesAt(file, start, entry.packed)
  const text = decodeUtf8(entry.method === STORED ? packed : inflateWhole(packed, entry))
  if (text === null) throw new Error(`${quote(name)} is not UTF-8`)
  return text
}

function firstSheet(xml: string): { readonly relation: string; readonly countsFrom1904: boolean } {
  let relation: string | null = null
  let countsFrom1904 = false
  readXml(xml, {
    opened: (name, attributes) => {
      if (name === 'workbookPr') countsFrom1904 = ['1', 'true'].includes(attributes().date1904 ?? '')
      if (name === 'sheet') relation ??= Object.entries(attributes()).find(([key]) => key.endsWith(':id'))?.[1] ?? null
    },
  })
  if (relation === null) throw new Error('the workbook has no sheet')
  return { relation, countsFrom1904 }
}

/** Path of the part of a relation (ECMA-376 part 2); relative to the folder of the workbook. */
function pathOf(xml: string, id: string): string {
  let target = ''
  readXml(xml, {
    opened: (name, attributes) => {
      if (name === 'Relationship' && attributes().Id === id) target = attributes().Target ?? ''
    },
  })
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

/** The shared texts: runs of one text are joined, and phonetic guides are left out. */
function textsOf(xml: string): readonly string[] {
  const texts: string[] = []
  let [text, isText, isGuide] = ['', false, false]
  readXml(xml, {
    opened: (name) => {
      if (name === 'si') text = ''
      if (name === 't') isText = true
      if (name === 'rPh') isGuide = true
    },
    closed: (name) => {
      if (name === 'si') texts.push(text)
      if (name === 't') isText = false
      if (name === 'rPh') isGuide = false
    },
    text: (more) => {
      if (isText && !isGuide) text += more
    },
  })
  return texts
}

/** Whether the cells of each style show a date (ECMA-376 part 1, 18.8.30). */
function dateStylesOf(xml: string): readonly boolean[] {
  const codes = new Map<number, string>()
  const formats: number[] = []
  let isCell = false
  readXml(xml, {
    opened: (name, attributes) => {
      if (name === 'numFmt') codes.set(Number(attributes().numFmtId), attributes().formatCode ?? '')
      if (name === 'cellXfs') isCell = true
      if (name === 'xf' && isCell) formats.push(Number(attributes().numFmtId ?? 0))
    },
    closed: (name) => {
      if (name === 'cellXfs') isCell = false
    },
  })
  return formats.map((format) => {
    const code = codes.get(format)
    return code === undefined ? BUILT_IN_DATES.has(format) : /[dy]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''))
  })
}

const BUILT_IN_DATES: ReadonlySet<number> = new Set([
  14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58,
])
