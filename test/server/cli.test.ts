import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readTeamSecrets } from '../../main/adapters/team-config.ts'
import { serveCommand } from '../../main/cli/commands/serve.ts'
import { EXIT } from '../../main/cli/options.ts'
import { teamConfigIn } from '../../main/cli/serving.ts'
import { auditLine, EMPTY_LOG } from '../../main/server/audit.ts'
import { auditEvent } from '../../main/server/edge/parts.ts'
import { commandLine } from '../support/command-line.ts'
import { createFakePorts } from '../support/fake-ports.ts'

const folder = mkdtempSync(join(tmpdir(), 'barewitness-serve-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const cli = commandLine(createFakePorts, serveCommand)

const EXAMPLE = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/team-server.md', 'utf8'))?.[1] ?? ''
const fileWith = (text: string): string => {
  const path = join(folder, 'team.yaml')
  writeFileSync(path, text)
  return path
}

test('the example of the documentation is valid, with paths beside the file', async () => {
  const file = fileWith(EXAMPLE)
  expect(await cli.run('serve', '--config', file, '--check-config')).toBe(EXIT.done)
  const config = await teamConfigIn(file)
  if (!config.ok) throw new Error(config.error.detail)
  expect(config.value.auditLog).toBe(join(folder, 'audit.jsonl'))
  expect(config.value.engagements.map(({ folder: path }) => path)).toEqual([
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

test('a key or client secret that others can read is refused', async () => {
  const config = await teamConfigIn(fileWith(EXAMPLE))
  if (!config.ok) throw new Error(config.error.detail)
  const files = ['client-secret', 'tls/key.pem', 'tls/certificate.pem']
  const { mkdirSync } = await import('node:fs')
  mkdirSync(join(folder, 'tls'), { recursive: true })
  for (const file of files) writeFileSync(join(folder, file), 'x\n', { mode: 0o600 })
  expect(readTeamSecrets(config.value)).toEqual({
    ok: true,
    value: { tls: { cert: 'x\n', key: 'x\n' }, clientSecret: 'x' },
  })
  for (const file of files.slice(0, 2)) {
    chmodSync(join(folder, file), 0o644)
    const read = readTeamSecrets(config.value)
    expect(read.ok ? null : read.error.code).toBe('input.refused')
    chmodSync(join(folder, file), 0o600)
  }
})

test('the audit log is verified', async () => {
  const file = fileWith(EXAMPLE)
  const log = join(folder, 'audit.jsonl')
  const event = auditEvent({ now: () => 0 }, null, { kind: 'start' })
  const first = auditLine(EMPTY_LOG, event)
  const second = auditLine(first.head, event)
  writeFileSync(log, first.line + second.line)
  expect(await cli.run('serve', '--config', file, '--verify-audit')).toBe(EXIT.done)
  expect(cli.told).toContain(second.head.digest)
  writeFileSync(log, second.line)
  expect(await cli.run('serve', '--config', file, '--verify-audit')).toBe(EXIT.notVerified)
})
