import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { BANNED } from '../../schemas/words.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (folder: string, kind: RegExp): readonly (readonly [name: string, text: string])[] =>
  readdirSync(join(root, folder), { recursive: true })
    .map(String)
    .filter((name) => kind.test(name))
    .map((name) => [join(folder, name), readFileSync(join(root, folder, name), 'utf8')])

const shell = read('main/electron', /\.ts$/)
const page = read('renderer', /\.(tsx?|html|css)$/)
const filesWith = (files: typeof shell, pattern: RegExp): readonly string[] =>
  files.filter(([, text]) => pattern.test(text)).map(([name]) => name)

describe('the shell', () => {
  test('makes windows in one place', () =>
    expect(filesWith(shell, /new BrowserWindow\b/)).toEqual(['main/electron/window.ts']))
  test('has one request channel, and no other kind', () => {
    expect(shell.flatMap(([, text]) => text.match(/ipcMain\.\w+/g) ?? [])).toEqual(['ipcMain.handle'])
    expect(filesWith(shell, /sendSync|ipcMain\.on\b|postMessageToRenderer/)).toEqual([])
  })
  test('sets no switch that weakens it, and opens nothing outside', () => {
    expect(filesWith(shell, /no-sandbox|ignore-certificate-errors|remote-debugging-port|appendSwitch/)).toEqual([])
    expect(
      filesWith(shell, /openExternal|openPath|setAsDefaultProtocolClient|bypassCSP|corsEnabled|allowServiceWorkers/),
    ).toEqual([])
  })
  test('enables the sandbox before it waits for ready', () => {
    const text = shell.find(([name]) => name.endsWith('index.ts'))?.[1] ?? ''
    expect(text.indexOf('app.enableSandbox()')).toBeGreaterThan(0)
    expect(text.indexOf('app.enableSandbox()')).toBeLessThan(text.indexOf('app.whenReady()'))
    expect(text).not.toMatch(/await app\.whenReady/)
  })
  test('gives the preload electron and constants only', () => {
    const text = shell.find(([name]) => name.endsWith('preload.ts'))?.[1] ?? ''
    expect([...text.matchAll(/^import (?!type).*from '(.*)'/gm)].map((match) => match[1])).toEqual([
      'electron',
      './channels.ts',
    ])
  })
})

describe('the page', () => {
  test('writes no markup, no inline style and names no address', () => {
    expect(
      filesWith(page, /innerHTML|dangerouslySetInnerHTML|document\.write|javascript:|style=|eval\(|new Function/),
    ).toEqual([])
    expect(filesWith(page, /https?:\/\/|wss?:\/\//)).toEqual([])
  })
  test('shows words of nodes through visible() and uses none of the words that claim too much', () => {
    for (const [name, text] of page.filter(([file]) => /\.tsx?$/.test(file))) {
      const prose = text.replaceAll(/^import .*$/gm, '').replaceAll(/\bproves?\b(?=-)/g, '')
      for (const banned of BANNED) expect(prose, `${name}: ${banned}`).not.toMatch(banned)
    }
  })
})
