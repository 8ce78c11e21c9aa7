import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, shot, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { lookAtSizes } from '../support/size-book.ts'
import { choose, openMatrix, openTab, press, rail, titled } from '../support/window-steps.ts'

const missing = whyNoProduct()

/** Tables of the product as built: sorted, reduced to chosen columns and saved by keyboard, and remembered. */
describeUnless(missing, 'tables', () => {
  let opened: TestWindow
  let page: Page
  const top = mkdtempSync(join(tmpdir(), 'barewitness-tables-'))
  const profile = join(top, 'profile')
  const open = async (): Promise<void> => {
    opened = await openWindow({ folder: builtProduct() ?? '', profile })
    page = opened.page
    page.setDefaultTimeout(60_000)
  }
  const demo = async (): Promise<void> => {
    await open()
    await press(page, 'Open demo fleet')
    await titled(page, 'Collection finished')
    await press(page, 'Show results')
    await page.locator('.home-steps').waitFor()
  }
  beforeAll(demo)
  afterAll(async () => {
    await opened?.close()
    rmSync(top, { recursive: true, force: true })
  })

  const names = async (): Promise<readonly string[]> =>
    await page.getByRole('grid').locator('.node-name').allTextContents()

  /** What is above a table; a screen can have several. */
  const tools = (table?: string) =>
    table === undefined ? page : page.getByRole('group', { name: `Table: ${table}`, exact: true })

  async function saved(name: string, table?: string): Promise<readonly string[]> {
    const path = join(top, name)
    await choose(opened, path)
    await tools(table).getByRole('button', { name: 'Export CSV' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText(new RegExp(`saved in ${name}`)).waitFor({ state: 'attached' })
    return readFileSync(path, 'utf8').trim().split(/\r?\n/)
  }

  test('nodes are sorted from the keyboard, in both directions', async () => {
    await rail(page, 'Nodes')
    await page.getByRole('tab', { name: /^In scope/ }).click()
    const given = await names()
    const heading = page.getByRole('columnheader', { name: 'Node' })
    await heading.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect(await heading.getAttribute('aria-sort')).toBe('descending')
    expect(await names()).toEqual([...given].sort().reverse())
  })

  test('a column that is not chosen is neither shown nor saved', async () => {
    await page.getByRole('button', { name: 'Columns' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitemcheckbox', { name: 'Account' }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('columnheader', { name: 'Account' }).count()).toBe(0)
    const [head, ...rows] = await saved('nodes.csv')
    expect(head).toBe('Node,Address,Privileged checks (sudo),Declared place')
    expect(rows.map((row) => row.split(',')[0])).toEqual(await names())
  })

  test('findings, controls and captures are saved as they are listed', async () => {
    await rail(page, 'Findings')
    await page.getByRole('button', { name: 'Critical', exact: false }).first().click()
    const listed = await page.locator('.findings tbody.finding').count()
    expect(await saved('findings.csv')).toHaveLength(listed + 1)
    await rail(page, 'Controls')
    expect((await saved('controls.csv')).length).toBeGreaterThan(100)
  })

  test('the file is offered under the name of what it lists', async () => {
    await rail(page, 'Controls')
    const offered = opened.app.evaluate(
      ({ dialog }) =>
        new Promise<string>((tell) => {
          const show = (_window: unknown, options: { readonly defaultPath?: string }) => {
            tell(options.defaultPath ?? '')
            return Promise.resolve({ canceled: true, filePath: '' })
          }
          dialog.showSaveDialog = show as never
        }),
    )
    await press(page, 'Export CSV')
    expect(await offered).toBe('controls.csv')
  })

  test('nodes by property, checks, documents and runs are sorted, and saved as they are listed', async () => {
    await openMatrix(page)
    await page.getByRole('button', { name: /Order/ }).click()
    await page.getByRole('option', { name: 'By name' }).click()
    const byName = await names()
    expect(byName).toEqual([...byName].sort())
    const [head, ...nodes] = await saved('nodes-by-property.csv')
    expect(head).toContain('Isolation: not satisfied')
    expect(nodes.map((line) => line.split(',')[0])).toEqual(byName)

    await rail(page, 'Overview')
    await page.getByText('Checks without a deviation').getByRole('button').click()
    const first = page.locator('.claims tbody th').first()
    await first.waitFor()
    await page.getByRole('button', { name: 'Expected condition' }).click()
    await page.getByRole('button', { name: 'Expected condition' }).click()
    expect(await page.locator('.claims th[aria-sort]').getAttribute('aria-sort')).toBe('descending')
    const checks = await saved('checks.csv')
    expect(checks).toHaveLength((await page.locator('.claims tbody tr').count()) + 1)

    await rail(page, 'Documents')
    await page.locator('.slot').first().waitFor()
    expect(await saved('documents.csv')).toHaveLength((await page.locator('.slot').count()) + 1)

    await rail(page, 'History')
    const runs = page.getByRole('table', { name: 'Runs in this period' })
    await runs.getByRole('button', { name: 'Seal', exact: true }).click()
    expect(await runs.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('ascending')
    expect((await saved('runs.csv', 'runs'))[0]).toBe('Run,Name,Nodes collected,Nodes declared,Seal,Schedule')
  })

  const hide = async (column: string, table?: string): Promise<void> => {
    await tools(table).getByRole('button', { name: 'Columns' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitemcheckbox', { name: column, exact: true }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Escape')
  }

  test('nodes by property, documents, runs and checks are reduced to chosen columns, shown and saved', async () => {
    await openMatrix(page)
    const before = await page.locator('.matrix-column').count()
    await hide('Isolation')
    await expect.poll(() => page.locator('.matrix-column').count()).toBe(before - 1)
    expect(await page.getByRole('grid').getAttribute('aria-colcount')).toBe(String(before - 1))
    expect(await page.locator('.under-matrix').first().textContent()).toContain('Columns not shown: Isolation.')
    const [head = ''] = await saved('fewer-properties.csv')
    expect([head.includes('Isolation'), head.includes('Location: not satisfied')]).toEqual([false, true])
    await lookAtSizes(opened, 'columns-matrix')

    await rail(page, 'Documents')
    await page.locator('.slot').first().waitFor()
    await hide('Minimum level')
    await hide('Controls')
    await expect.poll(() => page.locator('.slot .served').count()).toBe(0)
    expect(await page.locator('.slot-state').first().textContent()).not.toContain('minimum level')
    expect((await saved('fewer-documents.csv'))[0]).toBe('Request,Document,Status,Required,Owner,Due')
    await lookAtSizes(opened, 'columns-documents')

    await rail(page, 'History')
    await hide('Nodes collected', 'runs')
    const runs = page.getByRole('table', { name: 'Runs in this period' })
    await expect.poll(() => runs.getByRole('columnheader').count()).toBe(4)
    expect((await saved('fewer-runs.csv', 'runs'))[0]).toBe('Run,Name,Seal,Schedule')
    await lookAtSizes(opened, 'columns-runs')

    await rail(page, 'Overview')
    await page.getByText('Checks without a deviation').getByRole('button').click()
    await page.locator('.claims tbody th').first().waitFor()
    await hide('Property')
    await expect.poll(() => page.locator('.claims th[scope=col]').count()).toBe(4)
    expect((await saved('fewer-checks.csv'))[0]).toBe('Expected condition,Not satisfied,Inconclusive,Satisfied')
  })

  test('controls are ordered within their groups, and shown and saved without a part', async () => {
    await rail(page, 'Controls')
    await page.getByRole('treegrid').waitFor()
    await page.getByRole('button', { name: /Order/ }).click()
    await page.getByRole('option', { name: 'By conclusion' }).click()
    await hide('Document part')
    expect(await page.locator('.tree-head').textContent()).toBe('Server part')
    const [head, ...rows] = await saved('fewer-controls.csv')
    expect(head).toBe('Framework,Group,Control,Title,Conclusion,Server part')
    expect(rows.length).toBeGreaterThan(100)
    await lookAtSizes(opened, 'columns-controls')
  })

  test('captures of a node are listed and saved without a column', async () => {
    await openMatrix(page)
    await page
      .getByRole('grid')
      .getByRole('button', { name: /^demo-gpu-01/ })
      .click()
    await press(page, 'Open raw evidence')
    const notes = page.locator('.capture-note')
    await notes.first().waitFor()
    expect((await notes.allTextContents()).some((note) => /bytes|KiB/.test(note))).toBe(true)
    await hide('Size in bytes')
    await expect.poll(async () => (await notes.allTextContents()).some((note) => /bytes|KiB/.test(note))).toBe(false)
    expect((await saved('captures.csv'))[0]).toBe(
      'Capture,Status,Exit code,Started (UTC),Command,SHA-256 of the output',
    )
    await lookAtSizes(opened, 'columns-captures')
  })

  test('deviations of a period, and documents of all owners, are sorted, reduced and saved', async () => {
    await rail(page, 'History')
    const deviations = page.locator('.history-deviations')
    await deviations.getByRole('button', { name: 'Found' }).click()
    expect(await deviations.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('ascending')
    await hide('Runs', 'deviations')
    await expect.poll(() => deviations.getByRole('columnheader').count()).toBe(4)
    const [head, ...rows] = await saved('deviations.csv', 'deviations')
    expect(head).toBe('Node,Expected condition,Check,Found,Status at period end')
    expect(rows).toHaveLength(await deviations.locator('tbody tr').count())
    await lookAtSizes(opened, 'columns-deviations')

    await rail(page, 'Documents')
    await openTab(page, 'Outstanding by owner')
    const owners = page.locator('.document-owner')
    await owners.getByRole('button', { name: 'Minimum level' }).first().click()
    expect(await owners.locator('th[aria-sort]').count()).toBe(await owners.count())
    await hide('Reached')
    const [columns, ...documents] = await saved('outstanding.csv', 'outstanding documents')
    expect(columns).toBe('Owner,Due,Document,Minimum level,Controls')
    expect(documents).toHaveLength(await owners.locator('tbody tr').count())
    await lookAtSizes(opened, 'columns-owners')
  })

  test('location evidence of a node is saved with its class, and provider claims with their results', async () => {
    await rail(page, 'Provider claims')
    const claims = page.locator('.claims-table')
    await claims.getByRole('button', { name: 'Provider claim', exact: true }).click()
    expect((await saved('claims.csv', 'claims'))[0]).toBe('Provider claim,Results,Source,Document required')
    await rail(page, 'Location')
    await page.getByRole('grid').getByRole('rowheader').first().getByRole('button').click()
    await page.locator('.location-signals').first().waitFor()
    const [head = '', ...rows] = await saved('location-evidence.csv', 'location evidence')
    expect(head).toMatch(/^Source class,Statement,.*,Evidence$/)
    expect(rows).toHaveLength(await page.locator('.location-signals tbody tr').count())
    await lookAtSizes(opened, 'columns-location-evidence')
  })

  test('the last property cannot be hidden', async () => {
    await openMatrix(page)
    await page.getByRole('button', { name: 'Columns' }).click()
    const entries = page.getByRole('menuitemcheckbox')
    for (const entry of await entries.all())
      if ((await entry.getAttribute('aria-checked')) === 'true') await entry.click()
    expect(await page.locator('[role=menuitemcheckbox][aria-checked=true]').count()).toBe(1)
    await shot(page, 'columns-matrix-chooser')
    await page.keyboard.press('Escape')
    expect(await page.locator('.matrix-column').count()).toBe(2)
  })

  test('the choice is there again when the window is opened again', async () => {
    await opened.close()
    await demo()
    await rail(page, 'Nodes')
    await page.getByRole('tab', { name: /^In scope/ }).click()
    const heading = page.getByRole('columnheader', { name: 'Node' })
    expect(await heading.getAttribute('aria-sort')).toBe('descending')
    expect(await page.getByRole('columnheader', { name: 'Account' }).count()).toBe(0)
  })
})
