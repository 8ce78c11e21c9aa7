import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { familyOf, REMEDIATIONS, remediationOf, variantsFor } from '../main/catalog/definition/remediation.ts'
import { catalogCommand } from '../main/cli/commands/catalog.ts'
import { fixesCommand } from '../main/cli/commands/fixes.ts'
import { ok } from '../main/core/base/failure.ts'
import { documentText } from '../main/core/base/report-document.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { workOrderOf } from '../main/core/finding/work-order.ts'
import { workOrderDocument } from '../main/present/formats/work-order-document.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'
import { registerOf, responseOf } from './support/register.ts'

const NODES = ['demo-shared-05', 'demo-guest-03'] as const
let root = ''
const ports = createPorts(catalog)
const folder = (name: string): string => join(root, name)

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bw-fixes-'))
  for (const name of NODES)
    expect(await ports.writeRecording(folder(name), fixtureRecording(name, catalog.probes))).toMatchObject({ ok: true })
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
    for (const command of [fixesCommand, catalogCommand]) command({ ports, program, exit })
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
  ['another kind of file', ['demo-guest-03'], ['--out', 'order.txt'], '.md, .csv or .pdf'],
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

test('a work order is written as a PDF, and in one format as in another', async () => {
  const pdf = join(root, 'order.pdf')
  expect(await ran('fixes', folder('demo-shared-05'), '--out', pdf)).toMatchObject({ code: 0 })
  expect(readFileSync(pdf).subarray(0, 5).toString('latin1')).toBe('%PDF-')
  const again = join(root, 'order-again.pdf')
  const asOf = ['--as-of', '2027-01-01T00:00:00.000Z']
  await ran('fixes', folder('demo-shared-05'), '--out', pdf, ...asOf)
  await ran('fixes', folder('demo-shared-05'), '--out', again, ...asOf)
  expect(readFileSync(pdf).equals(readFileSync(again))).toBe(true)
})

test('with --all every node has a work order, and every owner that a response names', async () => {
  const out = join(root, 'orders')
  const register = join(root, 'register.json')
  const statedAt = '2026-11-01T08:00:00.000Z'
  const responses = [
    responseOf({ id: '1'.repeat(32), check: 'tenancy.user-census', owner: '../K. Adeyemi', statedAt }),
    responseOf({ id: '2'.repeat(32), check: 'access.ssh.password-login', owner: 'k adeyemi', statedAt }),
  ]
  writeFileSync(register, JSON.stringify(registerOf({ responses })))
  const all = (...more: readonly string[]) => ran('fixes', ...NODES.map(folder), '--all', '--out', out, ...more)
  expect(await all('--register', register, '--format', 'md')).toMatchObject({ code: 0 })
  expect(readdirSync(out).sort()).toEqual([...NODES.map((name) => `${name}.md`), 'owners'].sort())
  const owners = readdirSync(join(out, 'owners'))
  expect(owners.length).toBeGreaterThan(0)
  for (const file of owners) expect(file).toMatch(/^k/)
  expect(readFileSync(join(out, 'owners', owners[0] ?? ''), 'utf8')).toContain('- Owner: ')
  expect(await all('--format', 'odt')).toMatchObject({ code: 2 })
  expect(await all('--provider')).toMatchObject({ code: 2 })
})

test('the address databases of a fleet file are queried, as they are for findings', async () => {
  const { recording, captures } = fixtureRecording('demo-guest-03', catalog.probes)
  const node = { ...recording.node, address: '9.9.9.9' }
  const own = folder('public-address')
  expect(await ports.writeRecording(own, { recording: { ...recording, node }, captures })).toMatchObject({ ok: true })
  const nodes = [{ name: node.name, address: node.address, user: node.user }]
  const fleet = join(root, 'fleet.json')
  writeFileSync(fleet, JSON.stringify({ name: 'f', nodes, addressDatabases: [{ file: 'a.csv' }] }))
  writeFileSync(join(root, 'a.csv'), '9.9.9.0,9.9.9.255,US\n')
  const queried = vi.spyOn(ports.declarations, 'addressDatabase')
  const answer = vi.fn(() => null)
  queried.mockImplementation(async (...input) => {
    queried.mockRestore()
    const opened = await ports.declarations.addressDatabase(...input)
    return opened.ok ? ok({ ...opened.value, answer }) : opened
  })
  expect(await ran('fixes', own, '--fleet', fleet, '--out', join(root, 'public.md'))).toMatchObject({ code: 0 })
  expect(answer).toHaveBeenCalledWith('9.9.9.9')
})

test('the document of a work order has every deviation, step and expected result of the Markdown', () => {
  const loaded = fixtureRecording('demo-shared-05', catalog.probes)
  const assessment = assess({
    catalog,
    scope: { fleet: 'demo', population: ['demo-shared-05'], frameworks: ['hipaa'] },
    recordings: [loaded],
    asOf: FIXTURE_TIME,
  })
  const [node] = assessment.nodes
  if (node === undefined) throw new Error('no node')
  const order = workOrderOf({
    ...{ catalog, node, asOf: FIXTURE_TIME, demo: false, register: registerOf({}) },
    ...{ family: familyOf(loaded), holds: () => false, remediationOf, variantsFor },
  })
  const printed = documentText(workOrderDocument([order], { title: node.node, producer: 'test', paper: 'letter' }))
  for (const { finding, condition, variants } of order.items) {
    expect(printed.some((text) => text.endsWith(finding))).toBe(true)
    expect(printed).toContain(condition)
    for (const { commands = [], verify } of variants) {
      for (const command of commands) expect(printed).toContain(command)
      expect(printed).toContain(`Expected: ${verify.expected}`)
    }
  }
})
