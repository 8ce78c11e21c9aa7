import type { Blob } from 'node:buffer'
import type Stream from 'node:stream'
import writeXlsxFile, { type Cell, type Feature } from 'write-excel-file/node'
import type { PrintSetup, Sheet } from '../core/all-ports.ts'
import type { Paper } from '../core/base/report-document.ts'
import { END_BYTES, LISTED_BYTES, SIGNATURES } from './pack/zip-format.ts'

/** The parts of a sheet that its settings depend on. */
interface SettledSheet {
  readonly name: string
  /** Widths in characters, one for each column. */
  readonly widths: readonly number[]
  /** Number of first columns that name a row. */
  readonly keys: number
  readonly columns: number
  readonly rows: number
}

/**
 * Settings that the library lacks (ECMA-376 part 1, 18.3.1): a filter over each table, with the hidden name under which Excel stores its range;
 * landscape pages, each with the heading, the naming columns, a foot and its number; and text that wraps instead of being covered by the next
 * cell.
 */
const sheetSettings = (
  sheets: readonly SettledSheet[],
  { paper, foot }: PrintSetup,
): Feature<Stream | Buffer | Blob> => ({
  files: {
    transform: {
      'xl/worksheets/sheet{id}.xml': {
        transform: (xml, _, { sheetIndex }) => {
          const sheet = sheets[sheetIndex]
          if (sheet === undefined) return xml
          const filter = sheet.columns === 0 ? '' : `<autoFilter ref="A1:${columnName(sheet.columns)}${sheet.rows}"/>`
          return (
            xml
              // Without this, a program adjusts the height again as soon as a person edits the row.
              .replaceAll(' customHeight="1"', '')
              .replace('<sheetViews>', '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews>')
              .replace('</worksheet>', () => `${filter}${pageXml(sheet.widths, sheet.keys, paper, foot)}</worksheet>`)
          )
        },
      },
      'xl/workbook.xml': {
        transform: (xml) =>
          xml.replace('<definedNames/>', () => `<definedNames>${sheets.map(definedNames).join('')}</definedNames>`),
      },
    },
  },
})

/** Sheets are numbered from 0. */
function definedNames({ name, keys, columns, rows }: SettledSheet, index: number): string {
  if (columns === 0) return ''
  const sheet = xmlText(`'${name.replaceAll("'", "''")}'`)
  const named = (what: string, range: string): string =>
    `<definedName name="_xlnm.${what}" localSheetId="${index}"${range}</definedName>`
  const first = keys === 0 ? '' : `${sheet}!$A:$${columnName(keys)},`
  return (
    named('_FilterDatabase', ` hidden="1">${sheet}!$A$1:$${columnName(columns)}$${rows}`) +
    named('Print_Titles', `>${first}${sheet}!$1:$1`)
  )
}

/** ST_PaperSize of ECMA-376, and the longer side in points. */
const PAPERS: Readonly<Record<Paper, { readonly code: number; readonly length: number }>> = {
  letter: { code: 1, length: 792 },
  a4: { code: 9, length: 842 },
}

/** Inches, the unit of page margins. */
const MARGIN = { side: 0.5, top: 0.5, bottom: 0.7, foot: 0.3 }

/** The smallest scale of printing: 10 points become 7. A wider sheet takes several pages side by side. */
const SMALLEST = 0.7

/** Pages side by side on which the columns fit; the naming columns are repeated on each. */
export function pagesWide(widths: readonly number[], keys: number, paper: Paper): number {
  const inPoints = (some: readonly number[]): number => some.reduce((sum, width) => sum + width * DIGIT, 0)
  const page = (PAPERS[paper].length - 2 * 72 * MARGIN.side) / SMALLEST - inPoints(widths.slice(0, keys))
  let pages = 1
  let used = 0
  for (const width of widths.slice(keys)) {
    const points = width * DIGIT
    if (used > 0 && used + points > page) {
      pages += 1
      used = 0
    }
    used += points
  }
  return pages
}

function pageXml(widths: readonly number[], keys: number, paper: Paper, foot: string): string {
  // Section 18.3.1.46: & starts a code in a foot, and a foot has at most 255 characters.
  const left = [...foot].slice(0, 150).join('').replaceAll('&', '&&')
  return [
    '<printOptions gridLines="1"/>',
    `<pageMargins left="${MARGIN.side}" right="${MARGIN.side}" top="${MARGIN.top}" bottom="${MARGIN.bottom}" header="${MARGIN.foot}" footer="${MARGIN.foot}"/>`,
    `<pageSetup paperSize="${PAPERS[paper].code}" fitToWidth="${pagesWide(widths, keys, paper)}" fitToHeight="0" orientation="landscape"/>`,
    `<headerFooter><oddFooter>${xmlText(`&L${left}&C&A&RPage &P of &N`)}</oddFooter></headerFooter>`,
  ].join('')
}

