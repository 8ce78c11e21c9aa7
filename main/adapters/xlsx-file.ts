import { type Cell, default as writeXlsxFile } from 'write-excel-file/node'
import type { PrintSetup, Sheet } from '../core/all-ports.ts'
import { END_BYTES, LISTED_BYTES, SIGNATURES } from './pack/zip-format.ts'
import { FONT, heightOf } from './xlsx-heights.ts'
import { sheetSettings } from './xlsx-settings.ts'

/** Limits of Microsoft Excel: rows of a sheet, characters and line ends of a cell, characters of a sheet's name. */
const MOST_ROWS = 1_048_576
const LONGEST_CELL = 32_767
const MOST_LINES = 253
const LONGEST_NAME = 31

/**
 * Sheets as one Office Open XML workbook (ECMA-376). Every cell is typed as text or as a number, so nothing is ever
 * read as a formula. The first row of each sheet is bold, stays visible, is printed on every page, and has a filter for each
 * column; the first columns that name a row do the same. Text is truncated, and rows beyond the limit of a sheet are
 * omitted, both with a mark. The same sheets give the same bytes: the archive contains no dates.
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
      data: fitting[index]?.map((row, at) => rowOf(row, widths, at === 0)) ?? [],
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

/** The library takes the height of a row from a cell of it. */
function rowOf(row: Sheet['rows'][number], widths: readonly number[], head: boolean): Cell[] {
  const texts = row.map((cell) => textOf(String(cell)))
  const height = heightOf(texts, widths)
  return row.map((cell, at) => {
    const look = head ? HEAD : TOP
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
