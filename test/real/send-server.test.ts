import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLI, whyNoCli } from '../support/built-cli.ts'
import { folderOfTests } from '../support/folders.ts'
import { describeUnless } from '../support/needing.ts'
import { type Fakes, startFakes, TOKENS } from '../support/outbox-fakes.ts'
import { integrationsFile } from '../support/outbox-kit.ts'

// The built server over a folder with a sealed pack, which it sends to fakes; it is killed at its first request.
const missing = whyNoCli()

const folder = folderOfTests('send-server')
const at = (...parts: string[]): string => join(folder, ...parts)
const env = { ...process.env, XDG_CONFIG_HOME: at('config'), TZ: 'UTC' }
const cli = (...argv: string[]) =>
  spawnSync(process.execPath, [CLI, ...argv], { encoding: 'utf8', env, cwd: folder, maxBuffer: 1e9 })
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(20)
}

function serving(config = 'team.json') {
  const child = spawn(process.execPath, [CLI, 'serve', '--config', config], { env, cwd: folder })
  const texts = { told: '', logged: '' }
  child.stderr.on('data', (chunk) => {
    texts.told += String(chunk)
  })
  child.stdout.on('data', (chunk) => {
    texts.logged += String(chunk)
  })
  const ended = new Promise<string | null>((done) => child.once('close', (_, signal) => done(signal)))
  return { texts, ended, kill: (signal: 'SIGKILL' | 'SIGTERM') => child.kill(signal) }
}

describeUnless(missing, 'sending by a server', () => {
  let fakes: Fakes = null as never
  beforeAll(async () => {
    fakes = await startFakes()
    writeFileSync(at('secret'), 'correct horse battery\n', { mode: 0o600 })
    const node = { name: 'here', address: '127.0.0.1', port: 1, user: 'bw', hostKey: `SHA256:${'A'.repeat(43)}` }
    writeFileSync(at('fleet.json'), JSON.stringify({ name: 'sent', nodes: [node] }))
    const made = cli('identity', 'create', 'job', '--subject', 'Test Org', '--passphrase-file', 'secret')
    expect(made.status, made.stderr).toBe(0)
    const ran = cli('run', '--fleet', 'fleet.json', '--out', 'out', '--formats', '', '--passphrase-file', 'secret')
    expect(ran.status, ran.stderr).toBe(4)
    const trust = [at('config', 'barewitness', 'identities', 'job', 'root.pem')]
    const integrations = integrationsFile(at('send'), fakes, { only: ['jira', 'cisoAssistant', 'webhook'], trust })
    const team = {
      schema: 'barewitness.team/1',
      listen: { address: '127.0.0.1', port: 0 },
      oidc: { issuer: 'http://127.0.0.1:1', clientId: 'bw', rolesClaim: 'roles' },
      roles: { officer: 'officer' },
      engagements: [{ name: 'clinic', folder: 'clinic', enter: {}, integrations }],
      auditLog: 'audit.jsonl',
    }
    writeFileSync(at('team.json'), JSON.stringify(team))
  })
  afterAll(async () => await fakes?.close())

  test('killed at its first request, it continues: each item arrives once, and the pack is in the audit log', async () => {
    const checked = cli('serve', '--config', 'team.json', '--check-config')
    expect(checked.status, checked.stderr).toBe(0)
    const first = serving()
    await until(() => existsSync(at('send', 'outbox', 'packs.jsonl')))
    first.kill('SIGTERM')
    await first.ended
    const run = readdirSync(at('out')).find((name) => /^\d{8}t/.test(name)) ?? ''
    mkdirSync(at('clinic', 'exports', 'a'), { recursive: true })
    const pack = `${run}.barewitness.zip`
    copyFileSync(at('out', run, pack), at('clinic', 'exports', 'a', pack))

    const second = serving()
    fakes.hooks.faults = () => {
      second.kill('SIGKILL')
      return 'dropped'
    }
    expect(await second.ended).toBe('SIGKILL')
    expect(readFileSync(at('send', 'outbox', 'packs.jsonl'), 'utf8')).not.toContain(run)
    fakes.hooks.faults = () => null
    const third = serving()
    await until(() => readFileSync(at('send', 'outbox', 'packs.jsonl'), 'utf8').includes(run))
    third.kill('SIGTERM')
    await third.ended
    expect([fakes.kept.cisoAssistant.length, fakes.kept.webhook.size > 0]).toEqual([1, true])
    const labels = fakes.kept.jira.flatMap((issue) => issue.labels.filter((one) => one.startsWith('bw-')))
    expect(new Set(labels).size).toBe(labels.length)
    const audit = readFileSync(at('audit.jsonl'), 'utf8')
    expect(audit).toContain('"pack-planned"')
    expect(cli('serve', '--config', 'team.json', '--verify-audit').status).toBe(0)
    const texts = [first, second, third].flatMap(({ texts: { told, logged } }) => [told, logged])
    for (const token of Object.values(TOKENS)) expect([audit, ...texts].join('\n').includes(token)).toBe(false)
  })

  test('asked to end while a receiver does not answer: it ends with its other items waiting', async () => {
    let asked = 0
    const silent = createServer(() => {
      asked += 1
    })
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = silent.address() as AddressInfo
      const trust = [at('config', 'barewitness', 'identities', 'job', 'root.pem')]
      const slow = { url: () => `http://127.0.0.1:${port}` }
      const integrations = integrationsFile(at('send-slow'), slow, { only: ['webhook'], trust })
      const team = JSON.parse(readFileSync(at('team.json'), 'utf8'))
      const engagements = [{ name: 'slow', folder: 'slow', enter: {}, integrations }]
      writeFileSync(at('slow.json'), JSON.stringify({ ...team, engagements, auditLog: 'slow.jsonl' }))
      const first = serving('slow.json')
      await until(() => existsSync(at('send-slow', 'outbox', 'packs.jsonl')))
      first.kill('SIGTERM')
      await first.ended
      const run = readdirSync(at('out')).find((name) => /^\d{8}t/.test(name)) ?? ''
      mkdirSync(at('slow', 'exports', 'a'), { recursive: true })
      copyFileSync(at('out', run, `${run}.barewitness.zip`), at('slow', 'exports', 'a', `${run}.barewitness.zip`))
      const second = serving('slow.json')
      await until(() => asked > 0)
      second.kill('SIGTERM')
      // Not killed, and with one request: each further one would take 30 seconds.
      expect([await second.ended, asked]).toEqual([null, 1])
      const status = cli('send', '--config', integrations, '--status')
      expect([status.status, status.stdout.split('\n').length]).toEqual([4, 2])
      expect(status.stdout).toMatch(new RegExp(`^${run} {2}own: Waiting \\(\\d+ waiting\\)`))
      const kinds = [...readFileSync(at('slow.jsonl'), 'utf8').matchAll(/"kind":"([a-z-]+)"/g)].map(([, kind]) => kind)
      expect(kinds).toEqual(['start', 'stop', 'start', 'pack-planned', 'stop'])
    } finally {
      silent.closeAllConnections()
      silent.close()
    }
  })
})
