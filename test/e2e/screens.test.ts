import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  axeFindings,
  buildTestApp,
  openWindow,
  shot,
  type TestWindow,
  whyNoWindow,
  windowShot,
} from '../support/open-window.ts'

const missing = whyNoWindow()

/** Walks every screen in real Electron, with the made-up engine. Each step leaves a screenshot in screens/ and asks axe. */
describe.skipIf(missing !== null).each(['light', 'dark'] as const)(
  `screens, %s${missing === null ? '' : ` (skipped: ${missing})`}`,
  (scheme) => {
    let opened: TestWindow
    let page: Page
    /** From here on every screen is about demo data, and says so. */
    let demo = false
    const look = async (name: string): Promise<void> => {
      await shot(page, `${name}-${scheme}`)
      if (demo) expect(await page.isVisible('.banner.demo'), `${name}: marked as demo data`).toBe(true)
      expect(await axeFindings(page), name).toEqual([])
    }
    const heading = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.closest('h1')?.textContent ?? null)
    const rail = (name: string): Promise<void> => page.click(`.rail button:text-is("${name}")`)
    const choose = (path: string | null): Promise<void> =>
      opened.app.evaluate(({ dialog }, chosen) => {
        dialog.showOpenDialog = () =>
          Promise.resolve({ canceled: chosen === null, filePaths: chosen === null ? [] : [chosen] })
      }, path)

    beforeAll(async () => {
      opened = await openWindow({
        folder: buildTestApp(),
        dark: scheme === 'dark',
        env: { BAREWITNESS_TEST_PACE: '60' },
      })
      page = opened.page
    })
    afterAll(() => opened.close())

    test('first run: the heading has the focus', async () => {
      expect(await heading()).toBe('See what your servers can show an auditor.')
      await look('01-first-run')
    })

    test('empty states are explained', async () => {
      for (const place of ['Overview', 'Controls', 'Export', 'Review a pack']) {
        await rail(place)
        await page.waitForSelector('.empty')
        expect(await axeFindings(page), place).toEqual([])
      }
    })

    test('nodes: import, with every line accounted for', async () => {
      await rail('Nodes')
      await page.fill(
        'textarea',
        'Host db-1\n  HostName 192.0.2.1\nHost db-2\n  HostName 192.0.2.2\nHost web-3\n  User audit\nHost *\n  ServerAliveInterval 5\nMatch exec true\n',
      )
      await page.click('text=Preview lines')
      await page.waitForSelector('text=Add 3 nodes')
      await look('02-import')
      await page.click('text=Add 3 nodes')
      await page.waitForSelector('h2:has-text("Host keys")')
    })

    test('nodes: a host key is confirmed one by one, with how it was verified', async () => {
      await page.click('text=Ask for host keys')
      await page.click('button:has-text("Confirm…")')
      await page.waitForSelector('dialog[open]')
      await look('04-host-key-decision')
      await page.fill('dialog input', 'Provider console')
      await page.click('text=Record decision')
      await page.waitForSelector('text=your decision: Provider console')
      expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('DIALOG')
      await look('03-nodes')
    })

    test('what we will run: every command with rights and reason', async () => {
      await page.click('text=What we will run')
      await page.waitForSelector('text=with administrator rights')
      expect(await heading()).toBe('What we will run')
      await look('05-preview')
    })

    test('collecting: one moving word per node, then the results', async () => {
      await opened.page.reload()
      await page.waitForSelector('h1')
      await page.evaluate(() => window.barewitness.call('demo.open', null))
      await page.waitForSelector('.running')
      await page.click('.running')
      demo = true
      await page.waitForSelector('text=Collecting 7 of 12')
      await look('06-collecting')
      await page.waitForSelector('h1:has-text("Collected")')
      expect(await page.textContent('[role=status]')).toContain('8 of 8 nodes finished, 2 not collected')
      await look('07-collected')
      await page.click('text=Show results')
    })

    test('overview: worst first, not collected stays, arrows walk the grid', async () => {
      await page.waitForSelector('.matrix')
      expect(await page.textContent('.matrix tbody tr:first-child th')).toContain('demo-guest-03')
      expect(await page.textContent('.matrix')).toContain(
        'Not collected: We could not reach the node (connection refused)',
      )
      expect(await page.textContent('.matrix tfoot')).toContain('of 8')
      expect(await page.locator('.matrix [tabindex="0"]').count()).toBe(1)
      await look('08-overview')
      await page.focus('.matrix [tabindex="0"]')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('End')
      expect(await page.evaluate(() => document.activeElement?.getAttribute('data-at'))).toBe('2-5')
      await page.keyboard.press('Home')
      await page.keyboard.press('Enter')
    })

    test('why do we believe this: for, against, unclear, limits', async () => {
      await page.waitForSelector('.ledger')
      expect(await heading()).toBe('demo-metal-04 ▸ Isolation')
      expect(await page.textContent('.says-against')).toContain('No management controller answers')
      expect(await page.textContent('.claims')).toContain('What this does not show')
      await look('09-why')
      await page.keyboard.press('Escape')
      await page.waitForSelector('.matrix')
      await page.click('text=Not collected: We could not reach')
      await page.waitForSelector('.ledger')
      await look('10-why-not-collected')
    })

    test('evidence: three panes, the digest computed again', async () => {
      await rail('Overview')
      await page.click('.matrix button[data-at="0-0"]')
      await page.click('.says-against .cites button >> nth=0')
      await page.waitForSelector('.output')
      expect(await page.textContent('.inspector')).toContain('Computed again: identical')
      await look('11-evidence')
    })

    test('controls: every row, what is not shown', async () => {
      await rail('Controls')
      await page.waitForSelector('.control')
      expect(await page.locator('.control').count()).toBe(72)
      await look('12-controls')
      const shown = page.locator('.control', { has: page.locator('.tone-not-met') }).first()
      await shown.locator('summary').click()
      await page.waitForSelector('.control[open] >> text=What this does not show')
      await shown.scrollIntoViewIfNeeded()
      await look('13-control')
    })

    test('export: a folder from the dialog, digests of what was written', async () => {
      await rail('Export')
      await choose(null)
      await page.click('main button:has-text("Export pack")')
      await page.waitForTimeout(100)
      expect(await page.locator('.exported').count()).toBe(0)
      await choose('/tmp/out')
      await page.click('main button:has-text("Export pack")')
      await page.waitForSelector('.exported')
      await look('14-export')
    })

    test('review: six answers; an altered pack says exactly what', async () => {
      await rail('Review a pack')
      await choose('/tmp/demo.zip')
      await page.click('main button:has-text("Open a pack")')
      await page.waitForSelector('.seal')
      expect(await page.locator('.answer').count()).toBe(6)
      await look('15-review')
      await choose('/tmp/altered.zip')
      await page.click('main button:has-text("Open a pack")')
      await page.waitForSelector('.altered')
      expect(await page.textContent('main')).toContain('data/recordings/demo-gpu-01/sha256/3f9a…')
      await look('16-review-altered')
      await page.click('text=Read the findings in this pack')
      await page.waitForSelector('.matrix')
      expect(await page.textContent('.stage')).toContain('You are reviewing a sealed pack')
    })

    test('twice the size: nothing is cut, no page scrolls sideways', async () => {
      const zoom = (factor: number): Promise<void> =>
        opened.app.evaluate(({ BrowserWindow }, to) => {
          for (const window of BrowserWindow.getAllWindows()) window.webContents.setZoomFactor(to)
        }, factor)
      await zoom(2)
      const places: readonly (readonly [string, string])[] = [
        ['Overview', '.matrix'],
        ['Nodes', '.importer'],
        ['Controls', '.control'],
        ['Review a pack', '.seal'],
      ]
      for (const [place, sign] of places) {
        await rail(place)
        await page.waitForSelector(sign)
        const sideways = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(sideways, place).toBeLessThanOrEqual(0)
        await windowShot(opened, `20-zoom-${place.toLowerCase().replaceAll(' ', '-')}-${scheme}`)
      }
      await rail('Overview')
      await page.click('.matrix button[data-at="0-0"]')
      await page.waitForSelector('.ledger')
      await windowShot(opened, `20-zoom-why-${scheme}`)
      await page.click('.cites button >> nth=0')
      await page.waitForSelector('.output')
      await windowShot(opened, `20-zoom-evidence-${scheme}`)
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      ).toBeLessThanOrEqual(0)
      await zoom(1)
    })

    test('forced colors and print keep marks and words', async () => {
      await rail('Overview')
      await page.waitForSelector('.matrix')
      await page.emulateMedia({ forcedColors: 'active', colorScheme: scheme })
      await shot(page, `21-forced-colors-${scheme}`)
      await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light', media: 'print' })
      expect(await page.isVisible('.rail')).toBe(false)
      expect(await page.isVisible('.matrix .mark >> nth=0')).toBe(true)
      await shot(page, `22-print-${scheme}`, true)
      await page.emulateMedia({ media: 'screen', colorScheme: scheme })
    })
  },
)
