import type { Locator, Page } from 'playwright-core'
import type { TestWindow } from './open-window.ts'

/** What a person does with the window, by the names that they read. */

/** Answers the next dialogs of the main process: what would be opened, or where something would be saved; null closes them. */
export const choose = ({ app }: TestWindow, path: string | null): Promise<void> =>
  app.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () =>
      Promise.resolve({ canceled: chosen === null, filePaths: chosen === null ? [] : [chosen] })
    dialog.showSaveDialog = () => Promise.resolve({ canceled: chosen === null, filePath: chosen ?? '' })
  }, path)

export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()

export const rail = (page: Page, place: string): Promise<void> =>
  page.locator('.rail').getByRole('button', { name: place, exact: true }).click()

/** Opens the results by node and property, from any screen. */
export async function openMatrix(page: Page): Promise<void> {
  await rail(page, 'Findings')
  await press(page, 'Nodes × properties')
  await page.getByRole('grid').waitFor()
}

/** Waits for the first screen, with results. */
export const atHome = (page: Page): Promise<void> => page.locator('.home-steps').waitFor({ timeout: 60_000 })

/** Opens a tab, again where the screen was drawn anew just then and shows another. */
export async function openTab(page: Page, name: string): Promise<void> {
  const tab = page.getByRole('tab', { name, exact: true })
  for (let tries = 0; tries < 3; tries += 1) {
    await tab.click()
    await page.waitForTimeout(100)
    if ((await tab.getAttribute('aria-selected')) === 'true') return
  }
  throw new Error(`the tab ${name} does not open`)
}

export const heading = (page: Page): Promise<string | null> => page.textContent('h1')

export const titled = (page: Page, title: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name: title }).waitFor({ timeout: 60_000 })

export const field = (page: Page, label: string): Locator => page.getByLabel(label, { exact: true })

/** The window that is opened by what `does` does, once its page is there. Where none is, the error quotes what the first window shows. */
export async function opens({ app, page: first }: TestWindow, does: () => Promise<void>): Promise<Page> {
  const opening = app.waitForEvent('window', { timeout: 60_000 })
  await does()
  const page = await opening.catch(async (problem: unknown) => {
    throw new Error(`${String(problem)} The first window shows: ${await first.textContent('body')}`)
  })
  await page.waitForLoadState('domcontentloaded')
  return page
}

/** Types a secret into the small window that asks for it, as often as it is asked. */
export async function giveSecret(
  opened: TestWindow,
  does: () => Promise<void>,
  secret: string,
  times = 1,
): Promise<void> {
  let prompt = await opens(opened, does)
  for (let asked = 1; ; asked++) {
    await prompt.locator('input').fill(secret)
    const next = asked < times ? opened.app.waitForEvent('window', { timeout: 60_000 }) : null
    // The window is gone before the key is up again.
    await prompt.keyboard.press('Enter').catch(() => undefined)
    if (next === null) return
    prompt = await next
    await prompt.waitForLoadState('domcontentloaded')
  }
}

/** Everything that Tab reaches on a page, by role and name, until it comes round. */
export async function tabWalk(page: Page, most = 400): Promise<readonly string[]> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  const seen: string[] = []
  const first = await step(page)
  seen.push(first)
  while (seen.length < most) {
    const at = await step(page)
    if (at === first || at === '') return seen
    seen.push(at)
  }
  return seen
}

async function step(page: Page): Promise<string> {
  await page.keyboard.press('Tab')
  return await page.evaluate(() => {
    const at = document.activeElement
    if (at === null || at === document.body) return ''
    const all = [...document.querySelectorAll('*')]
    return `${all.indexOf(at)} ${at.tagName} ${(at.getAttribute('aria-label') ?? at.textContent ?? '').trim().slice(0, 60)}`
  })
}

/** Counts what a person presses on a page from now on; typing does not count. */
export const countClicks = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const counted = window as unknown as { clicks: number }
    counted.clicks = 0
    window.addEventListener(
      'pointerdown',
      ({ isTrusted }) => {
        if (isTrusted) counted.clicks += 1
      },
      true,
    )
  })

export const clicksOn = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { clicks: number }).clicks)
