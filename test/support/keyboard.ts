import type { Page } from 'playwright-core'

/** What a keyboard reaches, and how a person sees and hears where they are. */

/** Tabs on to the next control with this name, as often as it takes; gives up after a round. */
export async function tabTo(page: Page, name: string | RegExp, most = 120): Promise<void> {
  const fits = (text: string): boolean => (typeof name === 'string' ? text === name : name.test(text))
  const seen: string[] = []
  for (let pressed = 0; pressed < most; pressed++) {
    await page.keyboard.press('Tab')
    const at = await focused(page)
    if (fits(at)) return
    seen.push(at)
  }
  throw new Error(`Tab does not reach ${String(name)}: ${seen.join(' | ')}`)
}

/** The name of what has the focus, as it is read: its label, or its text. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement
    if (at === null || at === document.body) return ''
    const labelled = at instanceof HTMLInputElement ? at.labels?.[0]?.textContent : null
    return (at.getAttribute('aria-label') ?? labelled ?? at.textContent ?? '').trim().replaceAll(/\s+/g, ' ')
  })

export interface Walk {
  /** Controls in sight that Tab does not reach. A group that is walked by arrows counts once. */
  readonly unreached: readonly string[]
  /** Stops that look the same with and without the focus. */
  readonly unseen: readonly string[]
  readonly stops: number
}

const STILL_MS = 300

/** Waits until nothing has been added to the page or taken from it for a while: a screen may be drawn before its lists have come. */
const settled = (page: Page): Promise<void> =>
  page.evaluate(
    (still) =>
      new Promise<void>((done) => {
        const finish = (): void => {
          watcher.disconnect()
          done()
        }
        let timer = setTimeout(finish, still)
        const watcher = new MutationObserver(() => {
          clearTimeout(timer)
          timer = setTimeout(finish, still)
        })
        watcher.observe(document.body, { childList: true, subtree: true })
      }),
    STILL_MS,
  )

/** Presses Tab until it comes round, and compares what it reached with what can be pressed, followed or filled in. */
export async function walk(page: Page, most = 1000): Promise<Walk> {
  await settled(page)
  await page.evaluate(prepare)
  const stops = new Set<string>()
  const unseen: string[] = []
  let wasOutside = false
  for (let pressed = 0; pressed < most; pressed++) {
    await page.keyboard.press('Tab')
    const { key, before } = await arrival(page)
    if (before !== null) unseen.push(before)
    if (stops.has(key) || (key === '' && wasOutside)) break
    wasOutside = key === ''
    if (!wasOutside) stops.add(key)
  }
  const wanted = await page.evaluate(() => (window as unknown as Walking).wanted)
  return {
    unreached: wanted.flatMap(([key, name]) => (stops.has(key) ? [] : [name])),
    unseen,
    stops: stops.size,
  }
}

const FOCUS_RETURNS_MS = 1000

/** Where Tab leads. Behind the last control the window takes the focus and hands it back to the first, a moment after the key. */
async function arrival(page: Page): Promise<ReturnType<typeof arrive>> {
  const first = await page.evaluate(arrive)
  if (first.key !== '') return first
  const isBack = (): boolean => document.activeElement !== null && document.activeElement !== document.body
  await page.waitForFunction(isBack, undefined, { timeout: FOCUS_RETURNS_MS }).catch(() => undefined)
  return { key: (await page.evaluate(arrive)).key, before: first.before }
}

interface Walking {
  /** Key and name of everything that Tab must reach. */
  wanted: [key: string, name: string][]
  last: { readonly element: Element; readonly look: string; readonly name: string } | null
}

/** Runs in the page: numbers all controls, and groups of them that Tab enters once. */
function prepare(): void {
  const groups =
    '[role=radiogroup], [role=tablist], [role=grid], [role=treegrid], [role=tree], [role=toolbar], [role=listbox], [role=menu]'
  const controls =
    'button, a[href], input, select, textarea, [role=button], [role=tab], [role=option], [role=spinbutton], [role=row]'
  // The arrows of a number, and the cross of a search, do what arrow keys and Escape do in the field.
  const spared = '[aria-hidden=true] *, [slot=increment], [slot=decrement], .search-clear'
  const scope = document.querySelector('[role=dialog], [role=alertdialog]') ?? document.body
  const state = window as unknown as Walking
  state.wanted = []
  state.last = null
  ;(document.activeElement as HTMLElement | null)?.blur()
  for (const old of document.querySelectorAll('[data-walk]')) old.removeAttribute('data-walk')
  const seen = new Set<Element>()
  for (const control of scope.querySelectorAll<HTMLElement>(controls)) {
    if (control.matches(':disabled') || control.matches(spared)) continue
    if (!control.checkVisibility({ visibilityProperty: true })) continue
    const stop = control.closest(groups) ?? control
    if (seen.has(stop)) continue
    seen.add(stop)
    const key = String(seen.size)
    stop.setAttribute('data-walk', key)
    const name = stop.getAttribute('aria-label') ?? stop.textContent ?? ''
    state.wanted.push([key, `${stop.tagName} ${name.trim().slice(0, 80)}`])
  }
}

/** Runs in the page after each Tab: where the focus is, and whether the stop before looks otherwise now. */
function arrive(): { key: string; before: string | null } {
  const state = window as unknown as Walking
  const look = (element: Element): string => {
    const whole = element.closest('label') ?? element
    return [whole, ...whole.querySelectorAll('*')]
      .slice(0, 60)
      .map((one) => {
        const style = getComputedStyle(one)
        return `${style.outlineStyle} ${style.outlineWidth} ${style.boxShadow} ${style.backgroundColor}`
      })
      .join()
  }
  const { last } = state
  const at = document.activeElement
  const left = last?.element.isConnected === true && last.element !== at ? last : null
  const before = left !== null && look(left.element) === left.look ? left.name : null
  if (at === null || at === document.body) {
    state.last = null
    return { key: '', before }
  }
  const name = `${at.tagName} ${(at.getAttribute('aria-label') ?? at.textContent ?? '').trim().slice(0, 80)}`
  state.last = { element: at, look: look(at), name }
  const key = at.closest('[data-walk]')?.getAttribute('data-walk') ?? name
  return { key, before }
}

const NAMED = new Set(
  'button link textbox searchbox checkbox combobox radio tab switch spinbutton slider option treeitem menuitem'.split(
    ' ',
  ),
)

/** Controls that a screen reader has no name for. */
export async function unnamed(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  return nodes.flatMap(({ ignored, role, name, description }) =>
    !ignored && NAMED.has(String(role?.value)) && String(name?.value ?? '').trim() === ''
      ? [`${role?.value} ${description?.value ?? ''}`]
      : [],
  )
}
