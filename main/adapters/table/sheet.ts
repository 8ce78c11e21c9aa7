import { MOST_TABLE_COLUMNS, MOST_TABLE_ROWS, type TableCell, type TableRow } from '../../core/table.ts'
import { readXml } from './xml.ts'

/** What cells refer to. */
export interface SheetParts {
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
export function rowsOfSheet(xml: string, parts: SheetParts): readonly TableRow[] {
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
/** The UTC day of a serial number (ECMA-376 part 1, 18.17.4.1); null for one that is no day of this program. */
function dayOf(serial: number, countsFrom1904: boolean): string | null {
  const start = countsFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const at = new Date(start + Math.floor(serial) * DAY_MS)
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999 ? null : at.toISOString().slice(0, 10)
}
