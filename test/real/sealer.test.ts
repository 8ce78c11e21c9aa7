import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenDigest } from '../../main/core/jobs.ts'
import type { ExportDraft, ExportPlan } from '../../schemas/ipc-packs.ts'
import { bundled } from '../support/bundled.ts'
import { newToken } from '../support/collector-kit.ts'
import { folderOfTests } from '../support/folders.ts'
import { writeFleet } from '../support/sealer-kit.ts'
import { replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

const folder = folderOfTests('sealer-process')
const token = newToken()
let made: Awaited<ReturnType<typeof bundled>>
let kit: TeamKit
let officer: Visitor
let sealer: ChildProcess
let said = ''

const identity = ['--identity-folder', join(folder, 'identities'), '--passphrase-file', join(folder, 'passphrase')]

beforeAll(async () => {
  made = await bundled('team-cli.ts')
  writeFileSync(join(folder, 'passphrase'), 'correct horse battery\n', { mode: 0o600 })
  writeFileSync(join(folder, 'token'), `${token}\n`, { mode: 0o600 })
  const created = spawnSync(
    process.execPath,
    [made.program, 'identity', 'create', 'chen', '--subject', 'J. Chen', ...identity],
    { encoding: 'utf8' },
  )
  const [, certificate = ''] = /\(SHA-256 of the certificate\): ([0-9a-f]{64})/.exec(created.stderr) ?? []
  kit = await teamKit({
    config: (config) => {
      const [alpha, ...others] = config.engagements
      writeFleet(alpha.folder)
      return {
        ...config,
        engagements: [{ ...alpha, demo: false }, ...others],
        sealers: [{ name: 'chen', engagement: 'alpha', tokenDigest: tokenDigest(token), certificate }],
      }
    },
  })
  officer = await kit.as('officer')
  await officer.call('alpha', 'run.start', { nodes: [], only: 'all' })
  writeFileSync(
    join(folder, 'sealer.json'),
    JSON.stringify({
      schema: 'barewitness.sealer/1',
      server: kit.server.origin,
      tokenFile: 'token',
      record: 'signed.jsonl',
    }),
  )
  sealer = spawn(process.execPath, [made.program, 'sealer', '--config', join(folder, 'sealer.json'), ...identity])
  sealer.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  while (replyIn<ExportPlan>(await officer.call('alpha', 'export.plan', null)).ok === false) await sleep(50)
})
afterAll(async () => {
  sealer?.kill('SIGKILL')
  await kit?.close()
  if (made !== undefined) rmSync(made.folder, { recursive: true, force: true })
})

/** Requests an export and answers the question of the sealer. */
async function exported(answer: string) {
  while (said === '' || !said.includes('Waiting for exports')) await sleep(20)
  const from = said.length
  const going = officer.call('alpha', 'export.build', {
    ...{ frameworks: ['hipaa'], identity: 'chen', timestamp: false, also: [], redact: null },
  })
  while (!said.slice(from).includes('Type yes to confirm')) await sleep(20)
  expect(said.slice(from)).toContain('Requested by: officer (officer), as the server states')
  sealer.stdin?.write(`${answer}\n`)
  return replyIn<ExportDraft>(await going)
}

test('the signer confirms an export on the terminal, or does not', async () => {
  for (;;) {
    const plan = replyIn<ExportPlan>(await officer.call('alpha', 'export.plan', null))
    if (plan.ok && plan.value.identities.length === 1) break
    await sleep(50)
  }
  expect(await exported('no')).toMatchObject({ ok: false, error: { code: 'sealing.refused' } })
  const sealed = await exported('yes')
  expect(sealed.ok && sealed.value.signer).toContain('J. Chen')
  const record = readFileSync(join(folder, 'signed.jsonl'), 'utf8').trim().split('\n')
  const digests = record.filter((line) => !line.includes('auditHead'))
  expect(record.length).toBeGreaterThan(digests.length)
  expect(said).toContain('Audit log signed')
  expect(digests).toHaveLength(said.match(/Signed: SHA-256 [0-9a-f]{64}/g)?.length ?? -1)
  expect(said).not.toContain('correct horse')
  const ended = new Promise((resolve) => sealer.once('exit', resolve))
  sealer.kill('SIGTERM')
  expect(await ended).toBe(0)
})
