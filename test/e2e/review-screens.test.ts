import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmulatedFleet, startEmulated } from '../support/emulated-nodes.ts'
import { closeOver, REVIEW_PARTS, REVIEW_SCREENS, reviewPart } from '../support/every-screen.ts'
import { type LyingTsa, lyingTsa, replyWith } from '../support/lying-tsa.ts'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, type TestWindow, whyNotBuilt, whyNoWindow } from '../support/open-window.ts'
import { opensslTsa } from '../support/openssl-tsa.ts'
import { lookAtSizes } from '../support/size-book.ts'
import { atHome, choose, field, giveSecret, opens, openTab, press, rail, titled } from '../support/window-steps.ts'

const missing =
  whyNoWindow() ??
  whyNotBuilt() ??
  (spawnSync('openssl', ['version']).status === 0 ? null : 'no openssl (Debian: apt-get install openssl)')

const SERVERS = [
  { name: 'gpu-01', recorded: 'demo-gpu-01' },
  { name: 'gpu-02', recorded: 'demo-gpu-02' },
]

/** Every screen and dialog of a review, of a pack that servers were collected for, and then of the same pack altered. */
describeUnless(missing, 'a review', () => {
  let fleet: EmulatedFleet
  /** A time-stamp authority on loopback that no reader trusts. */
  let stamps: LyingTsa
  let opened: TestWindow
  let page: Page
  let review: Page
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-review-'))
  const out = join(folder, 'out')
  const pack = (): string => join(out, readdirSync(out).find((name) => name.endsWith('.zip')) ?? '')
  beforeAll(async () => {
    mkdirSync(out)
    fleet = await startEmulated(SERVERS)
    stamps = await lyingTsa(replyWith(opensslTsa(join(folder, 'tsa')).reply))
    opened = await openWindow({ folder: builtProduct() ?? '' })
    page = opened.page
    page.setDefaultTimeout(60_000)
    await press(page, 'Import nodes')
    await field(page, 'Content').fill(fleet.csv)
    await press(page, 'Preview lines')
    await press(page, 'Add 2 nodes')
    await press(page, 'Collect evidence')
    await titled(page, 'Collection finished')
    await press(page, 'Show results')
    await atHome(page)
    await rail(page, 'Settings')
    await openTab(page, 'Time-stamping')
    await page.getByLabel(/^Authority address/).fill(stamps.url)
    await press(page, 'Save address')
    await page.getByText(`In use: ${stamps.url}`).waitFor()
    await rail(page, 'Evidence packs')
    await press(page, /^(Export evidence pack|Continue export)/)
    await press(page, 'Open step Seal')
    await field(page, 'Organization').fill('Ward Health')
    await field(page, 'Person or role').fill('M. Ortiz')
    await giveSecret(opened, () => press(page, 'Create signing identity'), 'correct horse battery', 2)
    await giveSecret(opened, () => press(page, 'Seal pack'), 'correct horse battery')
    await page.getByRole('heading', { name: 'Review as auditor, then save' }).waitFor({ timeout: 180_000 })
    await choose(opened, out)
    await press(page, 'Save pack')
    await page.getByText('Pack exported').first().waitFor()
    await rail(page, 'Evidence packs')
    await choose(opened, pack())
    review = await opens(opened, () => press(page, 'Open evidence pack'))
    review.setDefaultTimeout(60_000)
    await titled(review, 'Verification')
  })
  afterAll(async () => {
    await opened?.close()
    await fleet?.close()
    await stamps?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('its navigation has the parts that are looked at, and no other', async () => {
    const parts = review.getByRole('navigation', { name: 'Pack sections' }).getByRole('button')
    expect(await parts.allTextContents()).toEqual([...REVIEW_PARTS])
  })

  test.each(REVIEW_PARTS)('%s', async (part) => {
    await reviewPart(review, part)
    await lookAtSizes(opened, `150-review-${part.toLowerCase().replaceAll(' ', '-')}`, review)
  })

  test.each(REVIEW_SCREENS.map((screen) => [screen.name, screen] as const))('%s', async (name, { open, isOver }) => {
    await open(review)
    await lookAtSizes(opened, `151-review-${name}`, review)
    if (isOver === true) await closeOver(review)
  })

  test('an altered answer fails the verification, which names it', async () => {
    const altered = join(folder, 'altered.zip')
    alterOneAnswer(pack(), altered)
    await rail(page, 'Evidence packs')
    await choose(opened, altered)
    await press(page, 'Open evidence pack')
    await review.locator('.seal-answer.outcome-failed').first().waitFor()
    for (const part of ['Verification', 'Results', 'Raw evidence'] as const) {
      await reviewPart(review, part)
      await lookAtSizes(opened, `152-altered-${part.toLowerCase().replaceAll(' ', '-')}`, review)
    }
  })

  /** One byte of one answer of the first node, in a pack that is written anew. */
  function alterOneAnswer(from: string, to: string): void {
    const unpacked = join(folder, 'unpacked')
    execFileSync('unzip', ['-q', from, '-d', unpacked])
    const answers = join(unpacked, 'pack/data/nodes/gpu-01/sha256')
    const victim = readdirSync(answers).find((name) => readFileSync(join(answers, name)).length > 100) ?? ''
    const bytes = readFileSync(join(answers, victim))
    bytes[50] = (bytes[50] ?? 0) ^ 1
    writeFileSync(join(answers, victim), bytes)
    execFileSync('zip', ['-q', '-r', '-0', '-D', '-X', to, 'pack'], { cwd: unpacked })
  }
})
