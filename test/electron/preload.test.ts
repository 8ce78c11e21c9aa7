import { describe, expect, test, vi } from 'vitest'

const fake = vi.hoisted(() => ({
  page: new Map<string, (event: unknown) => void>(),
  exposed: new Map<string, unknown>(),
  invoked: [] as unknown[],
  listeners: new Map<string, (...args: unknown[]) => void>(),
  sent: [] as unknown[],
  painted: [] as ((names: readonly string[]) => void)[],
  idle: [] as (() => void)[],
}))

vi.stubGlobal('window', {
  addEventListener: (name: string, listener: (event: unknown) => void) => fake.page.set(name, listener),
})
vi.stubGlobal(
  'PerformanceObserver',
  class {
    constructor(listener: (list: { getEntriesByName: (name: string) => readonly string[] }) => void) {
      fake.painted.push((names) => listener({ getEntriesByName: (name) => names.filter((one) => one === name) }))
    }
    observe(): void {}
    disconnect(): void {
      fake.painted.length = 0
    }
  },
)
vi.stubGlobal('requestIdleCallback', (callback: () => void) => fake.idle.push(callback))
vi.mock('electron', () => ({
  BrowserWindow: {},
  Menu: {},
  contextBridge: { exposeInMainWorld: (name: string, value: unknown) => fake.exposed.set(name, value) },
  webUtils: { getPathForFile: (file: { path: string }) => file.path },
  ipcRenderer: {
    invoke: (...args: unknown[]) => {
      fake.invoked.push(args)
      return Promise.resolve({ ok: true, value: null })
    },
    send: (...args: unknown[]) => fake.sent.push(args),
    on: (channel: string, listener: (...args: unknown[]) => void) => fake.listeners.set(channel, listener),
    removeListener: (channel: string) => fake.listeners.delete(channel),
  },
}))

const { menuTemplate } = await import('../../main/electron/menu.ts')
await import('../../main/electron/preload.ts')
await import('../../main/electron/prompt-preload.ts')

test('9: the preload gives the page call and onEvent, frozen, and no event object', async () => {
  expect([...fake.exposed.keys()]).toEqual(['barewitness', 'barewitnessPrompt'])
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

test('9: the prompt’s preload gives its page a question and an answer, frozen', async () => {
  const bridge = fake.exposed.get('barewitnessPrompt') as Record<string, (answer?: string | null) => Promise<unknown>>
  expect(Object.keys(bridge).sort()).toEqual(['answer', 'question'])
  expect(Object.isFrozen(bridge)).toBe(true)
  fake.invoked.length = 0
  await bridge.question?.()
  await bridge.answer?.('x')
  expect(fake.invoked).toEqual([
    ['barewitness:secret', null],
    ['barewitness:secret', { answer: 'x' }],
  ])
})

test('the first content of the page is reported once, when the page has nothing else to do', () => {
  const [painted] = fake.painted
  painted?.(['first-paint'])
  expect([fake.painted.length, fake.idle.length]).toEqual([1, 0])
  painted?.(['first-paint', 'first-contentful-paint'])
  expect([fake.painted.length, fake.sent]).toEqual([0, []])
  for (const callback of fake.idle) callback()
  expect(fake.sent).toEqual([['barewitness:drawn']])
})

describe('5, 17: a drop on the page', () => {
  const dropping = (files: readonly object[], parts: object = {}) => {
    fake.invoked.length = 0
    const preventDefault = vi.fn()
    fake.page.get('drop')?.({ isTrusted: true, dataTransfer: { types: ['Files'], files }, preventDefault, ...parts })
    return { prevented: preventDefault.mock.calls.length, sent: [...fake.invoked] }
  }
  const sent = (dropped: string | null) => [['barewitness:call', { dropped }]]
  test('sends the path of one file, and never navigates', () =>
    expect(dropping([{ path: '/a.zip' }])).toEqual({ prevented: 1, sent: sent('/a.zip') }))
  test('sends none of several', () =>
    expect(dropping([{ path: '/a.zip' }, { path: '/b.zip' }])).toEqual({ prevented: 1, sent: sent(null) }))
  test('that the page made up is not one', () =>
    expect(dropping([{ path: '/a.zip' }], { isTrusted: false })).toEqual({ prevented: 0, sent: [] }))
  test('of text is the page’s own', () =>
    expect(dropping([], { dataTransfer: { types: ['text/plain'] } })).toEqual({ prevented: 0, sent: [] }))
})

describe('the menu', () => {
  const done: string[] = []
  const menu = (packaged: boolean, platform: NodeJS.Platform = 'linux') =>
    menuTemplate({
      packaged,
      platform,
      recent: [
        { handle: 'h1', file: 'a&b.zip', openedAt: '', here: true },
        { handle: 'h2', file: 'gone.zip', openedAt: '', here: false },
      ],
      openPack: () => void done.push('open'),
      openRecent: (handle) => void done.push(handle),
      go: (to) => void done.push(to),
    })
  type Item = { label?: string; submenu?: readonly Item[]; click?: () => void }
  const items = (list: readonly Item[]): readonly Item[] => list.flatMap((item) => [item, ...items(item.submenu ?? [])])
  const press = (label: string, platform?: NodeJS.Platform): string | undefined => {
    items(menu(true, platform) as unknown as readonly Item[])
      .find((item) => item.label === label)
      ?.click?.()
    return done.at(-1)
  }
  test('has no developer tools in a packaged app, and no links', () => {
    expect(JSON.stringify(menu(true))).not.toContain('DevTools')
    expect(JSON.stringify(menu(false))).toContain('toggleDevTools')
    expect(JSON.stringify(menu(true))).not.toContain('http')
  })
  test('opens packs and leads to screens', () => {
    expect(press('Open evidence pack…')).toBe('open')
    expect(press('a&&b.zip')).toBe('h1')
    expect(press('Export evidence pack…')).toBe('export')
    expect(press('Settings…')).toBe('settings')
    expect(press('Keyboard shortcuts')).toBe('shortcuts')
    expect(press('Tour of the demo fleet')).toBe('tour')
    expect(press('Network connections', 'darwin')).toBe('settings')
    expect(JSON.stringify(menu(true))).not.toContain('gone.zip')
  })
})
