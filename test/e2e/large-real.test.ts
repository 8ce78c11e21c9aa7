import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmulatedFleet, startEmulated } from '../support/emulated-nodes.ts'
import { closeOver, RESULT_SCREENS } from '../support/every-screen.ts'
import { builtProduct, openWindow, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { lookAtSizes } from '../support/size-book.ts'
import { atHome, field, press } from '../support/window-steps.ts'

const missing = whyNoWindow() ?? (builtProduct() === null ? 'the product is not built: npm run build' : null)

const NODES = 300
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
describe.skipIf(missing !== null)(`${NODES} servers${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let fleet: EmulatedFleet
  let opened: TestWindow
  let page: Page
  beforeAll(async () => {
    fleet = await startEmulated(SERVERS)
    for (const name of AWAY) fleet.goesAway(name)
    opened = await openWindow({ folder: builtProduct() ?? '' })
    page = opened.page
    page.setDefaultTimeout(60_000)
  })
  afterAll(async () => {
    await opened?.close()
    await fleet?.close()
  })

  test('are imported and collected; those that are away stay in the count', async () => {
    await press(page, 'Import nodes')
    await field(page, 'Content').fill(fleet.csv)
    await press(page, 'Preview lines')
    await press(page, `Add ${NODES} nodes`)
    await press(page, 'Collect evidence')
    await page.getByRole('heading', { level: 1, name: 'Collection finished' }).waitFor({ timeout: 480_000 })
    expect(await page.locator('.run-facts').textContent()).toContain(`Not collected${AWAY.length}`)
    await lookAtSizes(opened, '140-large-collected')
    await press(page, 'Show results')
    await atHome(page)
  })

  test.each(
    RESULT_SCREENS.filter(({ name }) => GROWING.includes(name)).map((screen) => [screen.name, screen] as const),
  )('%s', async (name, { open, isOver }) => {
    await open(page)
    await lookAtSizes(opened, `141-large-${name}`)
    if (isOver === true) await closeOver(page)
  })
})
