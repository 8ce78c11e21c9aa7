import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unnamed, walk } from '../support/keyboard.ts'
import { describeUnless } from '../support/needing.ts'
import { buildTestApp, openWindow, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { atHome, openMatrix, press, rail, titled } from '../support/window-steps.ts'
import { watch } from '../support/window-watch.ts'

const missing = whyNoWindow()

/** Nothing that can be pressed, followed or filled in is left out by Tab, looks the same with the focus, or has no name. */
describeUnless(missing, 'what Tab reaches', () => {
  let opened: TestWindow
  let page: Page
  let seen: readonly string[]
  beforeAll(async () => {
    opened = await openWindow({ folder: buildTestApp(), env: { BAREWITNESS_TEST_PACE: '0' } })
    page = opened.page
    seen = watch(opened)
    await page.emulateMedia({ reducedMotion: 'reduce' })
  })
  afterAll(() => opened?.close())

  test('the check itself finds a button that Tab leaves out, shows no focus, or has no name', async () => {
    await page.evaluate(() => {
      const [out, plain] = [document.createElement('button'), document.createElement('button')]
      out.tabIndex = -1
      out.textContent = 'left out'
      plain.className = 'told'
      plain.append(document.createElement('i'))
      plain.style.outline = 'none'
      plain.style.border = '0'
      plain.style.padding = '8px'
      document.querySelector('main')?.append(out, plain)
    })
    const found = await walk(page)
    expect(found.unreached).toEqual(['BUTTON left out'])
    expect(found.unseen).toEqual(['BUTTON '])
    expect(await unnamed(page)).toEqual(['button '])
    await page.reload()
    await titled(page, 'Collect audit evidence from your servers')
  })

  const SCREENS: readonly (readonly [what: string, go: () => Promise<void>])[] = [
    ['First run', () => titled(page, 'Collect audit evidence from your servers')],
    [
      'Collected',
      async () => {
        await press(page, 'Open demo fleet')
        await titled(page, 'Collection finished')
      },
    ],
    [
      'Overview',
      async () => {
        await press(page, 'Show results')
        await atHome(page)
      },
    ],
    [
      'Findings',
      async () => {
        await rail(page, 'Findings')
        await page
          .getByRole('button', { name: /^Details of F-/ })
          .first()
          .click()
        await page.locator('.response-form').waitFor()
      },
    ],
    [
      'Finding',
      async () => {
        await page.locator('.findings th.condition .button').first().click()
        await page.locator('.node-evidence').first().waitFor()
      },
    ],
    ['Nodes × properties', () => openMatrix(page)],
    ['Risk acceptances', () => press(page, 'Open risk acceptances').then(() => titled(page, 'Risk acceptances'))],
    [
      'Node',
      async () => {
        await openMatrix(page)
        await page
          .getByRole('row', { name: /demo-metal-04/ })
          .getByRole('rowheader')
          .getByRole('button')
          .click()
        await titled(page, 'demo-metal-04')
      },
    ],
    [
      'Evidence',
      async () => {
        await press(page, 'Open raw evidence')
        await page.locator('.text-row').first().waitFor()
      },
    ],
    [
      'Why',
      async () => {
        await openMatrix(page)
        await page
          .getByRole('row', { name: /demo-metal-04/ })
          .getByRole('gridcell')
          .first()
          .click()
        await titled(page, /▸/)
        await page.locator('.account-entry .disclosure-button').first().click()
        await page.locator('.proof').waitFor()
      },
    ],
    ['Controls', () => rail(page, 'Controls').then(() => titled(page, 'Controls'))],
    [
      'Control',
      async () => {
        await page.keyboard.press('/')
        await page.keyboard.type('access')
        await page.locator('.tree-control').first().click()
        await page.getByRole('button', { name: 'All controls' }).waitFor()
      },
    ],
    [
      'Documents',
      async () => {
        await press(page, 'All controls')
        await press(page, 'Open documents')
        await page.getByRole('button', { name: 'Open documents', exact: true }).waitFor({ state: 'detached' })
        await page.getByLabel('Find a document').waitFor()
      },
    ],
    ['Engagement', () => rail(page, 'Engagement').then(() => titled(page, 'Engagement'))],
    [
      'Population',
      async () => {
        await page.getByRole('tab', { name: 'Population' }).click()
        await page.locator('.population').or(page.getByText('No population declared')).waitFor()
      },
    ],
    ['Location', () => rail(page, 'Location').then(() => titled(page, 'Location'))],
    ['Provider claims', () => rail(page, 'Provider claims').then(() => titled(page, 'Provider claims'))],
    ['Evidence packs', () => rail(page, 'Evidence packs').then(() => titled(page, 'Evidence packs'))],
    ['Export: scope', () => press(page, /^Export evidence pack/).then(() => titled(page, 'Export evidence pack'))],
    ['Export: redact', () => press(page, 'Continue')],
    ['Export: seal', () => press(page, 'Continue')],
    ['Nodes', () => rail(page, 'Nodes').then(() => titled(page, 'Nodes'))],
    ['Command preview', () => press(page, 'Preview commands').then(() => titled(page, 'Command preview'))],
    ...['Import', 'Host keys'].map(
      (tab) => [tab, () => rail(page, 'Nodes').then(() => page.getByRole('tab', { name: tab }).click())] as const,
    ),
    ...['Signing identities', 'Time-stamping', 'Trusted signers', 'SSH', 'Privacy', 'Appearance'].map(
      (tab) =>
        [
          `Settings: ${tab}`,
          () => rail(page, 'Settings').then(() => page.getByRole('tab', { name: tab }).click()),
        ] as const,
    ),
    [
      'the list of keys',
      () =>
        page
          .locator('h1')
          .focus()
          .then(() => page.keyboard.press('?')),
    ],
  ]
  test.each(SCREENS)('%s', async (_, go) => {
    await go()
    const { unreached, unseen, stops } = await walk(page)
    expect(unreached, 'not reached').toEqual([])
    expect(unseen, 'focus not seen').toEqual([])
    expect(await unnamed(page), 'without a name').toEqual([])
    expect(stops).toBeGreaterThan(0)
  })

  test('nothing was thrown meanwhile', () => {
    expect(seen).toEqual([])
  })
})
