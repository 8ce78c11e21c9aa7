/**
 * A cell of a grid: its row, and its position among the elements of that row that take the focus. Row -1 is the
 * heading.
 */
export interface Place {
  readonly row: number
  readonly column: number
}

export const isSamePlace = (place: Place, row: number, column: number): boolean =>
  place.row === row && place.column === column

interface Extent {
  readonly rows: number
  /** Rows that Page Up and Page Down pass. */
  readonly page: number
  /** How many places take the focus in a row, the heading included. */
  readonly stopsIn: (row: number) => number
}

/** The place that a key leads to, always within the grid; null where the key does not move. */
export function placeAfter(key: string, isControl: boolean, { row, column }: Place, extent: Extent): Place | null {
  const last = extent.rows - 1
  const here = Math.min(column, extent.stopsIn(row) - 1)
  const inRow = (to: number): Place => ({ row, column: Math.max(0, Math.min(to, extent.stopsIn(row) - 1)) })
  // The column is kept across rows with fewer places.
  const inColumn = (to: number): Place => ({ row: Math.max(-1, Math.min(to, last)), column })
  const inBody = (to: number): Place => ({ row: Math.max(Math.min(0, last), Math.min(to, last)), column })
  const ofBody = (to: number, at: number): Place => ({ ...inBody(to), column: at })
  switch (key) {
    case 'ArrowLeft':
      return isControl ? null : inRow(here - 1)
    case 'ArrowRight':
      return isControl ? null : inRow(here + 1)
    case 'ArrowUp':
      return isControl ? null : inColumn(row - 1)
    case 'ArrowDown':
      return isControl ? null : inColumn(row + 1)
    case 'Home':
      return isControl ? ofBody(0, 0) : inRow(0)
    case 'End':
      return isControl ? ofBody(last, extent.stopsIn(last) - 1) : inRow(extent.stopsIn(row) - 1)
    case 'PageUp':
      return isControl ? null : inBody(row - extent.page)
    case 'PageDown':
      return isControl ? null : inBody(row + extent.page)
    default:
      return null
  }
}

/** The first row in sight changes in steps, so that not every turn of the wheel draws rows. */
export const STEP = 4
/** Rows that are drawn above and below those in sight: more than a turn of the wheel. */
const BESIDE = 6

interface Sight {
  /** The first row in sight, and how many there are at most. */
  readonly first: number
  readonly sight: number
  readonly rows: number
  /** A row that is always drawn, since it has the focus or takes it next. */
  readonly kept: number
}

/** The rows that are drawn, in their order. */
export function visibleRows({ first, sight, rows, kept }: Sight): readonly number[] {
  const from = Math.max(0, Math.min(first - BESIDE, rows))
  const to = Math.min(rows, first + sight + STEP + BESIDE)
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
  if (kept < 0 || kept >= rows || (kept >= from && kept < to)) return drawn
  return kept < from ? [kept, ...drawn] : [...drawn, kept]
}

/**
 * Which element draws which row. A row keeps its element while it is drawn, and a new row takes the element of one
 * that is drawn no longer, so that scrolling reuses elements.
 */
export function slotsAfter(before: ReadonlyMap<number, number>, drawn: readonly number[]): ReadonlyMap<number, number> {
  const kept = new Map(drawn.flatMap((row) => (before.has(row) ? [[row, before.get(row) ?? 0] as const] : [])))
  const taken = new Set(kept.values())
  let next = 0
  const free = (): number => {
    while (taken.has(next)) next += 1
    taken.add(next)
    return next
  }
  return new Map(drawn.map((row) => [row, kept.get(row) ?? free()]))
}
