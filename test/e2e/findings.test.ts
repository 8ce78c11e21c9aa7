import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { cutOff, type ScreenBook, screenBook } from '../support/screen-book.ts'
import { openMatrix, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoProduct()

const WIDTHS = [1280, 1024] as const

/** Home and findings of the demo fleet, with the real engine and the real catalog: every number, and what is recorded about findings. */
describeUnless(missing, 'screens of findings', () => {
  let opened: TestWindow
  let page: Page
  let book: ScreenBook
  beforeAll(async () => {
    opened = await openWindow({ folder: builtProduct() ?? '' })
    page = opened.page
    page.setDefaultTimeout(60_000)
    book = screenBook(opened, () => true)
    await press(page, 'Open demo fleet')
    await titled(page, 'Collection finished')
    await press(page, 'Show results')
    await page.locator('.home-steps').waitFor()
  })
  afterAll(() => opened?.close())

  /** Both pictures at each width, and nothing that ends outside of the page. */
  async function look(name: string): Promise<void> {
    for (const width of WIDTHS) {
      await opened.app.evaluate(({ BrowserWindow }, to) => {
        for (const window of BrowserWindow.getAllWindows()) window.setContentSize(to, 900)
      }, width)
      await page.waitForFunction((to) => window.innerWidth === to, width)
      await book.look(`${name}-${width}`, { full: true })
      expect.soft(await cutOff(page), `${name} at ${width}`).toEqual([])
    }
  }

  test('home names how bad it is, the next step, and the most severe findings', async () => {
    expect(await page.textContent('h1')).toMatch(/^\d+ critical findings? on \d+ of 8 nodes$/)
    expect(await page.locator('.leading tbody tr').count()).toBe(7)
    expect(await page.locator('main .button.primary').count()).toBe(1)
    expect(await page.locator('main .button.primary').textContent()).toMatch(/^Assign \d+ findings$/)
    expect(await page.locator('.home-step[aria-current=step]').textContent()).toContain('Respond')
    await look('10-home')
  })

  test('each number of the lead opens a list with as many rows', async () => {
    const links = page.locator('.home-lead .button.link')
    for (let at = 0; at < (await links.count()); at += 1) {
      const text = (await links.nth(at).textContent()) ?? ''
      const isFinding = /finding|critical|high|moderate|low/.test(text)
      if (!isFinding) continue
      await links.nth(at).click()
      await page.locator('.findings').waitFor()
      expect(await page.locator('.findings tbody.finding').count(), text).toBe(Number(/\d+/.exec(text)?.[0]))
      await page.keyboard.press('Escape')
      await page.locator('.home-lead').waitFor()
    }
  })

  test('deviations of a node open the findings that deviate on it', async () => {
    const count = page.locator('.bar-line .button').first()
    const deviations = Number(await count.textContent())
    await count.click()
    await page.locator('.findings').waitFor()
    expect(await page.locator('.findings tbody.finding').count()).toBe(deviations)
    await page.keyboard.press('Escape')
  })

  test('findings are listed by severity, and open in place', async () => {
    await rail(page, 'Findings')
    await titled(page, 'Findings')
    const first = page.locator('.findings tbody').first()
    expect(await first.textContent()).toContain('Critical')
    await page
      .getByRole('button', { name: /^Details of F-/ })
      .first()
      .click()
    await page.getByText('Recommendation').first().waitFor()
    await look('11-findings')
    await page
      .getByRole('button', { name: /^Details of F-/ })
      .first()
      .click()
  })

  test('several findings are assigned at once; undo withdraws it', async () => {
    const unassigned = page.getByRole('button', { name: /^Assign \d+ without owner$/ })
    const before = await unassigned.textContent()
    const choose = page.locator('.findings tbody .check')
    await choose.nth(0).click()
    await choose.nth(1).click()
    await page.locator('.bulk-bar').getByText('2 findings').waitFor()
    await press(page, 'Respond…')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Owner').fill('J. Lin')
    await dialog.getByRole('button', { name: 'Save response' }).click()
    await dialog.getByText('Enter the person who states this response.').waitFor()
    await look('11-findings-respond')
    await dialog.getByLabel('Stated by').fill('M. Ortiz')
    await dialog.getByRole('button', { name: 'Save response' }).click()
    await page.locator('.toast').getByText('Response saved for 2 findings').waitFor()
    await expect.poll(() => page.locator('.findings').getByText('J. Lin').count()).toBe(2)
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: before ?? '' }).waitFor()
    await expect.poll(() => page.locator('.findings').getByText('J. Lin').count()).toBe(0)
  })

  test('a risk is accepted for several findings; one person in both roles is stated before it is recorded', async () => {
    const choose = page.locator('.findings tbody .check')
    await choose.nth(1).click()
    await choose.nth(3).click()
    await press(page, 'Add risk acceptance…')
    const dialog = page.getByRole('dialog')
    for (const [label, text] of [
      ['Reason', 'The server is replaced in the next maintenance window.'],
      ['Compensating control', 'Console access is limited to two people.'],
      ['Owner', 'M. Ortiz'],
      ['Requested by', 'M. Ortiz'],
      ['Approved by', ' m.  ortiz '],
      ['Approver’s role', 'Security officer'],
    ] as const)
      await dialog.getByLabel(label).fill(text)
    await dialog.getByText('no segregation of duties').waitFor()
    await look('11-findings-accept')
    await dialog.getByRole('button', { name: 'Add risk acceptance' }).click()
    await page
      .locator('.toast')
      .getByText(/^Risk accepted for/)
      .waitFor()
    await expect
      .poll(() =>
        page
          .locator('.findings')
          .getByText(/^Risk accepted until/)
          .count(),
      )
      .toBe(2)
  })

  test('a finding states criterion, effect, recommendation and evidence, down to the captures', async () => {
    await page.locator('.findings th.condition .button').first().click()
    await page.getByRole('heading', { name: 'Evidence on each node' }).waitFor()
    const reference = (await page.locator('.over').textContent())?.match(/F-[0-9A-F]{6}/)?.[0] ?? ''
    expect(reference).not.toBe('')
    await look('12-finding')
    await page.keyboard.press('Control+k')
    await page.keyboard.type(reference.toLowerCase())
    await page.getByRole('option', { name: new RegExp(reference) }).waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: /: show the captures$/ })
      .first()
      .click()
    await page.locator('.claim').waitFor()
  })

  test('nodes by property: cells are counts that add up, and the legend states what they leave out', async () => {
    await openMatrix(page)
    const legend = (await page.locator('.under-matrix').textContent()) ?? ''
    expect(legend).toMatch(/\d+ informational, \d+ not applicable, \d+ that need a second run\.$/)
    const sum = Number(/nodes tested: (\d+) not satisfied/.exec(legend)?.[1])
    const titles = await page
      .locator('.matrix .total')
      .evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? ''))
    const counted = titles.map((title) => Number(/^(\d+) not satisfied/.exec(title)?.[1]))
    expect(counted.reduce((all, count) => all + count, 0)).toBe(sum)
    await look('13-nodes-by-property')
  })
})
