import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { locationVerdictWords } from '../../schemas/location-words.ts'
import { focused, tabTo, unnamed } from '../support/keyboard.ts'
import { describeUnless } from '../support/needing.ts'
import { buildTestApp, openWindow, shot, type TestWindow, whyNoWindow, windowShot } from '../support/open-window.ts'
import { type ScreenBook, screenBook, zoom } from '../support/screen-book.ts'
import { field, openTab, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoWindow()

/** Imported nodes without a declared place. */
const FLEET = `name,address,user,sudo
ward-db-04,192.0.2.4,audit,yes
ward-db-06,192.0.2.6,audit,yes
`

/** Declared places, with the simulated engine: every state has a screenshot in light and dark. */
describeUnless(missing, 'screens of the location', () => {
  let opened: TestWindow
  let page: Page
  let book: ScreenBook
  let demo = false
  const grid = (): Locator => page.getByRole('grid', { name: 'Nodes by location' })
  const names = (): Promise<readonly string[]> => grid().locator('.node-name').allTextContents()
  const answering = async (word: string): Promise<void> => {
    await page.locator('.table-bar .select-button').click()
    await page.getByRole('option', { name: word }).click()
  }
  const openNode = async (node: string): Promise<void> => {
    await rail(page, 'Location')
    await answering('All results')
    await field(page, 'Find a node').fill(node)
    // Rows are drawn for the part that is in view.
    await grid().scrollIntoViewIfNeeded()
    await grid().getByRole('button', { name: node }).click()
    await titled(page, node)
    await page.getByRole('heading', { level: 2, name: 'Location', exact: true }).waitFor()
  }
  beforeAll(async () => {
    opened = await openWindow({ folder: buildTestApp(), env: { BAREWITNESS_TEST_PACE: '0' } })
    page = opened.page
    page.setDefaultTimeout(60_000)
    book = screenBook(opened, () => demo)
  })
  afterAll(() => opened.close())

  test('before anything was collected', async () => {
    await rail(page, 'Location')
    await titled(page, 'Location')
    await page.getByText('No results yet').waitFor()
    await book.look('70-location-nothing-yet')
  })

  test('all nodes: the worst answer first, those that were not collected counted in', async () => {
    await page.reload()
    await press(page, 'Open demo fleet')
    demo = true
    await titled(page, 'Collection finished')
    await rail(page, 'Location')
    await grid().waitFor()
    expect((await names()).slice(0, 2)).toEqual(['demo-metal-04', 'demo-guest-03'])
    await page.getByText('2 nodes not collected', { exact: false }).waitFor()
    await page.getByText(`${locationVerdictWords.contradicted.label}: 1 of 8 nodes`).first().waitFor()
    // Which node and why, before anything is opened.
    await page.locator('.notice.failure').getByText('at most 63.5 km away', { exact: false }).waitFor()
    await page.getByRole('img', { name: 'Declared places of nodes and vantage points' }).waitFor()
    await book.look('71-location', { full: true })
    await press(page, 'Limitations')
    await page.getByText('Not shown by any delay.').waitFor()
    await book.look('71-location-limits', { full: true })
  })

  test('filtered by an answer, by a name, and to nothing', async () => {
    await answering(locationVerdictWords.corroborated.label)
    await expect.poll(names).toEqual(['demo-gpu-02'])
    await book.look('72-location-filtered')
    await field(page, 'Find a node').fill('no node is called this')
    await page.getByText('No matching nodes.').waitFor()
    await book.look('72-location-nothing-fits')
  })

  test.each([
    ['demo-metal-04', 'contradicted'],
    ['demo-guest-03', 'conflicting'],
    ['demo-shared-05', 'uncorroborated'],
    ['demo-gpu-01', 'bounded'],
    ['demo-gpu-02', 'corroborated'],
    ['demo-nosudo-06', 'undetermined'],
  ] as const)('one node: %s, %s', async (node, name) => {
    await openNode(node)
    await page
      .locator('.location-answers .status')
      .filter({ hasText: locationVerdictWords[name].label })
      .first()
      .waitFor()
    await page.getByRole('heading', { level: 2, name: 'Location', exact: true }).scrollIntoViewIfNeeded()
    await book.look(`73-node-location-${name}`, { full: true })
  })

  test('what a statement rests on is one press away', async () => {
    await openNode('demo-gpu-02')
    await page.getByRole('button', { name: 'Open host.banner/answer of demo-gpu-02' }).click()
    await titled(page, /^Raw evidence of demo-gpu-02/)
  })

  test('by keyboard alone, everything has a name', async () => {
    await rail(page, 'Location')
    await answering('All results')
    await field(page, 'Find a node').fill('')
    await rail(page, 'Overview')
    await page.locator('h1').focus()
    for (const key of ['g', 'l']) await page.keyboard.press(key)
    await titled(page, 'Location')
    await page.keyboard.press('/')
    expect(await focused(page)).toBe('Find a node')
    await page.keyboard.type('metal')
    await expect.poll(names).toEqual(['demo-metal-04'])
    await tabTo(page, /demo-metal-04/)
    expect(await unnamed(page)).toEqual([])
    await openNode('demo-metal-04')
    expect(await unnamed(page)).toEqual([])
  })

  test('in forced colors and in print, marks, words and limits stay', async () => {
    await rail(page, 'Location')
    await field(page, 'Find a node').fill('')
    await grid().waitFor()
    await page.emulateMedia({ forcedColors: 'active' })
    await shot(page, '74-forced-colors-location')
    await page.emulateMedia({ forcedColors: 'none', media: 'print' })
    expect(await page.locator('main .mark:visible').count()).toBeGreaterThan(0)
    await page.getByText('Not shown by any delay.').waitFor()
    await shot(page, '74-print-location', true)
    // On paper it is light, whatever the window is.
    const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
    expect(await paper()).toBe('light')
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'))
    expect(await paper()).toBe('light')
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'system'))
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
    await openNode('demo-gpu-02')
    await page.emulateMedia({ media: 'print' })
    await page.getByText('Not shown by any delay.').waitFor()
    await shot(page, '74-print-node-location', true)
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
  })

  test('at twice the size', async () => {
    await zoom(opened, 2)
    await rail(page, 'Location')
    await field(page, 'Find a node').fill('')
    await grid().waitFor()
    await book.lookZoomed('location')
    await page.getByRole('img', { name: 'Declared places of nodes' }).scrollIntoViewIfNeeded()
    await windowShot(opened, 'zoom-location-map')
    await openNode('demo-gpu-02')
    await book.lookZoomed('node-location')
    await page.getByRole('img', { name: 'Declared place and distance bounds' }).scrollIntoViewIfNeeded()
    await windowShot(opened, 'zoom-node-location-map')
    await zoom(opened, 1)
  })

  test('a fleet without places shows what to add, and where', async () => {
    await rail(page, 'Nodes')
    await openTab(page, 'Import')
    await page.getByText('CSV').first().click()
    await field(page, 'Content').fill(FLEET)
    await press(page, 'Preview lines')
    await press(page, 'Add 2 nodes')
    // At once, while the nodes are still being added: what is collected are these nodes.
    demo = false
    await press(page, 'Collect evidence')
    await titled(page, 'Collection finished')
    await rail(page, 'Location')
    await page.getByText('No location declared').waitFor()
    await page.getByRole('button', { name: 'Declare places' }).waitFor()
    await book.look('75-location-none-declared', { full: true })
  })
})
