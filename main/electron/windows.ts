import { open, realpath } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import {
  app,
  BrowserWindow,
  nativeTheme,
  type Session,
  screen,
  shell,
  type WebContents,
  type WebPreferences,
} from 'electron'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { FOLDERS } from '../core/base/layout.ts'
import { EVENT_CHANNEL, PAGES } from './channels.ts'
import type { WindowKind } from './gate.ts'
import { type Place, placeFor, SMALLEST, type WindowState } from './window-state.ts'

/** The open windows, at most one per kind. */
export interface Windows {
  /** Opens or focuses the window. Resolves when its page receives events. */
  readonly show: (kind: WindowKind) => Promise<BrowserWindow>
  readonly find: (contents: WebContents) => { readonly kind: WindowKind; readonly window: BrowserWindow } | null
  /** The parent for a dialog: the focused window, else any. */
  readonly front: () => BrowserWindow | undefined
  /** Sends an event to every window, or to one. */
  readonly notify: (event: EngineEvent, only?: WindowKind) => void
}

/** How often a crashed page is reloaded in the lifetime of its window; no data is stored in a page. */
const RELOADS = 3

export function createWindows(preload: string, sessionOf: (kind: WindowKind) => Session, state: WindowState): Windows {
  const open = new Map<WindowKind, { readonly window: BrowserWindow; readonly loaded: Promise<void> }>()
  const make = (kind: WindowKind): { readonly window: BrowserWindow; readonly loaded: Promise<void> } => {
    const displays = screen.getAllDisplays().map(({ workArea }) => workArea)
    const window = openWindow({
      page: kind,
      preload,
      session: sessionOf(kind),
      place: placeFor(state.place(kind), displays),
    })
    const loaded = new Promise<void>((resolve) => window.webContents.once('did-finish-load', () => resolve()))
    window.once('close', () => state.keepPlace(kind, { ...window.getNormalBounds(), maximized: window.isMaximized() }))
    window.once('closed', () => open.delete(kind))
    let reloads = 0
    window.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit' && reloads++ < RELOADS) window.webContents.reload()
    })
    const made = { window, loaded }
    open.set(kind, made)
    return made
  }
  return {
    show: async (kind) => {
      const there = open.get(kind)
      if (there?.window.isMinimized() === true) there.window.restore()
      there?.window.focus()
      const { window, loaded } = there ?? make(kind)
      await loaded
      return window
    },
    find: (contents) => {
      for (const [kind, { window }] of open) if (window.webContents === contents) return { kind, window }
      return null
    },
    front: () => {
      const all = [...open.values()].map(({ window }) => window)
      return all.find((window) => window.isFocused()) ?? all[0]
    },
    notify: (event, only) => {
      for (const [kind, { window }] of open)
        if ((only ?? kind) === kind && !window.isDestroyed()) window.webContents.send(EVENT_CHANNEL, event)
    },
  }
}

/** Web preferences of a page. Every setting is explicit, including Electron’s defaults, so that a changed default has no effect. */
export const webPreferences = (preload: string, session: Session): WebPreferences => ({
  preload,
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
  devTools: !app.isPackaged,
  disableBlinkFeatures: 'Auxclick',
})

interface Opening {
  readonly page: keyof typeof PAGES
  readonly preload: string
  readonly session: Session
  readonly place: Place
  /** The parent window, blocked until this one is closed. */
  readonly above?: BrowserWindow
}

/** The only place that creates windows: main, review, or secret prompt. */
export function openWindow({ page, preload, session, place, above }: Opening): BrowserWindow {
  const { maximized, ...bounds } = place
  const window = new BrowserWindow({
    title: 'Barewitness',
    ...bounds,
    ...(page === 'prompt'
      ? { useContentSize: true, minimizable: false, maximizable: false, fullscreenable: false, autoHideMenuBar: true }
      : { minWidth: SMALLEST.width, minHeight: SMALLEST.height }),
    ...(above === undefined ? {} : { parent: above, modal: true }),
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#12161b' : '#ffffff',
    webPreferences: webPreferences(preload, session),
  })
  if (maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  void window.loadURL(PAGES[page])
  return window
}

/** File types that may be opened in the system’s viewer, by extension, with their leading bytes. None is executable. */
const VIEWABLE: Readonly<Record<string, Buffer>> = {
  '.pdf': Buffer.from([0x25, 0x50, 0x44, 0x46, 0x2d]),
  '.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  '.jpg': Buffer.from([0xff, 0xd8, 0xff]),
  '.jpeg': Buffer.from([0xff, 0xd8, 0xff]),
}

/**
 * Opens a copy of an image or PDF in the system’s viewer: a file directly inside the folder `shown` of the app data, whose extension matches
 * its first bytes. Any other file is refused.
 */
export async function showFile(dataFolder: string, path: string): Promise<Outcome<null>> {
  try {
    const real = await realpath(path)
    if (dirname(real) !== join(await realpath(dataFolder), FOLDERS.shown))
      return fail('input.refused', 'the file is not in the folder for viewing')
    const expected = Object.hasOwn(VIEWABLE, extname(real)) ? VIEWABLE[extname(real)] : undefined
    if (expected === undefined) return fail('input.refused', 'only images and PDF files can be opened')
    if (!(await firstBytes(real, expected.length)).equals(expected))
      return fail('input.refused', 'the content does not match the file name')
    const problem = await shell.openPath(real)
    return problem === '' ? ok(null) : fail('input.refused', `the system could not open the file: ${problem}`)
  } catch {
    return fail('input.not-found', 'the file was not found')
  }
}

async function firstBytes(path: string, count: number): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    if (!(await handle.stat()).isFile()) return Buffer.alloc(0)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(count), 0, count, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
