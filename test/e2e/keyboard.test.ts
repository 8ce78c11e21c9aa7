import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { focused, tabTo, walk } from '../support/keyboard.ts'
import { describeUnless } from '../support/needing.ts'
import { buildTestApp, openWindow, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { atHome, choose, field, heading, openMatrix, rail, titled } from '../support/window-steps.ts'
import { watch } from '../support/window-watch.ts'

const missing = whyNoWindow()

/** Every action works without a mouse, and the focus is always visible. */
describeUnless(missing, 'by keyboard alone', () => {
  let opened: TestWindow
  let page: Page
  let seen: readonly string[]
  const out = mkdtempSync(join(tmpdir(), 'barewitness-keys-'))
  beforeAll(async () => {
    opened = await openWindow({ folder: buildTestApp(), env: { BAREWITNESS_TEST_PACE: '0' } })
    page = opened.page
    seen = watch(opened)
    await page.emulateMedia({ reducedMotion: 'reduce' })
  })
  afterAll(async () => {
    await opened?.close()
    rmSync(out, { recursive: true, force: true })
  })

  const keys = async (...pressed: readonly string[]): Promise<void> => {
    for (const key of pressed) await page.keyboard.press(key)
  }
  const cell = (): Promise<string> =>
    page.evaluate(() => {
      const at = document.activeElement
      const row = at?.closest('[role=row]')
      const column = at?.closest('[role=gridcell], [role=rowheader], [role=columnheader]')
      return `${row?.getAttribute('aria-rowindex')} ${column?.getAttribute('aria-colindex') ?? 'row'}`
    })
  const dialogs = (): Promise<number> => page.getByRole('dialog').count()

  describe('the way of an officer', () => {
    test('first run, demo, results', async () => {
      expect(await focused(page)).toBe('Collect audit evidence from your servers')
      await tabTo(page, 'Open demo fleet')
      await keys('Enter')
      await titled(page, 'Collection finished')
      expect(await focused(page)).toBe('Collection finished')
      await tabTo(page, 'Show results')
      await keys('Enter')
      await atHome(page)
      await keys('g', 'f')
      await titled(page, 'Findings')
      await tabTo(page, 'Nodes × properties')
      await keys('Enter')
      await titled(page, 'Nodes × properties')
    })

    test('the grid: one stop, arrows inside, Home and End, its totals above', async () => {
      await tabTo(page, /^demo-guest-03/)
      expect(await cell()).toBe('2 1')
      await keys('ArrowDown', 'ArrowDown')
      expect(await cell()).toBe('4 1')
      await keys('End')
      expect(await cell()).toBe('4 7')
      await keys('Home', 'Control+End')
      expect((await cell()).split(' ')[0]).toBe('9')
      await keys('Control+Home')
      expect(await cell()).toBe('2 1')
      await keys('ArrowRight', 'ArrowUp')
      expect(await focused(page)).toMatch(
        /^Isolation, all nodes tested: \d+ not satisfied, .*\. Show nodes not satisfied\.$/,
      )
      await keys('ArrowDown')
      expect(await cell()).toBe('2 2')
    })

    test('Why, a reason, its evidence, and back by Escape', async () => {
      await keys('Enter')
      await titled(page, 'demo-guest-03 ▸ Isolation')
      await tabTo(page, /^The processor reports that a hypervisor is present/)
      await keys('Enter')
      await tabTo(page, 'Open cpu.flags/answer in raw evidence')
      await keys('Enter')
      await titled(page, 'Raw evidence of demo-guest-03')
      await page.getByLabel('Output text').getByText('hypervisor').first().waitFor()
      await keys('Escape')
      await titled(page, 'demo-guest-03 ▸ Isolation')
      await expect.poll(() => focused(page)).toMatch(/^The processor reports that a hypervisor is present/)
      await keys('Escape')
      await titled(page, 'Nodes × properties')
      await expect.poll(cell).toBe('2 2')
      await keys('Enter')
      await titled(page, 'demo-guest-03 ▸ Isolation')
    })

    test('a dialog holds the focus, closes by Escape, and gives the focus back', async () => {
      await tabTo(page, 'Add risk acceptance…')
      await keys('Enter')
      await page.getByRole('dialog').waitFor()
      const inside = (): Promise<boolean> =>
        page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)
      for (let pressed = 0; pressed < 30; pressed++) {
        await keys('Tab')
        expect(await inside(), await focused(page)).toBe(true)
      }
      await keys('Shift+Tab')
      expect(await inside()).toBe(true)
      expect((await walk(page)).unreached).toEqual([])
      await keys('Escape')
      await expect.poll(dialogs).toBe(0)
      await expect.poll(() => focused(page)).toBe('Add risk acceptance…')
      expect(await heading(page)).toBe('demo-guest-03 ▸ Isolation')
    })

    test('one Escape closes the palette, whatever was typed', async () => {
      await keys('Control+k')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('F-')
      await page.getByRole('option').first().waitFor()
      await keys('Escape')
      await expect.poll(dialogs).toBe(0)
    })

    test('the palette leads to the export, whose steps end in a saved pack', async () => {
      await keys('Control+k')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('export evidence')
      await page.getByRole('option').first().waitFor()
      await keys('ArrowDown', 'Enter')
      await titled(page, 'Export evidence pack')
      await expect.poll(dialogs).toBe(0)
      await tabTo(page, 'Continue')
      await keys('Enter')
      await page.getByRole('heading', { level: 2, name: 'Redacted copy' }).waitFor()
      await tabTo(page, 'Continue')
      await keys('Enter')
      await tabTo(page, 'Seal pack')
      await keys('Enter')
      await page.getByRole('heading', { name: 'Review as auditor, then save' }).waitFor({ timeout: 60_000 })
      await choose(opened, out)
      await tabTo(page, 'Save pack')
      await keys('Enter')
      await page.getByText('Pack exported').first().waitFor()
      expect(readdirSync(out).some((name) => name.endsWith('.zip'))).toBe(true)
    })
  })

  describe('keys of the window', () => {
    test('F6 goes round the panes, both ways', async () => {
      await openMatrix(page)
      const pane = (): Promise<string | null> =>
        page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null)
      const panes = [await keys('F6').then(pane), await keys('F6').then(pane), await keys('F6').then(pane)]
      expect(new Set(panes)).toEqual(new Set(['Main', 'Screen']))
      await keys('Shift+F6')
      expect(await pane()).toBe(panes[1])
    })

    test('single keys: ?, /, G then a place', async () => {
      await keys('?')
      await page.getByRole('dialog').waitFor()
      await keys('Escape')
      await expect.poll(dialogs).toBe(0)
      await keys('/')
      expect(await focused(page)).toBe('Find a node')
      for (const [second, title] of [
        ['c', 'Controls'],
        ['l', 'Location'],
        ['p', 'Evidence packs'],
        ['o', /finding/],
        ['f', 'Findings'],
        ['n', 'Nodes'],
      ] as const) {
        await page.locator('h1').focus()
        await keys('g', second)
        await titled(page, title)
      }
    })

    test('what is typed into a field goes nowhere', async () => {
      await keys('/')
      await page.keyboard.type('gc?[/e')
      expect(await heading(page)).toBe('Nodes')
      expect(await dialogs()).toBe(0)
      expect(await field(page, 'Find a node').inputValue()).toBe('gc?[/e')
      await keys('Escape')
    })

    test('turned off, they do nothing; the others stay', async () => {
      await rail(page, 'Settings')
      await page.getByRole('tab', { name: /^Appearance/ }).click()
      const single = page.getByRole('checkbox', { name: /Single-key shortcuts/ })
      await single.focus()
      await keys('Space')
      await expect.poll(() => single.isChecked()).toBe(false)
      await page.locator('h1').focus()
      await keys('g', 'n', '?', '/', '[')
      expect(await heading(page)).toBe('Settings')
      expect(await dialogs()).toBe(0)
      expect(await focused(page)).toBe('Settings')
      await keys('Control+k')
      await page.getByRole('dialog').waitFor()
      await keys('Escape')
      await expect.poll(dialogs).toBe(0)
      await single.focus()
      await keys('Space')
      await expect.poll(() => single.isChecked()).toBe(true)
    })
  })

  test('nothing was thrown meanwhile', () => {
    expect(seen).toEqual([])
  })
})
