import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sealerCommand } from '../../main/cli/commands/sealer.ts'
import { EXIT } from '../../main/cli/parts/options.ts'
import { tokenDigest } from '../../main/core/team/jobs.ts'
import { problemsOf } from '../../main/server/settings.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { commandLine } from '../support/command-line.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { folderOfTests } from '../support/folders.ts'

const folder = folderOfTests('sealer-cli')
const cli = commandLine(createFakePorts, sealerCommand)
const [, , EXAMPLE = ''] = /([\s\S]*?)```yaml\n(schema: barewitness\.sealer[\s\S]*?)```/.exec(
  readFileSync('docs/team-server.md', 'utf8'),
) ?? ['', '', '']
const TOKEN = join(folder, 'token')
const writeToken = (): void => {
  rmSync(TOKEN, { force: true })
  writeFileSync(TOKEN, `${'t'.repeat(43)}\n`, { mode: 0o600 })
}
writeToken()
const fileWith = (text: string): string => {
  const path = join(folder, 'sealer.yaml')
  writeFileSync(path, text)
  return path
}

test('the example of the documentation is valid', async () => {
  expect(EXAMPLE).not.toBe('')
  expect(await cli.run('sealer', '--config', fileWith(EXAMPLE), '--check-config')).toBe(EXIT.done)
})

test.each<[string, (text: string) => string, RegExp]>([
  ['http beyond loopback', (text) => text.replace('https:', 'http:'), /sealer\.yaml:\d+:\d+: server/],
  ['a path in the address', (text) => text.replace('.com', '.com/x'), /server/],
  ['a member that the schema does not have', (text) => `${text}passphrase: x\n`, /passphrase/],
  ['no record', (text) => text.replace(/record.*\n/, ''), /record/],
])('%s is refused with its place', async (_, change, problem) => {
  expect(await cli.run('sealer', '--config', fileWith(change(EXAMPLE)), '--check-config')).toBe(EXIT.usage)
  expect(cli.told).toMatch(problem)
})

test.each(['missing', 'readable by others', 'no token'])('a token file that is %s is refused', async (how) => {
  if (how === 'missing') rmSync(TOKEN)
  else if (how === 'no token') writeFileSync(TOKEN, 'x\n')
  else chmodSync(TOKEN, 0o644)
  expect(await cli.run('sealer', '--config', fileWith(EXAMPLE), '--check-config')).toBe(EXIT.usage)
  expect(cli.told).toContain(TOKEN)
  writeToken()
})

test('an option is needed, and a new token is for the list of sealers', async () => {
  expect(await cli.run('sealer')).toBe(EXIT.usage)
  const file = join(folder, 'new-token')
  expect(await cli.run('sealer', '--new-token', file)).toBe(EXIT.done)
  expect(cli.told).toContain(tokenDigest(readFileSync(file, 'utf8').trim()))
  expect(cli.told).toContain('“sealers”')
})

describe('sealers in the configuration of a server', () => {
  const one = { name: 'one', engagement: 'clinic', tokenDigest: 'a'.repeat(64), certificate: 'c'.repeat(64) }
  const collector = { name: 'one', zone: 'z', engagement: 'clinic', tokenDigest: 'd'.repeat(64) }
  const config = (sealers: NonNullable<TeamConfig['sealers']>): TeamConfig => ({
    schema: 'barewitness.team/1',
    listen: { address: '127.0.0.1', port: 0 },
    oidc: { issuer: 'http://127.0.0.1:1', clientId: 'c', rolesClaim: 'roles', groupsClaim: 'groups' },
    roles: {},
    engagements: [{ name: 'clinic', folder: '/clinic', enter: { groups: ['g'] } }],
    collectors: [collector],
    sealers,
    auditLog: '/audit.jsonl',
  })
  test.each([
    ['one name twice', { ...one, tokenDigest: 'b'.repeat(64) }, 'name'],
    ['one token twice', { ...one, name: 'two' }, 'tokenDigest'],
    ['the token of a collector', { ...one, name: 'two', tokenDigest: collector.tokenDigest }, 'tokenDigest'],
    ['an unknown engagement', { ...one, name: 'two', tokenDigest: 'b'.repeat(64), engagement: 'lab' }, 'engagement'],
  ])('%s is refused', (_, second, member) => {
    expect(problemsOf(config([one, second])).map(({ path }) => path)).toEqual([['sealers', 1, member]])
    expect(problemsOf(config([one]))).toEqual([])
  })
})
