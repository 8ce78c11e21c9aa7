import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { framesWhile } from '../support/frames.ts'
import { describeUnless } from '../support/needing.ts'
import { buildTestApp, openWindow, shot, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { atHome, field, openMatrix, press, titled } from '../support/window-steps.ts'
import { watch } from '../support/window-watch.ts'

const missing = whyNoWindow()
const NODES = 500
/** A browser lays out no more rows than these, however many there are. */
const MOST_ROWS = 60

const drawn = (page: Page): Promise<number> => page.locator('[role=grid] [role=row]').count()
/** The target of a key, within the time that a busy machine may need. */
const arrives = async (at: () => Promise<string | null>, where: string | RegExp): Promise<void> =>
  await expect.poll(at, { timeout: 15_000 }).toMatch(typeof where === 'string' ? new RegExp(`^${where}$`) : where)
const rowsOf = (page: Page): Promise<string | null> => page.getByRole('grid').getAttribute('aria-rowcount')

describeUnless(missing, `${NODES} nodes`, () => {
  let opened: TestWindow
  let page: Page
  let seen: readonly string[]
  beforeAll(async () => {
    opened = await openWindow({
      folder: buildTestApp(),
      env: { BAREWITNESS_TEST_PACE: '0', BAREWITNESS_TEST_NODES: String(NODES) },
    })
    page = opened.page
    seen = watch(opened)
  })
  afterAll(() => opened?.close())

  test('collecting: the window keeps drawing while events come, and draws only rows in sight', async () => {
    await framesWhile(page, 'collecting', async () => {
      await press(page, 'Open demo fleet')
      await titled(page, /^Collect/)
      expect(await drawn(page)).toBeLessThan(MOST_ROWS)
      await titled(page, 'Collection finished')
    })
    expect(await page.getByText(`${NODES} of ${NODES} nodes`).first().isVisible()).toBe(true)
    expect(await rowsOf(page)).toBe(String(NODES + 1))
    expect(await drawn(page)).toBeLessThan(MOST_ROWS)
    await shot(page, '60-large-collected')
  })

  test('the matrix opens, and reports its number of rows', async () => {
    await press(page, 'Show results')
    await atHome(page)
    await openMatrix(page)
    expect(await rowsOf(page)).toBe(String(NODES + 1))
    expect(await drawn(page)).toBeLessThan(MOST_ROWS)
  })

  test('it scrolls by wheel to the last node', async () => {
    const grid = page.getByRole('grid')
    await grid.hover()
    const atEnd = (): Promise<boolean> =>
      grid.evaluate((element) => element.scrollTop + element.clientHeight >= element.scrollHeight - 2)
    await framesWhile(page, 'wheel', async () => {
      for (let turns = 0; turns < 400 && !(await atEnd()); turns++) await page.mouse.wheel(0, 400)
    })
    expect(await atEnd()).toBe(true)
    expect(await page.locator(`[role=row][aria-rowindex="${NODES + 1}"]`).count()).toBe(1)
    expect(await drawn(page)).toBeLessThan(MOST_ROWS)
    await shot(page, '61-large-matrix-end')
  })

  test('it is walked by keyboard from the first node to the last and back', async () => {
    const at = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.closest('[role=row]')?.getAttribute('aria-rowindex') ?? null)
    await page.getByRole('grid').evaluate((element) => element.scrollTo({ top: 0 }))
    await page.locator('[role=row][aria-rowindex="2"] button').first().focus()
    await arrives(at, '2')
    // As one who walks by keyboard: a focus that only a script gave waits for every transition on the page to end.
    await page.keyboard.press('ArrowDown')
    await arrives(at, '3')
    await page.keyboard.press('Control+End')
    await arrives(at, String(NODES + 1))
    await page.keyboard.press('Control+Home')
    await arrives(at, /^[12]$/)
    await framesWhile(page, 'Page Down', async () => {
      for (let pressed = 0; pressed < 100 && (await at()) !== String(NODES + 1); pressed++)
        await page.keyboard.press('PageDown')
    })
    await arrives(at, String(NODES + 1))
    await framesWhile(page, 'arrows', async () => {
      for (let pressed = 0; pressed < 60; pressed++) await page.keyboard.press('ArrowUp')
    })
    await arrives(at, String(NODES + 1 - 60))
    expect(await drawn(page)).toBeLessThan(MOST_ROWS)
  })

  test('the filter answers each letter', async () => {
    const find = field(page, 'Find a node')
    await find.focus()
    for (const letter of 'node-0500') {
      await page.keyboard.press(letter)
      await page.getByText(new RegExp(`^\\d+ of ${NODES} nodes$`)).waitFor()
    }
    await page.getByText(`1 of ${NODES} nodes`, { exact: true }).waitFor()
    expect(await rowsOf(page)).toBe('2')
    await page.getByRole('row', { name: 'node-0500' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText(`${NODES} declared nodes`, { exact: true }).waitFor()
    expect(await rowsOf(page)).toBe(String(NODES + 1))
  })

  test('nothing was thrown meanwhile', () => {
    expect(seen).toEqual([])
  })
})
