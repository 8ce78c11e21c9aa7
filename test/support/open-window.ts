import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import { findElectron } from './launch-electron.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const screens = join(root, 'screens')

export interface TestWindow {
  readonly app: ElectronApplication
  readonly page: Page
  /** Where this app keeps its data. */
  readonly profile: string
  readonly close: () => Promise<void>
}

/** Why no window can be opened here, or null. Fetches a runtime on demand, which takes a few seconds once. */
export function whyNoWindow(): string | null {
  if (process.platform !== 'linux' && findElectron(root) === null) return 'no Electron runtime is installed'
  if (process.env.DISPLAY === undefined && spawnSync('which', ['Xvfb']).status !== 0)
    return 'no display, and no Xvfb (Debian: apt-get install xvfb)'
  if (findElectron(root) === null) {
    const fetched = spawnSync(join(root, 'test/support/get-electron.sh'), [join(root, '.cache/electron')], {
      encoding: 'utf8',
    })
    if (fetched.status !== 0)
      return `no Electron runtime could be fetched: ${fetched.stderr.trim().split('\n').at(-1) ?? ''}`
  }
  return null
}

/** Builds the window with the made-up engine in its worker, unless that was done for this test run; gives the folder to launch. */
export const buildTestApp = (): string => buildApp('.cache/window-app', 'test/support/window-app.config.ts')

/** Builds the shell alone, around a page and a worker of the tests' own; gives the folder to launch. */
export const buildShellApp = (): string => buildApp('.cache/shell-app', 'test/support/shell-app/config.ts')

/** Set once both are built: test files that run side by side must not build into one folder. */
const BUILT = 'BAREWITNESS_TEST_APPS_BUILT'

/** Both apps, once for a whole test run. */
export function buildTestApps(): void {
  buildTestApp()
  buildShellApp()
  process.env[BUILT] = 'yes'
}

function buildApp(into: string, config: string): string {
  const folder = join(root, into)
  if (process.env[BUILT] === 'yes') return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    '{"name":"barewitness-window-test","version":"0.1.0","type":"module","main":"out/main/index.js"}\n',
  )
  execFileSync(process.execPath, ['node_modules/electron-vite/bin/electron-vite.js', 'build', '-c', config], {
    cwd: root,
    env: { ...process.env, ELECTRON_MAJOR_VER: '33' },
    stdio: 'pipe',
  })
  return folder
}

export interface OpenOptions {
  readonly folder: string
  readonly dark?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Further arguments: switches of Chromium before the app, files to open after it. */
  readonly switches?: readonly string[]
  readonly files?: readonly string[]
  /** Kept when it is given, else fresh and removed. */
  readonly profile?: string
}

/** Opens the app in real Electron on a display of its own, with a fresh profile. */
export async function openWindow({
  folder,
  dark = false,
  env = {},
  switches = [],
  files = [],
  profile: kept,
}: OpenOptions): Promise<TestWindow> {
  const electron = findElectron(root)
  if (electron === null) throw new Error('no Electron runtime')
  const given = env.DISPLAY ?? process.env.DISPLAY
  const display = given === undefined ? await startDisplay() : { name: given, close: () => undefined }
  const profile = kept ?? mkdtempSync(join(tmpdir(), 'barewitness-window-'))
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  // Not `executablePath`: with that, the driver does not load what holds the app back until it listens, and a launch may hang.
  process.env.ELECTRON_OVERRIDE_DIST_PATH = dirname(electron.path)
  const app = await _electron.launch({
    args: [...asRoot, '--disable-gpu', `--user-data-dir=${profile}`, ...switches, folder, ...files],
    cwd: folder,
    env: { ...(process.env as Record<string, string>), ...env, DISPLAY: display.name },
    colorScheme: dark ? 'dark' : 'light',
  })
  askTwice(app)
  const page = await app.firstWindow()
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
  await page.waitForSelector('h1')
  return {
    app,
    page,
    profile,
    close: async () => {
      await app.close()
      display.close()
      if (kept === undefined) rmSync(profile, { recursive: true, force: true })
    },
  }
}

