import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engagementSectionWords } from '../../schemas/engagement-words.ts'
import { describeUnless } from '../support/needing.ts'
import { buildTestApp, openWindow, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { type ScreenBook, screenBook, zoom } from '../support/screen-book.ts'
import { atHome, choose, field, openMatrix, openTab, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoWindow()

/** What is declared and promised, screen by screen, with the made-up engine: every state leaves a picture in light and dark. */
describeUnless(missing, 'screens of the engagement', () => {
  let opened: TestWindow
  let page: Page
  let book: ScreenBook
  let demo = false
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-screens-'))
  const section = (name: string): Promise<void> =>
    page
      .locator('.engagement-section .disclosure-button')
      .filter({ has: page.locator('.disclosure-title', { hasText: new RegExp(`^${name}$`) }) })
      .click()
  beforeAll(async () => {
    opened = await openWindow({ folder: buildTestApp(), env: { BAREWITNESS_TEST_PACE: '0' } })
    page = opened.page
    page.setDefaultTimeout(60_000)
    book = screenBook(opened, () => demo)
  })
  afterAll(async () => {
    await opened.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('before anything is declared or chosen', async () => {
    await rail(page, 'Engagement')
    await titled(page, 'Engagement')
    await page.getByRole('heading', { name: 'Define engagement' }).waitFor()
    await book.look('60-engagement-empty')
    await openTab(page, 'Population')
    await page.getByText('No population declared').waitFor()
    await book.look('60-population-empty')
    await openTab(page, 'Custom frameworks')
    await page.getByText('No custom frameworks.').waitFor()
    await book.look('60-frameworks-empty')
    await rail(page, 'Provider claims')
    await titled(page, 'Provider claims')
    await page.getByText('No provider claims').waitFor()
    await book.look('60-claims-empty')
  })

  test('a file that cannot be read shows the failure', async () => {
    await rail(page, 'Engagement')
    await choose(opened, join(folder, 'no such file.yaml'))
    await press(page, 'Import engagement file…')
    await page.locator('.notice.failure').waitFor()
    await book.look('61-engagement-import-failed')
  })

  test('filled in: missing fields are listed, and no input is lost', async () => {
    await press(page, 'Define engagement')
    await field(page, 'Entity').fill('Example Clinic (made up)')
    await book.look('62-engagement-begun', { full: true })
    await rail(page, 'Nodes')
    await titled(page, 'Nodes')
    await rail(page, 'Engagement')
    await expect.poll(() => field(page, 'Entity').inputValue()).toBe('Example Clinic (made up)')
    await page.getByText('Enter the audience.').waitFor()
    await book.look('62-engagement-missing', { full: true })
    await section('Responsibilities')
    await press(page, 'Add area')
    await field(page, 'Area').fill('Firmware')
    await press(page, 'Save Responsibilities')
    await page.getByText('Area 1: enter the provider’s responsibility, or a dash for none.').waitFor()
    await book.look('62-engagement-responsibilities', { full: true })
  })

  test('of the demo fleet: declared, and every list against the others', async () => {
    await page.reload()
    await press(page, 'Open demo fleet')
    demo = true
    await titled(page, 'Collection finished')
    await press(page, 'Show results')
    await atHome(page)
    await openMatrix(page)
    await page.locator('.coverage-note').waitFor()
    await book.look('63-matrix-population')
    await press(page, 'Show population')
    await page.getByRole('grid').waitFor()
    await book.look('63-population', { full: true })
    await field(page, 'Find a node or asset').fill('nothing is called this')
    await page.getByText('No matching nodes.').waitFor()
    await book.look('63-population-nothing-fits')
    await press(page, 'Import provider inventory…')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await dialog.getByLabel('Source').fill('Export of the provider’s portal')
    await dialog.getByLabel('Owner').fill('J. Chen')
    await book.look('63-inventory-dialog')
    const list = join(folder, 'servers.csv')
    writeFileSync(list, 'id,hostname\nsrv-1,demo-gpu-01\nsrv-2,spare-rack-9\n')
    await choose(opened, list)
    await press(page, 'Choose file and import')
    await dialog.waitFor({ state: 'hidden' })
    await field(page, 'Find a node or asset').fill('spare-rack-9')
    await press(page, 'Exclude: spare-rack-9')
    await dialog.getByLabel('Reason for exclusion').fill('A spare without power.')
    await book.look('63-leave-out-dialog')
    await press(page, 'Exclude asset')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('A spare without power.').first().waitFor()
    await book.look('63-population-left-out')
    await openTab(page, 'Declared')
    for (const name of ['boundary', 'subservice', 'user-entity', 'ephi', 'population'] as const)
      await section(engagementSectionWords[name].label)
    await book.look('64-engagement', { full: true })
    await press(page, 'Import engagement file…')
    await page.getByRole('alertdialog').waitFor()
    await book.look('64-engagement-replace')
    await page.keyboard.press('Escape')
  })

  test('provider claims, and one claim by node', async () => {
    await rail(page, 'Provider claims')
    await page.getByRole('table').waitFor()
    await book.look('65-claims', { full: true })
    await press(page, 'Servers run without a hypervisor.')
    await titled(page, 'Servers run without a hypervisor.')
    await page.locator('.claim-nodes .disclosure-button').first().click()
    await page
      .getByRole('button', { name: /^Result details/ })
      .first()
      .waitFor()
    await book.look('65-claim', { full: true })
    await page
      .getByRole('button', { name: /^Result details/ })
      .first()
      .click()
    await titled(page, /▸/)
  })

  test('at twice the size', async () => {
    await zoom(opened, 2)
    await rail(page, 'Engagement')
    await page.locator('.engagement-section').first().waitFor()
    await book.lookZoomed('engagement')
    await openTab(page, 'Population')
    await page.getByRole('grid').waitFor()
    await book.lookZoomed('population')
    await rail(page, 'Provider claims')
    await page.getByRole('table').waitFor()
    await book.lookZoomed('claims')
    await zoom(opened, 1)
  })
})
