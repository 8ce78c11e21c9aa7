import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildTestApp, openWindow, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { type ScreenBook, screenBook, zoom } from '../support/screen-book.ts'
import { choose, field, openTab, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoWindow()

const CONFIG = `Host db-1
  HostName 192.0.2.1
  User audit
Host db-2
  HostName 192.0.2.2
Host web-3
  HostName 192.0.2.3
  ProxyJump db-1
Host demo-away-07
  HostName 192.0.2.7
Host *
  ServerAliveInterval 5
Match exec true
`

/** From the first run to collected evidence, with the made-up engine: every state leaves a picture in light and dark. */
describe.skipIf(missing !== null)(`screens of the fleet${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let opened: TestWindow
  let page: Page
  let book: ScreenBook
  beforeAll(async () => {
    opened = await openWindow({ folder: buildTestApp(), env: { BAREWITNESS_TEST_PACE: '150' } })
    page = opened.page
    page.setDefaultTimeout(60_000)
    book = screenBook(opened)
  })
  afterAll(() => opened.close())

  test('first run: the heading has the focus', async () => {
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      'See what your servers can show an auditor.',
    )
    await book.look('01-first-run')
  })

  test('before there is anything: each place says what will be there', async () => {
    for (const [place, sign] of [
      ['Overview', 'No run has finished yet'],
      ['Nodes', 'No nodes yet'],
      ['Controls', 'No control has a conclusion yet'],
      ['Packs', 'No pack was opened here yet'],
    ] as const) {
      await rail(page, place)
      await page.getByText(sign).waitFor()
      await book.look(`02-empty-${place.toLowerCase()}`)
    }
    await press(page, 'Export a pack')
    await page.getByText('There is nothing to export yet').waitFor()
    await book.look('02-empty-export')
  })

  test('nodes: an import with an outcome per line', async () => {
    await rail(page, 'Nodes')
    await press(page, 'Import nodes')
    await book.look('03-importer')
    await field(page, 'Paste it here').fill(CONFIG)
    await press(page, 'Preview lines')
    await page.getByRole('heading', { name: /what becomes of each line/ }).waitFor()
    await book.look('03-import-preview', { full: true })
    await press(page, 'Add 4 nodes')
    await page.getByRole('row', { name: /web-3/ }).waitFor()
    await book.look('04-nodes-added')
  })

  test('nodes: one is edited, one would be removed', async () => {
    await press(page, 'Change web-3')
    await book.look('04-nodes-menu')
    await page.getByRole('menuitem', { name: 'Edit node' }).click()
    await page.getByRole('dialog').waitFor()
    await book.look('05-node-edit')
    await page.keyboard.press('Escape')
    await press(page, 'Change web-3')
    await page.getByRole('menuitem', { name: 'Remove node' }).click()
    await page.getByRole('alertdialog').waitFor()
    await book.look('05-node-remove')
    await press(page, 'Keep')
  })

  test('host keys: not asked, then asked: unknown, changed, confirmed, not reached', async () => {
    await openTab(page, 'Host keys')
    await book.look('06-host-keys-not-asked')
    await press(page, 'Ask for host keys')
    await page.getByText('Nobody confirms it').waitFor()
    await book.look('06-host-keys')
    await press(page, 'Confirm the key of db-1')
    await page.getByRole('dialog').waitFor()
    await book.look('07-host-key-unknown')
    await field(page, 'How did you verify it?').fill('Provider console')
    await press(page, 'Record decision')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await press(page, 'Decide about the changed key of db-2')
    await page.getByRole('dialog').waitFor()
    await book.look('07-host-key-changed')
    await press(page, 'Keep blocking')
    await press(page, 'Compare with a pasted list')
    await page.getByRole('dialog').waitFor()
    await book.look('07-host-keys-compare')
    await page.keyboard.press('Escape')
  })

  test('what we will run', async () => {
    await press(page, 'What we will run')
    await titled(page, 'What we will run')
    await page.getByRole('table').waitFor()
    await book.look('08-what-we-will-run', { full: true })
  })

  test('collecting: running, paused, stopped, and finished with failures', async () => {
    await press(page, 'Collect evidence')
    await titled(page, 'Collecting')
    await press(page, 'Pause run')
    await titled(page, 'Paused')
    await book.look('09-paused')
    await press(page, 'Cancel, keep what was collected')
    await titled(page, 'Collection stopped')
    await book.look('09-stopped')
    await press(page, 'Collect evidence')
    await titled(page, 'Collecting')
    await book.look('09-collecting')
    await titled(page, 'Collected')
    await book.look('09-collected')
  })

  test('a call that is refused is shown in words', async () => {
    await rail(page, 'Packs')
    await choose(opened, '/does/not/exist.zip')
    await press(page, 'Open a pack')
    await page.getByRole('alert').waitFor()
    await book.look('10-refused')
  })

  test('everything by name, and the keys', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to' }).waitFor()
    await page.keyboard.type('isol')
    await book.look('11-palette')
    await page.keyboard.type(' nothing has this name')
    await book.look('11-palette-nothing')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.locator('h1').focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await book.look('11-shortcuts')
    await page.keyboard.press('Escape')
  })

  test('settings, part by part', async () => {
    await rail(page, 'Settings')
    for (const [tab, name] of [
      ['Identity', 'identity'],
      ['Time-stamping', 'time-stamping'],
      ['Trust', 'trust'],
      ['SSH', 'ssh'],
      ['Privacy', 'privacy'],
      ['Appearance and keyboard', 'appearance'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await book.look(`12-settings-${name}`)
    }
    await page.getByRole('tab', { name: 'Identity' }).click()
    await press(page, 'Create key')
    await page.getByRole('dialog').waitFor()
    await book.look('13-create-key')
    await field(page, 'Who seals').fill('Ward Health')
    await field(page, 'Short name').fill('ward')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: /Ward Health/ }).waitFor()
    await book.look('13-identity')
  })

  test('at twice the size', async () => {
    await zoom(opened, 2)
    for (const tab of ['In scope', 'Import', 'Host keys']) {
      await rail(page, 'Nodes')
      await page.getByRole('tab', { name: tab }).click()
      await book.lookZoomed(`nodes-${tab.toLowerCase().replace(' ', '-')}`)
    }
    await rail(page, 'Settings')
    await book.lookZoomed('settings')
    await zoom(opened, 1)
  })
})
