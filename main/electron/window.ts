import { app, BrowserWindow, nativeTheme, type Session, type WebPreferences } from 'electron'
import { PAGES } from './channels.ts'
import { type Place, SMALLEST } from './window-state.ts'

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
