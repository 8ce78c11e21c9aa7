import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { htmlBytes } from '../../main/present/html/page.ts'
import { matterOf } from '../../main/present/report.ts'
import { openHtmlFile } from '../support/html-window.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, shot, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { htmlSample, largeHtmlSample } from '../support/report/html-sample.ts'

const MOST_BYTES = 25 * 1000 * 1000
const absent = whyNoWindow()

describeUnless(absent, 'the HTML report in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-report-html-'))
  const path = join(folder, 'report.html')
  const input = htmlSample()
  const { findings, informational } = matterOf(input).shown
  let window: TestWindow
  beforeAll(async () => {
    writeFileSync(path, htmlBytes(input))
    window = await openHtmlFile(path)
  })
  afterAll(async () => {
    await window?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const shown = async (what = 'article.finding', { page } = window): Promise<number> =>
    (await page.evaluate(
      `[...document.querySelectorAll('${what}')].filter((one) => one.getClientRects().length > 0).length`,
    )) as number
  const all = findings.length + informational.length

  test('asks for nothing but itself, and its policy stops nothing of its own', async () => {
    const { page } = window
    const asked: string[] = []
    const problems: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => problems.push(message.text()))
    await page.reload()
    expect(asked).toHaveLength(1)
    expect(problems).toEqual([])
    expect(await page.evaluate("getComputedStyle(document.querySelector('.sprite')).position")).toBe('absolute')
  })

  test('the filters narrow findings, controls and nodes, and state the counts', async () => {
    const { page } = window
    const critical = findings.filter(({ severity }) => severity.level === 'critical').length
    await page.selectOption('.filters label:has-text("Severity") select', 'critical')
    expect(await shown()).toBe(critical)
    expect(await page.textContent('.live')).toContain(`${critical} of ${findings.length} findings`)
    await page.press('.filters label:has-text("Severity") select', 'Escape')
    expect(await shown()).toBe(all)
    const finding = findings.find(({ deviations }) => deviations.length === 1)
    const node = finding?.deviations[0]?.subject ?? ''
    await page.selectOption('.filters label:has-text("Node") select', { label: node })
    expect(await shown('article.node')).toBe(1)
    expect(await shown()).toBe(
      [...findings, ...informational].filter(({ deviations }) => deviations.some(({ subject }) => subject === node))
        .length,
    )
    await page.click('text=Clear filters')
    await page.fill('.filters input', finding?.reference.toLowerCase() ?? '')
    await expect.poll(() => page.textContent('.live')).not.toMatch(new RegExp(`^${findings.length} of`))
    expect(await page.isVisible(`#${finding?.reference}`)).toBe(true)
    await page.click('text=Clear filters')
    const control = findings.flatMap(({ controls }) => controls)[0]
    const value = (await page.evaluate(
      `[...document.querySelectorAll('article.control')].find((one) => one.id.includes('${control?.framework}')).id`,
    )) as string
    await page.selectOption('.filters label:has-text("Control") select', value)
    expect(await shown('article.control')).toBe(1)
    await page.click('text=Clear filters')
  })

  test('a link opens what it leads to, also where a filter hides it', async () => {
    const { page } = window
    const [first, last] = [findings[0], findings.at(-1)]
    await page.selectOption('.filters label:has-text("Severity") select', first?.severity.level ?? '')
    await page.evaluate(`location.hash = '#${last?.reference}'`)
    await page.waitForSelector(`#${last?.reference} > details[open]`)
    expect(await page.isVisible(`#${last?.reference} .argument`)).toBe(true)
    const capture = (await page.evaluate("document.querySelector('article.node .captures .capture').id")) as string
    await page.evaluate(`location.hash = '#${capture}'`)
    await page.waitForSelector(`[id="${capture}"][open]`)
    expect(await page.isVisible(`[id="${capture}"] code`)).toBe(true)
  })

  test('arrow keys lead from finding to finding', async () => {
    const { page } = window
    await page.focus(`#${findings[0]?.reference} summary`)
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate("document.activeElement.closest('article').id")).toBe(findings[1]?.reference)
  })

  test.each(['light', 'dark'] as const)('has nothing that axe finds, %s, and is whole at 320 px', async (scheme) => {
    const { page } = window
    await page.emulateMedia({ colorScheme: scheme })
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false })")
    await page.evaluate(
      "document.querySelectorAll('article.finding, article.control, article.node').forEach((one, at) => { if (at % 20 === 0) one.querySelector('details').open = true })",
    )
    // What a closed part holds is not shown, and axe would walk through all of it for minutes.
    await page.evaluate(
      "document.querySelectorAll('details:not([open]) > :not(summary)').forEach((one) => one.remove())",
    )
    // Colors are all that differ.
    expect(await axeFindings(page, scheme === 'dark' ? ['color-contrast'] : [])).toEqual([])
    await page.setViewportSize({ width: 1280, height: 1100 })
    await page.evaluate('scrollTo(0, 0)')
    await shot(page, `html-report-${scheme}`)
    await page.setViewportSize({ width: 320, height: 1100 })
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await shot(page, `html-report-${scheme}-320`)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('without scripts every finding is there, opens, and no filter is shown', async () => {
    const { page } = window
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setScriptExecutionDisabled', { value: true })
    await page.reload()
    expect(await shown()).toBe(all)
    expect(await page.locator('.filters').count()).toBe(0)
    await page.click(`#${findings[0]?.reference} summary`)
    expect(await page.isVisible(`#${findings[0]?.reference} .argument`)).toBe(true)
    await session.send('Emulation.setScriptExecutionDisabled', { value: false })
    await page.reload()
  })

  test('of 1,000 nodes is at most 25 MB and opens', async () => {
    const large = join(folder, 'large.html')
    writeFileSync(large, htmlBytes(largeHtmlSample(1000)))
    const { size } = statSync(large)
    expect(size).toBeLessThanOrEqual(MOST_BYTES)
    // As a person opens it: in a window that has shown nothing else.
    const opened = await openHtmlFile(large)
    const { page } = opened
    await page.waitForLoadState('load')
    await expect.poll(() => page.evaluate('performance.timing.loadEventEnd'), { timeout: 60_000 }).toBeGreaterThan(0)
    const [contentful, loaded] = (await page.evaluate(
      "[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, performance.timing.loadEventEnd - performance.timing.navigationStart]",
    )) as [number, number]
    console.log(`1,000 nodes: ${size} bytes, first paint ${Math.round(contentful)} ms, loaded ${loaded} ms`)
    // Most of the time goes into elements, and the clock depends on what else a machine does.
    expect(await page.evaluate("document.getElementsByTagName('*').length")).toBeLessThan(180_000)
    expect(await shown('article.node', opened)).toBe(1000)
    await page.selectOption('.filters label:has-text("Severity") select', 'critical')
    expect(await page.textContent('.live')).toMatch(/of 1000 nodes$/)
    await opened.close()
  })
})
