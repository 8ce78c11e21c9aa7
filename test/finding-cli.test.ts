import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { findingCommand } from '../main/cli/commands/finding.ts'
import { EXIT } from '../main/cli/parts/options.ts'
import { findingReference } from '../main/core/finding/finding.ts'
import { readEntries } from '../main/verify/steps/entries.ts'
import type { ManagementResponse, Register } from '../schemas/types.ts'
import { commandLine } from './support/command-line.ts'
import { fixtureRecording } from './support/fixtures.ts'
import { folderOfTests } from './support/folders.ts'
import { sampleSigner } from './support/sample-pack.ts'

const folder = folderOfTests('finding-cli')
const [register, table, identities, secret] = ['register.json', 'responses.csv', 'identities', 'secret'].map((name) =>
  join(folder, name),
) as [string, string, string, string]
const NODES = ['demo-shared-05', 'demo-guest-03'] as const
const recordings = NODES.map((name) => join(folder, name))
const ports = createPorts(catalog)
const CHECK = 'tenancy.user-census'
const REFERENCE = findingReference('recordings', CHECK)
const due = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const cli = commandLine(() => ports, findingCommand)
const there = ['--register', register]
const key = ['--identity', 'officer', '--identity-folder', identities, '--passphrase-file', secret]
const stated = (): readonly ManagementResponse[] =>
  (JSON.parse(readFileSync(register, 'utf8')) as Register).responses ?? []

beforeAll(async () => {
  for (const [at, name] of NODES.entries())
    expect(await ports.writeRecording(recordings[at] ?? '', fixtureRecording(name, catalog.probes))).toMatchObject({
      ok: true,
    })
  mkdirSync(identities)
  await sampleSigner(identities, 'officer')
  writeFileSync(secret, 'a long passphrase\n')
  chmodSync(secret, 0o600)
})
beforeEach(() => rmSync(register, { force: true }))

const respond = (...more: readonly string[]): Promise<number> =>
  cli.run('finding', 'respond', REFERENCE, ...there, '--by', 'M. Ortiz', ...more)

test('findings are listed, the most severe first, also as JSON', async () => {
  expect(await cli.run('finding', 'list', ...recordings, '--json')).toBe(EXIT.done)
  const { fleet, findings } = JSON.parse(cli.printed) as {
    readonly fleet: string
    readonly findings: readonly { readonly reference: string; readonly check: string; readonly severity: string }[]
  }
  expect(fleet).toBe('recordings')
  expect(findings.find(({ check }) => check === CHECK)?.reference).toBe(REFERENCE)
  const order = ['critical', 'high', 'medium', 'low', 'info']
  const levels = findings.map(({ severity }) => order.indexOf(severity))
  expect(levels).toEqual([...levels].sort((a, b) => a - b))
  expect(cli.told).toMatch(new RegExp(`^${REFERENCE}  \\w+  `, 'm'))
  expect(cli.told).toMatch(/\n {6}Deviations: [12] of 2 nodes tested\. Open\. Owner not assigned\n/)
  expect(cli.told).toContain('No fleet file was given: references and severities can differ')
})

test('a response is recorded, shown with its finding, and takes effect in the list', async () => {
  expect(
    await respond('--status', 'in-progress', '--owner', 'K. Adeyemi', '--due', due, '--plan', 'Remove the accounts.'),
  ).toBe(EXIT.done)
  expect(stated()).toMatchObject([{ check: CHECK, status: 'in-progress', due: `${due}T23:59:59.999Z` }])
  expect(cli.told).toContain('Not digitally signed')
  expect(await cli.run('finding', 'list', ...recordings, ...there)).toBe(EXIT.done)
  expect(cli.told).toContain(`1 of 2 nodes tested. In progress. Owner: K. Adeyemi, due ${due}`)
  expect(await cli.run('finding', 'show', REFERENCE.toLowerCase(), ...recordings, ...there)).toBe(EXIT.done)
  expect(cli.told).toContain('Plan: Remove the accounts.')
  expect(cli.told).toContain('Criterion: ')
})

test('a response is signed by the person who states it', async () => {
  expect(await respond('--status', 'ready-for-retest', ...key)).toBe(EXIT.done)
  const read = await readEntries(ports.sealing.reader, { ...(JSON.parse(readFileSync(register, 'utf8')) as Register) })
  expect(read.problems).toEqual([])
  expect(stated()[0]?.signatures).toMatchObject([{ role: 'respondent' }])
})

