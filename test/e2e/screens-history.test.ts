import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { focused, tabTo, unnamed } from '../support/keyboard.ts'
import { describeUnless } from '../support/needing.ts'
import { buildTestApp, openWindow, shot, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { type ScreenBook, screenBook, zoom } from '../support/screen-book.ts'
import { field, openTab, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoWindow()

/** Nodes of one's own; of one of them the address changes, and another machine answers there. */
const FLEET = `name,address,user,sudo
ward-db-04,192.0.2.4,audit,yes
ward-db-05,192.0.2.5,audit,yes
`
const MOVED = '192.0.2.66'

/** Runs over time and planned runs, with the made-up engine: every state leaves a picture in light and dark. */
describeUnless(missing, 'screens of the history', () => {
  let opened: TestWindow
  let page: Page
  let book: ScreenBook
  let demo = false
  const calendar = (): Locator => page.getByRole('grid', { name: 'Calendar' })
  /** Collects, and opens the history once it has this many runs: the end of a run is reported a little later. */
  const collected = async (runs: number): Promise<void> => {
    await press(page, 'Collect evidence')
    await titled(page, 'Collection finished')
    await rail(page, 'History')
    await page.locator(`section:has(> #all-runs) tbody tr:nth-child(${runs})`).waitFor()
  }
  beforeAll(async () => {
    opened = await openWindow({ folder: buildTestApp(), env: { BAREWITNESS_TEST_PACE: '0' } })
    page = opened.page
    page.setDefaultTimeout(60_000)
    book = screenBook(opened, () => demo)
  })
  afterAll(() => opened.close())

  test('before there is a fleet, and before anything is planned', async () => {
    await rail(page, 'History')
    await titled(page, 'History')
    await page.getByText('No fleet yet').waitFor()
    await book.look('80-history-no-fleet')
    for (const key of ['g', 's']) await page.keyboard.press(key)
    await titled(page, 'Schedules')
    await page.getByText('No schedules on this computer').waitFor()
    await page.getByText('Unattended runs need a signing identity whose passphrase this computer can read.').waitFor()
    await book.look('80-schedules-none')
  })

  test('the demo shows its own run, not sealed, and nothing made up', async () => {
    await page.reload()
    await press(page, 'Open demo fleet')
    demo = true
    await titled(page, 'Collection finished')
    await rail(page, 'History')
    await calendar().waitFor()
    const today = calendar().getByRole('gridcell', { name: /^20 Nov 2026: Collected, not sealed/ })
    await today.waitFor()
    expect(await today.getAttribute('aria-current')).toBe('date')
    expect(await calendar().locator('.history-day.whole, .history-day.part').count()).toBe(0)
    await page.getByText('No missed runs').waitFor()
    await page
      .getByRole('row', { name: /Not sealed/ })
      .first()
      .waitFor()
    await book.look('81-history-demo', { full: true })
    await openTab(page, 'Compare runs')
    await page.getByText('At least two runs are required').waitFor()
    await book.look('81-history-compare-none')
    await page.keyboard.press('Escape')
    await rail(page, 'History')
    await press(page, 'Period report…')
    await page.getByText('Demo data has no period report').waitFor()
    await book.look('81-period-demo')
    await rail(page, 'History')
    await press(page, 'Schedules')
    await page.getByText('it cannot be scheduled', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'Add schedule…' }).isDisabled()).toBe(true)
  })

  test('two runs of an unchanged fleet: three lists without changes', async () => {
    await rail(page, 'Nodes')
    await openTab(page, 'Import')
    await page.getByText('CSV').first().click()
    await field(page, 'Content').fill(FLEET)
    await press(page, 'Preview lines')
    await press(page, 'Add 2 nodes')
    await page.getByRole('row', { name: /ward-db-05/ }).waitFor()
    demo = false
    await page.locator('.banner.demo').waitFor({ state: 'detached' })
    await collected(1)
    await collected(2)
    await openTab(page, 'Compare runs')
    await page.getByText('No change in the evidence of 2 of 2 nodes collected in both runs', { exact: false }).waitFor()
    for (const title of ['Evidence', 'Rules', 'Scope'])
      await page
        .locator('.drift-list', { has: page.getByRole('heading', { name: new RegExp(`^${title} 0$`) }) })
        .getByText('Nothing changed.')
        .waitFor()
    await page.getByText('Neither run is sealed.').waitFor()
    await book.look('82-compare-nothing', { full: true })
    await press(page, 'Period report…')
    await page.getByText('No sealed runs yet').waitFor()
    await book.look('82-period-none')
  })

  test('a node that answers as another machine: verdicts, why, and the lines', async () => {
    await rail(page, 'Nodes')
    await press(page, 'Change ward-db-04')
    await page.getByRole('menuitem', { name: 'Edit node' }).click()
    await field(page, 'Address').fill(MOVED)
    await press(page, 'Save node')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await collected(3)
    await openTab(page, 'Compare runs')
    await page.getByRole('heading', { name: /^Changed results [1-9]/ }).waitFor()
    const flip = page.locator('.flip').first()
    await flip
      .getByRole('button', { name: /Show cause/ })
      .first()
      .click()
    await flip.locator('.flip-lines p').first().waitFor()
    expect(await flip.locator('.flip-steps').textContent()).toContain('this step changes the result')
    await book.look('83-compare-drift', { full: true })
  })

  test('a schedule is built from choices, shown as the unit that would be written, and installed', async () => {
    await rail(page, 'Settings')
    await press(page, 'Create signing identity')
    const dialog = page.getByRole('dialog')
    await field(page, 'Signer name').fill('Office')
    await field(page, 'Short name').fill('office')
    await dialog.getByRole('button', { name: 'Create signing identity' }).click()
    await dialog.waitFor({ state: 'detached' })
    for (const key of ['g', 's']) await page.keyboard.press(key)
    await titled(page, 'Schedules')
    await press(page, 'Add schedule…')
    await field(page, 'Name').fill('Night')
    await press(page, 'Add schedule')
    await page.getByText('Use lower-case letters, digits', { exact: false }).waitFor()
    await book.look('84-schedule-form-wrong')
    await field(page, 'Name').fill('nightly')
    await page.getByText('A run is due every day at 02:00, in UTC.').waitFor()
    await book.look('84-schedule-form')
    await page.getByRole('radiogroup', { name: 'Send packs to other systems' }).scrollIntoViewIfNeeded()
    await book.look('84-schedule-form-sending')
    await page.getByRole('dialog').getByRole('button', { name: 'Add schedule' }).click()
    await page.getByRole('heading', { level: 2, name: 'nightly' }).waitFor({ timeout: 60_000 })
    await page.getByText('no timer is installed', { exact: false }).first().waitFor()
    await press(page, /Unit text/)
    await page.getByText('run --schedule nightly', { exact: false }).first().waitFor()
    await book.look('85-schedules', { full: true })
    await press(page, 'Install timer of nightly: systemd timer, for this user')
    await page.getByText('Installed: systemd timer, for this user.', { exact: true }).waitFor()
    await book.look('85-schedules-installed')
  })

  test('by keyboard alone, everything has a name', async () => {
    await page.locator('h1').focus()
    for (const key of ['g', 'h']) await page.keyboard.press(key)
    await titled(page, 'History')
    await calendar().waitFor()
    await tabTo(page, /^20 Nov 2026|^20/)
    await page.keyboard.press('ArrowLeft')
    expect(await focused(page)).toMatch(/^19 Nov 2026: No run/)
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toMatch(/^12 Nov 2026/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: '12 Nov 2026' }).waitFor()
    await page.keyboard.press('Home')
    expect(await focused(page)).toMatch(/^9 Nov 2026/)
    await page.keyboard.press('PageUp')
    expect(await focused(page)).toMatch(/^9 Oct 2026/)
    expect(await unnamed(page)).toEqual([])
    await openTab(page, 'Compare runs')
    await page.getByRole('heading', { name: /^Evidence/ }).waitFor()
    expect(await unnamed(page)).toEqual([])
  })

  test('in forced colors and in print, marks and words stay', async () => {
    await rail(page, 'History')
    await calendar().waitFor()
    await page.emulateMedia({ forcedColors: 'active' })
    await shot(page, '86-forced-colors-history')
    await page.emulateMedia({ forcedColors: 'none', media: 'print' })
    expect(await calendar().locator('.mark:visible').count()).toBeGreaterThan(0)
    await page.getByText('Limitations').waitFor()
    await shot(page, '86-print-history', true)
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
  })

  test('at twice the size', async () => {
    await zoom(opened, 2)
    await rail(page, 'History')
    await calendar().waitFor()
    await book.lookZoomed('history')
    await openTab(page, 'Compare runs')
    await page.getByRole('heading', { name: /^Evidence/ }).waitFor()
    await book.lookZoomed('history-compare')
    await rail(page, 'History')
    await press(page, 'Schedules')
    await page.getByRole('heading', { level: 2, name: 'nightly' }).waitFor()
    await book.lookZoomed('schedules')
    await zoom(opened, 1)
  })
})
