import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeRecordingFolder } from '../../main/adapters/recording-folder.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { CLI, whyNoCli } from '../support/built-cli.ts'
import { fixtureRecording } from '../support/fixtures.ts'
import { describeUnless } from '../support/needing.ts'

// What the built program refuses before it writes, seals or judges anything.
const missing = whyNoCli()

interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

describeUnless(missing, 'refusals at the command line', () => {
  let folder = ''
  const at = (...parts: string[]): string => join(folder, ...parts)
  const cli = (...argv: string[]): Ran =>
    spawnSync(process.execPath, [CLI, ...argv], { encoding: 'utf8', maxBuffer: 1e9, timeout: 60_000 })
  const ids = (): string[] => ['--identity-folder', at('ids')]
  const key = (): string[] => ['--identity', 'acme', ...ids(), '--passphrase-file', at('secret')]
  const pack = (name: string): string => at(name, readdirSync(at(name)).find((file) => file.endsWith('.zip')) ?? '')
  const report = (): string => at('one', readdirSync(at('one')).find((file) => file.endsWith('_report.pdf')) ?? '')
  const root = (): string => at('ids', 'acme', 'root.pem')
  const trust = (): string[] => ['--trust', root()]
  const refused = (ran: Ran, words: string | RegExp): void => {
    expect(ran.stderr).toMatch(words)
    expect(ran.status, ran.stderr).toBe(2)
  }
  /** Refuses, and the file that was named keeps its bytes. */
  const keeps = (file: string, words: string | RegExp, ...argv: string[]): void => {
    const before = readFileSync(file)
    refused(cli(...argv), words)
    expect(readFileSync(file).equals(before)).toBe(true)
  }
  const create = (source: string, out: string): string[] => [
    'redact',
    'create',
    source,
    '--redacted-by',
    'Acme',
    '--reason',
    'ours',
    '--redact',
    'ipv4,mac',
    '--out',
    out,
  ]

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bw-refusals-'))
    writeFileSync(at('secret'), 'correct horse battery\n', { mode: 0o600 })
    writeFileSync(at('empty.pem'), '')
    writeFileSync(at('words.pem'), '0 is where this text begins\n')
    mkdirSync(at('folder'))
    const made = cli('identity', 'create', 'acme', '--subject', 'Acme', ...ids(), '--passphrase-file', at('secret'))
    expect(made.status, made.stderr).toBe(0)
    await writeRecordingFolder(at('recording'), fixtureRecording('demo-gpu-01', catalog.probes))
    for (const name of ['one', 'two']) {
      const ran = cli(
        'export',
        at('recording'),
        '--out',
        at(name),
        ...key(),
        '--chain',
        at('chain'),
        '--deviations-exit-zero',
      )
      expect(ran.status, ran.stderr).toBe(0)
    }
    const copied = cli(...create(pack('one'), at('copy.zip')))
    expect(copied.status, copied.stderr).toBe(0)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each([
    [['verify', 'one.zip', 'two.zip'], /too many arguments/],
    [['verify', 'one.zip', '--nonsense'], /unknown option/],
    [['verify', 'one.zip'], /one\.zip/],
  ])('%j ends, although the rules began before the line was read', (argv, words) => refused(cli(...argv), words))

  test('nothing is written over a file that is there', () => {
    const there = /already exists; nothing was written/
    keeps(pack('one'), there, 'timestamp', 'add', pack('one'), '--export-tsq', pack('one'))
    keeps(report(), there, 'timestamp', 'add', report(), '--export-tsq', report())
    keeps(pack('one'), there, ...create(pack('one'), pack('one')))
    const place = ['--file-number', '1', '--part-number', '1']
    keeps(at('copy.zip'), there, 'redact', 'reveal', pack('one'), at('copy.zip'), ...place, '--out', at('copy.zip'))
    keeps(at('secret'), there, 'redact', 'apply', at('copy.zip'), at('secret'), '--out', at('secret'))
    refused(cli(...create(pack('one'), at('folder'))), there)
  })

  test('--save-head writes over nothing but an earlier head of the same chain', () => {
    const there = /already exists; nothing was written/
    keeps(pack('one'), there, 'verify', pack('one'), ...trust(), '--save-checkpoint', pack('one'))
    keeps(root(), there, 'verify', pack('one'), ...trust(), '--save-checkpoint', root())
    const save = ['--save-checkpoint', at('head.json')]
    const size = (): number => (JSON.parse(readFileSync(at('head.json'), 'utf8')) as { size: number }).size
    expect(cli('verify', pack('one'), ...trust(), ...save).stderr).toMatch(/Saved the checkpoint/)
    expect(size()).toBe(1)
    const next = cli('verify', pack('two'), ...trust(), ...save)
    expect(next.stderr).toMatch(/Extends your checkpoint/)
    expect(next.stderr).toMatch(/Saved the checkpoint/)
    expect(size()).toBe(2)
    const back = cli('verify', pack('one'), ...trust(), ...save)
    expect(back.stderr).toMatch(/No checkpoint saved/)
    expect(size()).toBe(2)
  })

  test('a checkpoint that was not saved is a missing output', () => {
    const ran = cli('verify', pack('one'), '--save-checkpoint', at('unsaved.json'))
    expect(ran.stderr).toMatch(/No checkpoint saved/)
    expect(existsSync(at('unsaved.json'))).toBe(false)
    expect(ran.status).toBe(4)
  })

  test.each(['--trust', '--trust-timestamps'])('%s names files that hold certificates', (option) => {
    for (const file of ['empty.pem', 'words.pem', 'secret'])
      refused(cli('verify', pack('one'), option, at(file)), new RegExp(`${file} contains no readable certificate`))
    refused(cli('verify', pack('one'), option, root(), at('empty.pem')), /empty.pem contains no readable certificate/)
  })

  test('--crl and --certificate name files that hold such', () => {
    refused(cli('verify', pack('one'), '--crl', root()), /root.pem contains no readable revocation list/)
    refused(cli('verify', pack('one'), '--crl', at('words.pem')), /words.pem contains no readable revocation list/)
    const out = ['export', at('recording'), '--out', at('none'), '--formats', '', ...key()]
    refused(cli(...out, '--certificate', at('empty.pem')), /empty.pem contains no readable certificate/)
    const absent = cli(...out, '--certificate', at('absent.pem'))
    expect([absent.status, existsSync(at('none'))]).toEqual([2, false])
  })

  test.each(['ftp://tsa.example/', 'https://me:hunter2@tsa.example/', 'tsa.example'])('does not ask %s', (url) => {
    const before = readFileSync(pack('one'))
    const fleet = `name: f\ntimestampAuthority: ${url}\nnodes:\n  - name: demo-gpu-01\n    address: 192.0.2.1\n    user: u\n`
    writeFileSync(at('fleet.yaml'), fleet)
    const out = ['export', at('recording'), '--out', at('none'), ...key()]
    for (const ran of [
      cli('timestamp', 'add', pack('one'), '--timestamp', url),
      cli(...out, '--timestamp', url),
      cli(...out, '--fleet', at('fleet.yaml')),
    ]) {
      refused(ran, /must be an http or https address without user name and password/)
      expect(ran.stderr).not.toContain('hunter2')
    }
    expect(existsSync(at('none'))).toBe(false)
    expect(readFileSync(pack('one')).equals(before)).toBe(true)
  })

  test('an answer with the query of another file blames no authority', () => {
    expect(cli('timestamp', 'add', pack('two'), '--export-tsq', at('two.tsq')).status).toBe(0)
    const ran = cli('timestamp', 'add', pack('one'), '--import-tsr', at('secret'), '--tsq', at('two.tsq'))
    refused(ran, /this query belongs to other bytes, or the file or lists have changed; export a new one/)
    expect(ran.stderr).not.toMatch(/authority/)
  })

  test('a whole pack is not a copy, a copy is not a whole pack, and numbers are numbers', () => {
    refused(cli('redact', 'show', pack('one')), /is a full pack/)
    refused(cli('redact', 'show', at('copy.zip'), '--file-number', '999'), /999 does not exist/)
    refused(cli('redact', 'show', at('copy.zip'), '--file-number', 'abc'), /“abc” is not a whole number/)
    refused(cli(...create(at('copy.zip'), at('copy-2.zip'))), /is already a redacted copy/)
    const reveal = (unit: string, part: string): Ran =>
      cli(
        'redact',
        'reveal',
        pack('one'),
        at('copy.zip'),
        '--file-number',
        unit,
        '--part-number',
        part,
        '--out',
        at('r.json'),
      )
    refused(reveal('0', '1'), /--file-number: “0” is not a whole number/)
    refused(reveal('1', '-1'), /--part-number: “-1” is not a whole number/)
    refused(reveal('999', '1'), /no such unit/)
    expect(existsSync(at('r.json'))).toBe(false)
  })

  test('a gap needs words, a time that has passed, and a chain', () => {
    const gap = (chain: string, due: string, why: string): Ran =>
      cli('chain', 'missed-run', '--chain', at(chain), '--fleet', 'recordings', '--due', due, '--reason', why, ...key())
    refused(gap('chain', '2026-11-20', ' '), /enter why the run did not take place/)
    refused(gap('chain', '2999-01-01', 'power cut'), /is in the future/)
    refused(gap('no-chain', '2026-11-20', 'power cut'), /there is no run chain/)
    expect(existsSync(at('no-chain'))).toBe(false)
  })

  test('folders and files are distinguished', () => {
    const ran = cli('export', at('recording'), '--out', at('none'), ...ids(), '--passphrase-file', at('folder'))
    refused(ran, /is a folder/)
    expect(ran.stderr).not.toContain('chmod')
    refused(cli('identity', 'list', '--identity-folder', at('secret')), /secret is not a folder/)
    refused(cli('identity', 'list', '--identity-folder', at('secret', 'deep')), /is not a folder/)
    refused(cli('export', at('recording'), '--out', at('none'), ...key(), '--chain', at('secret')), /is not a folder/)
    const backup = (to: string): Ran => cli('identity', 'backup', 'acme', ...ids(), '--to', to)
    refused(backup(at('absent', 'b.json')), /folder .*absent does not exist/)
    refused(backup(at('secret', 'b.json')), /secret is not a folder/)
    refused(backup(at('folder')), /already exists/)
  })

  test('a backup names what it lacks, and the root’s key leaves the identity’s own folder', () => {
    const backup = (to: string): Ran => cli('identity', 'backup', 'acme', '--identity-folder', at('more'), '--to', to)
    const take = (to: string): Ran =>
      cli('identity', 'take-root-offline', 'acme', '--identity-folder', at('more'), '--to', to)
    cpSync(at('ids'), at('more'), { recursive: true })
    const whole = backup(at('whole.json'))
    expect([whole.status, /lacks/.test(whole.stderr)]).toEqual([0, false])
    refused(take(at('more', 'acme', 'off.json')), /folder of the identity/)
    expect(existsSync(at('more', 'acme', 'root-key.json'))).toBe(true)
    expect(take(at('off.json')).status).toBe(0)
    expect(backup(at('part.json')).stderr).toMatch(/does not contain the root key/)
  })
})