test('a response that was recorded unsigned is signed later, by its finding or its ID', async () => {
  await respond('--status', 'in-progress')
  const sign = (text: string, ...more: readonly string[]) => cli.run('finding', 'sign', text, ...there, ...more)
  expect(await sign(REFERENCE)).toBe(EXIT.usage)
  expect(cli.told).toMatch(/--identity is required/)
  expect(await sign('F-000000', ...key)).toBe(EXIT.usage)
  expect(await sign(REFERENCE, ...key)).toBe(EXIT.done)
  expect(stated()).toMatchObject([{ check: CHECK, signatures: [{ role: 'respondent' }] }])
  const read = await readEntries(ports.sealing.reader, { ...(JSON.parse(readFileSync(register, 'utf8')) as Register) })
  expect(read.problems).toEqual([])
  await respond('--status', 'ready-for-retest')
  expect(await sign(stated()[1]?.id.slice(0, 8) ?? '', ...key)).toBe(EXIT.done)
  expect(stated().map(({ signatures }) => signatures?.length)).toEqual([1, 1])
})

test.each<[string, readonly string[], RegExp]>([
  ['an unknown status', ['--status', 'closed'], /--status must be one of/],
  ['a dispute without a reason', ['--status', 'disputed'], /a dispute needs a plan/],
  ['a day in the past', ['--status', 'open', '--due', '2020-01-01'], /the due day is in the past/],
  ['nothing', ['--status', 'open'], /enter a status/],
])('%s is refused, and no register begins', async (_, more, detail) => {
  expect(await respond(...more)).toBe(EXIT.usage)
  expect(cli.told).toMatch(detail)
  expect(existsSync(register)).toBe(false)
})

test('a finding that is unknown, or that the recordings do not show, is refused', async () => {
  const to = (...more: readonly string[]) =>
    cli.run('finding', 'respond', ...more, ...there, '--by', 'M. Ortiz', '--status', 'in-progress')
  expect(await to('F-000000')).toBe(EXIT.usage)
  expect(cli.told).toMatch(/there is no finding or check “F-000000”/)
  expect(await to('evidence.host-identity', ...recordings)).toBe(EXIT.usage)
  expect(cli.told).toMatch(/show no deviation/)
  expect(await to(CHECK, ...recordings)).toBe(EXIT.done)
})

test('a response is withdrawn by its finding or its ID, and stays in the register', async () => {
  await respond('--status', 'in-progress', '--owner', 'first')
  await respond('--status', 'ready-for-retest')
  const withdraw = (text: string) =>
    cli.run('finding', 'withdraw', text, ...there, '--by', 'M. Ortiz', '--reason', 'Stated too early.')
  expect(await withdraw(stated()[0]?.id.slice(0, 8) ?? '')).toBe(EXIT.done)
  expect(stated().map(({ withdrawn }) => withdrawn === null)).toEqual([false, true])
  expect(await withdraw(REFERENCE)).toBe(EXIT.done)
  expect(stated().every(({ withdrawn }) => withdrawn !== null)).toBe(true)
  expect(await withdraw(REFERENCE)).toBe(EXIT.usage)
  expect(cli.told).toMatch(/no current response/)
})

test.each(['csv', 'xlsx'])('findings are exported as %s and read back, all or none', async (kind) => {
  const path = join(folder, `responses.${kind}`)
  await respond('--status', 'in-progress', '--owner', 'K. Adeyemi', '--plan', '=Remove, "all"; then restart')
  const exported = () => cli.run('finding', 'export', ...recordings, ...there, '--out', path)
  const imported = (...more: readonly string[]) =>
    cli.run('finding', 'import', path, ...there, '--by', 'M. Ortiz', ...more)
  expect(await exported()).toBe(EXIT.done)
  const before = readFileSync(register, 'utf8')
  expect(await imported()).toBe(EXIT.done)
  expect(cli.told).toMatch(/^0 responses recorded; \d+ rows unchanged/)
  expect(readFileSync(register, 'utf8')).toBe(before)
  rmSync(register)
  expect(await imported(...key)).toBe(EXIT.done)
  expect(stated()).toMatchObject([
    { check: CHECK, plan: '=Remove, "all"; then restart', signatures: [{ role: 'respondent' }] },
  ])
})

test('a table with one row that is not valid stores nothing', async () => {
  expect(await cli.run('finding', 'export', ...recordings, '--out', table)).toBe(EXIT.done)
  const lines = readFileSync(table, 'utf8').split('\r\n')
  const filled = lines.map((line, at) => (at === 1 ? line.replace(/,,,,,$/, ',Open,K. Adeyemi,,,') : line))
  const wrong = filled.map((line, at) => (at === 2 ? line.replace(/,,,,,$/, ',Open,,31.12.2026,,') : line))
  writeFileSync(table, wrong.join('\r\n'))
  const imported = () => cli.run('finding', 'import', table, ...there, '--by', 'M. Ortiz')
  expect(await imported()).toBe(EXIT.usage)
  expect(cli.told).toMatch(/row 3: the due day must be a date.*Nothing was stored/)
  expect(existsSync(register)).toBe(false)
  writeFileSync(table, filled.join('\r\n'))
  expect(await imported()).toBe(EXIT.done)
  expect(stated()).toMatchObject([{ owner: 'K. Adeyemi', status: 'open' }])
})
