import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cutContent } from '../support/cut-content.ts'
import { closeOver, RESULT_SCREENS, REVIEW_PARTS, reviewPart } from '../support/every-screen.ts'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { lookAtSizes } from '../support/size-book.ts'
import { tablesWithoutTools } from '../support/table-tools.ts'
import { atHome, choose, field, opens, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoProduct()

/** Every screen of the product as built, with the demo fleet as the real engine judges it: nothing is cut, at any size. */
describeUnless(missing, 'every screen', () => {
  let opened: TestWindow
  let page: Page
  const out = mkdtempSync(join(tmpdir(), 'barewitness-every-screen-'))
  beforeAll(async () => {
    opened = await openWindow({ folder: builtProduct() ?? '' })
    page = opened.page
    page.setDefaultTimeout(30_000)
  })
  afterAll(async () => {
    await opened?.close()
    rmSync(out, { recursive: true, force: true })
  })

  test('the check itself finds what is cut', async () => {
    await page.evaluate(() => {
      const add = (style: string, title = ''): void => {
        const one = document.createElement('p')
        one.textContent = 'Words that are wider than their place by far'
        one.className = 'cut-here'
        one.style.cssText = `inline-size: 60px; white-space: nowrap; ${style}`
        one.title = title
        document.querySelector('main')?.append(one)
      }
      add('')
      add('overflow: hidden')
      add('overflow: hidden; text-overflow: ellipsis')
      add('overflow: hidden; text-overflow: ellipsis', 'The whole')
      add('overflow-x: auto')
    })
    expect((await cutContent(page)).filter((line) => line.includes('cut-here'))).toHaveLength(3)
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('.cut-here')) one.remove()
      const beyond = document.createElement('span')
      beyond.className = 'beyond-here'
      beyond.style.cssText = 'position: absolute; inset: 0 auto auto 100%; inline-size: 1px; block-size: 1px'
      document.body.append(beyond)
    })
    // A single pixel beside the page gives it a bar.
    expect((await cutContent(page)).filter((line) => line.startsWith('html: '))).toHaveLength(1)
    await page.evaluate(() => document.querySelector('.beyond-here')?.remove())
    expect(await cutContent(page)).toEqual([])
  })

  test('the check of tables finds one that cannot be sorted', async () => {
    await page.evaluate(() => {
      const table = document.createElement('table')
      table.ariaLabel = 'New'
      const row = table.createTHead().insertRow()
      for (let column = 0; column < 4; column += 1) {
        const heading = document.createElement('th')
        heading.scope = 'col'
        row.append(heading)
      }
      document.querySelector('main')?.append(table)
    })
    expect(await tablesWithoutTools(page)).toEqual(['New'])
    await page.evaluate(() => document.querySelector('main table[aria-label=New]')?.remove())
  })

  test('before there is a fleet', async () => {
    await lookAtSizes(opened, '120-first-run')
    for (const place of [
      'Overview',
      'Findings',
      'Nodes',
      'Controls',
      'Documents',
      'Engagement',
      'History',
      'Schedules',
    ]) {
      await rail(page, place)
      await page.locator('h1').waitFor()
      await lookAtSizes(opened, `120-empty-${place.toLowerCase()}`)
    }
  })

  test('a list before it is imported', async () => {
    await rail(page, 'Nodes')
    await press(page, 'Import nodes')
    await field(page, 'Content').fill('name,address,user\ndb-1,192.0.2.1,audit\ndb-2,,audit\n')
    await press(page, 'Preview lines')
    await page.getByRole('heading', { name: /outcome by line/ }).waitFor()
    await lookAtSizes(opened, '121-import')
  })

  test('the demo fleet, collected', async () => {
    await rail(page, 'Overview')
    await press(page, 'Explore the demo fleet')
    await press(page, 'Open demo fleet')
    await titled(page, 'Collection finished')
    await lookAtSizes(opened, '122-collected')
    await press(page, 'Show results')
    await atHome(page)
  })

  test.each(RESULT_SCREENS.map((screen) => [screen.name, screen] as const))('%s', async (name, { open, isOver }) => {
    await open(page)
    await lookAtSizes(opened, `123-${name}`)
    expect(await tablesWithoutTools(page)).toEqual([])
    if (isOver === true) await closeOver(page)
  })

  test('a pack that is sealed, saved and reviewed', async () => {
    await rail(page, 'Evidence packs')
    await press(page, /^(Export evidence pack|Continue export)/)
    await press(page, 'Seal pack')
    await page.getByRole('heading', { name: 'Review as auditor, then save' }).waitFor({ timeout: 120_000 })
    await lookAtSizes(opened, '124-export-review')
    await choose(opened, out)
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByText('Pack exported').first().waitFor()
    await lookAtSizes(opened, '124-exported')
    await rail(page, 'Evidence packs')
    await choose(opened, join(out, readdirSync(out).find((name) => name.endsWith('.zip')) ?? ''))
    const review = await opens(opened, () => press(page, 'Open evidence pack'))
    review.setDefaultTimeout(30_000)
    await titled(review, 'Verification')
    for (const part of REVIEW_PARTS) {
      await reviewPart(review, part)
      await lookAtSizes(opened, `125-review-${part.toLowerCase().replaceAll(' ', '-')}`, review)
      expect.soft(await tablesWithoutTools(review)).toEqual([])
    }
  })
})
