import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tokenDigest } from '../../main/core/team/jobs.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { newToken } from '../support/collector-kit.ts'
import { folderOfTest } from '../support/folders.ts'
import { ENGAGEMENT, teamProcesses } from '../support/team-processes.ts'

test('SIGHUP: a file that is not valid changes nothing, and a collector is added without a restart', async () => {
  const team = await teamProcesses(folderOfTest('reload'), { count: 1, collectors: { 'frankfurt-1': 'frankfurt' } })
  onTestFinished(team.close)
  const server = await team.startServer()
  const path = join(team.folder, 'team.json')
  const config = JSON.parse(readFileSync(path, 'utf8')) as TeamConfig
  writeFileSync(path, '{"schema": "barewitness.team/1"}')
  process.kill(server.pid, 'SIGHUP')
  await server.untilSaid(/"kind":"reload","ok":false,"code":"input\.refused"/)
  const added = { name: 'tokyo-1', zone: 'tokyo', engagement: ENGAGEMENT, tokenDigest: tokenDigest(newToken()) }
  writeFileSync(path, JSON.stringify({ ...config, collectors: [...(config.collectors ?? []), added] }))
  process.kill(server.pid, 'SIGHUP')
  await server.untilSaid(/"kind":"reload","ok":true/)
  const audit = readFileSync(join(team.folder, 'audit.jsonl'), 'utf8')
  expect(audit.match(/"kind":"reload"/g)).toHaveLength(1)
  expect(audit).toContain('frankfurt-1, tokyo-1')
  expect((await (await team.officer()).session(ENGAGEMENT)).role).toBe('officer')
  expect(server.isRunning()).toBe(true)
})