/** The letters of a column by its number from 1. */
const columnName = (number: number): string =>
  number === 0 ? '' : columnName(Math.floor((number - 1) / 26)) + String.fromCharCode(65 + ((number - 1) % 26))

const xmlText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

// Row heights are stated, because programs other than Excel give other rows a single line, which hides the rest of a wrapped text.

/** The font of every cell; other programs replace it by one of the same widths. */
const FONT = { family: 'Arial', size: 10 } as const

/** Width of a digit of the font in points: widths of columns are counted in digits. */
const DIGIT = 5.25

const LINE = 12.75

/** Limit of Microsoft Excel. */
const HIGHEST = 409

/** Thousandths of the size, from space to tilde, as the metrics of Helvetica state them, which Arial shares. */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
] as const

/** Width of a letter that the metrics lack: that of the widest one. */
const WIDEST = 1015

/** Programs round the width of each letter to whole pixels. */
const ROUNDED = 1.06

const widthOf = (text: string): number => {
  let sum = 0
  for (let at = 0; at < text.length; at++) sum += WIDTHS[text.charCodeAt(at) - 32] ?? WIDEST
  return (sum / 1000) * FONT.size * ROUNDED
}

/** Number of lines of a text in a column of this width in characters: broken after spaces and hyphens, and within a longer word. */
export function linesOf(text: string, width: number): number {
  const room = width * DIGIT
  return text.split('\n').reduce((lines, line) => lines + wrapped(line, room), 0)
}

function wrapped(line: string, room: number): number {
  if (line.length * (WIDEST / 1000) * FONT.size * ROUNDED <= room) return 1
  let lines = 1
  let used = 0
  for (const word of line.match(/[^ -]*(?:-| +|$)/g) ?? []) {
    const wide = widthOf(word.trimEnd())
    if (used > 0 && used + wide > room) {
      lines += 1
      used = 0
    }
    lines += Math.max(0, Math.ceil(wide / room) - 1)
    used = (used + widthOf(word)) % room
  }
  return lines
}

/** Height of a row in points, so that no cell of it is covered; columns without a width count as one of ten characters. */
export function heightOf(cells: readonly string[], widths: readonly number[]): number {
  const lines = cells.reduce((most, cell, at) => Math.max(most, linesOf(cell, widths[at] ?? 10)), 1)
  return Math.min(lines * LINE, HIGHEST)
}

/** Limits of Microsoft Excel: rows of a sheet, characters and line ends of a cell, characters of a sheet's name. */
const MOST_ROWS = 1_048_576
const LONGEST_CELL = 32_767
const MOST_LINES = 253
const LONGEST_NAME = 31

/**
 * Sheets as one Office Open XML workbook (ECMA-376). Every cell is typed as text, as a number or, in a column of days or times, as a date, so
 * that none is read as a formula. The first row of each sheet is bold and has a filter for each column; it and the columns that name a row stay
 * visible and are printed on every page. Text is truncated, and rows beyond the limit of a sheet are omitted, both with a mark. The same sheets
 * give the same bytes: the archive contains no dates.
 */
export async function xlsxOf(sheets: readonly Sheet[], print: PrintSetup): Promise<Uint8Array> {
  const names = sheetNames(sheets.map(({ name }) => name))
  const fitting = sheets.map(({ rows }) => whatFits(rows))
  const settings = sheetSettings(
    sheets.map(({ widths, keys = 0 }, index) => ({
      name: names[index] ?? '',
      widths,
      keys,
      columns: fitting[index]?.[0]?.length ?? 0,
      rows: fitting[index]?.length ?? 0,
    })),
    print,
  )
  const written = writeXlsxFile(
    sheets.map(({ widths, keys = 0 }, index) => ({
      sheet: names[index] ?? '',
      columns: widths.map((width) => ({ width })),
      stickyRowsCount: 1,
      ...(keys === 0 ? {} : { stickyColumnsCount: keys }),
      data:
        fitting[index]?.map((row, at) => rowOf(row, widths, at === 0 ? null : datedColumns(fitting[index]?.[0]))) ?? [],
    })),
    { fontFamily: FONT.family, fontSize: FONT.size, features: [settings] },
  )
  return withoutDates(await written.toBuffer())
}

function whatFits(rows: Sheet['rows']): Sheet['rows'] {
  if (rows.length <= MOST_ROWS) return rows
  const kept = MOST_ROWS - 1
  return [...rows.slice(0, kept), [`${rows.length - kept} more rows do not fit into one sheet.`]]
}

