import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AttemptSending } from '../../main/app/scheduled/plan-run.ts'
import { CLI, whyNoCli } from '../support/built-cli.ts'
import { folderOfTests } from '../support/folders.ts'
import { describeUnless } from '../support/needing.ts'
import { type Fakes, startFakes, TOKENS } from '../support/outbox-fakes.ts'
import { integrationsFile } from '../support/outbox-kit.ts'

// The built program as a timer starts it, over a node that nothing answers for: its pack is sent to fakes, and the program is killed in between.
const missing = whyNoCli()

const folder = folderOfTests('send-schedule')
const at = (...parts: string[]): string => join(folder, ...parts)
const env = { ...process.env, XDG_CONFIG_HOME: at('config'), TZ: 'UTC' }
const cli = (...argv: string[]) =>
  spawnSync(process.execPath, [CLI, ...argv], { encoding: 'utf8', env, cwd: folder, maxBuffer: 1e9 })

interface Ran {
  readonly status: number | null
  readonly signal: string | null
  readonly told: string
}

/** Runs the program while the fakes of this process answer. */
function running(argv: readonly string[], onStart: (kill: () => void) => void = () => undefined): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [CLI, ...argv], { env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    onStart(() => child.kill('SIGKILL'))
    let told = ''
    child.stderr.on('data', (chunk) => {
      told += String(chunk)
    })
    child.once('close', (status, signal) => done({ status, signal, told }))
  })
}

describeUnless(missing, 'sending by a schedule', () => {
  let fakes: Fakes = null as never
  const START = ['run', '--schedule', 'nightly', '--now']
  const only = ['jira', 'cisoAssistant', 'webhook'] as const
  beforeAll(() => {
    writeFileSync(at('secret'), 'correct horse battery\n', { mode: 0o600 })
    const node = { name: 'here', address: '127.0.0.1', port: 1, user: 'bw', hostKey: `SHA256:${'A'.repeat(43)}` }
    writeFileSync(at('fleet.json'), JSON.stringify({ name: 'sent', nodes: [node] }))
    const made = cli('identity', 'create', 'job', '--subject', 'Test Org', '--passphrase-file', 'secret')
    expect(made.status, made.stderr).toBe(0)
  })
  beforeEach(async () => {
    fakes = await startFakes()
    rmSync(at('send'), { recursive: true, force: true })
    rmSync(at('out'), { recursive: true, force: true })
    rmSync(at('config', 'barewitness', 'schedules.json'), { force: true })
    const trust = [at('config', 'barewitness', 'identities', 'job', 'root.pem')]
    const added = cli(
      ...['schedule', 'add', 'nightly', '--fleet', 'fleet.json', '--out', 'out', '--every', 'every day at 02:00'],
      ...['--retries', '0', '--formats', '', '--passphrase-file', 'secret'],
      ...['--integrations', integrationsFile(at('send'), fakes, { only, trust })],
    )
    expect(added.status, added.stderr).toBe(0)
  })
  afterEach(() => fakes.close())

  const sendings = (): readonly (AttemptSending['state'] | null)[] => {
    const lines = readFileSync(at('out', 'schedules', 'nightly', 'attempts.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
    const last = new Map(
      lines.map((line) => {
        const { id, sending } = JSON.parse(line) as { readonly id: string; readonly sending?: AttemptSending }
        return [id, sending?.state ?? null]
      }),
    )
    return [...last.values()]
  }

  test('a run that was killed before anything was sent: the next start sends its pack too, each once', async () => {
    const killed = await running(START, (kill) => {
      fakes.hooks.faults = () => {
        kill()
        return 'dropped'
      }
    })
    expect({ signal: killed.signal, states: sendings() }).toEqual({ signal: 'SIGKILL', states: ['pending'] })
    fakes.hooks.faults = () => null
    const next = await running(START)
    expect({ status: next.status, states: sendings() }).toEqual({ status: 4, states: ['delivered', 'delivered'] })
    expect(fakes.kept.cisoAssistant).toHaveLength(2)
    const labels = fakes.kept.jira.flatMap((issue) => issue.labels.filter((one) => one.startsWith('bw-')))
    expect(new Set(labels).size).toBe(labels.length)
    for (const token of Object.values(TOKENS)) expect([killed.told, next.told].join('').includes(token)).toBe(false)
  })

  test('a receiver that refuses: exit code and outcome are those of the run, and status shows code and next step', async () => {
    fakes.hooks.faults = () => ({ status: 401, body: 'no' })
    const ran = await running(START)
    expect({ status: ran.status, states: sendings() }).toEqual({ status: 4, states: ['waiting'] })
    const status = cli('schedule', 'status', 'nightly')
    expect(status.stderr).toContain('(delivery.failed)')
    const [{ lastAttempt }] = JSON.parse(cli('schedule', 'status', 'nightly', '--json').stdout)
    expect(lastAttempt).toMatchObject({ code: 'ran', exit: 4, sending: { state: 'waiting', code: 'delivery.failed' } })
  })
})
