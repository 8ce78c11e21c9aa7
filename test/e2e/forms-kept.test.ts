import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, shot, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { atHome, choose, field, openTab, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoProduct()

const SERVER = 'name,address\nradiology-1,192.0.2.4\n'

/** What a person enters stays theirs: no form loses input or the focus. The product as built. */
describeUnless(missing, 'forms of the window', () => {
  let opened: TestWindow
  let page: Page
  beforeAll(async () => {
    opened = await openWindow({ folder: builtProduct() ?? '' })
    page = opened.page
    page.setDefaultTimeout(20_000)
  })
  afterAll(() => opened?.close())

  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const at = document.activeElement === document.body ? null : document.activeElement
      const named = at?.getAttribute('aria-labelledby')?.split(' ')[0]
      return (
        at?.getAttribute('aria-label') ??
        (named ? document.getElementById(named)?.textContent : null) ??
        at?.textContent ??
        ''
      )
    })

  test('a response that lacks something leads to the first field that does', async () => {
    await press(page, 'Open demo fleet')
    await titled(page, 'Collection finished')
    await press(page, 'Show results')
    await atHome(page)
    await rail(page, 'Findings')
    await page.locator('.findings th.condition .button').first().click()
    await page.locator('.response-form').waitFor()
    await press(page, 'Save response')
    await page.getByText('Enter the person who states this response.').waitFor()
    await expect.poll(focused).toBe('Owner')
  })

  test('a response that is not saved stays while another finding is read, and is marked', async () => {
    await field(page, 'Plan').fill('The platform team removes it.')
    await press(page, 'Next')
    await page.getByText(/^2 of \d+$/).waitFor()
    expect(await field(page, 'Plan').inputValue()).toBe('')
    await press(page, 'Previous')
    await page.getByText(/^1 of \d+$/).waitFor()
    expect(await field(page, 'Plan').inputValue()).toBe('The platform team removes it.')
    await page.locator('.response-form').getByText('Not saved yet.').waitFor()
    await shot(page, '170-response-kept')
  })

  test('findings stay chosen where their dialog is cancelled, and are let go once it is saved', async () => {
    await rail(page, 'Findings')
    const choose = page.locator('.findings tbody .check')
    await choose.nth(0).click()
    await choose.nth(1).click()
    for (const name of ['Respond…', 'Add risk acceptance…'] as const) {
      await press(page, name)
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByRole('region', { name: 'Chosen findings' }).getByText('2 findings').waitFor()
    }
    await press(page, 'Respond…')
    await page.getByRole('dialog').getByLabel('Owner').fill('J. Lin')
    await page.getByRole('dialog').getByLabel('Stated by').fill('M. Ortiz')
    await press(page, 'Save response')
    await page.getByRole('region', { name: 'Chosen findings' }).waitFor({ state: 'detached' })
    await page.locator('.findings th.condition .button').first().click()
    await page.locator('.response-form').waitFor()
  })

  test('a saved response keeps the focus, and so does undoing it', async () => {
    await field(page, 'Stated by').fill('M. Ortiz')
    await press(page, 'Save response')
    await page.locator('.toast').getByText('Response saved for 1 finding').waitFor()
    await expect.poll(() => page.getByText('Not saved yet.').count()).toBe(0)
    expect(await focused()).toBe('Save response')
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => field(page, 'Plan').inputValue()).toBe('')
  })

  test('each step of the export begins at its heading', async () => {
    await choose(opened, null)
    await rail(page, 'Evidence packs')
    await press(page, /^Export evidence pack/)
    await page.locator('.export-step').first().waitFor()
    await press(page, 'Continue')
    await expect.poll(focused).toBe('Redacted copy')
    await press(page, 'Continue')
    await expect.poll(focused).toBe('Seal')
    await press(page, 'Seal pack')
    await page.getByRole('heading', { name: 'Review as auditor, then save' }).waitFor({ timeout: 180_000 })
    await expect.poll(focused).toBe('Review as auditor, then save')
    await shot(page, '171-review-step')
  })

  test('a saved section of the declarations keeps the focus', async () => {
    await rail(page, 'Nodes')
    await openTab(page, 'Import')
    await field(page, 'Content').fill(SERVER)
    await press(page, 'Preview lines')
    await press(page, 'Add 1 node')
    await rail(page, 'Declarations')
    await press(page, /^ePHI on all nodes/)
    await page.getByLabel(/^Paths of ePHI/).fill('/srv/phi')
    await press(page, 'Save ePHI on all nodes')
    await page.locator('.disclosure', { hasText: 'Paths of ePHI: 1' }).first().waitFor()
    expect(await focused()).toContain('ePHI on all nodes')
  })
})
