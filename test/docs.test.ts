import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { SUBJECTS } from '../main/catalog/definition/subjects.ts'
import { COMMANDS } from '../main/cli/commands.ts'
import { EXIT } from '../main/cli/parts/options.ts'
import { commandLine } from '../main/cli/run-line.ts'
import type { Ports } from '../main/core/all-ports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** Anchors of a page, as GitHub makes them from headings. */
const anchorsOf = (path: string): readonly string[] =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe.each(pages)('%s', (page) => {
  test('links and pictures resolve', () => {
    const prose = read(page).replaceAll(/^```[\s\S]*?^```|`[^`\n]+`/gm, '')
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      expect(existsSync(join(root, file)), target).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(file), target).toContain(anchor)
    }
  })
})

test('the tour of the architecture is ten files and a thousand lines at most', () => {
  const tour = read('docs/architecture.md').split('## Ten-minute tour')[1]?.split('\n## ')[0] ?? ''
  const files = [...tour.matchAll(/`(main\/[^`]+\.\w+)`/g)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(5)
  expect(files.length).toBeLessThanOrEqual(10)
  expect(files.reduce((sum, file) => sum + read(file).split('\n').length, 0)).toBeLessThanOrEqual(1000)
})

const ROOMS = ['core', 'catalog', 'verify', 'present', 'app', 'adapters', 'server', 'cli'].map((name) => `main/${name}`)

describe('the README of a folder names what is in it', () => {
  const inCode = (text: string): readonly string[] => [...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name)
  const rows = (folder: string): string =>
    read(`${folder}/README.md`)
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .join('\n')

  test.each([
    ['schemas', /\.(ts|json)$/, ['types.ts']],
    ['main/electron', /\.ts$/, []],
    ...ROOMS.map((room): [string, RegExp, string[]] => [room, /\.ts$/, []]),
  ])('%s: each file', (folder, wanted, generated) => {
    const files = readdirSync(join(root, folder)).filter((name) => wanted.test(name) && !generated.includes(name))
    const named = inCode(rows(folder))
    expect(files.filter((name) => !named.includes(name))).toEqual([])
  })

  test.each(['main', 'renderer', 'test', ...ROOMS])('%s: each folder', (folder) => {
    // Subjects of the catalog are listed in subjects.ts.
    const folders = readdirSync(join(root, folder), { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !(folder === 'main/catalog' && SUBJECTS.some(({ id }) => id === entry.name)),
    )
    const named = inCode(rows(folder)).map((name) => name.split('/')[0])
    expect(folders.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([])
  })

  test.each(['schemas', 'main', 'main/electron', 'renderer', 'test', ...ROOMS])(
    '%s: nothing that is not there',
    (folder) => {
      const gone = read(`${folder}/README.md`)
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .flatMap((line) => inCode(line.split('|')[1] ?? ''))
        .filter((name) => !/[*<]/.test(name) && !existsSync(join(root, folder, name)))
      expect(gone.filter((name) => /[./]/.test(name))).toEqual([])
    },
  )
})

test('the README fits on few pages: at most 150 lines, no table wider than 100 columns', () => {
  const lines = read('README.md').trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(150)
  expect(lines.filter((line) => line.startsWith('|') && line.length > 100)).toEqual([])
})

test('every exit code is in the operations guide', () => {
  const codes = [...read('docs/operations-guide.md').matchAll(/^\| (\d+) \| /gm)].map(([, code]) => Number(code))
  expect(new Set(codes)).toEqual(new Set(Object.values(EXIT)))
})

/** Every command by its path without the program’s name, with its long options; former names are hidden and do not count. */
function commandOptions(): ReadonlyMap<string, ReadonlySet<string>> {
  const program = commandLine({} as Ports, COMMANDS, () => undefined)
  const found = new Map<string, ReadonlySet<string>>()
  const visit = (command: Command, path: string): void => {
    found.set(path, new Set(command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])))))
    for (const sub of command.commands) visit(sub, `${path} ${sub.name()}`.trim())
  }
  visit(program, '')
  return found
}

/**
 * What a page calls by the program’s name, in code: command path as far as it is one, and options. An account, a folder
 * or a package can have that name as well, as the last word of a line.
 */
const callsIn = (text: string): readonly string[] =>
  [
    ...text.replaceAll('\\\n', ' ').matchAll(/(?:(?<![\w/.=-])barewitness|main\/cli\.js) +([^\s`#|;&][^\n`#|;&]*)/g),
  ].map(([, call = '']) => call)

const commands = commandOptions()
describe('commands exist in', () => {
  test.each(pages)('%s', (page) => {
    for (const call of callsIn([...read(page).matchAll(/^```[\s\S]*?^```|`[^`\n]+`/gm)].join('\n'))) {
      const words = call.trim().split(/\s+/)
      const [first = ''] = words
      const path = first.startsWith('-') ? '' : [words.slice(0, 2).join(' '), first].find((one) => commands.has(one))
      if (path === undefined) expect.fail(`no command: ${call}`)
      for (const option of words.filter((word) => word.startsWith('--')))
        if (option !== '--help') expect([...(commands.get(path) ?? [])], call).toContain(option)
    }
  })
})
