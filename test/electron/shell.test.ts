import { EventEmitter } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'

const fake = vi.hoisted(() => ({
  windows: [] as Record<string, unknown>[],
  maximized: 0,
  loaded: [] as string[],
  privileges: [] as unknown[],
}))

vi.mock('electron', () => ({
  app: { isPackaged: true },
  nativeTheme: { shouldUseDarkColors: false },
  BrowserWindow: class {
    constructor(options: Record<string, unknown>) {
      fake.windows.push(options)
    }
    once(): void {}
    show(): void {}
    maximize(): void {
      fake.maximized++
    }
    loadURL(url: string): Promise<void> {
      fake.loaded.push(url)
      return Promise.resolve()
    }
  },
  protocol: { registerSchemesAsPrivileged: (schemes: unknown[]) => fake.privileges.push(...schemes) },
}))

const { openWindow, webPreferences } = await import('../../main/electron/windows.ts')
const { answer, HEADERS, registerScheme } = await import('../../main/electron/protocol.ts')
const { builtFiles } = await import('../../main/adapters/built-files.ts')
const { lockContents, lockNetwork, lockSession, mayLoad } = await import('../../main/electron/protocol.ts')

describe('1: a window', () => {
  const session = {} as never
  const place = { x: 1, y: 2, width: 900, height: 700, maximized: true }
  const expected = {
    preload: '/preload.cjs',
    session,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    spellcheck: false,
    devTools: false,
    disableBlinkFeatures: 'Auxclick',
  }
  test.each([
    ['main', 'barewitness://app/index.html'],
    ['review', 'barewitness://app/index.html#review'],
    ['prompt', 'barewitness://app/prompt/index.html'],
  ] as const)('%s gets exactly these preferences, and its page', (page, url) => {
    openWindow({ page, preload: '/preload.cjs', session, place })
    expect(webPreferences('/preload.cjs', session)).toEqual(expected)
    expect(fake.windows.at(-1)?.webPreferences).toEqual(expected)
    expect(fake.loaded.at(-1)).toBe(url)
  })
  test('has its place, and a prompt waits above another window', () => {
    openWindow({ page: 'main', preload: '', session, place })
    expect(fake.windows.at(-1)).toMatchObject({ x: 1, y: 2, width: 900, height: 700, minWidth: 480, show: false })
    expect(fake.windows.at(-1)).not.toHaveProperty('modal')
    expect(fake.maximized).toBe(4)
    const above = {} as never
    openWindow({ page: 'prompt', preload: '', session, place: { width: 1, height: 1, maximized: false }, above })
    expect(fake.windows.at(-1)).toMatchObject({ parent: above, modal: true, minimizable: false })
  })
})

test('3: the scheme has an origin of its own and nothing more', () => {
  registerScheme()
  expect(fake.privileges).toEqual([{ scheme: 'barewitness', privileges: { standard: true, secure: true } }])
})

describe('3, 4: the protocol answers exact paths of built files only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-files-'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'a.js'), '1')
  writeFileSync(join(folder, 'a.js.map'), '{}')
  const files = builtFiles(folder)
  test('which it knows by name and type', () => {
    expect([...files.keys()].sort()).toEqual(['/a.js', '/index.html'])
    const page = answer(files, 'GET', 'barewitness://app/index.html')
    expect(page.statusCode).toBe(200)
    expect(page.headers['Content-Type']).toBe('text/html; charset=utf-8')
    expect(page.data.toString()).toBe('<!doctype html>')
  })
  test.each([
    ['barewitness://app/../index.html'],
    ['barewitness://app/%2e%2e/index.html'],
    ['barewitness://app/index.html%00'],
    ['barewitness://app\\index.html'],
    ['barewitness://app/index.html?x=1'],
    ['barewitness://app/#/index.html'],
    ['barewitness://other/index.html'],
    ['barewitness://app.example/index.html'],
    ['barewitness://app/'],
    ['barewitness://app/a.js.map'],
    ['https://app/index.html'],
    ['file:///etc/passwd'],
  ])('%s is not found', (url) => expect(answer(files, 'GET', url).statusCode).toBe(404))
  test('an anchor is the page’s own', () =>
    expect(answer(files, 'GET', 'barewitness://app/index.html#review').statusCode).toBe(200))
  test.each(['POST', 'PUT', 'HEAD', 'OPTIONS'])('%s is not allowed', (method) =>
    expect(answer(files, method, 'barewitness://app/index.html').statusCode).toBe(405),
  )
  test('every answer carries the policy, refusals too', () => {
    for (const reply of [
      answer(files, 'GET', 'barewitness://app/index.html'),
      answer(files, 'GET', 'x'),
      answer(files, 'POST', 'x'),
    ])
      for (const [name, value] of Object.entries(HEADERS)) expect(reply.headers[name]).toBe(value)
  })
  test('the policy allows nothing by default and nothing unsafe', () => {
    const policy = HEADERS['Content-Security-Policy'] ?? ''
    expect(policy).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
  })
})

