import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readProgramSecrets } from '../../main/adapters/program-config.ts'
import { targetFor } from '../../main/app/collector/work.ts'
import { collectorCommand } from '../../main/cli/commands/collector.ts'
import { EXIT } from '../../main/cli/parts/options.ts'
import type { ConnectTarget } from '../../main/core/ports/ports.ts'
import { tokenDigest } from '../../main/core/team/jobs.ts'
import { problemsOf } from '../../main/server/settings.ts'
import type { CollectorConfig, CollectorJob, TeamConfig } from '../../schemas/types.ts'
import { commandLine } from '../support/command-line.ts'
import { targetOf } from '../support/deps.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { folderOfTests } from '../support/folders.ts'
import { jobOf } from '../support/queue-contract.ts'

const folder = folderOfTests('collector-cli')
const cli = commandLine(createFakePorts, collectorCommand)
const [, , EXAMPLE = ''] = /([\s\S]*?)```yaml\n(schema: barewitness\.collector[\s\S]*?)```/.exec(
  readFileSync('docs/team-server.md', 'utf8'),
) ?? ['', '', '']
writeFileSync(join(folder, 'fleet.yaml'), 'name: f\nnodes:\n  - name: node-1\n    address: 192.0.2.1\n')
const TOKEN = join(folder, 'token')
const writeToken = (): void => {
  rmSync(TOKEN, { force: true })
  writeFileSync(TOKEN, `${'t'.repeat(43)}\n`, { mode: 0o600 })
}
writeToken()
const fileWith = (text: string): string => {
  const path = join(folder, 'collector.yaml')
  writeFileSync(path, text)
  return path
}

test('the example of the documentation is valid', async () => {
  expect(EXAMPLE).not.toBe('')
  expect(await cli.run('collector', '--config', fileWith(EXAMPLE), '--check-config')).toBe(EXIT.done)
})

test.each<[string, (text: string) => string, RegExp]>([
  ['http beyond loopback', (text) => text.replace('https:', 'http:'), /collector\.yaml:\d+:\d+: server/],
  [
    'a host name that may be loopback',
    (text) => text.replace('https://audit.example.com', 'http://localhost:1'),
    /server/,
  ],
  ['a path in the address', (text) => text.replace('.com', '.com/x'), /server/],
  ['a member that the schema does not have', (text) => `${text}command: id\n`, /command/],
  ['another form of a zone', (text) => text.replace('frankfurt', '../frankfurt'), /zone/],
])('%s is refused with its place', async (_, change, problem) => {
  const changed = change(EXAMPLE)
  expect(changed).not.toBe(EXAMPLE)
  expect(await cli.run('collector', '--config', fileWith(changed), '--check-config')).toBe(EXIT.usage)
  expect(cli.told).toMatch(problem)
})

describe('the zone', () => {
  const without = EXAMPLE.replace('zone: frankfurt\n', '')
  test.each<[string, string, readonly string[], number]>([
    ['of the configuration', EXAMPLE, [], EXIT.done],
    ['of the option', without, ['--zone', 'paris'], EXIT.done],
    ['of both', EXAMPLE, ['--zone', 'frankfurt'], EXIT.done],
    ['of neither', without, [], EXIT.usage],
    ['differs', EXAMPLE, ['--zone', 'paris'], EXIT.usage],
    ['has another form', without, ['--zone', '../frankfurt'], EXIT.usage],
  ])('%s', async (_, text, option, code) => {
    expect(without).not.toBe(EXAMPLE)
    expect(await cli.run('collector', '--config', fileWith(text), ...option, '--check-config')).toBe(code)
    expect(cli.told).toMatch(/zone/)
    if (code === EXIT.done) expect(cli.told).toContain(option[1] ?? 'frankfurt')
  })
})

test.each(['missing', 'readable by others', 'no token'])('a token file that is %s is refused', async (how) => {
  if (how === 'missing') rmSync(TOKEN)
  else if (how === 'no token') writeFileSync(TOKEN, 'x\n')
  else chmodSync(TOKEN, 0o644)
  expect(await cli.run('collector', '--config', fileWith(EXAMPLE), '--check-config')).toBe(EXIT.usage)
  expect(cli.told).toContain(TOKEN)
  writeToken()
})

