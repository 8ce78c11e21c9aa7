import { type BrowserWindow, type Session, screen, type WebContents } from 'electron'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import { EVENT_CHANNEL } from './channels.ts'
import type { WindowKind } from './gate.ts'
import { openWindow } from './window.ts'
import { placeFor, type WindowState } from './window-state.ts'

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