describe('5, 7, 19: the session', () => {
  const handlers: Record<string, (...args: never[]) => unknown> = {}
  const events = new EventEmitter()
  const spelling: unknown[] = []
  const keep =
    (name: string) =>
    (handler: (...args: never[]) => unknown): void => {
      handlers[name] = handler
    }
  lockSession({
    setPermissionRequestHandler: keep('request'),
    setPermissionCheckHandler: keep('check'),
    setDevicePermissionHandler: keep('device'),
    setDisplayMediaRequestHandler: keep('display'),
    setUSBProtectedClassesHandler: keep('usb'),
    setSpellCheckerEnabled: (on: boolean) => spelling.push(on),
    setSpellCheckerLanguages: (languages: string[]) => spelling.push(languages),
    on: events.on.bind(events),
    webRequest: { onBeforeRequest: keep('before') },
  } as never)
  const asked = (permission: string, url: string): unknown => {
    let outcome: unknown
    handlers.request?.(...([{}, permission, (value: unknown) => (outcome = value), { requestingUrl: url }] as never[]))
    return outcome
  }
  const checked = (permission: string, origin: string): unknown =>
    handlers.check?.(...([{}, permission, origin] as never[]))

  test('allows sanitized writing to the clipboard, to our page', () => {
    expect(asked('clipboard-sanitized-write', 'barewitness://app/index.html')).toBe(true)
    expect(checked('clipboard-sanitized-write', 'barewitness://app')).toBe(true)
    expect(asked('clipboard-sanitized-write', 'https://example.invalid/')).toBe(false)
    expect(checked('clipboard-sanitized-write', 'null')).toBe(false)
  })
  test.each([
    'clipboard-read',
    'media',
    'geolocation',
    'notifications',
    'openExternal',
    'fileSystem',
    'usb',
    'serial',
    'hid',
    'constructor',
    '__proto__',
  ])('refuses %s', (permission) => {
    expect(asked(permission, 'barewitness://app/index.html')).toBe(false)
    expect(checked(permission, 'barewitness://app')).toBe(false)
  })
  test('fetches no dictionary', () => expect(spelling).toEqual([[], false]))
  test('refuses devices, screens and downloads', () => {
    expect(handlers.device?.()).toBe(false)
    let display: unknown
    handlers.display?.(...([{}, (value: unknown) => (display = value)] as never[]))
    expect(display).toEqual({})
    for (const event of ['select-hid-device', 'select-usb-device', 'select-serial-port', 'will-download']) {
      const preventDefault = vi.fn()
      events.emit(event, { preventDefault })
      expect(preventDefault).toHaveBeenCalledOnce()
    }
  })
  test.each([
    ['barewitness://app/index.html', true],
    ['barewitness://other/index.html', false],
    ['http://127.0.0.1/', false],
    ['https://example.invalid/', false],
    ['ws://127.0.0.1/', false],
    ['wss://example.invalid/', false],
    ['file:///etc/passwd', false],
    ['data:text/html,x', false],
  ])('loads %s: %s', (url, may) => expect(mayLoad(url)).toBe(may))
})

test('6: a page goes nowhere, opens nothing and embeds nothing', () => {
  const contents = new EventEmitter() as EventEmitter & {
    setWindowOpenHandler: (handler: () => unknown) => void
    setWebRTCIPHandlingPolicy: (policy: string) => void
  }
  let open: unknown
  let peers = ''
  contents.setWebRTCIPHandlingPolicy = (policy) => {
    peers = policy
  }
  contents.setWindowOpenHandler = (handler) => {
    open = handler()
  }
  lockContents(contents as never)
  // The last: a page that asks to stay open is closed all the same.
  for (const event of [
    'will-navigate',
    'will-redirect',
    'will-frame-navigate',
    'will-attach-webview',
    'will-prevent-unload',
  ]) {
    const preventDefault = vi.fn()
    contents.emit(event, { preventDefault })
    expect(preventDefault, event).toHaveBeenCalledOnce()
  }
  expect(open).toEqual({ action: 'deny' })
  expect(peers).toBe('disable_non_proxied_udp')
})

test('19: Chromium finds no host', () => {
  const appendSwitch = vi.fn()
  lockNetwork({ commandLine: { appendSwitch } } as never)
  expect(appendSwitch.mock.calls).toEqual([['host-resolver-rules', 'MAP * ~NOTFOUND']])
})
