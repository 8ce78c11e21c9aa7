import { EventEmitter } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'

const fake = vi.hoisted(() => ({
  windows: [] as unknown[],
  loaded: [] as string[],
  privileges: [] as unknown[],
  exposed: new Map<string, unknown>(),
  invoked: [] as unknown[],
  listeners: new Map<string, (...args: unknown[]) => void>(),
}))

vi.mock('electron', () => ({
  app: { isPackaged: true },
  nativeTheme: { shouldUseDarkColors: false },
  BrowserWindow: class {
    constructor(options: unknown) {
      fake.windows.push(options)
    }
    once(): void {}
    show(): void {}
    loadURL(url: string): Promise<void> {
      fake.loaded.push(url)
      return Promise.resolve()
    }
  },
  Menu: {},
  protocol: { registerSchemesAsPrivileged: (schemes: unknown[]) => fake.privileges.push(...schemes) },
  contextBridge: { exposeInMainWorld: (name: string, value: unknown) => fake.exposed.set(name, value) },
  ipcRenderer: {
    invoke: (...args: unknown[]) => {
      fake.invoked.push(args)
      return Promise.resolve({ ok: true, value: null })
    },
    on: (channel: string, listener: (...args: unknown[]) => void) => fake.listeners.set(channel, listener),
    removeListener: (channel: string) => fake.listeners.delete(channel),
  },
}))

const { openWindow, webPreferences } = await import('../../main/electron/window.ts')
const { answer, builtFiles, HEADERS, registerScheme } = await import('../../main/electron/protocol.ts')
const { lockSession, mayLoad } = await import('../../main/electron/permissions.ts')
const { lockContents } = await import('../../main/electron/navigation.ts')
const { menuTemplate } = await import('../../main/electron/menu.ts')
await import('../../main/electron/preload.ts')

test('a window gets exactly these preferences, and our page', () => {
  const session = {} as never
  openWindow('/preload.cjs', session)
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
  expect(webPreferences('/preload.cjs', session)).toEqual(expected)
  expect((fake.windows[0] as { webPreferences: unknown }).webPreferences).toEqual(expected)
  expect(fake.loaded).toEqual(['barewitness://app/index.html'])
})

test('the scheme has an origin of its own and nothing more', () => {
  registerScheme()
  expect(fake.privileges).toEqual([{ scheme: 'barewitness', privileges: { standard: true, secure: true } }])
})

describe('the protocol answers exact paths of built files only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-files-'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'a.js'), '1')
  writeFileSync(join(folder, 'a.js.map'), '{}')
  const files = builtFiles(folder)
  test('which it knows by name and type', async () => {
    expect([...files.keys()].sort()).toEqual(['/a.js', '/index.html'])
    const page = answer(files, 'GET', 'barewitness://app/index.html')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toBe('<!doctype html>')
  })
  test.each([
    ['barewitness://app/../index.html'],
    ['barewitness://app/%2e%2e/index.html'],
    ['barewitness://app/index.html%00'],
    ['barewitness://app\\index.html'],
    ['barewitness://app/index.html?x=1'],
    ['barewitness://app/index.html#x'],
    ['barewitness://other/index.html'],
    ['barewitness://app.example/index.html'],
    ['barewitness://app/'],
    ['barewitness://app/a.js.map'],
    ['https://app/index.html'],
    ['file:///etc/passwd'],
  ])('%s is not found', (url) => expect(answer(files, 'GET', url).status).toBe(404))
  test.each(['POST', 'PUT', 'HEAD', 'OPTIONS'])('%s is not allowed', (method) =>
    expect(answer(files, method, 'barewitness://app/index.html').status).toBe(405),
  )
  test('every answer carries the policy, refusals too', () => {
    for (const reply of [
      answer(files, 'GET', 'barewitness://app/index.html'),
      answer(files, 'GET', 'x'),
      answer(files, 'POST', 'x'),
    ])
      for (const [name, value] of Object.entries(HEADERS)) expect(reply.headers.get(name)).toBe(value)
  })
  test('the policy allows nothing by default and nothing unsafe', () => {
    const policy = HEADERS['Content-Security-Policy'] ?? ''
    expect(policy).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
  })
})

describe('the session', () => {
  const handlers: Record<string, (...args: never[]) => unknown> = {}
  const events = new EventEmitter()
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
    setSpellCheckerEnabled: keep('spelling'),
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

test('a page goes nowhere, opens nothing and embeds nothing', () => {
  const contents = new EventEmitter() as EventEmitter & { setWindowOpenHandler: (handler: () => unknown) => void }
  let open: unknown
  contents.setWindowOpenHandler = (handler) => {
    open = handler()
  }
  lockContents(contents as never)
  for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview']) {
    const preventDefault = vi.fn()
    contents.emit(event, { preventDefault })
    expect(preventDefault, event).toHaveBeenCalledOnce()
  }
  expect(open).toEqual({ action: 'deny' })
})

test('the preload gives the page call and onEvent, frozen, and no event object', async () => {
  expect([...fake.exposed.keys()]).toEqual(['barewitness'])
  const bridge = fake.exposed.get('barewitness') as {
    call: (method: string, input: unknown) => Promise<unknown>
    onEvent: (listener: (...args: unknown[]) => void) => () => void
  }
  expect(Object.keys(bridge).sort()).toEqual(['call', 'onEvent'])
  expect(Object.isFrozen(bridge)).toBe(true)
  await bridge.call('app.info', null)
  expect(fake.invoked).toEqual([['barewitness:call', { method: 'app.info', input: null }]])
  const heard: unknown[] = []
  const stop = bridge.onEvent((...args) => heard.push(args))
  fake.listeners.get('barewitness:event')?.({ sender: 'way back to Electron' }, { kind: 'node-connecting', node: 'a' })
  expect(heard).toEqual([[{ kind: 'node-connecting', node: 'a' }]])
  stop()
  expect(fake.listeners.size).toBe(0)
})

test('the menu has no developer tools in a packaged app, and no links', () => {
  const text = (packaged: boolean): string => JSON.stringify(menuTemplate({ isPackaged: packaged }, 'linux'))
  expect(text(true)).not.toContain('DevTools')
  expect(text(false)).toContain('toggleDevTools')
  expect(text(true)).not.toContain('http')
})
