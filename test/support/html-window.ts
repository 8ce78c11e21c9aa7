import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWindow, type TestWindow } from './open-window.ts'

const MAIN = `
const { app, BrowserWindow } = require('electron')
app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 900, useContentSize: true, webPreferences: { sandbox: true } })
  window.loadFile(process.env.BAREWITNESS_HTML)
})
app.on('window-all-closed', () => app.quit())
`

/** Opens an HTML file in Chromium, as a person does who has only the file: no engine, no preload, nothing but a window. */
export async function openHtmlFile(path: string, dark = false): Promise<TestWindow> {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-html-'))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name":"barewitness-html-test","version":"0.1.0","main":"main.cjs"}\n')
  writeFileSync(join(folder, 'main.cjs'), MAIN)
  return await openWindow({ folder, dark, env: { BAREWITNESS_HTML: path } })
}
