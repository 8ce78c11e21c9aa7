import { expect, test } from 'vitest'
import { EXIT } from '../main/cli/parts/exit-codes.ts'
import { cliHere } from './support/cli-here.ts'

test.each([
  ['run', '--passphrase=hunter2'],
  ['schedule', 'list', '--api-token=hunter2 of ours'],
  ['--password=hunter2\nmore'],
])('an unknown option is named without its value, which may be a secret: %s', async (...argv) => {
  const ran = await cliHere(...argv)
  expect(ran.status).toBe(EXIT.usage)
  expect(ran.stdout + ran.stderr).not.toContain('hunter2')
  expect(ran.stderr).toMatch(/^error: unknown option '--(?:passphrase|api-token|password)=…'\n/)
})

test('an unknown option without a value, and one that is like a known one, are named as before', async () => {
  expect((await cliHere('run', '--passphrase')).stderr).toContain("error: unknown option '--passphrase'")
  expect((await cliHere('run', '--flet=x')).stderr).toContain("error: unknown option '--flet=…'")
})
