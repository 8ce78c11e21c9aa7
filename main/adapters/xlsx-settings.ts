import type { Blob } from 'node:buffer'
import type Stream from 'node:stream'
import type { Feature } from 'write-excel-file/node'
import type { PrintSetup } from '../core/all-ports.ts'
import type { Paper } from '../core/report-document.ts'
import { DIGIT } from './xlsx-heights.ts'

/** A sheet as far as its settings depend on it. */
export interface SettledSheet {
  readonly name: string
  /** Widths in characters, one for each column. */
  readonly widths: readonly number[]
  /** Number of first columns that name a row. */
  readonly keys: number
  readonly columns: number
  readonly rows: number
}

/**
 * What the library does not offer (ECMA-376 part 1, 18.3.1): a filter over each table, with the hidden name under which Excel keeps its range; pages in
 * landscape with the head, the naming columns, a foot and page numbers on each; and text that is wrapped instead of covered by the next cell.
 */
export const sheetSettings = (
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
              // Without this, a program adjusts the height again as soon as somebody edits the row.
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

/** A sheet is printed at this size or larger, on more pages side by side where it is wide: 10 point become 7. */
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
