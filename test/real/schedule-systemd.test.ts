import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { VerificationReport } from '../../schemas/verification.ts'
import { CLI, whyNoCli } from '../support/built-cli.ts'
import { describeUnless } from '../support/needing.ts'
import { type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'
import { type SystemdHost, startSystemd, whyNoSystemd } from '../support/systemd-host.ts'

// The built program installs its timer in a systemd that runs, which starts it when it is due, within the sandbox of its unit.
const missing = whyNoSshd ?? whyNoSystemd() ?? whyNoCli()

interface Attempt {
  readonly lastAttempt: { readonly code: string; readonly exit: number; readonly due: string; readonly run: string }
}

describeUnless(missing, 'systemd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bw-systemd-'))
  const at = (...parts: string[]): string => join(folder, ...parts)
  const env = { ...process.env, XDG_CONFIG_HOME: at('config'), TZ: 'UTC' }
  const cli = (...argv: string[]) =>
    spawnSync(process.execPath, [CLI, ...argv], { encoding: 'utf8', env, cwd: folder, maxBuffer: 1e9 })
  let [server, host]: [Sshd | null, SystemdHost | null] = [null, null]
  beforeAll(async () => {
    server = await startSshd()
    host = await startSystemd()
    const { port, hostKey, clientKey: identityFile } = server
    const { username: user } = userInfo()
    const node = { name: 'here', address: '127.0.0.1', port, user, hostKey: hostKey.fingerprint, identityFile }
    writeFileSync(at('fleet.json'), JSON.stringify({ name: 'timed', nodes: [node] }))
    writeFileSync(at('secret'), 'correct horse battery\n', { mode: 0o600 })
    const made = cli('identity', 'create', 'job', '--subject', 'Test Org', '--passphrase-file', 'secret')
    expect(made.status, made.stderr).toBe(0)
  })
  afterAll(async () => {
    await host?.stop()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('starts a run within seconds of the time that it is due, and is as before once the schedule is removed', async () => {
    if (host === null) throw new Error('not started')
    const { run } = host
    const within = (...argv: string[]) => run([process.execPath, CLI, ...argv], env)
    const systemctl = (...argv: string[]): string => run(['systemctl', ...argv, '--no-pager']).stdout
    const minute = new Date(Date.now() + 75_000).toISOString()
    const draft = ['--fleet', at('fleet.json'), '--out', at('out'), '--every', `every day at ${minute.slice(11, 16)}`]
    const rest = ['--zone', 'UTC', '--random-delay', '0', '--retries', '0', '--deviations-exit-zero', '--formats', '']
    const added = cli('schedule', 'add', 'nightly', ...draft, ...rest, '--passphrase-file', at('secret'))
    expect(added.status, added.stderr).toBe(0)
    const installed = within('schedule', 'install', 'nightly', '--with', 'systemd-system')
    expect(installed.status, installed.stderr).toBe(0)
    const due = `${minute.slice(0, 16)}:00.000Z`
    const next = `${due.slice(0, 10)} ${due.slice(11, 19)} UTC`
    expect(systemctl('list-timers')).toContain(next)

    const job = (): string => systemctl('show', 'barewitness-nightly.service', '-p', 'MainPID', '--value').trim()
    for (let left = 900; left > 0 && job() === '0'; left -= 1) await sleep(100)
    // As its sandbox is, not as the unit says that it should be.
    const about = (file: string): string => run(['cat', `/proc/${job()}/${file}`]).stdout
    expect(about('status')).toMatch(/^NoNewPrivs:\t1$/m)
    expect(about('mountinfo')).toMatch(/ \/usr ro,/)
    expect(about('mountinfo')).toMatch(/ \/etc ro,/)

    const status = (): Attempt['lastAttempt'] | null =>
      (JSON.parse(within('schedule', 'status', 'nightly', '--json').stdout) as Attempt[])[0]?.lastAttempt ?? null
    for (let left = 90; left > 0 && status()?.code !== 'ran'; left -= 1) await sleep(2000)
    const attempt = status()
    expect(attempt, systemctl('status', 'barewitness-nightly.service')).toMatchObject({ code: 'ran', exit: 0, due })
    // The job has said how it ended before it is at its end.
    const shown = (): string =>
      systemctl('show', 'barewitness-nightly.service', '-p', 'Result,ExecMainStatus,ActiveState')
    for (let left = 50; left > 0 && !shown().includes('ActiveState=inactive'); left -= 1) await sleep(100)
    expect(shown().split('\n').sort()).toEqual(['', 'ActiveState=inactive', 'ExecMainStatus=0', 'Result=success'])

    const sealed = at('out', attempt?.run ?? '', `${attempt?.run}.barewitness.zip`)
    const { checks } = JSON.parse(cli('verify', sealed, '--json').stdout) as VerificationReport
    const outcomes = Object.fromEntries(checks.map(({ check, outcome }) => [check, outcome]))
    expect(outcomes).toMatchObject({ integrity: 'passed', completeness: 'passed', reproducibility: 'passed' })
    const [chain = ''] = readdirSync(at('out', 'chains'))
    const entries = readFileSync(at('out', 'chains', chain, 'entries.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
    expect(entries.map((line) => JSON.parse(line).entry)).toMatchObject([
      { kind: 'plan' },
      { kind: 'run', planned: { due } },
    ])

    const removed = within('schedule', 'remove', 'nightly')
    expect(removed.status, removed.stderr).toBe(0)
    expect(run(['ls', '/etc/systemd/system']).stdout).not.toContain('barewitness')
    expect(systemctl('list-units', '--all', 'barewitness*')).toContain('0 loaded units')
    expect(systemctl('list-timers', '--all')).not.toContain('barewitness')
  })
})
