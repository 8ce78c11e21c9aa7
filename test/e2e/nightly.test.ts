import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmulatedFleet, startEmulated } from '../support/emulated-nodes.ts'
import { describeUnless } from '../support/needing.ts'
import { type Nights, startNights } from '../support/nights.ts'
import { builtProduct, openWindow, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { lookAtSizes } from '../support/size-book.ts'
import {
  atHome,
  choose,
  clicksOn,
  countClicks,
  field,
  giveSecret,
  press,
  rail,
  titled,
} from '../support/window-steps.ts'

const missing = whyNoProduct()

const SERVERS = Array.from({ length: 6 }, (_, at) => ({ name: `gpu-0${at + 1}`, recorded: 'demo-gpu-01' }))
const CHANGED = 'gpu-02'
const AWAY = 'gpu-05'
const MOST_CLICKS = 10

/** Four nights of a schedule, in the third of which the computer was off; the officer opens the window the next day. */
describeUnless(missing, 'after the nights', () => {
  let fleet: EmulatedFleet
  let nights: Nights
  let opened: TestWindow
  let page: Page
  const top = mkdtempSync(join(tmpdir(), 'barewitness-nights-'))
  const profile = join(top, 'profile')
  const config = join(top, 'config')
  const before = process.env.XDG_CONFIG_HOME
  beforeAll(async () => {
    mkdirSync(profile)
    mkdirSync(config)
    process.env.XDG_CONFIG_HOME = config
    fleet = await startEmulated(SERVERS)
    nights = await startNights(fleet, profile, 3)
    // Some checks compare with an earlier run: they are decided from the second one on.
    for (const daysAgo of [3, 2]) expect(await nights.run(daysAgo)).toBe(0)
    // The next run has a scratch drive that no encrypting layer covers, and a node that is away.
    fleet.becomes(CHANGED, 'demo-gpu-02')
    fleet.goesAway(AWAY)
    expect(await nights.run(0)).toBe(4)
    opened = await openWindow({ folder: builtProduct() ?? '', profile, env: { XDG_CONFIG_HOME: config } })
    page = opened.page
    page.setDefaultTimeout(30_000)
    await atHome(page)
    await countClicks(page)
  })
  afterAll(async () => {
    await opened?.close()
    await fleet?.close()
    if (before === undefined) delete process.env.XDG_CONFIG_HOME
    else process.env.XDG_CONFIG_HOME = before
    rmSync(top, { recursive: true, force: true })
  })

  test('Overview shows the run of the night, and its node that was away', async () => {
    expect(await page.locator('.home-steps').textContent()).toContain('5 of 6 nodes')
    const notices = page.getByRole('list', { name: 'Requests, missed runs and changes' })
    await notices.getByText(/^1 scheduled run$/).waitFor()
    expect(await notices.textContent()).toMatch(
      new RegExp(`1 node was not collected completely in one of the runs: ${AWAY}`),
    )
    await lookAtSizes(opened, '130-nights-home')
  })

  test('History shows the missed run with its reason', async () => {
    await press(page, 'Show missed runs')
    await titled(page, 'History')
    const missed = page.getByRole('table', { name: 'Missed, explained' })
    await missed.waitFor()
    expect(await missed.getByRole('row').count()).toBe(2)
    expect(await missed.textContent()).toContain('the computer was off or asleep')
    await lookAtSizes(opened, '131-nights-history')
  })

  test('the drift is grouped by cause: the node that was away is one line', async () => {
    await press(page, 'Back')
    await press(page, 'Compare runs')
    await page.getByRole('heading', { name: /^Changed results [1-9]/ }).waitFor()
    const notCompared = page.locator('.drift-list', { has: page.getByRole('heading', { name: /^Not compared 1$/ }) })
    expect(await notCompared.getByText(AWAY).count()).toBe(1)
    const flipped = await page.locator('.flip-node .disclosure-title').allTextContents()
    // One row for each cause: the same result on several nodes is not repeated. Which results change depends on the age of the recordings.
    const causes = await page
      .locator('.flip')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll(':scope > p')].map((part) => part.textContent).join('\n')),
      )
    const known = causes.map((cause) => cause.replace(/on \d+ nodes?$/m, ''))
    expect(known.length).toBeGreaterThan(0)
    expect(new Set(known).size).toBe(known.length)
    expect(flipped.some((line) => line.startsWith(CHANGED))).toBe(true)
    // Recorded answers get older, so a result about their age may change on any node that was collected.
    expect(flipped.filter((line) => line.startsWith(AWAY))).toEqual([])
    await lookAtSizes(opened, '132-nights-drift')
  })

  test('its finding is opened from there, and answered', async () => {
    await page
      .locator('.flip', { has: page.locator('.flip-node', { hasText: CHANGED }) })
      .filter({ hasNot: page.locator('.flip-node', { hasText: 'gpu-01' }) })
      .getByRole('button', { name: /^Open finding F-/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'Management response' }).waitFor()
    expect(await page.locator('.finding-main').textContent()).toContain(CHANGED)
    const response = page.locator('.response-form')
    await response.getByLabel('Owner').fill('J. Lin')
    await response.getByLabel('Plan').fill('The drive is encrypted in the next maintenance window.')
    await response.getByLabel('Stated by').fill('M. Ortiz')
    // A response is signed with the identity that is there.
    await giveSecret(
      opened,
      () => response.getByRole('button', { name: 'Save response' }).click(),
      'correct horse battery',
    )
    await page.locator('.toast').getByText('Response saved for 1 finding').waitFor()
    await lookAtSizes(opened, '133-nights-finding')
  })

  test(`needed no more than ${MOST_CLICKS} clicks`, async () => {
    const clicks = await clicksOn(page)
    console.info(`Nightly check: ${clicks} clicks from the opened window to the recorded response.`)
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS)
    expect(clicks).toBeGreaterThan(2)
  })

  test('a period report of the nights is sealed and saved', async () => {
    await rail(page, 'History')
    await press(page, 'Period report…')
    await titled(page, 'Export period report')
    await press(page, 'Add sample')
    await lookAtSizes(opened, '134-nights-period-incomplete')
    await field(page, 'Seed').fill('20261120')
    await lookAtSizes(opened, '134-nights-period')
    await giveSecret(opened, () => press(page, 'Seal pack'), 'correct horse battery')
    await page.getByText('Draft not saved').waitFor({ timeout: 120_000 })
    await lookAtSizes(opened, '135-nights-period-review')
    const saved = join(top, 'saved')
    mkdirSync(saved)
    await choose(opened, saved)
    await press(page, 'Save pack')
    await titled(page, 'Period report exported')
    await lookAtSizes(opened, '136-nights-period-saved')
    expect(
      readdirSync(saved, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(zip|pdf)$/.test(name)),
    ).toEqual(expect.arrayContaining([expect.stringMatching(/\.zip$/), expect.stringMatching(/\.pdf$/)]))
  })
})
