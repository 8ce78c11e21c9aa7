import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openWindow, type TestWindow } from './open-window.ts'

const MAIN = `
const { app, BrowserWindow } = require('electron')
app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 900, useContentSize: true, webPreferences: { sandbox: true } })
  window.loadURL(process.env.BAREWITNESS_URL)
})
app.on('window-all-closed', () => app.quit())
`

/** Opens an HTML file in Chromium, as a person does who has only the file: no engine, no preload, nothing but a window. */
export const openHtmlFile = async (path: string, dark = false): Promise<TestWindow> =>
  await openAddress(pathToFileURL(path).href, dark)

/** Opens an address in Chromium, as any browser does. */
export async function openAddress(url: string, dark = false): Promise<TestWindow> {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-html-'))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name":"barewitness-html-test","version":"0.1.0","main":"main.cjs"}\n')
  writeFileSync(join(folder, 'main.cjs'), MAIN)
  return await openWindow({ folder, dark, env: { BAREWITNESS_URL: url } })
}
