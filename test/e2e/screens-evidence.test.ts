import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { levelWords } from '../../schemas/conclusion-words.ts'
import { decisionWords, statusWords, type Verdict, verdictWords } from '../../schemas/words.ts'
import { FAKE_TIME } from '../support/fake-nodes.ts'
import { describeUnless } from '../support/needing.ts'
import { buildTestApp, openWindow, shot, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { type ScreenBook, screenBook, zoom } from '../support/screen-book.ts'
import { atHome, choose, field, openMatrix, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoWindow()

/** What the demo fleet's evidence supports, screen by screen, with the made-up engine: every state leaves a picture in light and dark. */
describeUnless(missing, 'screens of the evidence', () => {
  let opened: TestWindow
  let page: Page
  let book: ScreenBook
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-screens-'))
  const open = (node: string, property: number): Promise<void> =>
    page
      .getByRole('row', { name: new RegExp(node) })
      .getByRole('gridcell')
      .nth(property)
      .getByRole('button')
      .click()
  /** Opens the first check with this verdict. Exact, because one label may be part of another. */
  const claim = (verdict: Verdict): Promise<void> =>
    page
      .locator('.claims-list button')
      .filter({ has: page.getByText(verdictWords[verdict].label, { exact: true }) })
      .first()
      .click()
  beforeAll(async () => {
    opened = await openWindow({ folder: buildTestApp(), env: { BAREWITNESS_TEST_PACE: '5' } })
    page = opened.page
    page.setDefaultTimeout(60_000)
    book = screenBook(opened, () => true)
    await press(page, 'Open demo fleet')
    await titled(page, 'Collection finished')
    await press(page, 'Show results')
    await atHome(page)
    await openMatrix(page)
  })
  afterAll(async () => {
    await opened.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('nodes by property: results, filtered to a sentence, filtered to nothing', async () => {
    await page.getByRole('table', { name: 'HIPAA Security Rule' }).getByText('Documents outstanding').waitFor()
    await book.look('20-overview', { full: true })
    await page.getByLabel('Needs attention').getByRole('button').first().click()
    await page
      .locator('.filter-says')
      .getByText(/of 8 nodes/)
      .waitFor()
    await book.look('20-overview-filtered')
    await page.getByLabel('Find a node').fill('no node is called this')
    await page.getByText('No nodes match this filter').waitFor()
    await book.look('20-overview-nothing-fits')
    await press(page, 'Clear filter')
  })

  test('why: not collected, contradicted, not enough evidence, supported', async () => {
    await open('demo-metal-04', 0)
    await titled(page, /demo-metal-04 ▸/)
    await page.locator('.claim').waitFor()
    await book.look('21-why-contradicted', { full: true })
    await claim('satisfied')
    await book.look('21-why-supported', { full: true })
    await openMatrix(page)
    await open('demo-nosudo-06', 0)
    await claim('inconclusive')
    await book.look('21-why-not-enough-evidence', { full: true })
    await openMatrix(page)
    await page.getByRole('button', { name: /^demo-away-07/ }).click()
    await page.locator('.node-properties').getByRole('button', { name: 'Isolation' }).click()
    await claim('not-tested')
    await book.look('21-why-not-collected', { full: true })
  })

  test('why: a virtual machine that poses as hardware', async () => {
    await openMatrix(page)
    await open('demo-guest-03', 0)
    await titled(page, /demo-guest-03 ▸/)
    await page.locator('.claim').waitFor()
    await book.look('21-why-guest', { full: true })
  })

  test('a risk is accepted until a date', async () => {
    await openMatrix(page)
    await open('demo-guest-03', 0)
    await claim('not-satisfied')
    await press(page, 'Add risk acceptance…')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await book.look('22-exception-dialog')
    await press(page, 'Add risk acceptance')
    await dialog.getByText('Enter a reason of at least 3 characters.').waitFor()
    await book.look('22-exception-dialog-missing')
    for (const [label, text] of [
      ['Reason', 'The guest is replaced by hardware in the next maintenance window.'],
      ['Compensating control', 'Console access is limited to two people.'],
      ['Owner', 'M. Ortiz'],
      ['Requested by', 'J. Chen'],
      ['Approved by', 'M. Ortiz'],
      ['Approver’s role', 'Security officer'],
    ] as const)
      await dialog.getByLabel(label).fill(text)
    await press(page, 'Add risk acceptance')
    await page
      .getByText(/Risk accepted until/)
      .first()
      .waitFor()
    await book.look('22-why-accepted', { full: true })
    await openMatrix(page)
    await page
      .getByRole('grid')
      .getByText(/accepted until/)
      .first()
      .waitFor()
    await book.look('22-overview-accepted')
    await press(page, 'Open risk acceptances')
    await titled(page, 'Risk acceptances')
    await book.look('22-exceptions')
  })

  test('a risk acceptance is requested, then approved', async () => {
    await openMatrix(page)
    await open('demo-metal-04', 0)
    await titled(page, /demo-metal-04 ▸/)
    await claim('not-satisfied')
    await press(page, 'Add risk acceptance…')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Request approval').click()
    for (const [label, text] of [
      ['Reason', 'The setting is changed in the next maintenance window.'],
      ['Compensating control', 'The console is watched until then.'],
      ['Owner', 'M. Ortiz'],
      ['Requested by', 'J. Chen'],
    ] as const)
      await dialog.getByLabel(label).fill(text)
    await book.look('22-request-exception-dialog')
    await press(page, 'Submit request')
    await dialog.waitFor({ state: 'hidden' })
    await openMatrix(page)
    await press(page, 'Open risk acceptances')
    await titled(page, 'Risk acceptances')
    await page.getByText('Requests have no effect until approved.').waitFor()
    await book.look('22-exceptions-pending', { full: true })
    await page
      .getByRole('button', { name: /^Approve request:/ })
      .first()
      .click()
    await dialog.getByLabel('Approved by').fill('J. Chen')
    await dialog.getByText('No segregation of duties').waitFor()
    await dialog.getByLabel('Approved by').fill('M. Ortiz')
    await dialog.getByLabel('Approver’s role').fill('Security officer')
    await book.look('22-approve-dialog')
    await dialog.getByRole('button', { name: 'Approve request' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await book.look('22-exceptions-approved', { full: true })
  })

  test('a node: what it is, what it supports, its runs', async () => {
    await openMatrix(page)
    await page.getByRole('button', { name: /^demo-guest-03/ }).click()
    await titled(page, 'demo-guest-03')
    await page.locator('.node-properties').waitFor()
    await book.look('23-node', { full: true })
    await openMatrix(page)
  })

  test('evidence: one answer, found places, and the lines that a fact was read from', async () => {
    await open('demo-shared-05', 0)
    await titled(page, /demo-shared-05 ▸/)
    await page.locator('.claim').waitFor()
    await page.locator('.account-entry button').first().click()
    await page.getByRole('button', { name: /^Open/ }).last().click()
    await titled(page, /^Raw evidence of demo-shared-05/)
    await page.locator('.evidence-inspector').waitFor()
    await book.look('24-evidence-from-reason')
    await page.getByRole('option', { name: /^accounts\.local/ }).click()
    await page.getByLabel('Find in this output').fill('home')
    await page.getByText(/^\d+ found/).waitFor()
    await press(page, 'Next match')
    await book.look('24-evidence-found')
  })

  test('controls: the tree, and one control with its two parts', async () => {
    await rail(page, 'Controls')
    await page.getByRole('treegrid').waitFor()
    await book.look('25-controls', { full: true })
    await page.getByLabel('Find a control').fill('encrypt')
    await book.look('25-controls-found')
    await page.locator('.tree-control').first().click()
    await page.getByRole('heading', { name: 'Requirement', exact: true }).waitFor()
    await book.look('26-control', { full: true })
    await page
      .getByRole('button', { name: /^Show the results of/ })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
    await book.look('26-control-nodes')
    await page.keyboard.press('Escape')
  })

  test('an addressable specification: undecided, then decided', async () => {
    await rail(page, 'Controls')
    await page.getByLabel('Find a control').fill('312(a)(2)(iv)')
    await page.locator('.tree-control').first().click()
    await page.getByText('Addressable does not mean optional.').waitFor()
    await book.look('26-control-undecided', { full: true })
    await press(page, 'Add control decision…')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(decisionWords['equivalent-alternative'], { exact: true }).click()
    await press(page, 'Record decision')
    await dialog.getByText('Enter the factors considered.').waitFor()
    await book.look('26-decision-dialog-missing')
    for (const [label, text] of [
      ['Reason', 'The data is encrypted by the application.'],
      ['Factors considered', 'Two servers, and no new hardware this year.'],
      ['Equivalent alternative measure', 'Each record is encrypted before it is stored.'],
      ['Owner', 'M. Ortiz'],
      ['Requested by', 'J. Chen'],
      ['Approved by', 'M. Ortiz'],
      ['Approver’s role', 'Security officer'],
    ] as const)
      await dialog.getByLabel(label, { exact: true }).fill(text)
    await press(page, 'Record decision')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText(`${decisionWords['equivalent-alternative']} · ${statusWords['in-force']}`).first().waitFor()
    await book.look('26-control-decided', { full: true })
    await rail(page, 'Controls')
    await page.getByLabel('Find a control').fill('encrypt')
    await page.locator('.tree-control').first().click()
    await page.getByRole('heading', { name: 'Requirement', exact: true }).waitFor()
  })

  test('documents: requested, then attached', async () => {
    await page
      .getByRole('button', { name: /^Set owner and due date:/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await book.look('27-request-dialog')
    await dialog.getByLabel('Owner').fill('J. Chen')
    await dialog.getByRole('button', { name: 'Set owner and due date' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page
      .getByRole('button', { name: /^Add document:/ })
      .last()
      .click()
    await dialog.waitFor()
    await book.look('27-attach-dialog')
    writeFileSync(join(folder, 'key policy.pdf'), 'made up')
    await choose(opened, join(folder, 'key policy.pdf'))
    await dialog.getByLabel('Summary of evidence').fill('Who may use the keys, and how often they change.')
    await dialog.getByLabel('Provided by').fill('Head of security')
    await dialog.getByRole('textbox', { name: 'Owner' }).fill('M. Ortiz')
    await dialog.getByText(levelWords.inspected.meaning).click()
    await dialog.getByLabel('Inspected by').fill('Head of security')
    await dialog.getByText('Inspected by the person who provided it.').waitFor()
    // The made-up engine lives on a day of its own, and no inspection is later than it.
    const day = dialog.locator('.date-field').filter({ hasText: 'Inspected on' })
    await day.getByRole('spinbutton').first().click()
    await page.keyboard.type(FAKE_TIME.slice(0, 10).replaceAll('-', ''))
    await dialog.getByLabel('Items inspected').fill('The whole policy, with its approval.')
    await press(page, 'Choose file and add')
    await dialog.getByText('Choose a conclusion.').waitFor()
    await book.look('27-attach-dialog-inspected')
    await dialog.getByText('Supports', { exact: true }).click()
    await press(page, 'Choose file and add')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('key policy.pdf').first().waitFor()
    await book.look('27-control-with-documents', { full: true })
    await press(page, 'Add new version of key policy.pdf')
    writeFileSync(join(folder, 'key policy 2.pdf'), 'made up again')
    await choose(opened, join(folder, 'key policy 2.pdf'))
    await dialog.getByText('Declare the effective period').click()
    await press(page, 'Choose file and add')
    await dialog.getByText('Choose the first day.').waitFor()
    await dialog.locator('.date-field').filter({ hasText: 'Effective from' }).getByRole('spinbutton').first().click()
    await page.keyboard.type('20260301')
    await book.look('27-new-version-dialog')
    await press(page, 'Choose file and add')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('Effective from 1 Mar 2026', { exact: false }).first().waitFor()
    await rail(page, 'Documents')
    await page.getByText('Superseded by key policy 2.pdf', { exact: false }).first().waitFor()
    await book.look('27-document-versions', { full: true })
    await rail(page, 'Controls')
    await press(page, 'Open documents')
    await titled(page, 'Documents')
    await field(page, 'Find a document').fill('risk')
    await book.look('28-documents')
    await page
      .getByRole('button', { name: /^Set owner and due date:/ })
      .last()
      .click()
    await dialog.getByRole('textbox', { name: 'Owner' }).fill('R. Novak')
    await dialog.getByRole('button', { name: 'Set owner and due date' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('tab', { name: 'Outstanding by owner' }).click()
    await page.getByRole('region', { name: 'R. Novak', exact: true }).getByText('Message to the owner').click()
    await page
      .getByRole('region', { name: 'R. Novak', exact: true })
      .getByText('Subject: Documents requested: 1 document')
      .waitFor()
    await page.getByRole('heading', { name: /^No owner set/ }).waitFor()
    await book.look('28-documents-by-owner')
  })

  test('in forced colors and in print, marks and words stay', async () => {
    const places: readonly (readonly [string, () => Promise<void>])[] = [
      ['overview', () => page.getByRole('grid').waitFor()],
      [
        'why',
        async () => {
          await open('demo-guest-03', 0)
          await page.locator('.claim').waitFor()
        },
      ],
      [
        'control',
        async () => {
          await rail(page, 'Controls')
          await page.locator('.tree-control').first().click()
          await page.getByRole('heading', { name: 'Requirement', exact: true }).waitFor()
        },
      ],
    ]
    await openMatrix(page)
    for (const [name, show] of places) {
      await page.emulateMedia({ forcedColors: 'none', media: 'screen', colorScheme: 'light' })
      await show()
      await page.emulateMedia({ forcedColors: 'active' })
      await shot(page, `29-forced-colors-${name}`)
      await page.emulateMedia({ forcedColors: 'none', media: 'print' })
      expect(await page.isVisible('.rail')).toBe(false)
      expect(await page.locator('main .mark:visible').count()).toBeGreaterThan(0)
      await shot(page, `29-print-${name}`, true)
    }
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
  })

  test('at twice the size', async () => {
    await zoom(opened, 2)
    await openMatrix(page)
    await page.getByRole('grid').waitFor()
    await book.lookZoomed('overview')
    await page.getByRole('gridcell').nth(1).getByRole('button').first().click()
    await page.locator('.claim').waitFor()
    await book.lookZoomed('why')
    await press(page, 'Open raw evidence')
    await page.locator('.evidence-inspector').waitFor()
    await book.lookZoomed('evidence')
    await rail(page, 'Controls')
    await page.getByRole('treegrid').waitFor()
    await book.lookZoomed('controls')
    await page.locator('.tree-control').first().click()
    await page.getByRole('heading', { name: 'Requirement', exact: true }).waitFor()
    await book.lookZoomed('control')
    await openMatrix(page)
    await press(page, 'Open risk acceptances')
    await titled(page, 'Risk acceptances')
    await book.lookZoomed('risk-acceptances')
    await zoom(opened, 1)
  })
})
