import { app, BrowserWindow, nativeTheme, type Session, type WebPreferences } from 'electron'
import { START_PAGE } from './channels.ts'

/** What a window may do. Every setting is named, also where it is Electron's default, so that a changed default changes nothing here. */
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

/** The only place that makes a window. */
export function openWindow(preload: string, session: Session): BrowserWindow {
  const window = new BrowserWindow({
    title: 'Barewitness',
    width: 1280,
    height: 860,
    minWidth: 480,
    minHeight: 400,
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#12161b' : '#ffffff',
    webPreferences: webPreferences(preload, session),
  })
  window.once('ready-to-show', () => window.show())
  void window.loadURL(START_PAGE)
  return window
}
