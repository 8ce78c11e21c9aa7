import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'

const out = fileURLToPath(new URL('../../out', import.meta.url))
const missing = existsSync(join(out, 'preload/prompt-preload.cjs')) ? null : 'the product is not built: npm run build'
const files = missing === null ? readdirSync(out, { recursive: true }).map(String) : []
const read = (name: string): string => readFileSync(join(out, name), 'utf8')

/** The contents of the build that users get. */
describeUnless(missing, 'the build', () => {
  test.each(['preload', 'prompt-preload'])('9: %s is one file that needs nothing but electron', (name) => {
    expect(files.filter((file) => file.startsWith('preload/')).sort()).toEqual([
      'preload/preload.cjs',
      'preload/prompt-preload.cjs',
    ])
    const needs = [...read(`preload/${name}.cjs`).matchAll(/\brequire\(["'`]([^"'`]+)["'`]\)/g)].map(
      (match) => match[1],
    )
    expect(needs).toEqual(['electron'])
    expect(read(`preload/${name}.cjs`)).not.toMatch(/\bimport\b/)
  })
  test('2, 8: has no switch that weakens it, and no other channel', () => {
    const shell = files.filter((file) => /^main\/.*\.js$/.test(file) && file !== 'main/cli.js').map(read)
    for (const text of shell) {
      expect(text).not.toMatch(/no-sandbox|ignore-certificate-errors|remote-debugging-port/)
      expect(text).not.toMatch(/ipcMain\.on\(|sendSync|openExternal|setAsDefaultProtocolClient/)
    }
    expect(shell.flatMap((text) => text.match(/ipcMain\.handle\(/g) ?? []).length).toBe(2)
    expect(shell.flatMap((text) => text.match(/appendSwitch\(.*?\)/g) ?? [])).toEqual([
      expect.stringMatching(/^appendSwitch\(["'`]host-resolver-rules["'`], ["'`]MAP \* ~NOTFOUND["'`]\)$/),
    ])
  })
  test('has every character outside ASCII escaped in its programs, so that each is held with one byte', () => {
    const programs = files.filter((file) => /^(main|renderer)\/.*\.js$/.test(file))
    expect(programs.length).toBeGreaterThan(20)
    expect(programs.filter((file) => /[^\0-\x7f]/.test(read(file)))).toEqual([])
    expect(programs.some((file) => /\\u201c/i.test(read(file)))).toBe(true)
  })
  test('12: has no source maps, no eval and no inline script in its pages', () => {
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([])
    for (const file of files.filter((name) => /^renderer\/.*\.js$/.test(name)))
      expect(read(file), file).not.toMatch(/\beval\(|new Function\(/)
    for (const file of files.filter((name) => /^renderer\/.*\.html$/.test(name))) {
      expect(read(file), file).not.toMatch(/<script(?![^>]*\bsrc=)|<style|style=|\son\w+=/)
      expect(read(file), file).not.toMatch(/https?:/)
    }
  })
})

test('20: the same source gives the same bytes twice', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const build = (): Readonly<Record<string, string>> => {
    const folder = mkdtempSync(join(tmpdir(), 'barewitness-built-'))
    try {
      execFileSync(
        process.execPath,
        ['node_modules/electron-vite/bin/electron-vite.js', 'build', '-c', 'test/support/built-again.config.ts'],
        { cwd: root, env: { ...process.env, BUILT_AGAIN: folder }, stdio: 'pipe' },
      )
      const names = readdirSync(folder, { recursive: true }).map(String).sort()
      const hash = (name: string): string =>
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')
      return Object.fromEntries(
        names.filter((name) => statSync(join(folder, name)).isFile()).map((name) => [name, hash(name)]),
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const first = build()
  expect(Object.keys(first)).toEqual(
    expect.arrayContaining(['main/index.js', 'main/worker.js', 'preload/preload.cjs', 'renderer/index.html']),
  )
  expect(build()).toEqual(first)
})
