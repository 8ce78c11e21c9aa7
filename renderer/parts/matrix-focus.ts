import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  type UIEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { isSamePlace, type Place, placeAfter, STEP } from '../models/matrix-walk.ts'

interface Walked {
  /** A new list starts at the top. */
  readonly rows: readonly unknown[]
  /** In pixels. */
  readonly rowHeight: number
  /** Rows in sight at most. */
  readonly sight: number
  /** How many places of a row take the focus; row -1 is the heading. */
  readonly stopsIn: (row: number) => number
}

/** Keeps the scroll position of the grid, and the cell that has the focus or takes it next. */
export function useWalk(frame: RefObject<HTMLElement | null>, { rows, rowHeight, sight, stopsIn }: Walked) {
  const [first, setFirst] = useState(0)
  const [at, setAt] = useState<Place>({ row: 0, column: 0 })
  const walked = useRef(false)
  const grid = (): HTMLElement | null => frame.current?.querySelector<HTMLElement>('.matrix') ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list starts at the top
  useEffect(() => {
    grid()?.scrollTo({ top: 0 })
  }, [rows])
  const place: Place = { row: Math.min(at.row, rows.length - 1), column: at.column }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only where a key moved
  useLayoutEffect(() => {
    if (!walked.current) return
    walked.current = false
    const stop = stopAt(grid(), place.row, Math.min(place.column, stopsIn(place.row) - 1))
    stop?.focus({ preventScroll: true })
    stop?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [at])
  const walk = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey || event.shiftKey) return
    const next = placeAfter(event.key, event.ctrlKey, place, {
      rows: rows.length,
      page: Math.max(1, sight - 3),
      stopsIn,
    })
    if (next === null) return
    event.preventDefault()
    event.stopPropagation()
    walked.current = true
    setAt(next)
  }
  // A cell passes the focus to its button. A pointer or a script may focus any cell.
  const settle = ({ target }: FocusEvent): void => {
    const stop = target.closest('[data-stop]')
    if (stop === null) {
      target.querySelector<HTMLElement>('[data-stop]')?.focus()
      return
    }
    const row = Number(stop.closest('[data-row]')?.getAttribute('data-row'))
    const column = Number(stop.getAttribute('data-stop'))
    if (!isSamePlace(place, row, column)) setAt({ row, column })
  }
  const scrolled = ({ currentTarget }: UIEvent): void =>
    setFirst(Math.floor(currentTarget.scrollTop / rowHeight / STEP) * STEP)
  return { first, place, events: { onKeyDown: walk, onFocus: settle, onScroll: scrolled } }
}

const stopAt = (grid: HTMLElement | null, row: number, column: number): HTMLElement | null =>
  grid?.querySelector<HTMLElement>(`[data-row="${row}"] [data-stop="${column}"]`) ?? null
