import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { keepEngine } from '../../main/electron/engine-process.ts'
import { createOpenings, packIn } from '../../main/electron/openings.ts'
import { placeFor, windowState } from '../../main/electron/window-state.ts'
import type { Reply } from '../../schemas/ipc.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'

const fresh = (): string => mkdtempSync(join(tmpdir(), 'barewitness-process-'))

describe('21: the engine’s process', () => {
  /** Workers that answer every call but `run.cancel`, and end when told. */
  const setup = () => {
    const workers: { readonly post: (message: unknown) => void; readonly end: (code: number) => void }[] = []
    const engine = keepEngine(() => {
      let hear = (_message: unknown): void => undefined
      let end = (_code: number): void => undefined
      workers.push({ post: (message) => hear(message), end: (code) => end(code) })
      const worker = workers.length
      return {
        port: {
          post: (message) => {
            const { ask, stop } = message as { ask?: { id: number; method: string }; stop?: true }
            if (stop) hear({ stopped: true })
            else if (ask !== undefined && ask.method !== 'run.cancel')
              hear({ id: ask.id, reply: { ok: true, value: worker } })
          },
          onMessage: (listener) => {
            hear = listener
          },
        },
        onExit: (listener) => {
          end = listener
        },
      }
    })
    return { workers, engine }
  }
  test('is launched again by the next call, and what waited is answered', async () => {
    const { workers, engine } = setup()
    expect(await engine.call('app.info', null)).toEqual({ ok: true, value: 1 })
    const waiting = engine.call('run.cancel', null)
    workers[0]?.end(9)
    expect(await waiting).toEqual({
      ok: false,
      error: { code: 'bug', detail: 'the engine process ended (9); stored data is kept; try again' },
    })
    expect(workers.length).toBe(1)
    expect(await Promise.all([engine.call('app.info', null), engine.call('app.info', null)])).toEqual([
      { ok: true, value: 2 },
      { ok: true, value: 2 },
    ])
    expect(workers.length).toBe(2)
  })
  test('that ends before it answered anything is not tried again', async () => {
    const { workers, engine } = setup()
    workers[0]?.end(1)
    const gone = { ok: false, error: { code: 'bug', detail: 'the engine process ended (1); restart Barewitness' } }
    expect(await engine.call('app.info', null)).toEqual(gone)
    expect(await engine.call('app.info', null)).toEqual(gone)
    expect(workers.length).toBe(1)
    await engine.close()
  })
  test('takes an unfinished run with it, and reports this once', async () => {
    const { workers, engine } = setup()
    const heard: EngineEvent[] = []
    engine.onEvent((event) => heard.push(event))
    await engine.call('app.info', null)
    workers[0]?.post({ event: { kind: 'run-started', run: 'r1', nodes: [] } })
    workers[0]?.end(9)
    expect(heard.at(-1)).toEqual({ kind: 'run-done', run: 'r1', cancelled: true })
    await engine.call('app.info', null)
    workers[1]?.end(9)
    expect(heard.length).toBe(2)
  })
  test('ends in order when it is closed, and is not launched again', async () => {
    const { workers, engine } = setup()
    await engine.call('app.info', null)
    await engine.close()
    workers[0]?.end(0)
    expect(await engine.call('app.info', null)).toMatchObject({ ok: false })
    expect(workers.length).toBe(1)
  })
})

describe('17: files that a start may name', () => {
  const folder = fresh()
  for (const name of ['a.zip', 'b.barewitness', 'c.PDF', 'd.txt', 'e.zip.exe']) writeFileSync(join(folder, name), 'x')
  mkdirSync(join(folder, 'folder.zip'))
  symlinkSync('/dev/null', join(folder, 'device.zip'))
  test.each([
    [['a.zip'], 'a.zip'],
    [['--flag', 'd.txt', 'b.barewitness', 'a.zip'], 'b.barewitness'],
    [['c.PDF'], 'c.PDF'],
  ])('%j opens %s', async (argv, name) => expect(await packIn(argv, folder)).toBe(join(folder, name)))
  test.each([
    [['d.txt']],
    [['e.zip.exe']],
    [['folder.zip']],
    [['device.zip']],
    [['none.zip']],
    [['--open=a.zip']],
    [['barewitness://app/a.zip']],
    [['file:///a.zip']],
    [['a.zip\0']],
    [[]],
  ])('%j opens nothing', async (argv) => expect(await packIn(argv, folder)).toBe(null))
})

