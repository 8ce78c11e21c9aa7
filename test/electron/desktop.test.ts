import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { type DesktopParts, remoteDesktop, serveDesktop } from '../../main/electron/desktop-port.ts'
import type { Port } from '../../main/electron/engine-process.ts'
import { createPrompt } from '../../main/electron/prompt.ts'

const shown = vi.hoisted(() => [] as string[])
vi.mock('electron', () => ({
  shell: {
    openPath: async (path: string) => {
      shown.push(path)
      return ''
    },
  },
}))
const { showFile } = await import('../../main/electron/windows.ts')

const fresh = (): string => mkdtempSync(join(tmpdir(), 'barewitness-desktop-'))
/** Two ports joined; what is posted on one is heard on the other as a copy. */
function pair(): readonly [Port, Port] {
  const hear: [((message: unknown) => void)[], ((message: unknown) => void)[]] = [[], []]
  const side = (own: 0 | 1, other: 0 | 1): Port => ({
    post: (message) => queueMicrotask(() => hear[other].forEach((listener) => void listener(structuredClone(message)))),
    onMessage: (listener) => void hear[own].push(listener),
  })
  return [side(0, 1), side(1, 0)]
}

describe('16: what the worker wants of main', () => {
  const asked: string[] = []
  const kept = new Map<string, string>()
  const parts: DesktopParts = {
    ask: async (question) => {
      asked.push(question)
      return question === 'none' ? null : 'secret'
    },
    show: async (path) => {
      if (path === 'throws') throw new Error('no')
      return { ok: true, value: null }
    },
    vault: Promise.resolve({
      described: 'a vault',
      read: async (name) => kept.get(name) ?? null,
      write: async (name, secret) => {
        kept.set(name, secret)
        return { ok: true, value: null }
      },
    }),
  }
  test('is answered through the port', async () => {
    const [main, worker] = pair()
    serveDesktop(main, parts)
    const desktop = await remoteDesktop(worker)
    expect([await desktop.ask('Which?'), await desktop.ask('none')]).toEqual(['secret', null])
    expect(asked).toEqual(['Which?', 'none'])
    expect(await desktop.show('/a')).toEqual({ ok: true, value: null })
    expect(await desktop.show('throws')).toEqual({
      ok: false,
      error: { code: 'bug', detail: 'the main process could not answer the engine' },
    })
    expect(desktop.vault?.described).toBe('a vault')
    expect(await desktop.vault?.write('a', 'b')).toEqual({ ok: true, value: null })
    expect([await desktop.vault?.read('a'), await desktop.vault?.read('c')]).toEqual(['b', null])
  })
  test('is no vault where there is none', async () => {
    const [main, worker] = pair()
    serveDesktop(main, { ...parts, vault: Promise.resolve(null) })
    expect((await remoteDesktop(worker)).vault).toBe(null)
  })
  test('is refused when it makes no sense', async () => {
    const [main, worker] = pair()
    const heard: unknown[] = []
    worker.onMessage((message) => heard.push(message))
    serveDesktop(main, parts)
    const before = asked.length
    const wants = [{ kind: 'ask', question: 7 }, { kind: 'show' }, { kind: 'write', name: 'x' }, { kind: 'exec' }]
    for (const [id, want] of wants.entries()) worker.post({ want: { id, ...want } })
    for (const noise of [null, 7, {}, { want: null }, { want: 'ask' }]) worker.post(noise)
    await vi.waitFor(() => expect(heard.length).toBe(4))
    expect(heard.map((one) => (one as { gave: { value: unknown } }).gave.value)).toMatchObject([
      null,
      { ok: false, error: { code: 'bug' } },
      { ok: false, error: { code: 'bug' } },
      null,
    ])
    expect([asked.length, kept.has('x')]).toEqual([before, false])
  })
})

