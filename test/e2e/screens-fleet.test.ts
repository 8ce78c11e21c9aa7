import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVENT_CHANNEL } from '../../main/electron/channels.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import { describeUnless } from '../support/needing.ts'
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
describeUnless(missing, 'screens of the fleet', () => {
  let opened: TestWindow
  let page: Page
  let book: ScreenBook
  const held = mkdtempSync(join(tmpdir(), 'barewitness-hold-'))
  const hold = join(held, 'hold')
  const nextDay = join(held, 'next-day')
  beforeAll(async () => {
    opened = await openWindow({
      folder: buildTestApp(),
      env: { BAREWITNESS_TEST_PACE: '150', BAREWITNESS_TEST_HOLD: hold, BAREWITNESS_TEST_NEXT_DAY: nextDay },
    })
    page = opened.page
    page.setDefaultTimeout(60_000)
    book = screenBook(opened)
  })
  afterAll(async () => {
    rmSync(held, { recursive: true, force: true })
    await opened.close()
  })

  const send = (event: EngineEvent): Promise<void> =>
    opened.app.evaluate(
      ({ BrowserWindow }, [channel, told]) => BrowserWindow.getAllWindows()[0]?.webContents.send(channel, told),
      [EVENT_CHANNEL, event] as const,
    )

  test('first run: the heading has the focus', async () => {
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      'Collect audit evidence from your servers',
    )
    await book.look('01-first-run')
  })

  test('results that are being opened: their progress in place of the ways to start', async () => {
    await send({ kind: 'run-opening', step: 'reading', done: 0, total: 0 })
    await titled(page, 'Opening the latest results')
    await book.look('01-opening')
    await send({ kind: 'run-opening', step: 'evaluating', done: 120, total: 300 })
    await page.getByText('120 of 300 nodes').waitFor()
    await book.look('01-opening-evaluating')
    await page.reload()
    await titled(page, 'Collect audit evidence from your servers')
  })

  test('before the first run: each screen has its empty state', async () => {
    for (const [place, sign] of [
      ['Overview', 'No evidence yet'],
      ['Findings', 'No results yet'],
      ['Nodes', 'No nodes yet'],
      ['Controls', 'No results yet'],
      ['Documents', 'No results yet'],
      ['Evidence packs', 'No recent packs'],
    ] as const) {
      await rail(page, place)
      await page.getByText(sign).waitFor()
      await book.look(`02-empty-${place.toLowerCase().replace(' ', '-')}`)
      // Wherever results will be, the step that leads there.
      if (sign === 'No results yet') {
        await page.getByRole('main').getByRole('button', { name: 'Import nodes' }).click()
        await titled(page, 'Nodes')
      }
    }
    await press(page, 'Export evidence pack')
    await page.getByText('Nothing to export yet').waitFor()
    await book.look('02-empty-export')
  })

  test('nodes: an import with an outcome per line', async () => {
    await rail(page, 'Nodes')
    await press(page, 'Import nodes')
    await book.look('03-importer')
    await field(page, 'Content').fill(CONFIG)
    await press(page, 'Preview lines')
    await page.getByRole('heading', { name: /outcome by line/ }).waitFor()
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
    await press(page, 'Cancel')
  })

  test('host keys: not requested, then unknown, changed, confirmed, unreachable', async () => {
    await openTab(page, 'Host keys')
    await book.look('06-host-keys-not-asked')
    await press(page, 'Request host keys')
    await page.getByText('Not verified').waitFor()
    await book.look('06-host-keys')
    await press(page, 'Confirm key of db-1')
    await page.getByRole('dialog').waitFor()
    await book.look('07-host-key-unknown')
    await field(page, 'Verification method').fill('Provider console')
    await press(page, 'Confirm host key')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await press(page, 'Decide on changed key of db-2')
    await page.getByRole('dialog').waitFor()
    await book.look('07-host-key-changed')
    await press(page, 'Keep blocking')
    await press(page, 'Compare with list')
    await page.getByRole('dialog').waitFor()
    await book.look('07-host-keys-compare')
    await page.keyboard.press('Escape')
  })

  test('what we will run', async () => {
    await press(page, 'Preview commands')
    await titled(page, 'Command preview')
    await page.getByRole('table').waitFor()
    await book.look('08-what-we-will-run', { full: true })
  })

  test('collecting: running, paused, stopped, and finished with failures', async () => {
    // Nodes wait, so that no run ends before its state was seen.
    writeFileSync(hold, '')
    await press(page, 'Collect evidence')
    await titled(page, 'Collection in progress')
    await press(page, 'Pause run')
    await titled(page, 'Paused')
    await book.look('09-paused')
    await press(page, 'Stop and keep collected evidence')
    rmSync(hold)
    await titled(page, 'Collection stopped')
    await book.look('09-stopped')
    writeFileSync(hold, '')
    await press(page, 'Collect evidence')
    await titled(page, 'Collection in progress')
    await book.look('09-collecting')
    await send({ kind: 'run-evaluating', run: 'run', done: 120, total: 300 })
    await titled(page, 'Evaluating results')
    await book.look('09-evaluating')
    rmSync(hold)
    await titled(page, 'Collection finished')
    await book.look('09-collected')
  })

  test('results of another day: evaluated with progress, cancelled, and evaluated again', async () => {
    await rail(page, 'Settings')
    writeFileSync(nextDay, '')
    await rail(page, 'Overview')
    await page.getByText('Evaluating results as of today').waitFor()
    await book.look('09-another-day')
    await press(page, 'Cancel')
    rmSync(nextDay)
    await page.getByText('Results not evaluated').waitFor()
    await book.look('09-another-day-cancelled')
    await press(page, 'Evaluate results')
    await page.getByText(/Evaluated as of/).waitFor()
  })

  test('a call that is refused is shown in words', async () => {
    await rail(page, 'Evidence packs')
    await choose(opened, '/does/not/exist.zip')
    await press(page, 'Open evidence pack')
    await page.getByRole('alert').waitFor()
    await book.look('10-refused')
  })

  test('everything by name, and the keys', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await page.keyboard.type('isol')
    await book.look('11-palette')
    await page.keyboard.type(' nothing has this name')
    await book.look('11-palette-nothing')
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
      ['Signing identities', 'identity'],
      ['Time-stamping', 'time-stamping'],
      ['Trusted signers', 'trust'],
      ['SSH', 'ssh'],
      ['Privacy', 'privacy'],
      ['Appearance', 'appearance'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await book.look(`12-settings-${name}`)
    }
    await page.getByRole('tab', { name: 'Signing identities' }).click()
    await press(page, 'Create signing identity')
    await page.getByRole('dialog').waitFor()
    await book.look('13-create-key')
    await field(page, 'Signer name').fill('Ward Health')
    await field(page, 'Short name').fill('ward')
    await page.getByRole('dialog').getByRole('button', { name: 'Create signing identity' }).click()
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
