import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { cutContent } from './cut-content.ts'
import { axeFindings, shot, type TestWindow, windowShot } from './open-window.ts'

/** A size that a window is read at, in CSS pixels of an unzoomed window, and its zoom. */
interface Size {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly zoom: number
}

const SIZES = [
  { name: '1280', width: 1280, height: 860, zoom: 1 },
  { name: '1024', width: 1024, height: 740, zoom: 1 },
  { name: '200', width: 1280, height: 860, zoom: 2 },
] as const satisfies readonly Size[]

async function resize({ app }: TestWindow, page: Page, { width, height, zoom }: Size): Promise<void> {
  await app.evaluate(
    ({ BrowserWindow }, to) => {
      for (const window of BrowserWindow.getAllWindows()) {
        if (window.webContents.getURL() !== to.url) continue
        window.setContentSize(to.width, to.height)
        window.webContents.setZoomFactor(to.zoom)
      }
    },
    { url: page.url(), width, height, zoom },
  )
  await page.waitForFunction((wide) => Math.abs(window.innerWidth - wide) <= 1, width / zoom)
  // One frame for what is measured in the page itself, such as columns of a grid.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
}

/** Of a longer page, and of one under a dialog, only what is in sight is worth a picture. */
const isShort = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollHeight < 5000 && document.querySelector('[role$=dialog]') === null)

/**
 * Looks at a screen at 1280, 1024 and 200 %: nothing is cut, and each leaves a picture. Colors do not depend on the size, and little that axe
 * finds does: it is asked at the first size in light, and once more about the contrast in dark.
 */
export async function lookAtSizes(opened: TestWindow, name: string, page: Page = opened.page): Promise<void> {
  await page.mouse.move(0, 0)
  for (const size of SIZES) {
    await resize(opened, page, size)
    const cut = await cutContent(page)
    expect.soft(cut, `${name} at ${size.name}: cut`).toEqual([])
    for (const scheme of size === SIZES[0] ? (['dark', 'light'] as const) : (['light'] as const)) {
      await page.emulateMedia({ colorScheme: scheme })
      if (size.zoom === 1) await shot(page, `${name}-${size.name}-${scheme}`, await isShort(page))
      else await windowShot(opened, `${name}-${size.name}-${scheme}`, page)
      const found = size === SIZES[0] ? await axeFindings(page, scheme === 'light' ? [] : ['color-contrast']) : []
      expect.soft(found.join('\n'), `${name}, ${scheme}: axe`).toBe('')
    }
  }
  await resize(opened, page, SIZES[0])
}