describe('11: a file shown in the system’s viewer', () => {
  const data = fresh()
  const folder = join(data, 'shown')
  mkdirSync(join(folder, 'deep'), { recursive: true })
  const write = (name: string, bytes: string): string => {
    writeFileSync(join(folder, name), bytes, 'latin1')
    return join(folder, name)
  }
  const png = write('a.png', '\x89PNG\r\n\x1a\n...')
  test.each([
    [png],
    [write('a.pdf', '%PDF-1.7')],
    [write('a.jpg', '\xff\xd8\xff\xe0')],
    [write('a.jpeg', '\xff\xd8\xff')],
  ])('is %s', async (path) => {
    expect(await showFile(data, path)).toEqual({ ok: true, value: null })
    expect(shown.at(-1)).toBe(path)
  })
  writeFileSync(join(data, 'b.pdf'), '%PDF-1.7')
  symlinkSync(join(data, 'b.pdf'), join(folder, 'link.pdf'))
  mkdirSync(join(folder, 'folder.pdf'))
  test.each([
    ['a page', write('a.html', '<html>')],
    ['a program named as a PDF', write('b.pdf', '\x7fELF')],
    ['an image named as a PDF', write('c.pdf', '\x89PNG\r\n\x1a\n')],
    ['a launcher', write('a.desktop', '[Desktop Entry]')],
    ['an empty file', write('d.pdf', '')],
    ['a link out of the folder', join(folder, 'link.pdf')],
    ['a folder', join(folder, 'folder.pdf')],
    ['a file beside the folder', join(data, 'b.pdf')],
    ['a path out of the folder', `${folder}/../b.pdf`],
    ['nothing', join(folder, 'none.pdf')],
  ])('is never %s', async (_name, path) => {
    const before = shown.length
    expect(await showFile(data, path)).toMatchObject({ ok: false })
    expect(shown.length).toBe(before)
  })
})

describe('8: the secret prompt', () => {
  const frame = { origin: 'barewitness://app', parent: null }
  class Window extends EventEmitter {
    readonly webContents = {}
    destroy(): void {
      this.emit('closed')
    }
  }
  const setup = () => {
    const windows: Window[] = []
    const prompt = createPrompt(() => {
      const window = new Window()
      windows.push(window)
      return window as never
    })
    const post = (window: Window | undefined, message: unknown, from: unknown = frame): string | null =>
      prompt.handle(window?.webContents as never, from as never, message)
    return { windows, prompt, post }
  }
  test('asks one question at a time, and answers who asked', async () => {
    const { windows, prompt, post } = setup()
    const [first, second] = [prompt.ask('First?\u202e'), prompt.ask('Second?')]
    expect(windows.length).toBe(1)
    expect(post(windows[0], null)).toBe('First?\\u{202e}')
    expect(post(windows[0], { answer: 'one' })).toBe(null)
    expect(await first).toBe('one')
    expect(post(windows[1], null)).toBe('Second?')
    windows[1]?.destroy()
    expect(await second).toBe(null)
    expect(windows.length).toBe(2)
  })
  test('listens to its own page only', async () => {
    const { windows, prompt, post } = setup()
    const answer = prompt.ask('Which?')
    const forged = { answer: 'forged' }
    expect(post(new Window(), null)).toBe(null)
    expect(post(new Window(), forged)).toBe(null)
    for (const from of [null, { ...frame, parent: {} }, { ...frame, origin: 'https://example.invalid' }])
      expect(post(windows[0], forged, from)).toBe(null)
    post(windows[0], { answer: 'mine' })
    expect(await answer).toBe('mine')
    expect(post(windows[0], null)).toBe(null)
  })
  test.each([[null], [7], [{}], ['x'.repeat(4097)]])('takes %j as no answer', async (answer) => {
    const { windows, prompt, post } = setup()
    const asked = prompt.ask('Which?')
    post(windows[0], { answer })
    expect(await asked).toBe(null)
  })
  test('is forgotten when no call waits for it any more, and without a window to ask in front of', async () => {
    const { windows, prompt } = setup()
    const both = [prompt.ask('First?'), prompt.ask('Second?')]
    prompt.dismiss()
    expect(await Promise.all(both)).toEqual([null, null])
    expect(windows.length).toBe(1)
    expect(await createPrompt(() => null).ask('Which?')).toBe(null)
  })
})
