import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmulatedFleet, startEmulated } from '../support/emulated-nodes.ts'
import { closeOver, RESULT_SCREENS } from '../support/every-screen.ts'
import { framesWhile } from '../support/frames.ts'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, shot, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { lookAtSizes } from '../support/size-book.ts'
import { atHome, field, openMatrix, press, rail } from '../support/window-steps.ts'

const missing = whyNoProduct()

/** More for a measurement by hand. */
const NODES = Number(process.env.LARGE_NODES ?? 300)
const RECORDED = [
  ...['demo-gpu-01', 'demo-gpu-01', 'demo-gpu-01', 'demo-gpu-01', 'demo-gpu-02', 'demo-gpu-02'],
  ...['demo-metal-04', 'demo-shared-05', 'demo-nosudo-06', 'demo-guest-03'],
]
const SERVERS = Array.from({ length: NODES }, (_, at) => ({
  name: `gpu-${String(at + 1).padStart(3, '0')}`,
  recorded: RECORDED[at % RECORDED.length] ?? 'demo-gpu-01',
}))
const AWAY = ['gpu-007', 'gpu-120']
/** Screens whose size grows with the fleet. */
const GROWING = [
  ...['overview', 'findings', 'findings-details', 'finding', 'matrix', 'why', 'node', 'checks'],
  ...['location', 'population', 'nodes', 'nodes-host-keys', 'declarations-nodes', 'export-scope', 'history', 'search'],
]

/** The product as built, with 300 emulated servers that the real catalog judges, two of which are away. */
describeUnless(missing, `${NODES} servers`, () => {
  let fleet: EmulatedFleet
  const profile = mkdtempSync(join(tmpdir(), 'barewitness-large-'))
  let opened: TestWindow
  let page: Page
  const openAgain = async (): Promise<void> => {
    opened = await openWindow({ folder: builtProduct() ?? '', profile })
    page = opened.page
    page.setDefaultTimeout(60_000)
  }
  beforeAll(async () => {
    fleet = await startEmulated(SERVERS)
    for (const name of AWAY) fleet.goesAway(name)
    await openAgain()
  })
  afterAll(async () => {
    await opened?.close()
    await fleet?.close()
    rmSync(profile, { recursive: true, force: true })
  })

  test('are imported and collected; those that are away stay in the count', async () => {
    await press(page, 'Import nodes')
    await field(page, 'Content').fill(fleet.csv)
    await press(page, 'Preview lines')
    await press(page, `Add ${NODES} nodes`)
    await press(page, 'Collect evidence')
    await page.getByRole('heading', { level: 1, name: 'Collection finished' }).waitFor({ timeout: NODES * 1600 })
    expect(await page.locator('.run-facts').textContent()).toContain(`Not collected${AWAY.length}`)
    await lookAtSizes(opened, '140-large-collected')
    await press(page, 'Show results')
    await atHome(page)
  })

  test('speed and memory are printed; what a shared machine does with them is not asserted', async () => {
    const took = async (what: string, does: () => Promise<void>): Promise<void> => {
      const began = performance.now()
      await does()
      console.info(`${NODES} nodes, ${what}: ${Math.round(performance.now() - began)} ms`)
    }
    await rail(page, 'Nodes')
    await took('show results', async () => {
      await rail(page, 'Overview')
      await atHome(page)
    })
    await took('matrix', () => openMatrix(page))
    const grid = page.getByRole('grid')
    await grid.hover()
    await framesWhile(page, `${NODES} nodes, wheel`, async () => {
      for (let turn = 0; turn < 40; turn += 1) {
        // Once, the browser never acknowledged a turn, with no limit of its own. Whether the page still answers shows in what follows.
        const isTaken = await Promise.race([
          page.mouse.wheel(0, 400).then(() => true),
          sleep(20_000, false, { ref: false }),
        ])
        if (!isTaken) {
          console.info(`${NODES} nodes, wheel: turn ${turn + 1} was not acknowledged within 20 s`)
          break
        }
        await page.waitForTimeout(16)
      }
    })
    await grid.evaluate((element) => element.scrollTo({ top: 0 }))
    // The wheel has scrolled the page past the grid. Until the grid has drawn its first row again, a press could fall
    // on a row that goes away under it.
    await grid.evaluate((element) => element.scrollIntoView())
    const cell = grid.locator('[role=row][aria-rowindex="2"]').getByRole('gridcell').getByRole('button').first()
    await cell.waitFor()
    await took('cell to proof', async () => {
      await cell.click()
      await page.locator('.claim').waitFor()
    })
    const kib = await opened.app.evaluate(
      ({ app }) =>
        app.getAppMetrics().find(({ name }) => name === 'Barewitness engine')?.memory.workingSetSize ?? Number.NaN,
    )
    console.info(`${NODES} nodes, engine: ${Math.round(kib / 1024)} MiB`)
    expect(kib).toBeGreaterThan(0)
  })

  test('another provider profile is evaluated with progress, which can be cancelled', async () => {
    await rail(page, 'Provider claims')
    await page.getByRole('button', { name: /Provider profile/ }).click()
    await page.getByRole('option').nth(1).click()
    const evaluating = page.locator('.provider-choice .opening-run')
    await evaluating.getByText(/of \d+ nodes/).waitFor()
    await shot(page, '140-large-profile', true)
    await evaluating.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Results not evaluated').first().waitFor()
    await press(page, 'Evaluate results')
    await page
      .locator('main')
      .getByRole('table')
      .first()
      .waitFor({ timeout: NODES * 400 })
  })

  test('are opened again, and end on the results', async () => {
    await opened.close()
    await openAgain()
    const opening = page.getByRole('heading', { level: 1, name: 'Opening the latest results' })
    await opening.or(page.locator('.home-steps')).first().waitFor({ timeout: 60_000 })
    // How long it lasts depends on the machine: where it is over before the page is looked at, there is no picture.
    if (await opening.isVisible()) await shot(page, '140-large-opening', true)
    await page.locator('.home-steps').waitFor({ timeout: NODES * 400 })
  })

  test.each(
    RESULT_SCREENS.filter(({ name }) => GROWING.includes(name)).map((screen) => [screen.name, screen] as const),
  )('%s', async (name, { open, isOver }) => {
    await open(page)
    await lookAtSizes(opened, `141-large-${name}`)
    if (isOver === true) await closeOver(page)
  })
})
