import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const STATIC = /^(?:import|export)\s(?!type\b)[^'"]*?from '([^']+)'|^import '([^']+)'/gm
const COMMANDS = 'main/cli/commands'

/** Every file and package that loading a file loads before any of it is asked for. */
function loadedWith(file: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, from, bare] of readFileSync(file, 'utf8').matchAll(STATIC)) {
    const name = from ?? bare ?? ''
    const path = relative('.', resolve(dirname(file), name))
    if (!name.startsWith('.')) found.add(name)
    else if (existsSync(path) && path.endsWith('.ts')) loadedWith(path, found)
  }
  return found
}

const drawing = (files: ReadonlySet<string>): readonly string[] =>
  [...files].filter((one) => one.startsWith('main/adapters/pdf/') || one === 'pdfkit' || one === 'write-excel-file')

test('the search for what is loaded finds the drawing of pages where it is', () => {
  expect(drawing(loadedWith('main/adapters/pdf/index.ts'))).toContain('pdfkit')
  expect(loadedWith(`${COMMANDS}/run.ts`).size).toBeGreaterThan(50)
})

test('no command loads what draws pages or writes workbooks before it needs that', () => {
  const files = readdirSync(COMMANDS).map((name) => `${COMMANDS}/${name}`)
  for (const file of ['main/cli/index.ts', 'main/adapters/ports.ts', ...files])
    expect(drawing(loadedWith(file)), file).toEqual([])
})

test('the version is printed without reading schemas and documents', () => {
  const readers = (file: string): readonly string[] =>
    [...loadedWith(file)].filter((one) => /^(?:ajv|yaml|csv-|commander)|schema-validator/.test(one))
  expect(readers('main/adapters/fleet-file.ts').length).toBeGreaterThan(1)
  expect(readers('main/cli/index.ts')).toEqual([])
})

test('a collection loads no code of exports and of other commands', () => {
  const loaded = (file: string): readonly string[] =>
    [...loadedWith(file)].filter((one) =>
      /^main\/(present\/(?!timers\/)|app\/(engine\/|output-files)|cli\/commands\b)/.test(one),
    )
  expect(loaded(`${COMMANDS}/run.ts`).length).toBeGreaterThan(50)
  expect(loaded('main/cli/run-line.ts')).toEqual([])
  expect(loaded(`${COMMANDS}/collect.ts`)).toEqual([`${COMMANDS}/collect.ts`])
})

test('a verification loads no code of other commands', () => {
  const loaded = (file: string): readonly string[] => [...loadedWith(file)].filter((one) => one.startsWith(COMMANDS))
  expect(loaded('main/cli/commands.ts').length).toBeGreaterThan(20)
  expect(loaded(`${COMMANDS}/verify.ts`)).toEqual([`${COMMANDS}/verify.ts`])
  expect(loaded('main/cli/run-line.ts')).toEqual([])
})

test('no command loads the client of the database, or of an object store, before it needs that', () => {
  expect(loadedWith('main/adapters/database/index.ts')).toContain('pg')
  expect(loadedWith('main/adapters/objects/index.ts')).toContain('aws4fetch')
  const files = readdirSync(COMMANDS).map((name) => `${COMMANDS}/${name}`)
  for (const file of ['main/cli/index.ts', 'main/cli/parts/serving.ts', 'main/adapters/ports.ts', ...files])
    for (const client of ['pg', 'aws4fetch']) expect(loadedWith(file), file).not.toContain(client)
})
