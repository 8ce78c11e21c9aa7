import type { Route } from '../models/routes.ts'

/** The focused element, identified by its position in its row, or by its name among similar elements. */
interface Mark {
  readonly row: string | null
  readonly column: number
  readonly tag: string
  readonly name: string
  readonly nth: number
}

interface Left {
  /**
   * The first of these that exists again takes the focus: the focused element, otherwise the disclosure that
   * contained it.
   */
  readonly marks: readonly Mark[]
  readonly scrolled: number
}

/** The focus of the screens in the back history. */
const left = new WeakMap<Route, Left>()

const nameOf = (element: Element): string => element.getAttribute('aria-label') ?? element.textContent ?? ''
const inMain = (selector: string): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>(`main ${selector}`),
]
const alike = (tag: string, name: string): readonly HTMLElement[] => inMain(tag).filter((one) => nameOf(one) === name)
const scroller = (): Element | null => document.querySelector('main .matrix')

/** Stores the focused element of the screen that is left. */
export function leave(route: Route, to: Route): void {
  left.delete(to)
  const at = document.activeElement
  if (!(at instanceof HTMLElement) || at.closest('main') === null) return
  const fold = at.closest('.disclosure-panel')?.parentElement?.querySelector<HTMLElement>('.disclosure-button') ?? null
  left.set(route, { marks: [at, ...(fold === null ? [] : [fold])].map(markOf), scrolled: scroller()?.scrollTop ?? 0 })
}

function markOf(element: HTMLElement): Mark {
  const row = element.closest('[role=row]')
  const cell = element.closest('[role=gridcell], [role=rowheader]')
  const name = nameOf(element)
  return {
    row: row?.getAttribute('data-key') ?? null,
    column: cell === null ? -1 : [...(row?.querySelectorAll('[role=gridcell], [role=rowheader]') ?? [])].indexOf(cell),
    tag: element.tagName,
    name,
    nth: alike(element.tagName, name).indexOf(element),
  }
}

/** Frames within which rows in sight must be drawn. */
const MOST_FRAMES = 20

/** Restores the focus that `route` had when it was left; `instead` keeps it when that element is gone or the user moved on. */
export function returnFocus(route: Route, instead: HTMLElement | null): void {
  instead?.focus()
  const seen = left.get(route)
  left.delete(route)
  if (seen !== undefined) look(seen, instead, MOST_FRAMES)
}

function look(seen: Left, instead: HTMLElement | null, frames: number): void {
  if (frames === 0 || document.activeElement !== instead) return
  scroller()?.scrollTo({ top: seen.scrolled })
  for (const mark of seen.marks) {
    const found = find(mark)
    if (found !== undefined) {
      found.focus()
      return
    }
  }
  requestAnimationFrame(() => look(seen, instead, frames - 1))
}

/** In a grid, the cell itself: the grid passes the focus to the content of the cell. */
function find({ row, column, tag, name, nth }: Mark): HTMLElement | undefined {
  if (row === null || column < 0) return alike(tag, name)[nth]
  const [again] = inMain(`[role=row][data-key="${CSS.escape(row)}"]`)
  return again?.querySelectorAll<HTMLElement>('[role=gridcell], [role=rowheader]')[column]
}
