import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { engagementCommand } from '../main/cli/commands/engagement.ts'
import { engagementTemplate } from '../main/core/engagement/template.ts'
import { BANNED } from '../schemas/words.ts'
import { commandLine } from './support/command-line.ts'
import { validator } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'

const ports = { ...createPorts(catalog), clock: { now: () => '2026-11-21T09:00:00.000Z', ticks: () => 0n } }
const fixtures = fileURLToPath(new URL('fixtures/engagement/', import.meta.url))
const folder = folderOfTests('engagement-cli')

const cli = commandLine(() => ports, engagementCommand)
/** Exit code and lines of one command; `out` is what machines read. */
async function run(...argv: readonly string[]) {
  const code = await cli.run('engagement', ...argv)
  const lines = cli.told.replaceAll(`${folder}/`, '').trim().split('\n')
  return { code, out: cli.printed, lines: lines.map((line) => line.trim()) }
}

/** Examples count once their mark is gone; explanations have a blank behind it. */
const uncommented = (text: string): string => text.replaceAll(/^#(?! \S)/gm, '')

test('a new file is written once, and states line by line what is to be filled in', async () => {
  const file = join(folder, 'new.yaml')
  expect((await run('new', file)).code).toBe(0)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('on: 2026-11-21')
  const again = await run('new', file)
  expect(again.code).toBe(2)
  expect(again.lines[0]).toContain('new.yaml already exists; nothing was written')
  expect(readFileSync(file, 'utf8')).toBe(text)
  const checked = await run('check', file)
  expect(checked.code).toBe(2)
  expect(checked.lines).toEqual([
    'The engagement file has problems:',
    ...['7:1: entity', '8:1: audience', '9:1: purpose', '14:1: owner'].map((at) => `new.yaml:${at} must not be empty`),
    ...['26:3: boundary.system', '31:3: boundary.owner'].map((at) => `new.yaml:${at} must not be empty`),
    ...['37:3: population.source', '39:3: population.owner'].map((at) => `new.yaml:${at} must not be empty`),
  ])
})

test('filled in, with every example in force, it is read whole', async () => {
  const text = uncommented(engagementTemplate('2026-11-21')).replaceAll('""', '"Somebody"').replace('[]', '[gpu-01]')
  writeFileSync(join(folder, 'filled.yaml'), text)
  writeFileSync(join(folder, 'invoice.csv'), readFileSync(join(fixtures, 'invoice.csv')))
  const read = must(await ports.declarations.engagement('filled.yaml', join(folder, 'fleet.yaml'), []))
  const { engagement } = read
  expect(validator.problems('engagement', engagement)).toEqual([])
  for (const part of [
    engagement.responsibilities,
    engagement.subserviceOrganizations,
    engagement.complementaryUserEntityControls,
  ])
    expect(part).toHaveLength(1)
  expect([engagement.ephi.stores.length, engagement.signOff.length, engagement.inventory?.rows.length]).toEqual([
    1, 1, 4,
  ])
  for (const banned of BANNED) expect(text).not.toMatch(banned)
})

test('what is declared, how the lists differ, and what is still empty', async () => {
  writeFileSync(
    join(folder, 'fleet.yaml'),
    `name: clinic
ephiPaths: [/data/ephi]
nodes:
  - { name: gpu-01, address: 203.0.113.10 }
  - { name: gpu-03, address: 203.0.113.13 }
`,
  )
  const file = join(fixtures, 'full.yaml')
  const { code, lines } = await run('check', file, '--fleet', join(folder, 'fleet.yaml'))
  expect(code).toBe(3)
  expect(lines[0]).toBe('Acme Health, from 2026-01-01 to 2026-12-31, for our HIPAA assessor and our SOC 2 auditor')
  expect(lines).toContain('population        2 nodes from asset register of 18 November (M. Ortiz, 2026-11-18)')
  expect(lines.slice(lines.indexOf('') + 1)).toEqual([
    'Population reconciliation before collection, differences:',
    '“gpu-02” is declared but not in the fleet file.',
    '“gpu-03” is in the fleet file but not declared.',
    '“gpu-02” matches no row of the provider inventory.',
    '“gpu-03” matches no row of the provider inventory.',
    'Unreconciled: row “S-1002” of the provider inventory matches no node (“203.0.113.11”, “0012345”). A collection may still match its serial number.',
    '',
    'ePHI map and fleet file, differences:',
    'The fleet file lists “/data/ephi” as an ePHI path on node “gpu-03”, but the map has no location there.',
    '',
    'Empty fields:',
    'A declared sign-off is not dated.',
  ])
  for (const banned of BANNED) expect(lines.join('\n')).not.toMatch(banned)
})

test('for machines; without a fleet file nothing is stated about one', async () => {
  const { code, out, lines } = await run('check', join(fixtures, 'short.yaml'), '--json')
  expect([code, lines]).toEqual([0, ['']])
  expect(JSON.parse(out)).toMatchObject({
    engagement: { entity: 'Acme Health' },
    fleet: null,
    coverage: { declared: 2, inFleet: 0, inventory: null, unreconciled: 0 },
    ephi: [],
    empty: expect.arrayContaining(['The engagement is a draft.', 'The ePHI map has no locations.']),
  })
})

test('a file that is not there', async () => {
  const { code, lines } = await run('check', join(folder, 'missing.yaml'))
  expect(code).toBe(2)
  expect(lines[0]).toContain('missing.yaml could not be read')
})