/**
 * Evaluates a function in the main process once more where V8 collected the promise of its answer as garbage: its inspector holds that promise
 * weakly, so that a collection at that moment loses the answer of a function that ran (microsoft/playwright, issue 33737).
 */
function askTwice(app: ElectronApplication): void {
  const evaluate = app.evaluate.bind(app) as (...input: readonly unknown[]) => Promise<unknown>
  app.evaluate = (async (...input: readonly unknown[]) =>
    await evaluate(...input).catch((problem: unknown) => {
      if (!String(problem).includes('promise was garbage collected')) throw problem
      return evaluate(...input)
    })) as typeof app.evaluate
}

interface Display {
  readonly name: string
  readonly close: () => void
}

/** An Xvfb of its own. It ends with its last client (-terminate), so that none is left when a test process is killed. */
export async function startDisplay(): Promise<Display> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x1000x24', '-nolisten', 'tcp', '-terminate'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const number = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('Xvfb ended')))
    child.stdio[3]?.once('data', (data: Buffer) => resolve(data.toString().trim()))
  })
  return { name: `:${number}`, close: () => child.kill() }
}

/** A screenshot into screens/ (not kept in the repository), for a person to look at. */
export async function shot(page: Page, name: string, full = false): Promise<void> {
  mkdirSync(screens, { recursive: true })
  await page.screenshot({ path: join(screens, `${name}.png`), fullPage: full })
}

/** The same from the window itself, which the driver cannot do right while the window is zoomed. */
export async function windowShot({ app, page: first }: TestWindow, name: string, page: Page = first): Promise<void> {
  // A window behind another draws what changed a little later.
  await page.waitForTimeout(150)
  const png = await app.evaluate(async ({ BrowserWindow }, url) => {
    const shown = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL() === url)
    const image = await shown?.webContents.capturePage()
    return image?.toPNG().toString('base64') ?? ''
  }, page.url())
  mkdirSync(screens, { recursive: true })
  writeFileSync(join(screens, `${name}.png`), Buffer.from(png, 'base64'))
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What axe finds on the page as it is: WCAG 2.0 to 2.2, A and AA, and best practices, or only `rules` where some are named. One line each;
 * none is what we want.
 */
export async function axeFindings(page: Page, rules: readonly string[] = []): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  const options = rules.length === 0 ? {} : { runOnly: rules }
  await settled(page)
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
    }[]
  }
  const lines = found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  )
  return lines.length === 0 ? [] : [...lines, await stateOf(page)]
}

/** Waits until nothing moves: axe takes a dialog that is still transparent for none, and finds faults of the page behind it. */
const settled = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    const ends = (one: Animation): boolean =>
      one.playState === 'running' && one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY
    const moving = document.getAnimations().filter(ends)
    // A page that is not drawn never ends its animations.
    const longest = new Promise((resolve) => setTimeout(resolve, 1000))
    await Promise.race([Promise.all(moving.map((one) => one.finished.catch(() => undefined))), longest])
  })

/** What lies over the page, and how large it is: findings about a page behind a dialog depend on both. */
const stateOf = async (page: Page): Promise<string> =>
  JSON.stringify(
    await page.evaluate(() => ({
      viewport: [window.innerWidth, window.innerHeight],
      shown: document.visibilityState,
      focus: document.activeElement?.outerHTML.slice(0, 120) ?? '',
      dialogs: [...document.querySelectorAll('[role$=dialog]')].map((one) => {
        const { top, left, width, height } = one.getBoundingClientRect()
        return {
          top,
          left,
          width,
          height,
          is: one.checkVisibility(),
          over: one.parentElement?.parentElement?.className,
        }
      }),
    })),
  )

/** The folder of the built product, or null before `npm run build`. */
export const builtProduct = (): string | null => (existsSync(join(root, 'out/main/index.js')) ? root : null)

/** Why tests of the built product cannot run; null where it is built. */
export const whyNotBuilt = (): string | null =>
  builtProduct() === null ? 'the product is not built: npm run build' : null

/** The same for those that open its window. */
export const whyNoProduct = (): string | null => whyNoWindow() ?? whyNotBuilt()
