import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verificationCheckWords } from '../../schemas/verification.ts'
import { verdictWords } from '../../schemas/words.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, builtProduct, openWindow, shot, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { readXlsx } from '../support/read-xlsx.ts'
import { type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'
import {
  atHome,
  choose,
  clicksOn,
  countClicks,
  field,
  giveSecret,
  openMatrix,
  opens,
  openTab,
  press,
  rail,
  titled,
} from '../support/window-steps.ts'

const missing = whyNoProduct() ?? whyNoSshd

/** The product as built, in real Electron, on real servers: what a compliance officer does, then what an auditor does with the pack. */
describeUnless(missing, 'two people', () => {
  let sshd: Sshd
  let officer: TestWindow
  let page: Page
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-journey-'))
  const profile = join(folder, 'profile')
  const out = join(folder, 'out')
  const packPath = (): string => join(out, readdirSync(out).find((name) => name.endsWith('.zip')) ?? '')
  beforeAll(async () => {
    mkdirSync(profile)
    mkdirSync(out)
    sshd = await startSshd()
    officer = await openWindow({ folder: builtProduct() ?? '', profile })
    page = officer.page
  })
  afterAll(async () => {
    await officer?.close()
    await sshd?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  describe('the compliance officer', () => {
    test('imports a list: every line has an outcome, and no node is contacted', async () => {
      await press(page, 'Import nodes')
      await titled(page, 'Nodes')
      await page.getByText('CSV', { exact: false }).first().click()
      await field(page, 'Content').fill(
        `name,address,port,user,identityFile\nward-db-1,127.0.0.1,${sshd.port},${userInfo().username},${sshd.clientKey}\nward-db-2,127.0.0.1,1,${userInfo().username},${sshd.clientKey}\nnot a node,,,,\n`,
      )
      await press(page, 'Preview lines')
      await press(page, 'Add 2 nodes')
      await page.getByText('2 nodes added', { exact: false }).first().waitFor()
      await page.getByRole('row', { name: /ward-db-2/ }).waitFor()
      expect(sshd.log()).not.toContain('Connection from')
    })

    test('confirms a host key against a list from the provider, and no other', async () => {
      await openTab(page, 'Host keys')
      await press(page, 'Request host keys')
      await page.getByText('Not verified').waitFor()
      await press(page, 'Compare with list')
      await field(page, 'Fingerprints or known_hosts lines').fill(
        `256 ${sshd.hostKey.fingerprint} ward-db-1 (ED25519)\n`,
      )
      await page.getByRole('dialog').getByRole('button', { name: 'Compare', exact: false }).first().click()
      await page.getByLabel('Verification method').fill('Signed list of the provider, 20 Nov 2026')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Record|Confirm)/ })
        .click()
      await page.getByText('1 of 2 confirmed').waitFor()
      await shot(page, '40-officer-host-keys')
    })

    test('reads what will be run, and saves the list', async () => {
      await press(page, 'Preview commands')
      await titled(page, 'Command preview')
      await choose(officer, join(folder, 'questions.csv'))
      await page.getByRole('button', { name: /^Save/ }).click()
      await expect.poll(() => readdirSync(folder)).toContain('questions.csv')
      expect(readFileSync(join(folder, 'questions.csv'), 'utf8')).toContain('/proc/cpuinfo')
    })

    test('collects from the real server; the one that cannot be reached stays in the count', async () => {
      await press(page, 'Collect evidence')
      await titled(page, 'Collection finished')
      await shot(page, '41-officer-collected')
      await press(page, 'Show results')
      await atHome(page)
      await shot(page, '42-officer-home')
      await openMatrix(page)
      await page
        .getByRole('grid')
        .getByText(/Not collected/)
        .waitFor()
      await shot(page, '42-officer-matrix')
      expect((await axeFindings(page)).join('\n')).toBe('')
    })

    test('opens a result, and follows an observation to its bytes', async () => {
      await page
        .getByRole('row', { name: /ward-db-1/ })
        .getByRole('gridcell')
        .first()
        .click()
      await titled(page, /ward-db-1 ▸/)
      await shot(page, '43-officer-why', true)
      expect(await page.textContent('main')).toContain('Limitations')
      expect((await axeFindings(page)).join('\n')).toBe('')
    })

    test('accepts one finding until a day; its verdict stays', async () => {
      await page.locator('.claims-list button').filter({ hasText: verdictWords['not-satisfied'].label }).first().click()
      await press(page, 'Add risk acceptance…')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('The firmware is replaced in the next maintenance window.')
      await dialog.getByLabel('Compensating control').fill('Console access is limited to two people.')
      await dialog.getByLabel('Owner').fill('M. Ortiz')
      await dialog.getByLabel('Requested by').fill('J. Chen')
      await dialog.getByLabel('Approved by').fill('M. Ortiz')
      await dialog.getByLabel('Approver’s role').fill('Security officer')
      await dialog.getByText('The verdict remains').waitFor()
      await press(page, 'Add risk acceptance')
      await page
        .getByText(/Risk accepted until/)
        .first()
        .waitFor()
      await page
        .locator('.claims-list button')
        .filter({ hasText: verdictWords['not-satisfied'].label })
        .filter({ hasText: 'Risk accepted' })
        .waitFor()
      await shot(page, '44-officer-accepted', true)
    })

    test('comes back after closing the window: nothing is lost', async () => {
      await officer.close()
      officer = await openWindow({ folder: builtProduct() ?? '', profile })
      page = officer.page
      await atHome(page)
      expect(await page.textContent('h1')).toMatch(/finding/)
      await openMatrix(page)
      await page.getByRole('row', { name: /ward-db-1/ }).waitFor()
    })

    test('exports: scope, seal, review as auditor, save', async () => {
      await rail(page, 'Evidence packs')
      await press(page, /^Export evidence pack/)
      await titled(page, 'Export evidence pack')
      await page.getByText('1 risk acceptance', { exact: false }).first().waitFor()
      await press(page, 'Continue')
      await press(page, 'Continue')
      await page.getByText('Create a signing identity first.').waitFor()
      await field(page, 'Organization').fill('Ward Health')
      await field(page, 'Person or role').fill('M. Ortiz')
      await giveSecret(officer, () => press(page, 'Create signing identity'), 'correct horse battery', 2)
      await page.getByText('Signer:      Ward Health (M. Ortiz)').waitFor()
      await shot(page, '45-officer-identity', true)
      expect((await axeFindings(page)).join('\n')).toBe('')
      await giveSecret(officer, () => press(page, 'Seal pack'), 'correct horse battery')
      await page.getByRole('heading', { name: 'Review as auditor, then save' }).waitFor({ timeout: 120_000 })
      const auditing = await opens(officer, () => press(page, /^(Review as auditor|Open the review)/))
      await auditing.getByRole('heading', { level: 1, name: 'Verification' }).waitFor()
      await auditing.close()
      await choose(officer, out)
      await page.getByRole('button', { name: /^Save/ }).click()
      await page.getByText('Pack exported').first().waitFor()
      await shot(page, '45-officer-exported', true)
      expect(readdirSync(out).some((name) => name.endsWith('_report.pdf'))).toBe(true)
    })
  })

  describe('the auditor, on a machine that has seen nothing', () => {
    let auditor: TestWindow
    let review: Page
    beforeAll(async () => {
      auditor = await openWindow({ folder: builtProduct() ?? '', files: [packPath()] })
      review =
        auditor.app.windows().find((one) => one.url().includes('#review')) ?? (await auditor.app.waitForEvent('window'))
      await review.getByRole('heading', { level: 1, name: 'Verification' }).waitFor({ timeout: 60_000 })
      await countClicks(review)
    })
    afterAll(() => auditor?.close())

    test('reads six checks; no signer is trusted yet', async () => {
      expect(await review.locator('.seal-answer').count()).toBe(6)
      expect(await review.locator('.outcome-failed').count()).toBe(0)
      expect(await review.textContent('main')).toContain('ward')
      await shot(review, '46-auditor-seal', true)
      expect((await axeFindings(review)).join('\n')).toBe('')
    })

    test('compares the key with one received by telephone, which evaluates again', async () => {
      await press(review, 'Compare key…')
      const shown = ((await review.getByRole('dialog').locator('.compare-ours').textContent()) ?? '').replaceAll(
        /\s/g,
        '',
      )
      await review.getByLabel('Fingerprint from the signer').fill(shown.match(/[0-9a-f]{64}/)?.[0] ?? shown)
      await review.getByText('All 64 characters match.').waitFor()
      await review.getByLabel('Verification method').fill('Read aloud by M. Ortiz on the telephone')
      await press(review, 'Trust key')
      await review
        .locator('.seal-answer.outcome-passed')
        .filter({ hasText: verificationCheckWords.signature.asks })
        .waitFor({ timeout: 60_000 })
      await review
        .getByText(/(\d+) of \1 verdicts/)
        .first()
        .waitFor({ timeout: 60_000 })
    })

    test('decides on five samples next to their evidence, and saves the worksheet', async () => {
      await press(review, 'Sampling')
      await field(review, 'Seed').fill('20261121')
      await field(review, 'Your name (optional)').fill('R. Vega')
      // A form of a page is sent by Enter, as those of dialogs are.
      await field(review, 'Your name (optional)').press('Enter')
      for (const number of [1, 2, 3, 4, 5]) {
        await review.getByRole('heading', { name: `Sample ${number} of 5` }).waitFor()
        await review.locator('.sample-finding .account, .sample-finding .empty').first().waitFor()
        if (number === 1) {
          await review.locator('.sample-finding .proof').first().waitFor()
          await shot(review, '47-auditor-sample', true)
          expect((await axeFindings(review)).join('\n')).toBe('')
        }
        await review.locator('.sample-decision label').filter({ hasText: 'Agrees with the evidence' }).click()
        await review.getByText(`${number} decided, ${5 - number} open`).waitFor()
        await field(review, 'Note (optional)').fill(`Read the capture again, ${number}.`)
        await press(review, number === 5 ? 'Save' : 'Save and next')
      }
      await choose(auditor, join(folder, 'worksheet.xlsx'))
      await press(review, 'Save worksheet…')
      await review.getByRole('menuitem', { name: 'Workbook (XLSX)' }).click()
      await expect.poll(() => readdirSync(folder)).toContain('worksheet.xlsx')
      const rows = readXlsx(readFileSync(join(folder, 'worksheet.xlsx'))).sheets.get('Worksheet') ?? []
      expect(rows).toHaveLength(6)
      for (const row of rows.slice(1)) for (const cell of ['20261121', 'agrees', 'R. Vega']) expect(row).toContain(cell)
    })

    test('needed no more than twenty clicks for five samples', async () => {
      const clicks = await clicksOn(review)
      console.info(`Auditor: ${clicks} clicks from the opened pack to the saved worksheet with five samples.`)
      expect(clicks).toBeLessThanOrEqual(20)
      expect(clicks).toBeGreaterThan(10)
    })

    test('opens an altered pack, and sees exactly what was altered', async () => {
      const altered = join(folder, 'altered.zip')
      alterOneAnswer(packPath(), altered)
      await choose(auditor, altered)
      await press(auditor.page, /Open evidence pack/)
      await review
        .locator('.seal-answer.outcome-failed')
        .filter({ hasText: verificationCheckWords.integrity.asks })
        .waitFor({ timeout: 60_000 })
      expect(
        await review
          .locator('.seal-answer.outcome-failed')
          .filter({ hasText: verificationCheckWords.integrity.asks })
          .textContent(),
      ).toMatch(/data\/nodes\/ward-db-1\/sha256\/[0-9a-f]{64}/)
      await shot(review, '48-auditor-altered', true)
      await review
        .getByRole('button', { name: 'Results' })
        .or(review.getByRole('tab', { name: 'Results' }))
        .first()
        .click()
      await review.getByRole('grid').waitFor()
    })
  })

  /** One byte of one answer, as an owner would who wants another story: unpacked, changed, packed again. */
  function alterOneAnswer(from: string, to: string): void {
    const unpacked = join(folder, 'unpacked')
    execFileSync('unzip', ['-q', from, '-d', unpacked])
    const answers = join(unpacked, 'pack/data/nodes/ward-db-1/sha256')
    const victim = readdirSync(answers).find((name) => readFileSync(join(answers, name)).length > 100) ?? ''
    const bytes = readFileSync(join(answers, victim))
    bytes[50] = (bytes[50] ?? 0) ^ 1
    writeFileSync(join(answers, victim), bytes)
    execFileSync('zip', ['-q', '-r', '-0', '-D', '-X', to, 'pack'], { cwd: unpacked })
  }
})
