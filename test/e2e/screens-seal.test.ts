import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVENT_CHANNEL } from '../../main/electron/channels.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import { describeUnless } from '../support/needing.ts'
import { buildTestApp, openWindow, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { type ScreenBook, screenBook, zoom } from '../support/screen-book.ts'
import { choose, field, opens, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoWindow()

/** A fleet of one's own: one clean, one a guest, one shared, one without rights, one away. */
const FLEET = `name,address,user,sudo
ward-db-04,192.0.2.4,audit,yes
ward-db-05,192.0.2.5,audit,no
ward-db-06,192.0.2.6,audit,yes
ward-db-08,192.0.2.8,audit,yes
demo-away-07,192.0.2.7,audit,yes
`

/** From a run to a sealed pack, and the pack as its auditor sees it, with the made-up engine: every state leaves a picture in light and dark. */
describeUnless(missing, 'screens of the seal', () => {
  let opened: TestWindow
  let page: Page
  let book: ScreenBook
  let review: Page
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-screens-'))
  const part = (name: string): Promise<void> =>
    review.getByRole('navigation', { name: 'Pack sections' }).getByRole('button', { name }).click()
  /** The sealed pack, not the redacted copy. */
  const pack = (): string =>
    join(folder, readdirSync(folder).find((name) => name.endsWith('.zip') && !name.includes('withheld')) ?? '')
  /** Moments of a verification, as the engine tells them to every window. */
  const send = (events: readonly EngineEvent[]): Promise<void> =>
    opened.app.evaluate(
      ({ BrowserWindow }, [channel, told]) => {
        for (const window of BrowserWindow.getAllWindows())
          for (const event of told) window.webContents.send(channel, event)
      },
      [EVENT_CHANNEL, events] as const,
    )
  const titledThere = (title: string | RegExp): Promise<void> => titled(review, title)
  beforeAll(async () => {
    opened = await openWindow({ folder: buildTestApp(), env: { BAREWITNESS_TEST_PACE: '5' } })
    page = opened.page
    page.setDefaultTimeout(60_000)
    book = screenBook(opened)
    await press(page, 'Import nodes')
    await page.getByText('CSV').first().click()
    await field(page, 'Content').fill(FLEET)
    await press(page, 'Preview lines')
    await press(page, 'Add 5 nodes')
    await page.getByRole('row', { name: /ward-db-08/ }).waitFor()
    await press(page, 'Collect evidence')
    await titled(page, 'Collection finished')
  })
  afterAll(async () => {
    await opened.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('export: what goes in, what a copy redacts, the seal', async () => {
    await rail(page, 'Evidence packs')
    await press(page, 'Export evidence pack')
    await page.getByRole('heading', { name: 'Scope of the pack' }).waitFor()
    await book.look('30-export-scope', { full: true })
    await page.locator('.disclosure-button').filter({ hasText: 'More frameworks' }).click()
    await page.getByRole('group', { name: 'More frameworks in the report' }).waitFor()
    await book.look('30-export-scope-more', { full: true })
    await page.locator('.disclosure-button').filter({ hasText: 'More frameworks' }).click()
    await press(page, 'Continue')
    await page.getByRole('heading', { name: 'Redacted copy' }).waitFor()
    await page.getByText('Create a redacted copy').click()
    await book.look('30-export-redact-nobody-named', { full: true })
    await page.getByRole('group', { name: 'Redact from the copy' }).locator('label').first().click()
    await field(page, 'Redacted by').fill('M. Ortiz')
    await field(page, 'Reason').fill('Names of accounts are personal data.')
    await book.look('30-export-redact', { full: true })
    await press(page, 'Continue')
    await page.getByRole('heading', { name: 'Seal', exact: true }).waitFor()
    await book.look('30-export-seal', { full: true })
    await page.getByLabel('Organization', { exact: true }).fill('Ward Health')
    await page.getByLabel('Person or role', { exact: true }).fill('M. Ortiz')
    await page.getByRole('button', { name: 'Create signing identity', exact: true }).click()
    await page.getByText('Fingerprint card and backup').waitFor()
    await book.look('30-export-seal-identity', { full: true })
  })

  test('export: what is lost in the copy, the review, and what was written', async () => {
    await page.getByRole('button', { name: /^Seal/ }).last().click()
    const last = page.getByRole('heading', { name: 'Review as auditor, then save' })
    const lost = page.getByText(/cannot be reproduced/).first()
    await last.or(lost).first().waitFor({ timeout: 60_000 })
    if (await lost.isVisible()) {
      await book.look('31-export-lost', { full: true })
      await page.getByRole('button', { name: 'Keep redacted copy' }).click()
      await last.waitFor()
    }
    await book.look('31-export-review', { full: true })
    await rail(page, 'Evidence packs')
    await page.getByText('Sealed pack not saved').waitFor()
    await book.look('31-packs-not-saved')
    await press(page, 'Continue export')
    await choose(opened, folder)
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByText('Pack exported').first().waitFor()
    await book.look('31-export-done', { full: true })
  })

  test('review: the seal, its answers, and the key compared', async () => {
    await rail(page, 'Evidence packs')
    await choose(opened, pack())
    review = await opens(opened, () => press(page, 'Open evidence pack'))
    review.setDefaultTimeout(60_000)
    await titledThere('Verification')
    expect(await review.locator('.seal-answer').count()).toBe(6)
    await book.look('40-review-seal', { page: review, full: true })
    await press(review, 'Compare key…')
    await review.getByRole('dialog').waitFor()
    await review.getByLabel('Fingerprint from the signer').fill('0123 4567 89ab cdef')
    await book.look('40-review-compare-key', { page: review })
    await review.keyboard.press('Escape')
    await press(review, 'Re-evaluate now')
    await review
      .getByText(/(\d+) of \1 verdicts/)
      .first()
      .waitFor()
    await book.look('40-review-evaluated-again', { page: review, full: true })
  })

  test('review: checks are shown as they are concluded, and the result only at the end', async () => {
    const file = 'large.barewitness.zip'
    const concluded = (['signature', 'time', 'integrity'] as const).map((check, at) => ({
      kind: 'check-concluded' as const,
      file,
      result:
        at < 2
          ? { check, outcome: 'indeterminate' as const, word: at === 0 ? 'Needs input' : 'Indeterminate' }
          : { check, outcome: 'passed' as const, word: 'Passed' },
    }))
    const progress = { step: 'nodes' as const, done: 120, total: 300 }
    const checks = review.getByRole('list', { name: 'Checks' })
    // The evaluation of the test before may end only now, and takes these events with it.
    const isShown = async (): Promise<boolean> => {
      await send([{ kind: 'verifying', file, progress }, ...concluded])
      return await checks.getByText('Passed').isVisible()
    }
    await expect.poll(isShown, { timeout: 60_000, interval: 1000 }).toBe(true)
    expect(await checks.getByText('Not concluded yet').count()).toBe(3)
    await book.look('40-review-verifying', { page: review, full: true })
    await send([{ kind: 'verified' }])
    await checks.waitFor({ state: 'detached' })
  })

  test('review: results, why, controls and evidence of the pack', async () => {
    await part('Results')
    await review.getByRole('grid').waitFor()
    await book.look('41-review-results', { page: review })
    await review
      .getByRole('row', { name: /ward-db-08/ })
      .getByRole('gridcell')
      .first()
      .click()
    await review.locator('.claim').waitFor()
    await book.look('41-review-why', { page: review, full: true })
    await part('Controls')
    await review.getByRole('treegrid').waitFor()
    await book.look('41-review-controls', { page: review })
    await review.getByLabel('Find a control').fill('encrypt')
    await review.locator('.tree-control').first().click()
    await review.getByRole('heading', { name: 'Requirement', exact: true }).waitFor()
    await book.look('41-review-control', { page: review, full: true })
    await part('Raw evidence')
    await titledThere('Raw evidence')
    await book.look('41-review-evidence', { page: review })
    await press(review, 'Open raw evidence of ward-db-06')
    await review.locator('.evidence-inspector').waitFor()
    await book.look('41-review-answer', { page: review })
  })

  test('review: findings, and everything that is not shown', async () => {
    await part('Findings')
    await titledThere('Findings')
    await review.getByRole('table').first().waitFor()
    await review
      .getByRole('button', { name: /^Details of F-/ })
      .first()
      .click()
    await review.getByRole('heading', { name: 'Management response' }).first().waitFor()
    await book.look('41-review-findings', { page: review, full: true })
    await review.locator('.findings .condition button').first().click()
    await review.getByRole('heading', { name: 'Evidence on each node' }).waitFor()
    await book.look('41-review-finding', { page: review, full: true })
    await part('What is not shown')
    await review.getByRole('heading', { name: /Limits of every pack/ }).waitFor()
    await book.look('41-review-limits', { page: review, full: true })
  })

  test('review: before and after a sample is selected', async () => {
    await part('Sampling')
    await field(review, 'Seed').fill('20261121')
    await book.look('42-sampling', { page: review, full: true })
    await press(review, 'Select sample')
    await review.getByRole('heading', { name: 'Sample 1 of 5' }).waitFor()
    await review.locator('.sample-finding .proof').first().waitFor()
    await book.look('42-sampling-drawn', { page: review, full: true })
    await review.keyboard.press('2')
    await review.getByText('1 decided, 4 open').waitFor()
    await review.keyboard.press('j')
    await review.getByRole('heading', { name: 'Sample 2 of 5' }).waitFor()
    await book.look('42-sampling-decided', { page: review })
  })

  test('review at twice the size', async () => {
    await zoom(opened, 2)
    await book.lookZoomed('review-sampling', review)
    await part('Verification')
    await titledThere('Verification')
    await book.lookZoomed('review-seal', review)
    await part('Results')
    await review.getByRole('grid').waitFor()
    await book.lookZoomed('review-results', review)
    await rail(page, 'Evidence packs')
    await book.lookZoomed('packs')
    await press(page, 'Export evidence pack')
    await page.getByRole('heading', { name: 'Scope of the pack' }).or(page.getByText('Pack exported')).first().waitFor()
    await book.lookZoomed('export')
    await zoom(opened, 1)
  })

  test('review: an altered pack, an unknown PDF, a file that is not a pack', async () => {
    const altered = join(folder, 'altered.zip')
    alterOneAnswer(pack(), altered)
    await rail(page, 'Evidence packs')
    await choose(opened, altered)
    await press(page, 'Open evidence pack')
    await review.locator('.seal-answer.outcome-failed').first().waitFor()
    await titledThere('Verification')
    await book.look('43-review-altered', { page: review, full: true })
    const foreign = join(folder, 'invoice.pdf')
    writeFileSync(foreign, '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')
    await choose(opened, foreign)
    await press(page, 'Open evidence pack')
    await review.getByText('This file was not written by Barewitness.').first().waitFor()
    await titledThere('Verification')
    await book.look('43-review-foreign', { page: review, full: true })
    await rail(page, 'Evidence packs')
    await book.look('43-packs-opened-before')
  })

  /** One byte of one answer, as an owner would who wants another story: unpacked, changed, packed again. */
  function alterOneAnswer(from: string, to: string): void {
    const unpacked = join(folder, 'unpacked')
    execFileSync('unzip', ['-q', from, '-d', unpacked])
    const answers = join(unpacked, 'pack/data/nodes/ward-db-06/sha256')
    const victim = readdirSync(answers).find((name) => readFileSync(join(answers, name)).length > 0) ?? ''
    const bytes = readFileSync(join(answers, victim))
    bytes[0] = (bytes[0] ?? 0) ^ 1
    writeFileSync(join(answers, victim), bytes)
    execFileSync('zip', ['-q', '-r', '-0', '-D', '-X', to, 'pack'], { cwd: unpacked })
  }
})
