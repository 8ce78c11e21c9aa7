import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TOUR } from '../../renderer/models/tour-model.ts'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { lookAtSizes } from '../support/size-book.ts'
import { openTab, press, rail } from '../support/window-steps.ts'

const missing = whyNoProduct()

/** The tour of the product as built, from the keyboard. */
describeUnless(missing, 'the tour', () => {
  let opened: TestWindow
  let page: Page
  beforeAll(async () => {
    opened = await openWindow({ folder: builtProduct() ?? '' })
    page = opened.page
    page.setDefaultTimeout(60_000)
  })
  afterAll(() => opened?.close())

  const stop = (at: number) => page.getByRole('heading', { name: `Tour, ${at + 1} of ${TOUR.length}` })
  const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '')

  test('has no more than eight stops', () => {
    expect(TOUR.length).toBeLessThanOrEqual(8)
    expect(new Set(TOUR.map(({ route }) => route.screen)).size).toBe(TOUR.length)
  })

  test('opens the demo fleet from the help, and shows each main screen with its words', async () => {
    await rail(page, 'Settings')
    await openTab(page, 'About')
    await press(page, 'Tour of the demo fleet')
    await stop(0).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Collection finished' }).waitFor()
    for (const at of TOUR.keys()) {
      await stop(at).waitFor()
      // The text of the stop is what a screen reader reads next, whatever the screen loads.
      await page.locator('.waiting').waitFor({ state: 'detached' })
      expect(await focused()).toContain(TOUR[at]?.title)
      await lookAtSizes(opened, `160-tour-${at + 1}`)
      await page.getByRole('button', { name: /^(Next stop|Finish tour)$/ }).focus()
      await page.keyboard.press('Enter')
    }
    expect(await page.locator('.tour').count()).toBe(0)
  })

  test('is left at any stop with Escape, and the screen stays', async () => {
    await page.locator('h1').focus()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('tour of')
    await page.keyboard.press('Enter')
    await stop(0).waitFor()
    await press(page, 'Next stop')
    await stop(1).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('.tour').count()).toBe(0)
    await page.locator('.home-steps').waitFor()
  })
})
