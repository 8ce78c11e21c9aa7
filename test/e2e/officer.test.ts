import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmulatedFleet, startEmulated } from '../support/emulated-nodes.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, builtProduct, openWindow, shot, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { atHome, choose, clicksOn, countClicks, field, giveSecret, press, titled } from '../support/window-steps.ts'

const missing = whyNoProduct()

const RECORDED = ['demo-gpu-01', 'demo-gpu-02', 'demo-metal-04', 'demo-shared-05'] as const
const SERVERS = Array.from({ length: 12 }, (_, at) => ({
  name: `gpu-${String(at + 1).padStart(2, '0')}`,
  recorded: RECORDED[at % RECORDED.length] ?? RECORDED[0],
}))
const MOST_CLICKS = 20

/** The product as built, on twelve servers over SSH: from the first start of the window to a signed pack on disk. */
describeUnless(missing, 'the officer with twelve servers', () => {
  let fleet: EmulatedFleet
  let opened: TestWindow
  let page: Page
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-officer-'))
  const out = join(folder, 'out')
  beforeAll(async () => {
    mkdirSync(out)
    fleet = await startEmulated(SERVERS)
    writeFileSync(join(folder, 'portal.csv'), fleet.inventory)
    writeFileSync(join(folder, 'policy.pdf'), '%PDF-1.4\n%%EOF\n')
    opened = await openWindow({ folder: builtProduct() ?? '' })
    page = opened.page
    page.setDefaultTimeout(30_000)
    await countClicks(page)
  })
  afterAll(async () => {
    await opened?.close()
    await fleet?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('pastes the list of servers, and collects from all of them', async () => {
    await press(page, 'Import nodes')
    await field(page, 'Content').fill(fleet.csv)
    await press(page, 'Preview lines')
    await press(page, 'Add 12 nodes')
    await press(page, 'Collect evidence')
    await titled(page, 'Collection finished')
    expect(await page.locator('.run-facts').textContent()).toContain('Collected12')
    await press(page, 'Show results')
    await atHome(page)
    await shot(page, '110-officer-home')
  })

  test('assigns all severe findings with one response', async () => {
    const severe = Number(/\d+/.exec((await page.locator('main .button.primary').textContent()) ?? '')?.[0])
    await press(page, /^Assign \d+ findings$/)
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`Respond to ${severe} findings`).waitFor()
    await dialog.getByLabel('Owner').fill('J. Lin')
    await dialog.getByLabel('Plan').fill('The platform team corrects this in the next maintenance window.')
    await dialog.getByLabel('Stated by').fill('M. Ortiz')
    await dialog.getByRole('button', { name: 'Save response' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('.toast').getByText(`Response saved for ${severe} findings`).waitFor()
  })

  test('completes the engagement in one form, and its first day of fieldwork', async () => {
    await press(page, 'Complete engagement')
    await field(page, 'Entity').fill('Ward Health')
    await field(page, 'Audience').fill('The auditor of Ward Health')
    await field(page, 'Purpose').fill('Safeguards of the servers that store ePHI')
    await page.getByRole('region', { name: 'Entity and purpose', exact: true }).getByLabel('Owner').fill('M. Ortiz')
    await page.getByRole('group', { name: 'First day of fieldwork' }).getByRole('spinbutton').first().focus()
    await page.keyboard.type('20271201')
    await field(page, 'System description').fill('Twelve dedicated servers for image analysis.')
    await field(page, 'Source of the list').fill('Asset register')
    await shot(page, '111-officer-engagement', true)
    expect((await axeFindings(page)).join('\n')).toBe('')
    await press(page, 'Save and continue')
    await page.getByRole('grid', { name: 'Population reconciliation' }).waitFor()
  })

  test('reconciles the population with the inventory of the provider', async () => {
    await press(page, 'Import provider inventory…')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Source').fill('Portal of the provider')
    await dialog.getByLabel('Owner').fill('M. Ortiz')
    await choose(opened, join(folder, 'portal.csv'))
    await dialog.getByRole('button', { name: 'Choose file and import' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('The provider inventory lists 12; none unreconciled.', { exact: false }).waitFor()
    await shot(page, '112-officer-population')
  })

  test('adds a document', async () => {
    await press(page, /^Assign \d+ documents$/)
    await page
      .getByRole('button', { name: /^Add document:/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Summary of evidence').fill('The access policy, approved this year.')
    await dialog.getByLabel('Provided by').fill('J. Lin')
    await dialog.getByLabel('Owner', { exact: true }).fill('M. Ortiz')
    await choose(opened, join(folder, 'policy.pdf'))
    await dialog.getByRole('button', { name: 'Choose file and add' }).click()
    await dialog.waitFor({ state: 'detached' })
    await shot(page, '113-officer-documents')
  })

  test('reads what is open before the export, creates the identity, seals and saves', async () => {
    await press(page, 'Export…')
    await page.getByText('No signing identity').waitFor()
    await shot(page, '114-officer-preflight', true)
    const open = await page.locator('.preflight-item strong').allTextContents()
    expect(open).not.toContain('No engagement declared')
    expect(open).not.toContain('Population not reconciled')
    await press(page, 'Open step Seal')
    expect(await field(page, 'Organization').inputValue()).toBe('Ward Health')
    await field(page, 'Person or role').fill('M. Ortiz')
    await giveSecret(opened, () => press(page, 'Create signing identity'), 'correct horse battery', 2)
    await page.getByText('Signer:      Ward Health (M. Ortiz)').waitFor()
    await giveSecret(opened, () => press(page, 'Seal pack'), 'correct horse battery')
    await page.getByRole('heading', { name: 'Review as auditor, then save' }).waitFor({ timeout: 180_000 })
    await choose(opened, out)
    await press(page, 'Save pack')
    await page.getByText('Pack exported').first().waitFor()
    await shot(page, '115-officer-exported', true)
    expect(readdirSync(out).some((name) => name.endsWith('.zip'))).toBe(true)
    expect(readdirSync(out).some((name) => name.endsWith('_report.pdf'))).toBe(true)
  })

  test(`needed no more than ${MOST_CLICKS} clicks`, async () => {
    const clicks = await clicksOn(page)
    console.info(`Officer: ${clicks} clicks from the first start to a signed pack of twelve servers.`)
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS)
    expect(clicks).toBeGreaterThan(10)
  })
})
