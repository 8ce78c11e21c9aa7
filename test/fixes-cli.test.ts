import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createWorld } from '../main/adapters/world.ts'
import { catalog } from '../main/catalog/index.ts'
import { REMEDIATIONS } from '../main/catalog/remediation.ts'
import { catalogCommand } from '../main/cli/commands/catalog.ts'
import { fixesCommand } from '../main/cli/commands/fixes.ts'
import { fixtureRecording } from './support/fixtures.ts'

const NODES = ['demo-shared-05', 'demo-guest-03'] as const
let root = ''
const world = createWorld(catalog)
const folder = (name: string): string => join(root, name)

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bw-fixes-'))
  for (const name of NODES)
    expect(await world.writeRecording(folder(name), fixtureRecording(name, catalog.probes))).toMatchObject({ ok: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Runs a command line, and returns its exit code and what it printed. */
async function ran(...argv: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  let [code, text] = [0, '']
  const keep = (piece: string | Uint8Array): boolean => {
    text += String(piece)
    return true
  }
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(keep))
  try {
    const program = new Command('barewitness').exitOverride()
    const exit = (next: number): void => {
      code = next
    }
    for (const command of [fixesCommand, catalogCommand]) command({ world, program, exit })
    await program.parseAsync(argv, { from: 'user' })
    return { code, text }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

test('a work order is written as Markdown and as a table', async () => {
  const [markdown, table] = [join(root, 'order.md'), join(root, 'order.csv')]
  const written = await ran('fixes', folder('demo-shared-05'), '--out', markdown)
  expect(written).toMatchObject({ code: 0, text: expect.stringContaining('not satisfied on demo-shared-05') })
  expect(readFileSync(markdown, 'utf8')).toContain('# Work order for demo-shared-05')
  await ran('fixes', ...NODES.map(folder), '--node', 'demo-shared-05', '--out', table)
  const [head = '', ...rows] = readFileSync(table, 'utf8').split('\r\n')
  expect(head).toContain('node,check,deviation')
  expect(rows.length).toBeGreaterThan(10)
})

test('a letter to the provider is about every recorded node', async () => {
  const letter = join(root, 'letter.md')
  expect(await ran('fixes', ...NODES.map(folder), '--provider', '--out', letter)).toMatchObject({ code: 0 })
  const text = readFileSync(letter, 'utf8')
  expect(text).toContain('# Letter to the provider')
  for (const name of NODES) expect(text).toContain(name)
})

test.each([
  ['several nodes without a name', [...NODES], ['--out', 'order.md'], 'select one with --node'],
  ['an unknown node', ['demo-guest-03'], ['--node', 'other', '--out', 'order.md'], 'no recording is of this node'],
  ['another kind of file', ['demo-guest-03'], ['--out', 'order.txt'], '.md or .csv'],
  ['a letter as a table', ['demo-guest-03'], ['--provider', '--out', 'letter.csv'], 'must end in .md'],
])('%s is refused', async (_name, nodes, options, words) => {
  const { code, text } = await ran('fixes', ...nodes.map(folder), ...options)
  expect([code, text]).toEqual([expect.any(Number), expect.stringContaining(words)])
  expect(code).not.toBe(0)
})

test('the steps of the catalog are listed by check, and as JSON', async () => {
  const { text } = await ran('catalog', 'fixes')
  const lines = text.trim().split('\n')
  for (const { check } of REMEDIATIONS) expect(lines.some((line) => line.startsWith(`${check}  `))).toBe(true)
  expect(lines.at(-1)).toMatch(/^Tested on real systems: \d+ of \d+ checks\.$/)
  expect(JSON.parse((await ran('catalog', 'fixes', '--json')).text)).toEqual(REMEDIATIONS)
})
