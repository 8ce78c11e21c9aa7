import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Call, Method } from '../../schemas/ipc.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, buildShellApp, openWindow, shot, type TestWindow, whyNoWindow } from '../support/open-window.ts'

const missing = whyNoWindow()

const folder = missing === null ? buildShellApp() : ''
const files = mkdtempSync(join(tmpdir(), 'barewitness-files-'))
const pack = join(files, 'one.zip')
writeFileSync(pack, 'PK')
writeFileSync(join(files, 'one.txt'), 'no pack')

/** A call through the page’s own bridge, regardless of types. */
const call = (page: Page, method: Method, input: unknown = null): ReturnType<Call> =>
  page.evaluate(([name, value]) => window.barewitness.call(name as never, value as never), [method, input] as const)
const heard = async (page: Page, kind: string): Promise<string> =>
  (await page.locator(`#events li:has-text("\\"${kind}\\"")`).last().textContent({ timeout: 60_000 })) ?? ''
const pageAt = async ({ app }: TestWindow, ending: string): Promise<Page> => {
  for (let tries = 0; tries < 100; tries++) {
    const page = app.windows().find((one) => one.url().endsWith(ending))
    if (page !== undefined) return page
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no window at ${ending}: ${app.windows().map((page) => page.url())}`)
}

describeUnless(missing, 'the secret prompt', () => {
  let opened: TestWindow
  let page: Page
  beforeAll(async () => {
    opened = await openWindow({ folder })
    page = opened.page
  })
  afterAll(() => opened.close())
  const ask = (question: string) => call(page, 'identities.create', { name: 'a', subject: question })

  test('8, 16: asks in a separate window, by keyboard, and the answer reaches the worker only', async () => {
    const answer = ask('Passphrase of the key “id_ed25519”?\u202e')
    const prompt = await pageAt(opened, '/prompt/index.html')
    await prompt.waitForFunction(() => document.activeElement?.id === 'secret')
    expect(await prompt.title()).toBe('Enter passphrase')
    const field = prompt.getByLabel('Passphrase of the key “id_ed25519”?\\u{202e}')
    expect(await field.getAttribute('type')).toBe('password')
    expect(await axeFindings(prompt)).toEqual([])
    expect(
      await prompt.evaluate(() => ({
        bridge: typeof (window as { barewitness?: unknown }).barewitness,
        own: Object.keys((window as unknown as { barewitnessPrompt: object }).barewitnessPrompt).sort(),
        node: typeof (globalThis as Record<string, unknown>).require,
      })),
    ).toEqual({ bridge: 'undefined', own: ['answer', 'question'], node: 'undefined' })
    await field.pressSequentially('correct horse')
    await prompt.keyboard.press('Tab')
    await prompt.keyboard.press('Space')
    expect(await field.getAttribute('type')).toBe('text')
    await shot(prompt, '40-secret-prompt')
    const closed = prompt.waitForEvent('close')
    await prompt.keyboard.press('Enter').catch(() => undefined)
    await closed
    expect(await answer).toEqual({ ok: true, value: 'correct horse'.length })
    expect(await page.locator('body').textContent()).not.toContain('correct')
  })

  test('8: one question at a time; Escape and closing give no answer', async () => {
    const [first, second] = [ask('First?'), ask('Second?')]
    const prompt = await pageAt(opened, '/prompt/index.html')
    await prompt.getByLabel('First?').waitFor()
    expect(opened.app.windows().length).toBe(2)
    const closed = prompt.waitForEvent('close')
    await prompt.keyboard.press('Escape').catch(() => undefined)
    await closed
    expect(await first).toEqual({ ok: true, value: null })
    const next = await pageAt(opened, '/prompt/index.html')
    await next.getByLabel('Second?').waitFor()
    await opened.app.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows())
        if (window.webContents.getURL().includes('prompt')) window.close()
    })
    expect(await second).toEqual({ ok: true, value: null })
  })

  test('16: a runtime without the asynchronous vault keeps nothing', async () => {
    const modern = await opened.app.evaluate(({ safeStorage }) => 'encryptStringAsync' in safeStorage)
    if (!modern) expect(await call(page, 'identities.list')).toEqual({ ok: true, value: { vault: null } })
    expect(readdirSync(opened.profile)).not.toContain('secrets.json')
  })
})

describeUnless(missing, 'windows and packs', () => {
  let opened: TestWindow
  let page: Page
  beforeAll(async () => {
    opened = await openWindow({ folder })
    page = opened.page
  })
  afterAll(() => opened.close())

  test('8: a chosen pack is read in a window of its own, which may call nothing else', async () => {
    await opened.app.evaluate(({ dialog }, chosen) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
    }, pack)
    expect(await call(page, 'pack.choose-and-verify')).toEqual({ ok: true, value: pack })
    const review = await pageAt(opened, '#review')
    await review.waitForSelector('h1')
    expect(await call(review, 'pack.review')).toEqual({ ok: true, value: pack })
    for (const [method, input] of [
      ['fleet.get', null],
      ['settings.set', { concurrency: 1, authority: null, singleKeys: true, theme: 'dark' }],
      ['assessment.get', { of: 'run' }],
      ['run.start', { nodes: [], only: 'all' }],
    ] as const)
      expect(await call(review, method, input)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(await call(review, 'assessment.get', { of: 'pack' })).toEqual({ ok: true, value: null })
    expect(await heard(page, 'pack-opened')).toBe('{"kind":"pack-opened"}')
  })

  test('8: windows share no storage and no process, nor does the prompt', async () => {
    const review = await pageAt(opened, '#review')
    const asked = call(page, 'identities.create', { name: 'a', subject: 'Which?' })
    const prompt = await pageAt(opened, '/prompt/index.html')
    await page.evaluate(() => localStorage.setItem('left', 'here'))
    const found = await Promise.all(
      [page, review, prompt].map((one) => one.evaluate(() => localStorage.getItem('left'))),
    )
    expect(found).toEqual(['here', null, null])
    const [windows, processes, sessions] = await opened.app.evaluate(({ BrowserWindow }) => {
      const all = BrowserWindow.getAllWindows().map(({ webContents }) => webContents)
      return [
        all.length,
        new Set(all.map((contents) => contents.getOSProcessId())).size,
        new Set(all.map(({ session }) => session)).size,
      ] as const
    })
    expect([windows, processes, sessions]).toEqual([3, 3, 3])
    await prompt.keyboard.press('Escape').catch(() => undefined)
    expect(await asked).toEqual({ ok: true, value: null })
  })

  test('5, 17: a dropped pack is opened, another file is refused, and the page goes nowhere', async () => {
    const drop = async (dropped: readonly string[]): Promise<void> => {
      const session = await page.context().newCDPSession(page)
      const data = { items: [], files: [...dropped], dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await session.send('Input.dispatchDragEvent', { type, x: 50, y: 50, data })
      await session.detach()
    }
    await drop([join(files, 'one.txt')])
    expect(await heard(page, 'pack-refused')).toContain('only an existing file that ends in')
    await drop([pack, pack])
    await expect.poll(() => heard(page, 'pack-refused')).toContain('one file at a time')
    const before = await page.locator('#events li').count()
    await drop([pack])
    await expect.poll(() => page.locator('#events li').count()).toBe(before + 1)
    expect(page.url()).toBe('barewitness://app/index.html')
  })

  test('17: a second start hands its pack over and ends', async () => {
    const before = await page.locator('#events li').count()
    const argv = await opened.app.evaluate(() => [process.execPath, ...process.argv.slice(1)])
    const [program = '', ...rest] = argv.filter((one) => !/remote-debugging|inspect|loader|^-r$/.test(one))
    const display = await opened.app.evaluate(() => process.env.DISPLAY ?? '')
    const second = spawn(program, [...rest, join(files, 'one.txt'), pack], {
      env: { ...process.env, DISPLAY: display },
      stdio: 'ignore',
    })
    await new Promise((resolve) => second.once('exit', resolve))
    await expect.poll(() => page.locator('#events li').count()).toBe(before + 1)
    expect(await heard(page, 'pack-opened')).toBe('{"kind":"pack-opened"}')
  })

  test('the theme of the settings is that of the windows, and is remembered', async () => {
    await call(page, 'settings.set', { concurrency: 8, authority: null, singleKeys: true, theme: 'dark' })
    expect(await opened.app.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('dark')
    expect(JSON.parse(readFileSync(join(opened.profile, 'window.json'), 'utf8'))).toMatchObject({ theme: 'dark' })
  })

  test('21: a killed worker is reported, and the next call has a new one', async () => {
    await call(page, 'demo.open')
    const workers = () =>
      opened.app.evaluate(({ app }) =>
        app.getAppMetrics().flatMap(({ pid, name }) => (name === 'Barewitness engine' ? [pid] : [])),
      )
    const [pid] = await workers()
    process.kill(pid ?? 0, 'SIGKILL')
    expect(await heard(page, 'run-done')).toBe('{"kind":"run-done","run":"r1","cancelled":true}')
    // No event of this computer’s runs reaches the review window.
    const review = await pageAt(opened, '#review')
    expect(await review.locator('#events').textContent()).toContain('pack-opened')
    expect(await review.locator('#events').textContent()).not.toContain('run-')
    expect(await call(page, 'fleet.get')).toEqual({ ok: true, value: null })
    const [other] = await workers()
    expect(other).toBeGreaterThan(0)
    expect(other).not.toBe(pid)
  })

  test('21: a crashed page is loaded again', async () => {
    const loaded = await opened.app.evaluate(
      ({ BrowserWindow }) =>
        new Promise((resolve) => {
          const contents = BrowserWindow.getAllWindows()
            .map((one) => one.webContents)
            .find((one) => one.getURL().endsWith('index.html'))
          contents?.once('did-start-loading', () => resolve('loading again'))
          setTimeout(() => resolve('nothing happened'), 10_000)
          setTimeout(() => contents?.forcefullyCrashRenderer(), 0)
        }),
    )
    expect(loaded).toBe('loading again')
  })
})

describeUnless(missing, 'silence', () => {
  test('17, 19: starting with a pack, reading it and quitting cause no network traffic', async () => {
    const log = join(files, 'net.json')
    const opened = await openWindow({ folder, files: [pack], switches: [`--log-net-log=${log}`] })
    const review = await pageAt(opened, '#review')
    await review.waitForSelector('h1')
    expect(await call(review, 'pack.review')).toEqual({ ok: true, value: pack })
    await opened.close()
    const { constants, events } = JSON.parse(readFileSync(log, 'utf8')) as {
      constants: { logEventTypes: Record<string, number> }
      events: { type: number; params?: { url?: string; host?: string; address?: string } }[]
    }
    const names = new Map(Object.entries(constants.logEventTypes).map(([name, type]) => [type, name]))
    const asked = events.flatMap(({ type, params }) => {
      const name = names.get(type) ?? ''
      const about = params?.url ?? params?.host ?? params?.address ?? ''
      return /^(TCP_CONNECT|UDP_CONNECT|HOST_RESOLVER|SOCKET_ALIVE|URL_REQUEST_START|DNS_TRANSACTION)/.test(name)
        ? [`${name} ${about}`]
        : []
    })
    expect(events.length).toBeGreaterThan(0)
    expect(asked.filter((line) => !/^URL_REQUEST_START_JOB (barewitness|devtools|file):/.test(line))).toEqual([])
  })
})
