import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, builtProduct, openWindow, shot, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { screenBook } from '../support/screen-book.ts'
import { atHome, choose, field, openMatrix, opens, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoProduct()

/** The product as built, with the real engine in its worker: the demo fleet over SSH, exported and read back. */
describeUnless(missing, 'the demo fleet in the window', () => {
  let opened: TestWindow
  let page: Page
  const out = mkdtempSync(join(tmpdir(), 'barewitness-export-'))
  const isMarked = (of: Page = page): Promise<boolean> => of.isVisible('.banner.demo')
  beforeAll(async () => {
    opened = await openWindow({ folder: builtProduct() ?? '' })
    page = opened.page
  })
  afterAll(async () => {
    await opened?.close()
    rmSync(out, { recursive: true, force: true })
  })

  test('two clicks from the first run to a first result', async () => {
    let clicks = 0
    const click = async (name: string): Promise<void> => {
      clicks += 1
      await press(page, name)
    }
    await click('Open demo fleet')
    await titled(page, 'Collection finished')
    expect(await isMarked()).toBe(true)
    await shot(page, '50-demo-collected')
    await click('Show results')
    await atHome(page)
    expect(clicks).toBe(2)
    expect(await page.locator('.leading tbody tr').count()).toBe(7)
    await openMatrix(page)
    expect(await page.getByRole('grid').getByRole('rowheader').count()).toBe(8)
    await shot(page, '50-demo-matrix', true)
    expect((await axeFindings(page)).join('\n')).toBe('')
  })

  test('a virtual machine disguised as hardware has a result page, and every screen is marked as demo data', async () => {
    await page
      .getByRole('row', { name: /demo-guest-03/ })
      .getByRole('gridcell')
      .first()
      .click()
    await titled(page, /demo-guest-03 ▸/)
    await page.locator('.claim').waitFor()
    await shot(page, '51-demo-why', true)
    expect((await axeFindings(page)).join('\n')).toBe('')
    for (const place of ['Overview', 'Findings', 'Nodes', 'Controls', 'Evidence packs', 'Settings']) {
      await rail(page, place)
      await page.locator('h1').waitFor()
      expect(await isMarked(), place).toBe(true)
    }
  })

  test('is exported, and the pack reads back with six answers', async () => {
    await rail(page, 'Evidence packs')
    await press(page, 'Export evidence pack')
    await press(page, 'Continue')
    await press(page, 'Continue')
    await press(page, 'Seal pack')
    await page.getByRole('heading', { name: 'Review as auditor, then save' }).waitFor({ timeout: 60_000 })
    expect(await isMarked()).toBe(true)
    await choose(opened, out)
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByText('Pack exported').first().waitFor({ timeout: 30_000 })
    await shot(page, '52-demo-exported', true)
    await rail(page, 'Evidence packs')
    await choose(opened, join(out, readdirSync(out).find((name) => name.endsWith('.zip')) ?? ''))
    const review = await opens(opened, () => press(page, 'Open evidence pack'))
    await titled(review, 'Verification')
    expect(await review.locator('.seal-answer').count()).toBe(6)
    expect(await review.locator('.outcome-failed').count()).toBe(0)
    expect(await isMarked(review)).toBe(true)
    await shot(review, '53-demo-review', true)
    expect((await axeFindings(review)).join('\n')).toBe('')
    await review.close()
  })

  test('screens of the secret prompt', async () => {
    await rail(page, 'Settings')
    await page.getByRole('tab', { name: 'Signing identities' }).click()
    await press(page, 'Create signing identity')
    await field(page, 'Signer name').fill('Ward Health')
    await field(page, 'Short name').fill('ward')
    const prompt = await opens(opened, () =>
      page.getByRole('dialog').getByRole('button', { name: 'Create signing identity', exact: true }).click(),
    )
    await prompt.locator('input').waitFor()
    await screenBook(opened).look('54-secret-prompt', { page: prompt })
    await prompt.keyboard.press('Escape').catch(() => undefined)
  })
})
