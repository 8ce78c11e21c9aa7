import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { vantageCommand } from '../main/cli/commands/vantage.ts'
import { EXIT } from '../main/cli/parts/options.ts'
import { fail, ok } from '../main/core/base/failure.ts'
import type { Transport } from '../main/core/ports/ports.ts'
import type { VantageRecord } from '../schemas/types.ts'
import { commandLine } from './support/command-line.ts'
import { folderOfTests } from './support/folders.ts'
import { localConnection } from './support/local-transport.ts'
import { sampleSigner } from './support/sample-pack.ts'

const folder = folderOfTests('vantage-cli')
const real = createPorts(catalog)
const at = (name: string): string => join(folder, name)
let contacted: string[] = []
const transport: Transport = {
  connect: async ({ node }) => {
    contacted.push(node.name)
    return node.name === 'gone' ? fail('ssh.unreachable', 'nobody is there') : ok(localConnection(['sh', '-s']))
  },
}

beforeAll(async () => {
  await sampleSigner(folder, 'prober')
  writeFileSync(at('secret'), 'a long passphrase\n')
  chmodSync(at('secret'), 0o600)
  const key = `hostKey: SHA256:${'A'.repeat(43)}, address: 127.0.0.1`
  writeFileSync(
    at('fleet.yaml'),
    `name: sample\nlocationSpreadSeconds: 0\nnodes:\n  - { name: node-a, ${key} }\n  - { name: gone, ${key} }\n`,
  )
})

const cli = commandLine(() => ({ ...real, transport }), vantageCommand)
async function run(...argv: readonly string[]) {
  contacted = []
  const code = await cli.run('vantage', ...argv)
  return { code, told: cli.told.replaceAll(`${folder}/`, ''), out: cli.printed }
}

const PLACE = 'Office, Frankfurt, 50.11, 8.68, 2'
const recording = (place: string, out: string, ...more: readonly string[]) =>
  run(
    ...['measure', '--fleet', at('fleet.yaml'), '--location', place, '--declared-by', 'M. Ortiz', '--country', 'DE'],
    ...['--identity-folder', folder, '--identity', 'prober', '--passphrase-file', at('secret'), '-o', at(out), ...more],
  )
const kept = (name: string): VantageRecord => JSON.parse(readFileSync(at(name), 'utf8')) as VantageRecord

test('a fleet is timed, and the record states what was not; it reads back with its signer', async () => {
  const made = await recording(PLACE, 'one.json', '--json')
  expect(made.code).toBe(EXIT.incomplete)
  expect(contacted).toEqual(['node-a', 'gone'])
  const record = kept('one.json')
  expect(record.vantage).toEqual({
    name: 'Office, Frankfurt',
    country: 'DE',
    latitude: 50.11,
    longitude: 8.68,
    radiusKm: 2,
    declaredBy: 'M. Ortiz',
  })
  expect(JSON.parse(made.out)).toEqual(record)
  expect(made.told).toMatch(/node-a: \d+ round trips measured\n/)
  expect(made.told).toContain('1 of 2 nodes measured')
  expect(made.told).toContain('gone: not measured (ssh.unreachable: nobody is there)')
  expect(made.told).toContain('Not shown: that the SSH responder is the server itself')
  const checked = await run('check', at('one.json'), '--json')
  expect(checked.code).toBe(EXIT.done)
  expect(checked.told).toContain('declared by M. Ortiz; this location is not measured')
  expect(checked.told).toContain(`signed      Sample prober, key ${record.signature.fingerprint}`)
  expect(JSON.parse(checked.out)).toEqual({
    record,
    signer: { subject: 'Sample prober', fingerprint: record.signature.fingerprint },
  })
  const whole = await recording(PLACE, 'two.json', '--node', 'node-a')
  expect(whole.code).toBe(EXIT.done)
  expect(kept('two.json').measurements.map(({ node }) => node)).toEqual(['node-a'])
})

test.each([
  ['Office', /--location must be NAME, LATITUDE, LONGITUDE, KM/],
  ['Office, 50.11, east, 2', /--location must be NAME/],
  ['Office, 1e1, 8, 2', /--location must be NAME/],
  ['Office, 50.11, 8.68, 51', /accuracy of only 51 km/],
  ['IP-derived, 50.11, 8.68, 2', /a person must declare it/],
  ['Office, 150, 8.68, 2', /latitude/],
])('the place “%s” is refused before any node is contacted', async (place, words) => {
  const { code, told } = await recording(place, 'refused.json')
  expect(code).toBe(EXIT.usage)
  expect(told).toMatch(words)
  expect(contacted).toEqual([])
})

test('a file that is there, a node that is not, and a wrong passphrase stop it before any node is contacted', async () => {
  writeFileSync(at('there.json'), '{}')
  expect((await recording(PLACE, 'there.json')).told).toContain('there.json already exists')
  expect((await recording(PLACE, 'new.json', '--node', 'nobody')).told).toContain('has no node with this name')
  writeFileSync(at('secret'), 'a wrong passphrase\n')
  expect((await recording(PLACE, 'new.json')).code).toBe(EXIT.usage)
  writeFileSync(at('secret'), 'a long passphrase\n')
  expect(contacted).toEqual([])
})

test('a record that was changed is refused, and so is a place that was not declared', async () => {
  await recording(PLACE, 'three.json', '--node', 'node-a')
  writeFileSync(at('four.json'), readFileSync(at('three.json'), 'utf8').replace('50.11', '51.11'))
  const checked = await run('check', at('four.json'))
  expect(checked.code).toBe(EXIT.usage)
  expect(checked.told).toContain('Its signature is invalid')
  expect((await run('check', at('absent.json'))).told).toContain('absent.json could not be read')
  const undeclared = ['measure', '--fleet', at('fleet.yaml'), '--location', PLACE, '-o', at('five.json')]
  await expect(run(...undeclared)).rejects.toThrow('--declared-by')
})
