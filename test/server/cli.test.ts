import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readTeamSecrets } from '../../main/adapters/team-config.ts'
import { serveCommand } from '../../main/cli/commands/serve.ts'
import { EXIT } from '../../main/cli/parts/options.ts'
import { teamConfigIn } from '../../main/cli/parts/serving.ts'
import { EMPTY_LOG } from '../../main/server/audit.ts'
import { chainedLine } from '../../main/server/chained-log.ts'
import { auditEvent } from '../../main/server/edge/services/parts.ts'
import { commandLine } from '../support/command-line.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { newCertificate } from '../support/loopback-certificate.ts'
import { must } from '../support/outcomes.ts'

const folder = mkdtempSync(join(tmpdir(), 'barewitness-serve-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const cli = commandLine(createFakePorts, serveCommand)
const [CERTIFICATE, KEY, SECRET] = ['tls/certificate.pem', 'tls/key.pem', 'client-secret'].map((name) =>
  join(folder, name),
) as [string, string, string]
const pair = await newCertificate()
const writeSecrets = (): void => {
  mkdirSync(join(folder, 'tls'), { recursive: true })
  writeFileSync(CERTIFICATE, pair.cert)
  writeFileSync(KEY, pair.key, { mode: 0o600 })
  writeFileSync(SECRET, 'secret-words\n', { mode: 0o600 })
}
beforeAll(writeSecrets)

const EXAMPLE = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/team-server.md', 'utf8'))?.[1] ?? ''
const fileWith = (text: string): string => {
  const path = join(folder, 'team.yaml')
  writeFileSync(path, text)
  return path
}

test('the example of the documentation is valid, with paths beside the file', async () => {
  const file = fileWith(EXAMPLE)
  expect(await cli.run('serve', '--config', file, '--check-config')).toBe(EXIT.done)
  const config = must(await teamConfigIn(file))
  expect(config.auditLog).toBe(join(folder, 'audit.jsonl'))
  expect(config.engagements.map(({ folder: path }) => path)).toEqual([
    join(folder, 'engagements/clinic-2026'),
    join(folder, 'engagements/lab-2026'),
  ])
})

describe('a configuration is refused with the position of the problem', () => {
  test.each<[string, (text: string) => string, RegExp]>([
    [
      'no loopback without TLS',
      (text) => text.replace(/ {2}tls:\n(?: {4}.*\n)+/, ''),
      /team\.yaml:\d+:\d+: listen\.address/,
    ],
    ['an unknown role', (text) => text.replace(': officer', ': owner'), /roles/],
    ['an unknown member', (text) => `${text}\nother: 1\n`, /other/],
    [
      'one folder twice',
      (text) => text.replace('engagements/lab-2026', 'engagements/clinic-2026/x'),
      /engagements\[1\]\.folder/,
    ],
  ])('%s', async (_, change, problem) => {
    const changed = change(EXAMPLE)
    expect(changed).not.toBe(EXAMPLE)
    expect(await cli.run('serve', '--config', fileWith(changed), '--check-config')).toBe(EXIT.usage)
    expect(cli.told).toMatch(problem)
  })
})

describe('integrations of an engagement', () => {
  const named = (path: string): string =>
    EXAMPLE.replace('    enter:\n      groups', `    integrations: ${path}\n    enter:\n      groups`)
  const check = (text: string): Promise<number> => cli.run('serve', '--config', fileWith(text), '--check-config')
  const BASE = { schema: 'barewitness.integrations/1', sender: 's', outbox: 'outbox' }
  const write = (config: object): void => writeFileSync(join(folder, 'send.json'), JSON.stringify(config))

  test('are validated with the server, with paths beside the file', async () => {
    expect(await check(named('nowhere.yaml'))).toBe(EXIT.usage)
    write({ ...BASE, mail: [] })
    expect(await check(named('send.json'))).toBe(EXIT.usage)
    write(BASE)
    expect(await check(named('send.json'))).toBe(EXIT.usage)
    expect(cli.told).toContain('trust')
    const config = await teamConfigIn(fileWith(named('send.json')))
    expect(config).toMatchObject({
      ok: true,
      value: { engagements: [{ integrations: join(folder, 'send.json') }, {}] },
    })
  })

  test('one file for two engagements is refused', async () => {
    const both = named('send.json').replace(
      '    enter:\n      people',
      '    integrations: send.json\n    enter:\n      people',
    )
    expect(await check(both)).toBe(EXIT.usage)
    expect(cli.told).toMatch(/engagements\[1\]\.integrations/)
  })
})

test('a key or client secret that others can read is refused', async () => {
  const config = must(await teamConfigIn(fileWith(EXAMPLE)))
  const files = ['client-secret', 'tls/key.pem', 'tls/certificate.pem']
  for (const file of files) writeFileSync(join(folder, file), 'x\n', { mode: 0o600 })
  expect(readTeamSecrets(config)).toEqual({
    ok: true,
    value: { tls: { cert: 'x\n', key: 'x\n' }, clientSecret: 'x', database: null, objects: null },
  })
  for (const file of files.slice(0, 2)) {
    chmodSync(join(folder, file), 0o644)
    const read = readTeamSecrets(config)
    expect(read.ok ? null : read.error.code).toBe('input.refused')
    chmodSync(join(folder, file), 0o600)
  }
  writeSecrets()
})

describe('files that the configuration names are checked without a start', () => {
  const check = (): Promise<number> => cli.run('serve', '--config', fileWith(EXAMPLE), '--check-config')
  afterEach(writeSecrets)
  test.each([CERTIFICATE, KEY, SECRET])('%s is missing', async (file) => {
    rmSync(file)
    expect(await check()).toBe(EXIT.usage)
    expect(cli.told).toContain(file)
  })
  test.each([KEY, SECRET])('%s can be read by others', async (file) => {
    chmodSync(file, 0o644)
    expect(await check()).toBe(EXIT.usage)
    expect(cli.told).toContain(file)
    chmodSync(file, 0o600)
  })
  test.each<[string, () => Promise<void>]>([
    ['a key of another certificate', async () => writeFileSync(KEY, (await newCertificate()).key)],
    ['a certificate that is none', async () => writeFileSync(CERTIFICATE, 'x\n')],
  ])('%s', async (_, write) => {
    await write()
    expect(await check()).toBe(EXIT.usage)
    expect(cli.told).toContain('listen.tls')
  })
  test('an empty client secret', async () => {
    writeFileSync(SECRET, '\n')
    expect(await check()).toBe(EXIT.usage)
    expect(cli.told).toContain(SECRET)
  })
})

const DATABASE = `
database:
  url: postgres://barewitness@db.example.com/barewitness
  passwordFile: database-password
  tls:
    ca: database-ca.pem
  owner:
    user: barewitness_owner
    passwordFile: owner-password
`

describe('a database', () => {
  const files = ['database-password', 'owner-password', 'database-ca.pem'].map((name) => join(folder, name))
  const check = (text: string): Promise<number> =>
    cli.run('serve', '--config', fileWith(`${EXAMPLE}${text}`), '--check-config')
  beforeEach(() => {
    for (const file of files) writeFileSync(file, 'secret-words\n', { mode: 0o600 })
  })
  test('is validated without a connection, with paths beside the file', async () => {
    expect(await check(`${DATABASE}serves: collectors\n`)).toBe(EXIT.done)
    const config = must(await teamConfigIn(fileWith(`${EXAMPLE}${DATABASE}`)))
    const { database } = config
    expect([database?.passwordFile, database?.owner?.passwordFile, database?.tls?.ca]).toEqual(files)
  })
  test.each<[string, string, string, RegExp]>([
    ['a password in the URL', 'barewitness@', 'barewitness:secret-words@', /database\.url holds a password/],
    ['an empty password in the URL', 'barewitness@', 'barewitness:@', /database\.url holds a password/],
    ['a password with @', 'barewitness@', 'barewitness:secret-words@x@', /database\.url holds a password/],
    ['options', 'barewitness\n', 'barewitness?sslmode=disable\n', /database\.url has options/],
    ['another scheme', 'postgres:', 'mysql:', /database\.url is not in the form/],
    ['no user', 'barewitness@', '', /database\.url is not in the form/],
    ['a user that SQL would quote', 'barewitness@', 'Bare"Witness@', /database\.url names a user/],
    ['a port that does not exist', 'example.com', 'example.com:70000', /database\.url names a port/],
    ['no TLS to another computer', '  tls:\n    ca: database-ca.pem\n', '', /database\.url .*needs tls/],
    ['TLS over a socket', 'db.example.com', '%2Frun%2Fpostgresql', /database\.tls/],
    ['a socket without a path', 'db.example.com', 'run%2Fpostgresql', /database\.url names a host/],
    ['the user of the server as owner', 'user: barewitness_owner', 'user: barewitness', /database\.owner\.user/],
    ['an unknown member', '  passwordFile: database', '  password: x\n  passwordFile: database', /password/],
  ])('with %s is refused', async (_, from, to, problem) => {
    expect(DATABASE).toContain(from)
    expect(await check(DATABASE.replace(from, to))).toBe(EXIT.usage)
    expect(cli.told).toMatch(problem)
    expect(cli.told).not.toContain('secret-words')
  })
  test.each([
    ['a loopback address', 'db.example.com', '127.0.0.1:5433'],
    ['a loopback address of IPv6', 'db.example.com', '[::1]'],
    ['a Unix socket', 'db.example.com', '%2Frun%2Fpostgresql'],
  ])('needs no TLS on %s', async (_, from, to) => {
    expect(await check(DATABASE.replace(from, to).replace('  tls:\n    ca: database-ca.pem\n', ''))).toBe(EXIT.done)
  })
  test.each(files.slice(0, 2))('%s must be readable by its owner only', async (file) => {
    chmodSync(file, 0o640)
    expect(await check(DATABASE)).toBe(EXIT.usage)
    expect(cli.told).toContain(file)
    rmSync(file)
    expect(await check(DATABASE)).toBe(EXIT.usage)
  })
  test('is needed by a process that serves collectors alone', async () => {
    expect(await check('serves: collectors\n')).toBe(EXIT.usage)
    expect(cli.told).toMatch(/serves needs database/)
  })
})

test('the audit log is verified', async () => {
  const file = fileWith(EXAMPLE)
  const log = join(folder, 'audit.jsonl')
  const event = auditEvent({ now: () => 0 }, null, { kind: 'start' })
  const first = chainedLine(EMPTY_LOG, event)
  const second = chainedLine(first.head, event)
  writeFileSync(log, first.line + second.line)
  expect(await cli.run('serve', '--config', file, '--verify-audit')).toBe(EXIT.done)
  expect(cli.told).toContain(second.head.digest)
  writeFileSync(log, second.line)
  expect(await cli.run('serve', '--config', file, '--verify-audit')).toBe(EXIT.notVerified)
})