/** The columns of days and times, by their heads. */
const datedColumns = (heads: Sheet['rows'][number] | undefined): readonly boolean[] =>
  (heads ?? []).map((title) => /\(UTC\)$|\bdate$|^due$/i.test(String(title)))

const DAY = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/

/** A day or a time as a date, which a program sorts and filters by time; null for any other text. It is shown as UTC. */
function dateOf(text: string): { readonly value: Date; readonly format: string } | null {
  const value = new Date(text)
  // A program rounds a time to what its format shows: the last millisecond of a day would become the next day.
  const times = value.getUTCMilliseconds() === 0 ? 'yyyy-mm-dd hh:mm:ss' : 'yyyy-mm-dd hh:mm:ss.000'
  const format = DAY.test(text) ? 'yyyy-mm-dd' : INSTANT.test(text) ? times : null
  // A day that its month lacks would become another date.
  const isReal = !Number.isNaN(value.getTime()) && value.toISOString().startsWith(text.slice(0, 10))
  return format !== null && isReal ? { value, format } : null
}

/** The library takes the height of a row from a cell of it. The head has no columns of dates. */
function rowOf(row: Sheet['rows'][number], widths: readonly number[], dated: readonly boolean[] | null): Cell[] {
  const head = dated === null
  const texts = row.map((cell) => textOf(String(cell)))
  const height = heightOf(texts, widths)
  return row.map((cell, at) => {
    const look = head ? HEAD : TOP
    const date = dated?.[at] === true && typeof cell === 'string' ? dateOf(cell) : null
    if (date !== null) return { type: Date, ...date, align: 'left', ...look, height }
    if (!head && typeof cell === 'number' && Number.isFinite(cell))
      return { type: Number, value: cell, ...look, height }
    const value = texts[at] ?? ''
    return value === '' && !head ? null : { type: String, value, wrap: true, ...look, height }
  })
}

const TOP = { alignVertical: 'top' } as const

const HEAD = {
  ...TOP,
  fontWeight: 'bold',
  backgroundColor: '#E8EAED',
  bottomBorderStyle: 'thin',
} as const

// Not allowed in XML 1.0, section 2.2: control characters except tab and line ends, halves of surrogate pairs, and two
// noncharacters.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu
// ECMA-376 part 1, 22.9.2.19: a reader decodes _xHHHH_ as a character; its first underscore is encoded that way itself.
const ESCAPED = /_(?=x[0-9a-f]{4}_)/gi

function textOf(text: string): string {
  const lines = text.split('\n')
  const few = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES - 1), MARK].join('\n') : text
  const cut = few.length > LONGEST_CELL ? `${few.slice(0, LONGEST_CELL - MARK.length)}${MARK}` : few
  const clean = cut.replace(NOT_XML, '').replace(ESCAPED, '_x005F_')
  // The library keeps its list of texts in a plain object, where these names are already defined.
  return clean in Object.prototype ? `${clean} ` : clean
}

const MARK = '… (cut)'

/**
 * Names that every program accepts: not empty, at most 31 characters, none of `[]/\:*?`, no apostrophe at either end,
 * unique regardless of case.
 */
function sheetNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const clean =
      name
        .replace(NOT_XML, '')
        .replace(/[[\]/\\:*?]+/g, ' ')
        .replace(/^[\s']+|[\s']+$/g, '') || 'Sheet'
    for (let count = 1; ; count++) {
      const suffix = count === 1 ? '' : ` ${count}`
      const unique = clean.slice(0, LONGEST_NAME - suffix.length).trim() + suffix
      if (taken.has(unique.toLowerCase())) continue
      taken.add(unique.toLowerCase())
      return unique
    }
  })
}

// 1 January 1980, midnight: no date is stated (PKWARE APPNOTE 6.3.10, section 4.4.6).
const NO_DATE = 0x00210000

/** The archive without the times of its entries: they are in the list of entries and before the bytes of each. */
function withoutDates(archive: Buffer): Uint8Array {
  // The library writes no comment, so the end has its shortest form.
  const end = archive.length - END_BYTES
  if (archive.readUInt32LE(end) !== SIGNATURES.end) throw new Error('the workbook does not end as an archive does')
  let at = archive.readUInt32LE(end + 16)
  for (let entry = 0; entry < archive.readUInt16LE(end + 10); entry++) {
    archive.writeUInt32LE(NO_DATE, at + 12)
    archive.writeUInt32LE(NO_DATE, archive.readUInt32LE(at + 42) + 10)
    at += LISTED_BYTES + archive.readUInt16LE(at + 28) + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return archive
}
