import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { axeFindings, shot, type TestWindow, windowShot } from './open-window.ts'

/** Pictures of what a window shows, in light and dark, each asked what axe finds on it. */
export interface ScreenBook {
  /** Both pictures of a page, the window's own unless another is named. `full`: the whole page, also what is out of sight. */
  readonly look: (name: string, of?: { readonly page?: Page; readonly full?: boolean }) => Promise<void>
  /** At twice the size, where nothing may be wider than the window: the top in light, further down in dark. */
  readonly lookZoomed: (name: string, page?: Page) => Promise<void>
}

const SCHEMES = ['light', 'dark'] as const

/** `marked`: whether every screen from now on is about demo data, and has to say so. */
export function screenBook(opened: TestWindow, marked: () => boolean = () => false): ScreenBook {
  return {
    look: async (name, { page = opened.page, full = false } = {}) => {
      // What the pointer rests on looks pressed.
      await page.mouse.move(0, 0)
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme })
        await shot(page, `${name}-${scheme}`, full)
        // What does not depend on colors is asked once.
        const found = await axeFindings(page, scheme === 'light' ? [] : ['color-contrast'])
        expect.soft(found.join('\n'), `${name}, ${scheme}`).toBe('')
      }
      if (marked()) expect.soft(await page.isVisible('.banner.demo'), `${name}: marked as demo data`).toBe(true)
    },
    lookZoomed: async (name, page = opened.page) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await windowShot(opened, `zoom-${name}-light`, page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.evaluate(() => window.scrollTo(0, document.querySelector('main')?.offsetTop ?? 0))
      await page.mouse.wheel(0, 360)
      await windowShot(opened, `zoom-${name}-dark`, page)
      expect.soft(await cutOff(page), `${name} at 200 %`).toEqual([])
    },
  }
}

/** Sets the size of everything in every window of the app. */
export const zoom = ({ app }: TestWindow, factor: number): Promise<void> =>
  app.evaluate(({ BrowserWindow }, to) => {
    for (const window of BrowserWindow.getAllWindows()) window.webContents.setZoomFactor(to)
  }, factor)

/** What a person cannot reach: a page that scrolls sideways, and texts and controls that end outside of what can be scrolled to. */
export const cutOff = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const { documentElement: all } = document
    const sideways = all.scrollWidth > all.clientWidth ? [`page: ${all.scrollWidth} of ${all.clientWidth}`] : []
    const scrolls = (element: Element): boolean => /auto|scroll/.test(getComputedStyle(element).overflowX)
    const inScroller = (element: Element | null): boolean =>
      element !== null && element !== document.body && (scrolls(element) || inScroller(element.parentElement))
    const cut = [...document.querySelectorAll('h1, h2, h3, p, button, a, input, label, dt, dd, td, th')].filter(
      (element) => {
        const { right, left, width } = element.getBoundingClientRect()
        return width > 0 && (right > all.clientWidth + 1 || left < -1) && !inScroller(element)
      },
    )
    return [...sideways, ...cut.map(({ outerHTML }) => outerHTML.slice(0, 120))]
  })
