import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFindings, builtProduct, openWindow, shot, type TestWindow, whyNoWindow } from '../support/open-window.ts'

const missing = whyNoWindow() ?? (builtProduct() === null ? 'the product is not built: npm run build' : null)

/** The product as built, with the real engine in its worker: the demo fleet over SSH, exported and read back. */
describe.skipIf(missing !== null)(
  `the demo fleet in the window${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    let opened: TestWindow
    const out = mkdtempSync(join(tmpdir(), 'barewitness-export-'))
    beforeAll(async () => {
      opened = await openWindow({ folder: builtProduct() ?? '' })
    })
    afterAll(() => opened.close())
    const choose = (path: string): Promise<void> =>
      opened.app.evaluate(({ dialog }, chosen) => {
        dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
      }, path)

    test('is collected over SSH and assessed', async () => {
      const { page } = opened
      await page.click('main button:has-text("Try the demo fleet")')
      await page.waitForSelector('h1:has-text("Collected")', { timeout: 90_000 })
      await shot(page, '30-demo-collected')
      await page.click('text=Show results')
      await page.waitForSelector('.matrix')
      expect(await page.isVisible('.banner.demo')).toBe(true)
      expect(await page.locator('.matrix tbody tr').count()).toBe(8)
      expect(await axeFindings(page)).toEqual([])
      await shot(page, '31-demo-overview', true)
      for (const node of ['demo-guest-03', 'demo-metal-04']) {
        await page.click(`.matrix tr:has-text("${node}") .cell >> nth=0`)
        await page.waitForSelector('.ledger')
        await shot(page, `32-demo-why-${node}`, true)
        await page.keyboard.press('Escape')
        await page.waitForSelector('.matrix')
      }
    })

    test('is exported, and the pack reads back with six answers', async () => {
      const { page } = opened
      await page.click('.rail button:text-is("Export")')
      await choose(out)
      await page.click('main button:has-text("Export pack")')
      await page.waitForSelector('.exported', { timeout: 60_000 })
      await shot(page, '33-demo-export')
      const pack =
        readdirSync(out, { recursive: true })
          .map(String)
          .find((name) => name.endsWith('.zip')) ?? ''
      expect(pack).not.toBe('')
      await page.click('.rail button:text-is("Review a pack")')
      await choose(join(out, pack))
      await page.click('main button:has-text("Open a pack")')
      await page.waitForSelector('.seal', { timeout: 60_000 })
      await shot(page, '34-demo-review', true)
      expect(await page.locator('.answer').count()).toBe(6)
      expect(await page.locator('.outcome-no').count()).toBe(0)
      expect(await page.isVisible('.banner.demo')).toBe(true)
    })
  },
)