describe('17: a pack from outside a page', () => {
  const setup = (reply: Reply<unknown>) => {
    const done: unknown[] = []
    const openings = createOpenings({
      engine: {
        call: async (method, input, chosen) => {
          done.push([method, input, chosen?.path ?? null])
          return reply as never
        },
      },
      showReview: async () => void done.push('review'),
      showAny: async () => void done.push('any'),
      notify: (event) => void done.push(event),
      changed: () => void done.push('changed'),
    })
    return { done, openings }
  }
  const path = join(fresh(), 'a.zip')
  writeFileSync(path, 'PK')
  test('is read and shown', async () => {
    const { done, openings } = setup({ ok: true, value: {} })
    await openings.open(path)
    expect(done).toEqual([['pack.choose-and-verify', null, path], 'review', { kind: 'pack-opened' }, 'changed'])
  })
  test('that cannot be read is refused in words', async () => {
    const error = { code: 'pack.unreadable', detail: 'not a zip' } as const
    const { done, openings } = setup({ ok: false, error })
    await openings.openRecent('h')
    expect(done).toEqual([
      ['pack.open-recent', { handle: 'h' }, null],
      'any',
      { kind: 'pack-refused', error },
      'changed',
    ])
  })
  test.each([[null], ['/etc/hostname'], ['/none.zip'], ['/tmp']])('%j never reaches the engine', async (dropped) => {
    const { done, openings } = setup({ ok: true, value: {} })
    await openings.open(dropped)
    expect(done).toMatchObject(['any', { kind: 'pack-refused', error: { code: 'input.refused' } }, 'changed'])
  })
})

describe('a window’s place', () => {
  const displays = [
    { x: 0, y: 25, width: 1440, height: 875 },
    { x: 1440, y: 0, width: 1920, height: 1080 },
  ]
  const usual = { width: 1280, height: 860, maximized: false }
  test.each([
    [
      'is what it was',
      { x: 1500, y: 40, width: 1000, height: 700, maximized: true },
      { x: 1500, y: 40, width: 1000, height: 700, maximized: true },
    ],
    ['is the usual one at first', null, usual],
    ['is the usual one after nonsense', { x: 'a', width: Number.NaN, height: '7', maximized: 'yes' }, usual],
    [
      'of a display that is gone is chosen anew',
      { x: 4000, y: 40, width: 1000, height: 700 },
      { width: 1000, height: 700, maximized: false },
    ],
    [
      'with its top above the display is chosen anew',
      { x: 10, y: -500, width: 1000, height: 700 },
      { width: 1000, height: 700, maximized: false },
    ],
    [
      'may hang over the edge, if a hand can reach it',
      { x: -800, y: 30, width: 1000, height: 700 },
      { x: -800, y: 30, width: 1000, height: 700, maximized: false },
    ],
    [
      'is chosen anew when only a sliver shows',
      { x: -990, y: 30, width: 1000, height: 700 },
      { width: 1000, height: 700, maximized: false },
    ],
    [
      'is no smaller than a person can use, and no larger than the display',
      { x: 0, y: 30, width: 5, height: 9000 },
      { width: 480, height: 875, maximized: false },
    ],
  ])('%s', (_name, saved, place) => expect(placeFor(saved, displays)).toEqual(place))
  test('and the theme are kept in a file; a file that cannot be is no reason to fail', () => {
    const file = join(fresh(), 'window.json')
    const state = windowState(file)
    expect([state.theme(), state.place('main')]).toEqual(['system', undefined])
    state.keepTheme('dark')
    state.keepPlace('main', usual)
    const again = windowState(file)
    expect([again.theme(), again.place('main'), again.place('review')]).toEqual(['dark', usual, undefined])
    writeFileSync(file, '{"theme":"javascript:"}')
    expect(windowState(file).theme()).toBe('system')
    windowState('/none/window.json').keepTheme('dark')
    expect(readFileSync(file, 'utf8')).toContain('javascript')
  })
})
