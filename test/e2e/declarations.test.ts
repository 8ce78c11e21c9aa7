import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFleets } from '../../main/adapters/fleet-file.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, builtProduct, openWindow, shot, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { cutOff } from '../support/screen-book.ts'
import { choose, field, openTab, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoProduct()

const SERVERS = Array.from({ length: 12 }, (_, at) => `gpu-${String(at + 1).padStart(2, '0')}`)
const CSV = `name,address,user\n${SERVERS.map((name, at) => `${name},192.0.2.${at + 1},audit\n`).join('')}`
const SIZES = [
  [1280, 860],
  [1024, 740],
] as const

/** The product as built, with the real engine: everything that a fleet file declares is declared in the window. */
describeUnless(missing, 'declarations', () => {
  let opened: TestWindow
  let page: Page
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-declare-'))
  const section = (name: string): Locator => page.getByRole('region', { name, exact: true })
  const unfold = (name: string): Promise<void> =>
    page.getByRole('heading', { level: 2, name }).getByRole('button').click()
  const selectThree = async (): Promise<void> => {
    for (const name of ['gpu-01', 'gpu-02', 'gpu-03'])
      await page.getByRole('grid', { name: 'Declared nodes' }).getByText(name, { exact: true }).click()
  }
  /** In both sizes and colors: a picture, what axe finds, and that nothing is cut. */
  const look = async (name: string): Promise<void> => {
    await page.mouse.move(0, 0)
    for (const [width, height] of SIZES) {
      await opened.app.evaluate(
        ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(...size),
        [width, height] as [number, number],
      )
      await page.waitForFunction((wide) => window.innerWidth === wide, width)
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        await shot(page, `${name}-${width}-${scheme}`, true)
        expect.soft((await axeFindings(page)).join('\n'), `${name} ${width} ${scheme}`).toBe('')
      }
      expect.soft(await cutOff(page), `${name} ${width}`).toEqual([])
      const wide = await page.evaluate(
        () =>
          [...document.querySelectorAll('main, main .form, main .field-form')].filter(
            ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
          ).length,
      )
      expect.soft(wide, `${name} ${width}: wider than its frame`).toBe(0)
    }
    await page.emulateMedia({ colorScheme: 'light' })
  }
  beforeAll(async () => {
    opened = await openWindow({ folder: builtProduct() ?? '' })
    page = opened.page
    page.setDefaultTimeout(20_000)
  })
  afterAll(async () => {
    await opened?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('without nodes, the screen shows the next step', async () => {
    await rail(page, 'Declarations')
    await titled(page, 'Declarations')
    await page.getByText('No nodes yet').waitFor()
    await press(page, 'Import nodes')
    await page.getByText('CSV').first().click()
    await field(page, 'Content').fill(CSV.replace('name,address', 'Label,Where'))
    await press(page, 'Preview lines')
    // Two headings show nothing: the columns are assigned.
    await press(page, /Label$/)
    await page.getByRole('option', { name: 'Name of the node' }).click()
    await press(page, /Where$/)
    await page.getByRole('option', { name: 'Address (required)' }).click()
    await page.getByRole('button', { name: 'Add 12 nodes' }).waitFor()
    await look('89-import-columns')
    await press(page, 'Add 12 nodes')
    await page.getByText('12 nodes added.').waitFor()
  })

  test('one place is declared for several nodes, and is on the map', async () => {
    await rail(page, 'Declarations')
    await openTab(page, 'Single nodes')
    await selectThree()
    await page.getByText('3 of 12 nodes selected').waitFor()
    await press(page, 'Declare place')
    for (const [label, text] of [
      ['Name of the place', 'Ashburn'],
      ['Latitude', '139.04'],
      ['Longitude', '-77.48'],
      ['Radius in km', '60'],
      ['Declared by', 'provider contract'],
    ] as const)
      await section('Place').getByLabel(label, { exact: true }).fill(text)
    await page.getByText('Changes not saved yet.').waitFor()
    await press(page, 'Save Place')
    // Nothing is stored, and the field with the problem has the focus.
    await section('Place').locator('.field-error', { hasText: 'at most 90' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true')
    await look('90-declarations-problem')
    // Input stays when the screen is left.
    await rail(page, 'Nodes')
    await rail(page, 'Declarations')
    await page.getByText('Place of gpu-01, gpu-02, gpu-03').waitFor()
    await openTab(page, 'Single nodes')
    await selectThree()
    await section('Place').getByLabel('Latitude', { exact: true }).fill('39.04')
    await press(page, 'Save Place')
    await page.getByText('Changes not saved yet.').waitFor({ state: 'detached' })
    await page.getByRole('img', { name: 'Declared places of nodes' }).waitFor()
    await look('91-declarations-nodes')
  })

  test('the coordinates of the place are chosen on a map, or moved with arrow keys', async () => {
    const place = section('Place')
    const entered = async (label: string): Promise<number> =>
      Number(await place.getByLabel(label, { exact: true }).inputValue())
    await place.getByRole('button', { name: 'Choose on a map' }).click()
    const map = place.getByRole('button', { name: 'Map of the place' })
    await map.waitFor()
    const size = await map.boundingBox()
    if (size === null) throw new Error('no map')
    // East of the middle, where the place is.
    await map.click({ position: { x: size.width * 0.6, y: size.height / 2 } })
    await expect.poll(() => entered('Longitude')).toBeGreaterThan(-77.4)
    expect(Math.abs((await entered('Latitude')) - 39.04)).toBeLessThan(1)
    const north = await entered('Latitude')
    await map.focus()
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => entered('Latitude')).toBeGreaterThan(north)
    await look('91-declarations-place-map')
    await place.getByRole('button', { name: 'Zoom out' }).click()
    await place.getByRole('button', { name: 'Discard changes of Place' }).click()
    expect(await entered('Longitude')).toBe(-77.48)
  })

  test('what all nodes share is declared once', async () => {
    await openTab(page, 'All nodes')
    await unfold('Residency rules')
    await press(page, 'Add rule')
    await section('Residency rules').getByLabel('Region').fill('UK')
    await press(page, 'Save Residency rules')
    await section('Residency rules').locator('.field-error', { hasText: 'GB' }).waitFor()
    await section('Residency rules').getByLabel('Region').fill('US')
    await press(page, 'Save Residency rules')
    await unfold('People and accounts of all nodes')
    const people = section('People and accounts of all nodes')
    await people.getByLabel('Roster').fill('ann\nbackup')
    await people.getByRole('button', { name: 'Add account' }).click()
    await people.getByLabel('Login name').fill('ann')
    await people.getByRole('button', { name: /Kind/ }).click()
    await page.getByRole('option', { name: 'Person' }).click()
    await press(page, 'Save People and accounts of all nodes')
    await unfold('Threshold profile')
    await section('Threshold profile')
      .getByRole('button', { name: /^Profile|Baseline/ })
      .first()
      .click()
    await page.getByRole('option', { name: 'STIG' }).click()
    await press(page, 'Save Threshold profile')
    await page.getByText('Changes not saved yet.').waitFor({ state: 'detached' })
    await unfold('Location sources')
    await look('92-declarations-fleet')
  })

  test('the saved file is the fleet that the command line reads', async () => {
    const house = join(folder, 'house.yaml')
    writeFileSync(
      house,
      'id: house-rules\ntitle: House rules\nversion: "1"\ncontrols: [{ id: h-1, title: Locked doors }]\n',
    )
    await press(page, 'Custom frameworks')
    await choose(opened, house)
    await press(page, 'Import framework…')
    await page.getByText('House rules').first().waitFor()
    await rail(page, 'Declarations')
    await openTab(page, 'Fleet file')
    const path = join(folder, 'fleet.yaml')
    await choose(opened, path)
    await press(page, 'Save fleet file…')
    await page.getByText('fleet.yaml saved.').waitFor()
    await look('92b-declarations-file-saved')
    const read = await createFleets().read(path)
    expect(read.ok && read.value.fleet).toMatchObject({
      mappings: ['fleet.yaml.declared/mapping-house-rules.yaml'],
      profile: 'stig',
      roster: ['ann', 'backup'],
      accounts: [{ account: 'ann', kind: 'person' }],
      residency: [{ region: 'US' }],
    })
    expect(read.ok && read.value.fleet.nodes.map(({ location }) => location?.latitude).slice(0, 4)).toEqual([
      39.04,
      39.04,
      39.04,
      undefined,
    ])
  })

  test('a fleet file is opened with its problems or its changes', async () => {
    const path = join(folder, 'fleet.yaml')
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace('profile: stig', 'profile: strict\nplace: here'))
    await choose(opened, path)
    await press(page, 'Open fleet file…')
    await page.getByText('2 problems. The file cannot be used.').waitFor()
    await look('93-declarations-file-problems')
    writeFileSync(
      path,
      text
        .replace('profile: stig', 'profile: cis')
        .replace('gpu-12', 'gpu-99')
        .replace(/^mappings:\n.*\n/m, ''),
    )
    await press(page, 'Open fleet file…')
    await page.getByText('3 changes', { exact: false }).first().waitFor()
    await page.getByText('What it does not name is removed: custom frameworks.', { exact: false }).waitFor()
    await look('94-declarations-file-changes')
    await press(page, 'Replace fleet')
    await openTab(page, 'All nodes')
    await unfold('Threshold profile')
    await section('Threshold profile').getByText('CIS').first().waitFor()
  })

  test('by keyboard: a section is opened, changed and saved', async () => {
    await page.getByRole('heading', { level: 2, name: 'Time-stamp authority' }).getByRole('button').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('http://tsa.example/')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page
      .getByRole('heading', { level: 2, name: 'Time-stamp authority' })
      .getByText('Declared', { exact: true })
      .waitFor()
  })

  test('a collection names the declarations that it does not use, because they are not saved', async () => {
    await section('Time-stamp authority of scheduled runs').getByRole('textbox').first().fill('http://other.example/')
    await page.getByText('Changes not saved yet.').waitFor()
    await press(page, 'Collect evidence')
    await page.getByText('This collection does not use declarations that are not saved.').waitFor()
    await page.getByText('Not saved: Time-stamp authority of scheduled runs.').waitFor()
    await look('94b-collection-unsaved')
    const stop = page.getByRole('button', { name: 'Stop and keep collected evidence' })
    if (await stop.isVisible()) await stop.click()
    await page.getByRole('heading', { level: 1, name: /^Collection (finished|stopped)/ }).waitFor()
    await press(page, 'Open declarations')
    await page.getByText('Changes not saved yet.').waitFor()
  })

  test('the demo fleet shows its declarations, and cannot be changed', async () => {
    const demo = await openWindow({ folder: builtProduct() ?? '' })
    try {
      await press(demo.page, 'Open demo fleet')
      await titled(demo.page, 'Collection finished')
      await rail(demo.page, 'Declarations')
      await openTab(demo.page, 'Single nodes')
      await demo.page.getByRole('grid', { name: 'Declared nodes' }).getByText('demo-gpu-01', { exact: true }).click()
      const place = demo.page.getByRole('region', { name: 'Place', exact: true })
      expect(await place.getByLabel('Latitude', { exact: true }).isDisabled()).toBe(true)
      expect(await place.getByRole('button', { name: 'Save Place' }).isDisabled()).toBe(true)
      await shot(demo.page, '95-declarations-demo', true)
      expect((await axeFindings(demo.page)).join('\n')).toBe('')
    } finally {
      await demo.close()
    }
  })
})
