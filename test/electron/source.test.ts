import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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

/** Files that are read before a program's first line runs. */
const reachedFrom = (program: string): ReadonlySet<string> => {
  const reached = new Set<string>()
  const follow = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, from = ''] of text.matchAll(/^import (?!type\b)[^']*'(\.[^']+\.tsx?)'/gm))
      follow(join(dirname(file), from))
  }
  follow(program)
  return reached
}

describe('the shell', () => {
  test('1: makes windows in one place', () =>
    expect(filesWith(shell, /new BrowserWindow\b/)).toEqual(['main/electron/windows.ts']))
  test('the main process reads little before its first window: no schemas, and nothing of the engine', () => {
    const reached = [...reachedFrom('main/electron/index.ts')]
    expect(reached.length).toBeGreaterThan(20)
    expect(
      reached.filter((file) => /schema-validator|stored-file|fleet-file|^main\/(app|catalog|verify)/.test(file)),
    ).toEqual([])
    const size = reached.reduce((sum, file) => sum + readFileSync(join(root, file)).length, 0)
    expect(size).toBeLessThan(200_000)
  })
  test('the engine’s process reaches no file that imports Electron’s main process', () => {
    const reached = reachedFrom('main/electron/worker.ts')
    expect(reached.size).toBeGreaterThan(100)
    const importing = [...reached].filter((file) => /from 'electron'/.test(readFileSync(join(root, file), 'utf8')))
    expect(importing).toEqual([])
  })
  test('8: has two request channels and one notice without content, and no other kind', () => {
    expect(shell.flatMap(([, text]) => text.match(/ipcMain\.\w+\(\w+.*/g) ?? [])).toEqual([
      'ipcMain.once(DRAWN_CHANNEL, () => resolve()))',
      'ipcMain.handle(CALL_CHANNEL, async (event, message: unknown) => {',
      'ipcMain.handle(SECRET_CHANNEL, (event, message: unknown) => prompt.handle(event.sender, event.senderFrame, message))',
    ])
    expect(filesWith(shell, /sendSync|ipcMain\.on\b|postMessageToRenderer|executeJavaScript/)).toEqual([])
  })
  test('2, 3, 17: sets no switch that weakens it, and registers for no links', () => {
    expect(filesWith(shell, /no-sandbox|ignore-certificate-errors|remote-debugging-port/)).toEqual([])
    expect(shell.flatMap(([, text]) => text.match(/\w+(Switch|Argument)\(.*/g) ?? [])).toEqual([
      "appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND')",
    ])
    expect(filesWith(shell, /setAsDefaultProtocolClient|bypassCSP|corsEnabled|allowServiceWorkers/)).toEqual([])
  })
  test('11: opens files in the system’s viewer in one place, and no links at all', () => {
    expect(filesWith(shell, /\bopenPath\b/)).toEqual(['main/electron/windows.ts'])
    expect(filesWith(shell, /openExternal|showItemInFolder|\bexec(File)?\(|child_process/)).toEqual([])
  })
  test('16: uses the vault in one place, and only asynchronously', () => {
    expect(filesWith(shell, /encryptString|decryptString/)).toEqual(['main/electron/vault.ts'])
    expect(filesWith(shell, /(en|de)cryptString\b(?!Async)|isEncryptionAvailable|setUsePlainTextEncryption/)).toEqual(
      [],
    )
  })
  test('19: starts nothing that would call home', () => {
    const calls = /crashReporter|autoUpdater|net\.(request|fetch)|\bfetch\(|node:(https?|net|tls|dgram)/
    expect(filesWith(shell, calls)).toEqual([])
  })
  test('2, 19: enables the sandbox and shuts the network before it waits for ready', () => {
    const text = shell.find(([name]) => name.endsWith('index.ts'))?.[1] ?? ''
    expect(text.indexOf('app.enableSandbox()')).toBeGreaterThan(0)
    expect(text.indexOf('app.enableSandbox()')).toBeLessThan(text.indexOf('app.whenReady()'))
    expect(text).not.toMatch(/await app\.whenReady/)
    expect(text.indexOf('lockNetwork(app)')).toBeGreaterThan(0)
    expect(text.indexOf('lockNetwork(app)')).toBeLessThan(text.indexOf('app.whenReady()'))
  })
  test.each(['preload.ts', 'prompt-preload.ts'])('9: gives %s electron and constants only', (file) => {
    const text = shell.find(([name]) => name === join('main/electron', file))?.[1] ?? ''
    expect([...text.matchAll(/^import (?!type).*from '(.*)'/gm)].map((match) => match[1])).toEqual([
      'electron',
      './channels.ts',
    ])
  })
})

describe('the page', () => {
  test('reads before its first frame neither the schemas of calls nor what only other screens show', () => {
    const reached = [...reachedFrom('renderer/index.tsx')]
    expect(reached.length).toBeGreaterThan(20)
    expect(
      reached.filter((file) => /ipc-inputs|AllScreens|parts\/Mark|ui\/(?!Button|Icon|Notice|Whole)/.test(file)),
    ).toEqual([])
  })
  test('12: writes no markup, no inline style and names no address', () => {
    // clearing.ts lets a library empty an element and refuses everything else (test/renderer/clearing.test.ts).
    expect(
      filesWith(
        page.filter(([name]) => !name.endsWith('clearing.ts')),
        /innerHTML|dangerouslySetInnerHTML|document\.write|javascript:|style="|<style|eval\(|new Function/,
      ),
    ).toEqual([])
    expect(filesWith(page, /(https?|wss?):\/\/\w/)).toEqual([])
  })
  test('shows words of nodes through visible() and uses none of the words that claim too much', () => {
    for (const [name, text] of page.filter(([file]) => /\.tsx?$/.test(file))) {
      const prose = text.replaceAll(/^import .*$/gm, '').replaceAll(/\bproves?\b(?=-)/g, '')
      for (const banned of BANNED) expect(prose, `${name}: ${banned}`).not.toMatch(banned)
    }
  })
})