test('a fleet file that cannot be read is refused, and an option is needed', async () => {
  const config = fileWith(EXAMPLE.replace('fleet.yaml', 'none.yaml'))
  expect(await cli.run('collector', '--config', config, '--check-config')).toBe(EXIT.usage)
  expect(await cli.run('collector')).toBe(EXIT.usage)
})

describe('tokens', () => {
  const file = join(folder, 'new-token')
  test('a new one is readable by its owner only, never printed, and never replaces a file', async () => {
    expect(await cli.run('collector', '--new-token', file)).toBe(EXIT.done)
    const token = readFileSync(file, 'utf8').trim()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(cli.told).toContain(tokenDigest(token))
    expect(cli.told + cli.printed).not.toContain(token)
    expect(await cli.run('collector', '--new-token', file)).toBe(EXIT.usage)
    expect(readFileSync(file, 'utf8').trim()).toBe(token)
  })
  test('one that others can read, or that is none, is refused', () => {
    const config = { tokenFile: file } as CollectorConfig
    expect(readProgramSecrets(config).ok).toBe(true)
    chmodSync(file, 0o640)
    expect(readProgramSecrets(config)).toMatchObject({ error: { code: 'input.refused' } })
    writeFileSync(file, 'secret\n')
    chmodSync(file, 0o600)
    expect(readProgramSecrets(config)).toMatchObject({ error: { code: 'input.refused' } })
  })
})

describe('what a collector refuses to the server', () => {
  const own: ConnectTarget = {
    ...targetOf('node-1', { address: '192.0.2.1', sudo: true, vantage: { site: 'here', country: 'DE' } as never }),
    trust: { fingerprint: `SHA256:${'A'.repeat(43)}`, knownHostsFiles: [] },
  }
  const job = (node: Partial<CollectorJob['node']>, hostKey: string | null = null): CollectorJob => ({
    ...jobOf(1),
    node: { ...jobOf(1).node, ...node },
    hostKey,
  })
  test.each<[string, CollectorJob]>([
    ['a node that it does not know', job({ name: 'node-2' })],
    ['another address', job({ address: '192.0.2.2' })],
    ['another port', job({ port: 2222 })],
    ['another account', job({ user: 'root' })],
    ['other rights', job({ sudo: false })],
    ['another host key', job({}, `SHA256:${'B'.repeat(43)}`)],
  ])('%s', (_, asked) => {
    expect(targetFor(asked, [own]).ok).toBe(false)
  })
  test('login, host keys and vantage are its own, and declarations those of the server', () => {
    const target = targetFor(job({ role: 'database', vantage: { site: 'there', country: 'US' } as never }), [own])
    expect(target).toMatchObject({
      ok: true,
      value: { trust: own.trust, credentials: own.credentials, node: { role: 'database', vantage: own.node.vantage } },
    })
  })
})

describe('collectors in the configuration of a server', () => {
  const one = { name: 'one', zone: 'z', engagement: 'clinic', tokenDigest: 'a'.repeat(64) }
  const config = (collectors: TeamConfig['collectors']): TeamConfig => ({
    schema: 'barewitness.team/1',
    listen: { address: '127.0.0.1', port: 0 },
    oidc: { issuer: 'http://127.0.0.1:1', clientId: 'c', rolesClaim: 'roles', groupsClaim: 'groups' },
    roles: {},
    engagements: [{ name: 'clinic', folder: '/clinic', enter: { groups: ['g'] } }],
    auditLog: '/audit.jsonl',
    ...(collectors === undefined ? {} : { collectors }),
  })
  test.each([
    ['one name twice', [one, { ...one, tokenDigest: 'b'.repeat(64) }], 'name'],
    ['one token twice', [one, { ...one, name: 'two' }], 'tokenDigest'],
    [
      'an unknown engagement',
      [one, { ...one, name: 'two', tokenDigest: 'b'.repeat(64), engagement: 'lab' }],
      'engagement',
    ],
  ])('%s is refused', (_, collectors, member) => {
    expect(problemsOf(config(collectors)).map(({ path }) => path)).toEqual([['collectors', 1, member]])
    expect(problemsOf(config([one]))).toEqual([])
  })
})
