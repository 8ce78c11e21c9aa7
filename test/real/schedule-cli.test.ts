import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { VerificationReport } from '../../schemas/verification.ts'
import { CLI, whyNoCli } from '../support/built-cli.ts'
import { folderOfTests } from '../support/folders.ts'
import { describeUnless } from '../support/needing.ts'
import { type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'

// The built program, as a timer starts it, against a real sshd on this machine; what it does later is seen with a clock that is set.
const hasFaketime = spawnSync('faketime', ['--version']).error === undefined
const missing = whyNoSshd ?? whyNoCli() ?? (hasFaketime ? null : 'faketime is not installed')

const folder = folderOfTests('schedule-cli')
const at = (...parts: string[]): string => join(folder, ...parts)

const env = { ...process.env, XDG_CONFIG_HOME: at('config'), TZ: 'UTC' }
const options = { encoding: 'utf8', env, cwd: folder, maxBuffer: 1e9 } as const
const cli = (...argv: string[]) => spawnSync(process.execPath, [CLI, ...argv], options)
const atTime = (moment: string, ...argv: string[]) =>
  spawnSync('faketime', [moment.replace('T', ' '), process.execPath, CLI, ...argv], options)

interface Line {
  readonly kind: string
  readonly due?: string
  readonly planned?: { readonly due: string }
  readonly cadence?: string | null
}

const chain = (): readonly Line[] => {
  const [name = ''] = readdirSync(at('out', 'chains'))
  const lines = readFileSync(at('out', 'chains', name, 'entries.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => (JSON.parse(line) as { entry: Line }).entry)
}

const notices = (): readonly { readonly due: string | null; readonly changes: readonly string[] }[] =>
  readFileSync(at('told'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Lines of all lists of answers below a folder. */
function linesBelow(top: string): number {
  if (!existsSync(top)) return 0
  const lists = readdirSync(top, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('captures.jsonl'),
  )
  return lists.reduce((sum, name) => sum + readFileSync(join(top, name), 'utf8').split('\n').length - 1, 0)
}

describeUnless(missing, 'planned runs', () => {
  let server: Sshd
  beforeAll(async () => {
    server = await startSshd()
    const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()
    const { port, hostKey, clientKey: identityFile } = server
    const node = { name: 'here', address: '127.0.0.1', port, user, hostKey: hostKey.fingerprint, identityFile }
    writeFileSync(at('fleet.json'), JSON.stringify({ name: 'planned', nodes: [node] }))
    writeFileSync(at('secret'), 'correct horse battery\n', { mode: 0o600 })
    writeFileSync(at('tell'), `#!/bin/sh\ncat >> '${at('told')}'\n`, { mode: 0o700 })
    const made = cli('identity', 'create', 'job', '--subject', 'Test Org', '--passphrase-file', 'secret')
    expect(made.status, made.stderr).toBe(0)
  })
  afterAll(async () => await server?.stop())

  test('are planned, made, reported and missed in a way that the chain of runs shows', () => {
    const draft = ['--fleet', 'fleet.json', '--out', 'out', '--every', 'every day at 02:00', '--retries', '0']
    const rest = [
      '--deviations-exit-zero',
      '--formats',
      '',
      '--notify-command',
      './tell',
      '--passphrase-file',
      'secret',
    ]
    const added = atTime('2027-03-01T12:00:00', 'schedule', 'add', 'nightly', ...draft, ...rest)
    expect(added.status, added.stderr).toBe(0)
    expect(added.stderr).toContain('Available unattended (here):')
    expect(chain()).toMatchObject([{ kind: 'plan', cadence: 'every day at 02:00 in UTC' }])

    const run = (moment: string, ...more: string[]) => atTime(moment, 'run', '--schedule', 'nightly', ...more)
    expect(run('2027-03-01T13:00:00')).toMatchObject({ status: 0, stderr: expect.stringContaining('No run is due') })
    const first = run('2027-03-02T02:00:10')
    expect(first.status, first.stderr).toBe(0)
    expect(first.stderr).toContain('due at 2027-03-02T02:00:00.000Z, started on time: exported as')
    expect(run('2027-03-02T02:30:00').stderr).toContain('No run is due')

    // A day later nothing starts it; the next start says so, signed, and then does its own work.
    const second = run('2027-03-04T02:00:10')
    expect(second.stderr).toContain('1 missed run recorded')
    const extra = run('2027-03-04T12:00:00', '--now')
    expect(extra.stderr).toContain('Unscheduled run of nightly')
    expect(chain().map(({ kind, due, planned }) => [kind, due ?? planned?.due ?? null])).toEqual([
      ['plan', null],
      ['run', '2027-03-02T02:00:00.000Z'],
      ['gap', '2027-03-03T02:00:00.000Z'],
      ['run', '2027-03-04T02:00:00.000Z'],
      ['run', null],
    ])
    const told = notices().filter(({ due }) => due !== null)
    expect(told.map(({ due }) => due)).toEqual([2, 4].map((day) => `2027-03-0${day}T02:00:00.000Z`))
    expect(told[1]?.changes).toContain('Earlier scheduled runs were missed; see the run chain.')

    // What cannot be sealed is told before a node is asked anything, and the start is in the list with its exit code.
    chmodSync(at('secret'), 0o644)
    const refused = run('2027-03-05T02:00:10')
    expect(refused.status).toBe(2)
    expect(refused.stderr).not.toContain('captures stored')
    expect(refused.stderr.match(/can be read by others/g)).toHaveLength(1)
    chmodSync(at('secret'), 0o600)
    const status = JSON.parse(cli('schedule', 'status', 'nightly', '--json').stdout)
    expect(status[0].lastAttempt).toMatchObject({ code: 'failed', exit: 2, due: '2027-03-05T02:00:00.000Z', run: null })

    const removed = atTime('2027-03-05T12:00:00', 'schedule', 'remove', 'nightly')
    expect(removed.status, removed.stderr).toBe(0)
    expect(chain().at(-1)).toMatchObject({ kind: 'plan', cadence: null })
    expect(cli('schedule', 'list').stderr).toContain('contains no schedules')
  })

  test('one that is stopped while it collects is sealed with what it has, and states this', async () => {
    const draft = ['--fleet', 'fleet.json', '--out', 'stopped', '--every', 'every day at 02:00', '--retries', '2']
    const rest = ['--deviations-exit-zero', '--formats', '', '--passphrase-file', 'secret']
    const added = cli('schedule', 'add', 'stopped', ...draft, ...rest)
    expect(added.status, added.stderr).toBe(0)
    const argv = [CLI, 'run', '--schedule', 'stopped', '--now']
    const child = spawn(process.execPath, argv, { env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += String(chunk)
    })
    const ended = new Promise<number | null>((done) => child.once('close', done))
    const stored = (): number => linesBelow(at('stopped', 'evidence'))
    while (child.exitCode === null && stored() < 3) await new Promise((next) => setTimeout(next, 10))
    child.kill('SIGTERM')
    // 4 is what an incomplete run ends with; it is not tried again, since someone stopped it.
    expect(await ended, said).toBe(4)
    const [run = ''] = readdirSync(at('stopped')).filter((name) => /^\d{8}t/.test(name))
    const pack = at('stopped', run, `${run}.barewitness.zip`)
    const { checks } = JSON.parse(cli('verify', pack, '--json').stdout) as VerificationReport
    const outcomes = Object.fromEntries(checks.map(({ check, outcome }) => [check, outcome]))
    expect(outcomes).toMatchObject({ integrity: 'passed', completeness: 'passed', reproducibility: 'passed' })
    const recording = JSON.parse(readFileSync(at('stopped', 'evidence', run, 'here', 'recording.json'), 'utf8'))
    expect(recording.outcome).toMatchObject({ status: 'partial', failure: { code: 'run.cancelled' } })
    const [name = ''] = readdirSync(at('stopped', 'chains'))
    const entries = readFileSync(at('stopped', 'chains', name, 'entries.jsonl'), 'utf8')
    expect(entries.match(/"kind":"run"/g)).toHaveLength(1)
  })
})
