import type { InventoryRow } from '../../../schemas/types.ts'
import { oneLine, quote } from '../base/plain-text.ts'

/** The text of a provider inventory: UTF-8, UTF-16 with a byte order mark, or Windows-1252 as written by spreadsheets. */
export function listText(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const MOST_TOLD = 20

/**
 * Differences between rows and a list, as text after its name. It needs no column knowledge or CSV parser: every word of a row must occur in the
 * list and, where no cell is quoted so that each line is a row, in the line of that row, with equal counts. Rows therefore cannot be
 * added or removed undetected.
 */
export function listProblems(bytes: Uint8Array, rows: readonly InventoryRow[]): readonly string[] {
  const text = listText(bytes)
  const problems = text.includes('"') ? problemsInText(text, rows) : problemsByLine(text, rows)
  const more = problems.length - MOST_TOLD
  return more > 0 ? [...problems.slice(0, MOST_TOLD), `does not contain ${more} more rows`] : problems
}

const problemsInText = (text: string, rows: readonly InventoryRow[]): readonly string[] => {
  const there = new Set(wordsOf(text))
  return rows.flatMap((row) => (stands(row, there) ? [] : [notHeld(row)]))
}

function problemsByLine(text: string, rows: readonly InventoryRow[]): readonly string[] {
  const [, ...lines] = text.split(text.includes('\n') ? '\n' : '\r').filter((line) => /[^\s,;]/.test(line))
  return [
    ...(lines.length === rows.length
      ? []
      : [`has ${lines.length} lines below its header, but the engagement states ${rows.length} rows`]),
    ...rows.flatMap((row, at) => (stands(row, new Set(wordsOf(lines[at] ?? ''))) ? [] : [notHeld(row)])),
  ]
}

const notHeld = ({ id }: InventoryRow): string => `does not contain row ${quote(id)} at its position`

const stands = ({ id, name, address, serial }: InventoryRow, there: ReadonlySet<string>): boolean =>
  [/^line \d+$/.test(id) ? null : id, name, address, serial].every(
    (cell) => cell === null || wordsOf(cell).every((word) => there.has(word)),
  )

/** The words of a line of a list, without quotation marks and separators. */
export const wordsOf = (text: string): readonly string[] =>
  oneLine(text, Number.MAX_SAFE_INTEGER)
    .split(/[\s,;"=]+/)
    .filter((word) => word !== '')
