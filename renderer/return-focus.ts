import type { Route } from './routes.ts'

/** What had the focus, found again by its place in its row, or by its name among its like. */
interface Mark {
  readonly row: string | null
  readonly column: number
  readonly tag: string
  readonly name: string
  readonly nth: number
}
interface Left {
  /** The first that is there again is taken: what had the focus, else what it was folded into. */
  readonly marks: readonly Mark[]
  readonly scrolled: number
}

/** How screens were left that can be gone back to. */
const left = new WeakMap<Route, Left>()

const nameOf = (element: Element): string => element.getAttribute('aria-label') ?? element.textContent ?? ''
const inMain = (selector: string): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>(`main ${selector}`),
]
const alike = (tag: string, name: string): readonly HTMLElement[] => inMain(tag).filter((one) => nameOf(one) === name)
const scroller = (): Element | null => document.querySelector('main .matrix')

/** Remembers what has the focus on the screen that is left. */
export function leave(route: Route, to: Route): void {
  left.delete(to)
  const at = document.activeElement
  if (!(at instanceof HTMLElement) || at.closest('main') === null) return
  const fold = at.closest('.disclosure-panel')?.parentElement?.querySelector<HTMLElement>('.disclosure-button') ?? null
  left.set(route, {
    marks: [at, ...(fold === null ? [] : [fold])].map(markOf),
    scrolled: scroller()?.scrollTop ?? 0,
  })
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

/** Frames that rows in sight may take to be drawn. */
const MOST_FRAMES = 20

/** Gives the focus back to what had it when `route` was left; `instead` keeps it when that is gone, or a person went on meanwhile. */
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

/** In a grid the cell itself: the grid hands the focus on to what is in it. */
function find({ row, column, tag, name, nth }: Mark): HTMLElement | undefined {
  if (row === null || column < 0) return alike(tag, name)[nth]
  const [again] = inMain(`[role=row][data-key="${CSS.escape(row)}"]`)
  return again?.querySelectorAll<HTMLElement>('[role=gridcell], [role=rowheader]')[column]
}
