import { visible } from './text.ts'

/** Characters of a line that are shown at first, and in one row at most. Longer rows slow down layout. */
export const LONGEST_ROW = 4000

/** Lines of a text, without the empty line after a final newline. Control characters become symbols here. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return []
  return visible(text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** Part of one line. All rows have the same height, so that a million of them can be scrolled. */
export interface Row {
  /** From 0. */
  readonly line: number
  readonly from: number
  readonly to: number
  /** Characters of the line that are not shown; only in the last row of a line that is cut. */
  readonly hidden: number
}

/**
 * The rows of `lines` when a row holds `columns` characters. A line shows LONGEST_ROW characters, or as many as `opened`
 * gives. No row ends between the halves of a surrogate pair.
 */
export function rowsOf(
  lines: readonly string[],
  columns: number,
  opened: ReadonlyMap<number, number> = new Map(),
): readonly Row[] {
  const rows: Row[] = []
  const most = Math.max(8, Math.min(columns, LONGEST_ROW))
  lines.forEach((text, line) => {
    const end = edge(text, Math.min(text.length, opened.get(line) ?? LONGEST_ROW))
    let from = 0
    do {
      const to = end - from <= most ? end : edge(text, from + most)
      rows.push({ line, from, to, hidden: to === end ? text.length - end : 0 })
      from = to
    } while (from < end)
  })
  return rows
}

const edge = (text: string, at: number): number => {
  const code = at < text.length ? text.charCodeAt(at) : 0
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

/** Characters of a cut line that are shown after one more "Show more of this line": twice as many. */
export const openedFurther = (shown: number, length: number): number =>
  Math.min(length, Math.max(LONGEST_ROW, shown * 2))

/** Characters of a line that must be shown for a position to be visible; null if it already is. */
export const openedFor = (at: number, shown: number, length: number): number | null =>
  at <= shown ? null : Math.min(length, Math.ceil(at / LONGEST_ROW) * LONGEST_ROW)

export interface Match {
  readonly line: number
  readonly from: number
  readonly to: number
}

export const MOST_MATCHES = 5000

/** Where `wanted` occurs, ignoring case, up to MOST_MATCHES places. */
export function matchesOf(lines: readonly string[], wanted: string): readonly Match[] {
  if (wanted === '') return []
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu')
  const found: Match[] = []
  for (const [line, text] of lines.entries())
    for (const { index, 0: match } of text.matchAll(pattern)) {
      found.push({ line, from: index, to: index + match.length })
      if (found.length === MOST_MATCHES) return found
    }
  return found
}

/** Matches by their line. */
export function byLineOf(matches: readonly Match[]): ReadonlyMap<number, readonly Match[]> {
  const lines = new Map<number, Match[]>()
  for (const match of matches) {
    const own = lines.get(match.line)
    if (own === undefined) lines.set(match.line, [match])
    else own.push(match)
  }
  return lines
}

/** The row that shows character `at` of `line`, by binary search; the line’s last row when it is not shown. */
export function rowAt(rows: readonly Row[], line: number, at: number): number {
  let low = 0
  let high = rows.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const row = rows[middle]
    if (row !== undefined && (row.line < line || (row.line === line && row.from <= at))) low = middle
    else high = middle - 1
  }
  return low
}

/** One run of characters in a row, with what it is. */
interface Piece {
  readonly text: string
  readonly is: 'plain' | 'match' | 'current'
}

/** A row cut at the matches that touch it. `matches` are those of its line. */
export function piecesOf(
  text: string,
  row: Row,
  matches: readonly Match[],
  current: Match | undefined,
): readonly Piece[] {
  const pieces: Piece[] = []
  let at = row.from
  for (const match of matches) {
    const from = Math.max(match.from, at)
    const to = Math.min(match.to, row.to)
    if (to <= from) continue
    if (from > at) pieces.push({ text: text.slice(at, from), is: 'plain' })
    pieces.push({ text: text.slice(from, to), is: match === current ? 'current' : 'match' })
    at = to
  }
  if (at < row.to || pieces.length === 0) pieces.push({ text: text.slice(at, row.to), is: 'plain' })
  return pieces
}

/** Browsers lay out no more than about 16 million pixels at 200 %; a longer list scrolls in proportion. */
const TALLEST = 6_000_000

interface Slice {
  readonly first: number
  readonly count: number
  /** Position of the first row, in pixels from the top. */
  readonly top: number
  readonly height: number
}

/** Which rows a scrolled view shows, and their position. */
export function sliceOf(rows: number, rowHeight: number, scrollTop: number, viewport: number): Slice {
  const whole = rows * rowHeight
  const height = Math.min(whole, TALLEST)
  const count = Math.min(rows, Math.ceil(viewport / rowHeight) + 1)
  if (whole <= TALLEST) {
    const first = Math.max(0, Math.min(rows - count, Math.floor(scrollTop / rowHeight)))
    return { first, count, top: first * rowHeight, height }
  }
  const part = Math.min(1, Math.max(0, scrollTop / Math.max(1, height - viewport)))
  const first = Math.round(part * (rows - count))
  return { first, count, top: Math.max(0, Math.min(scrollTop, height - count * rowHeight)), height }
}

/** How far to scroll so that a row is near the middle. */
export function scrollTo(row: number, rows: number, rowHeight: number, viewport: number): number {
  const whole = rows * rowHeight
  const wanted = row * rowHeight - viewport / 2 + rowHeight / 2
  if (whole <= TALLEST) return Math.max(0, Math.min(whole - viewport, wanted))
  return Math.max(0, Math.min(1, wanted / (whole - viewport))) * (TALLEST - viewport)
}
