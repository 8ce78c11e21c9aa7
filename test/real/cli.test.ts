import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAboutListeners } from '../../main/app/collect/observe-listeners.ts'
import type { Assessment } from '../../schemas/types.ts'
import type { VerificationReport } from '../../schemas/verification.ts'
import { CLI, whyNoCli } from '../support/built-cli.ts'
import { cliHere } from '../support/cli-here.ts'
import { describeUnless } from '../support/needing.ts'
import { type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'

// The built program, as a person runs it, against a real sshd on this machine. What repeats a command runs in this process (`cliHere`).
const missing = whyNoSshd ?? whyNoCli()

const cli = (...argv: string[]) => spawnSync(process.execPath, [CLI, ...argv], { encoding: 'utf8', maxBuffer: 1e9 })
let folder = ''
const at = (...parts: string[]): string => join(folder, ...parts)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bw-cli-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('usage', () => {
  test('an unknown command is a usage error', () => expect(cli('no-such-command').status).toBe(2))
  test('help and version are no failure', () => {
    expect(cli('--help').status).toBe(0)
    expect(cli('--version').status).toBe(0)
  })
  test('help and version that were asked for are on stdout, and nothing else is', () => {
    expect(cli('--help').stdout).toContain('Usage: barewitness')
    expect(cli('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(cli('history', 'period').stdout).toBe('')
    expect(cli('history', 'period').stderr).toContain('barewitness history period --help')
  })
  test('a bad fleet file is one sentence with file, line and field', () => {
    writeFileSync(at('bad.yaml'), 'name: x\nnodes:\n  - name: a\n    address: 10.0.0.1\n    port: ssh\n')
    const { status, stderr } = cli('fleet', 'show', at('bad.yaml'))
    expect(status).toBe(2)
    expect(stderr).toMatch(/bad\.yaml:5:\d+: nodes\[0\]\.port/)
  })
  test('a missing file is named', () => {
    const { status, stderr } = cli('fleet', 'show', at('nowhere.yaml'))
    expect(status).toBe(2)
    expect(stderr).toContain('nowhere.yaml')
  })
  test('a file that is no pack does not verify', () => {
    writeFileSync(at('not-a-pack.zip'), 'hello')
    const { status, stdout } = cli('verify', at('not-a-pack.zip'), '--json')
    expect(status).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false })
  })
  test('the catalog is printed as JSON', async () => {
    const probes = JSON.parse(cli('catalog', 'probes', '--json').stdout) as unknown[]
    const checks = JSON.parse((await cliHere('catalog', 'checks', '--json')).stdout) as {
      built: boolean
      limitations: string
      feeds: string[]
    }[]
    expect(probes.length).toBeGreaterThanOrEqual(30)
    expect(checks.length).toBeGreaterThanOrEqual(30)
    for (const check of checks.filter(({ built }) => built)) expect(check.limitations.length).toBeGreaterThan(10)
    expect(checks.every(({ feeds }) => Array.isArray(feeds))).toBe(true)
    const profiles = JSON.parse((await cliHere('catalog', 'profiles', '--json')).stdout) as {
      id: string
      values: object
    }[]
    expect(profiles.find(({ id }) => id === 'ssh.idle')?.values).toMatchObject({ stig: { value: 600 } })
    expect((await cliHere('catalog', 'profiles')).stdout).toContain('stig: 600 seconds')
    expect((await cliHere('catalog', 'checks')).stdout).toContain(
      'access.break-glass  Not tested on servers. Answered by a document.',
    )
    const signals = JSON.parse(cli('catalog', 'signals', '--json').stdout) as { pitfalls: string[] }[]
    expect(signals.length).toBeGreaterThanOrEqual(90)
    expect((await cliHere('catalog', 'signals')).stdout.split('\n    can mislead: ').length).toBeGreaterThan(
      signals.length,
    )
  })
})

describeUnless(missing, 'run against a real sshd', () => {
  let server: Sshd
  const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()
  const fleet = (changes: object = {}): string => {
    const node = {
      name: 'this-host',
      address: '127.0.0.1',
      port: server.port,
      user,
      hostKey: server.hostKey.fingerprint,
      identityFile: server.clientKey,
      ...changes,
    }
    writeFileSync(at('fleet.json'), JSON.stringify({ name: 'real', nodes: [node] }))
    return at('fleet.json')
  }
  const signing = (): string[] => ['--identity-folder', at('ids'), '--passphrase-file', at('secret')]

  beforeAll(async () => {
    server = await startSshd()
    writeFileSync(at('secret'), 'correct horse battery\n', { mode: 0o600 })
    expect(cli('identity', 'create', 'test', '--subject', 'Test Org', ...signing()).status).toBe(0)
  })
  afterAll(async () => await server?.stop())

  let pack = ''
  let run = ''

  test('it collects, seals and exits by what it found', () => {
    const { status, stdout, stderr } = cli('run', '--fleet', fleet(), '--out', at('out'), '--json', ...signing())
    expect([0, 3], stderr).toContain(status)
    const assessment = JSON.parse(stdout) as Assessment
    expect(assessment.nodes).toHaveLength(1)
    expect(assessment.nodes[0]?.status).toBe('complete')
    run = readdirSync(at('out', 'evidence')).find((name) => /^\d{8}t/.test(name)) ?? ''
    pack = at('out', run, readdirSync(at('out', run)).find((name) => name.endsWith('.zip')) ?? '')
    expect(existsSync(pack)).toBe(true)
  })

  test('one connection, one login', () => {
    expect(server.log().split('Accepted publickey').length - 1).toBe(1)
  })

  test('parts that were found can be pinned, and the next collection compares with them', () => {
    const file = fleet()
    const pinned = cli('fleet', 'pin', file, '--from', at('out', 'evidence', run, 'this-host'))
    expect([pinned.status, existsSync(`${file}.hardware.json`)], pinned.stderr).toEqual([0, true])
    const again = cli('collect', '--fleet', file, '--out', at('pinned'))
    expect([0, 4], again.stderr).toContain(again.status)
    const later = readdirSync(at('pinned', 'evidence')).find((name) => /^\d{8}t/.test(name)) ?? ''
    const assessed = JSON.parse(
      cli('assess', at('pinned', 'evidence', later, 'this-host'), '--json').stdout,
    ) as Assessment
    const check = assessed.nodes[0]?.results.find(({ check: id }) => id === 'lifecycle.disk-swap-detection')
    // A guest may have no part with a serial number: then there is nothing to compare with.
    const parts = Object.values(JSON.parse(readFileSync(`${file}.hardware.json`, 'utf8')) as object).flat().length
    expect(check?.verdict).toBe(parts === 0 ? 'inconclusive' : 'satisfied')
    rmSync(`${file}.hardware.json`)
  })

  test('the pack verifies with its root pinned, and every verdict is derived again', () => {
    const root =
      readdirSync(at('ids'), { recursive: true, encoding: 'utf8' }).find((name) => /root.*\.(pem|crt)$/.test(name)) ??
      ''
    const { status, stdout } = cli('verify', pack, '--trust', at('ids', root), '--json')
    const report = JSON.parse(stdout) as VerificationReport
    expect(report.checks.map(({ check, outcome }) => [check, outcome])).toEqual([
      ['integrity', 'passed'],
      ['signature', 'passed'],
      ['time', 'indeterminate'],
      ['completeness', 'passed'],
      ['reproducibility', 'passed'],
      ['continuity', 'indeterminate'],
    ])
    expect(status).toBe(0)
  })

  test('without a pinned root the signer is shown as not known, and nothing is claimed', async () => {
    const report = JSON.parse((await cliHere('verify', pack, '--json')).stdout) as VerificationReport
    expect(report.checks.find(({ check }) => check === 'signature')?.outcome).toBe('indeterminate')
    expect(report.signer?.trusted).toBe(false)
  })

  test('one flipped byte anywhere near the middle is rejected', async () => {
    const bytes = readFileSync(pack)
    const middle = Math.floor(bytes.length / 2)
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    writeFileSync(at('altered.zip'), bytes)
    expect((await cliHere('verify', at('altered.zip'))).status).toBe(5)
  })

  test('recordings can be assessed and exported again, with the same verdicts', async () => {
    const recording = at('out', 'evidence', run, 'this-host')
    const first = cli('assess', recording, '--as-of', '2099-01-01', '--json')
    expect(JSON.parse(first.stdout)).toMatchObject({ nodes: [{ stale: true }] })
    expect(first.stdout).toBe((await cliHere('assess', recording, '--as-of', '2099-01-01', '--json')).stdout)
    const again = await cliHere('export', recording, '--out', at('again'), '--formats', '', ...signing())
    expect([0, 3], again.stderr).toContain(again.status)
  })

  test('an unknown host key is refused with the fingerprint and the command that records a decision', () => {
    const { status, stderr } = cli(
      'collect',
      '--fleet',
      fleet({ hostKey: undefined, knownHosts: at('empty') }),
      '--out',
      at('none'),
    )
    expect(status).toBe(2)
    writeFileSync(at('empty'), '')
    const again = cli('collect', '--fleet', fleet({ hostKey: undefined, knownHosts: at('empty') }), '--out', at('none'))
    expect(again.status).toBe(4)
    expect(again.stderr).toContain(server.hostKey.fingerprint)
    expect(again.stderr).toContain('fleet trust')
    expect(stderr).not.toBe('')
  })

  test('a recorded decision lets the next run in, and the recording states how it was trusted', () => {
    const file = fleet({ hostKey: undefined, knownHosts: at('empty') })
    expect(
      cli(
        'fleet',
        'trust',
        file,
        '--node',
        'this-host',
        '--fingerprint',
        server.hostKey.fingerprint,
        '--verified-by',
        'read on the console',
      ).status,
    ).toBe(0)
    const { status, stdout } = cli('collect', '--fleet', file, '--out', at('decided'), '--json')
    expect(status).toBe(0)
    const { recordings } = JSON.parse(stdout) as { recordings: { folder: string }[] }
    const recorded = JSON.parse(readFileSync(join(recordings[0]?.folder ?? '', 'recording.json'), 'utf8')) as {
      hostKey: { trust: { how: string; detail: string } }
    }
    expect(recorded.hostKey.trust.how).toBe('decision')
    expect(recorded.hostKey.trust.detail).toContain('read on the console')
  })

  test('killed in the middle, a run is resumed and asks only for what is missing', { timeout: 120_000 }, async () => {
    const file = fleet()
    const child = spawn(process.execPath, [CLI, 'collect', '--fleet', file, '--out', at('resumed')], {
      stdio: 'ignore',
    })
    const lines = (): number => {
      const runs = existsSync(at('resumed', 'evidence'))
        ? readdirSync(at('resumed', 'evidence')).filter((name) => /^\d{8}t/.test(name))
        : []
      const path = at('resumed', 'evidence', runs[0] ?? 'none', 'this-host', 'captures.jsonl')
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0
    }
    await new Promise<void>((done) => {
      const timer = setInterval(() => (lines() > 5 || child.exitCode !== null) && done(clearInterval(timer)), 1)
    })
    child.kill('SIGKILL')
    const before = lines()
    const { status, stderr } = cli('collect', '--fleet', file, '--out', at('resumed'), '--resume')
    expect(status, stderr).toBe(0)
    const [name = ''] = readdirSync(at('resumed', 'evidence')).filter((entry) => /^\d{8}t/.test(entry))
    const captures = readFileSync(at('resumed', 'evidence', name, 'this-host', 'captures.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { probe: string; command: string; status: string })
    const asked = captures
      // Ports that were not queried yet are listed again: an attempt uses its own list alone.
      .filter((capture) => capture.status === 'done' && !isAboutListeners(capture.probe))
      .map((capture) => `${capture.probe}/${capture.command}`)
      // Each attempt asks which boot it is: answers of two are never joined.
      .filter((key) => key !== 'host.identity/ids')
    expect(before).toBeGreaterThan(0)
    expect(new Set(asked).size).toBe(asked.length)
  })

  test('Ctrl-C stops cleanly and keeps what was collected', async () => {
    const child = spawn(process.execPath, [CLI, 'collect', '--fleet', fleet(), '--out', at('stopped')], {
      stdio: 'ignore',
    })
    await new Promise<void>((done) => {
      const timer = setInterval(() => existsSync(at('stopped', 'evidence')) && done(clearInterval(timer)), 2)
    })
    child.kill('SIGINT')
    const code = await new Promise((done) => child.once('exit', done))
    expect([0, 4, 130]).toContain(code)
  })
})
