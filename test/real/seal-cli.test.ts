import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeRecordingFolder } from '../../main/adapters/recording-folder.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { VerificationReport } from '../../schemas/verification.ts'
import { CLI } from '../support/built-cli.ts'
import { cliHere, type RanLine } from '../support/cli-here.ts'
import { fixtureRecording } from '../support/fixtures.ts'
import { lyingTsa, replyWith } from '../support/lying-tsa.ts'
import { describeUnless, isInstalled, testUnless } from '../support/needing.ts'
import { type OpensslTsa, opensslTsa } from '../support/openssl-tsa.ts'

// The built program seals with a time-stamp authority run by openssl, and a stranger verifies: later, offline, and after revocation.
// Each command runs as the built program at least once. Repeated ones run in this process (`cliHere`), which takes a third of the time.
const missing = !existsSync(CLI)
  ? 'out/main/cli.js is not built'
  : isInstalled('openssl')
    ? null
    : 'openssl is not installed'

describeUnless(missing, 'seals from the command line', () => {
  const begun = Date.now()
  let folder = ''
  let tsa: OpensslTsa
  let server: Awaited<ReturnType<typeof lyingTsa>>
  const at = (...parts: string[]): string => join(folder, ...parts)
  // Not the synchronous kind: the authority answers from this very process.
  const run = (command: string, argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<RanLine> =>
    new Promise((done) => {
      const child = execFile(command, argv, { encoding: 'utf8', maxBuffer: 1e9, env }, (_, stdout, stderr) =>
        done({ status: child.exitCode, stdout, stderr }),
      )
    })
  const cli = (...argv: string[]): Promise<RanLine> => run(process.execPath, [CLI, ...argv])
  const signing = (): string[] => [
    '--identity',
    'acme',
    '--identity-folder',
    at('ids'),
    '--passphrase-file',
    at('secret'),
  ]
  const authority = (): string[] => [
    '--certificate',
    at('tsa', 'root.pem'),
    at('ids', 'acme', 'root.pem'),
    '--crl',
    at('tsa', 'root.crl.pem'),
    at('tsa', 'mid.crl.pem'),
    at('ids', 'acme', 'crl.pem'),
  ]
  const trust = (): string[] => ['--trust', at('ids', 'acme', 'root.pem'), '--trust-timestamps', at('tsa', 'root.pem')]
  const outcomes = ({ stdout }: RanLine): Record<string, string> =>
    Object.fromEntries((JSON.parse(stdout) as VerificationReport).checks.map(({ check, outcome }) => [check, outcome]))
  const stdoutOf = ({ stdout }: RanLine): string => stdout
  const packIn = (name: string): string => at(name, readdirSync(at(name)).find((file) => file.endsWith('.zip')) ?? '')
  const reportIn = (name: string): string =>
    at(name, readdirSync(at(name)).find((file) => file.endsWith('_report.pdf')) ?? '')
  const exported = async (by: typeof cliHere, name: string, ...more: string[]): Promise<string> => {
    const ran = await by('export', at('recording'), '--out', at(name), '--formats', '', ...signing(), ...more)
    expect([0, 3], ran.stderr).toContain(ran.status)
    return ran.stderr
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bw-seal-'))
    tsa = opensslTsa(at('tsa'))
    server = await lyingTsa(replyWith(tsa.reply))
    writeFileSync(at('secret'), 'correct horse battery\n', { mode: 0o600 })
    expect(
      (
        await cli(
          'identity',
          'create',
          'acme',
          '--subject',
          'Acme',
          '--identity-folder',
          at('ids'),
          '--passphrase-file',
          at('secret'),
        )
      ).status,
    ).toBe(0)
    await writeRecordingFolder(at('recording'), fixtureRecording('demo-gpu-01', catalog.probes))
  })
  afterAll(async () => {
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('with an authority: the report at B-LTA, the pack stamped, every answer a yes', async () => {
    const words = await exported(cli, 'one', '--timestamp', server.url, ...authority(), '--chain', at('chain'))
    expect(words).toMatch(/PAdES level B-LTA\. Pack: with a time-stamp/)
    const ran = await cli('verify', packIn('one'), '--json', '--save-checkpoint', at('head.json'), ...trust())
    expect(outcomes(ran), stdoutOf(ran)).toEqual({
      integrity: 'passed',
      signature: 'passed',
      time: 'passed',
      completeness: 'passed',
      reproducibility: 'passed',
      continuity: 'indeterminate',
    })
    const report = await cliHere('verify', reportIn('one'), '--json', ...trust())
    expect(outcomes(report), stdoutOf(report)).toMatchObject({
      integrity: 'passed',
      signature: 'passed',
      time: 'passed',
      completeness: 'indeterminate',
    })
    expect(stdoutOf(report)).toContain('Level B-LTA')
  })

  test('an authority that is not trusted shows no time; the signer’s root does not make one', async () => {
    const ran = await cliHere(
      'verify',
      packIn('one'),
      '--json',
      '--trust',
      at('ids', 'acme', 'root.pem'),
      '--trust-timestamps',
      at('ids', 'acme', 'root.pem'),
    )
    expect(outcomes(ran), stdoutOf(ran)).toMatchObject({ signature: 'passed', time: 'indeterminate' })
    // What an option asks for has to be shown.
    expect(ran.status).toBe(4)
    expect(JSON.parse(ran.stdout)).toMatchObject({ ok: true, lacking: ['time'] })
  })

  test('a later pack extends the history that was kept, and an older one does not', async () => {
    expect(
      (
        await cli(
          'chain',
          'missed-run',
          '--chain',
          at('chain'),
          '--fleet',
          'recordings',
          '--due',
          '2026-11-20',
          '--reason',
          'power cut',
          ...signing(),
        )
      ).status,
    ).toBe(0)
    await exported(cliHere, 'two', '--chain', at('chain'))
    const next = await cliHere(
      'verify',
      packIn('two'),
      '--json',
      '--last-checkpoint',
      at('head.json'),
      '--save-checkpoint',
      at('head-2.json'),
      ...trust(),
    )
    expect(outcomes(next), stdoutOf(next)).toMatchObject({ continuity: 'passed' })
    expect(stdoutOf(next)).toMatch(/Extends your checkpoint.*power cut/s)
    const back = await cliHere('verify', packIn('one'), '--json', '--last-checkpoint', at('head-2.json'), ...trust())
    expect(back.status).toBe(5)
    expect(outcomes(back)).toMatchObject({ continuity: 'failed' })
  })

  test('queries are carried out and answers back, for a pack and for both levels of a report', async () => {
    const carry = async (file: string): Promise<void> => {
      rmSync(at('x.tsq'), { force: true })
      const query = await cliHere('timestamp', 'add', file, '--export-tsq', at('x.tsq'), ...authority())
      expect(query.status, query.stderr).toBe(0)
      writeFileSync(at('x.tsr'), tsa.reply(new Uint8Array(readFileSync(at('x.tsq')))))
      const back = await cliHere(
        'timestamp',
        'add',
        file,
        '--import-tsr',
        at('x.tsr'),
        '--tsq',
        at('x.tsq'),
        ...authority(),
      )
      expect(back.status, back.stderr).toBe(0)
    }
    cpSync(packIn('two'), at('carried.zip'))
    cpSync(reportIn('two'), at('carried.pdf'))
    await carry(at('carried.zip'))
    expect(outcomes(await cliHere('verify', at('carried.zip'), '--json', ...trust()))).toMatchObject({
      integrity: 'passed',
      time: 'passed',
    })
    await carry(at('carried.pdf'))
    expect(stdoutOf(await cliHere('verify', at('carried.pdf'), '--json', ...trust()))).toContain('Level B-T')
    await carry(at('carried.pdf'))
    expect(stdoutOf(await cliHere('verify', at('carried.pdf'), '--json', ...trust()))).toContain('Level B-LTA')
    const again = await cliHere('timestamp', 'add', at('carried.pdf'), '--export-tsq', at('y.tsq'), ...authority())
    expect(again.status).toBe(2)
    expect(again.stderr).toContain('barewitness timestamp renew')
  })

  test('an answer to another query is thrown away, and the file stays as it was', async () => {
    const before = readFileSync(packIn('two'))
    await cli('timestamp', 'add', packIn('two'), '--export-tsq', at('a.tsq'))
    await cli('timestamp', 'add', packIn('two'), '--export-tsq', at('b.tsq'))
    writeFileSync(at('a.tsr'), tsa.reply(new Uint8Array(readFileSync(at('a.tsq')))))
    const ran = await cli(
      'timestamp',
      'add',
      packIn('two'),
      '--import-tsr',
      at('a.tsr'),
      '--tsq',
      at('b.tsq'),
      ...authority(),
    )
    expect(ran.status).toBe(4)
    expect(ran.stderr).toMatch(/another nonce/)
    expect(readFileSync(packIn('two')).equals(before)).toBe(true)
  })

  test('refresh puts one more time-stamp over everything', async () => {
    for (const [file, by] of [
      [packIn('one'), cli],
      [reportIn('one'), cliHere],
    ] as const) {
      const ran = await by('timestamp', 'renew', file, '--timestamp', server.url, ...authority())
      expect(ran.status, ran.stderr).toBe(0)
      const verified = await cliHere('verify', file, '--json', ...trust())
      expect(outcomes(verified), stdoutOf(verified)).toMatchObject({
        integrity: 'passed',
        signature: 'passed',
        time: 'passed',
      })
    }
  })

  test('an authority that is not there leaves the lower level, and this is reported', async () => {
    const ran = await cliHere(
      'export',
      at('recording'),
      '--out',
      at('three'),
      ...signing(),
      '--timestamp',
      'http://127.0.0.1:9/',
      '--deviations-exit-zero',
    )
    expect(ran.status, ran.stderr).toBe(4)
    expect(ran.stderr).toMatch(/PAdES level B-B\. Pack: without a time-stamp/)
    expect(ran.stderr).toMatch(/Time-stamp authority unreachable/)
    const early = await cliHere('verify', packIn('three'), '--json', ...trust())
    expect(early.status).toBe(4)
    expect(JSON.parse(early.stdout)).toMatchObject({ ok: true, lacking: ['time'] })
    const later = await cli('timestamp', 'add', packIn('three'), '--timestamp', server.url, ...authority())
    expect(later.status, later.stderr).toBe(0)
    expect(outcomes(await cliHere('verify', packIn('three'), '--json', ...trust()))).toMatchObject({
      time: 'passed',
    })
  })

  const noFaketime = isInstalled('faketime') ? null : 'faketime is not installed'
  testUnless(noFaketime, 'in 2032 the time-stamp still shows the seal of an ended certificate', async () => {
    const future = (...argv: string[]): Promise<RanLine> =>
      run('faketime', ['2032-03-01 12:00:00', process.execPath, CLI, ...argv])
    const stamped = await future('verify', packIn('one'), '--json', ...trust())
    expect(outcomes(stamped), stdoutOf(stamped)).toMatchObject({
      integrity: 'passed',
      signature: 'passed',
      time: 'passed',
    })
    expect(stamped.status).toBe(0)
    for (const named of [trust(), []]) {
      const plain = await future('verify', packIn('two'), '--json', ...named)
      expect(outcomes(plain), stdoutOf(plain)).toMatchObject({ signature: 'indeterminate', time: 'indeterminate' })
      expect(plain.status).toBe(4)
      expect((JSON.parse(plain.stdout) as { lacking: string[] }).lacking).toContain('signature')
    }
  })

  const noUnshare = process.getuid?.() === 0 && isInstalled('unshare') ? null : 'unshare needs root'
  testUnless(noUnshare, 'without a network, on a computer that has never seen us', async () => {
    const argv = ['-n', process.execPath, CLI, 'verify', packIn('one'), '--json', ...trust()]
    const ran = await run('unshare', argv, { PATH: process.env.PATH, HOME: at('nobody') })
    expect(outcomes(ran), stdoutOf(ran)).toMatchObject({
      integrity: 'passed',
      signature: 'passed',
      time: 'passed',
      reproducibility: 'passed',
    })
    expect(existsSync(at('nobody'))).toBe(false)
  })

  test('a key revoked after the time-stamp is distinguished from one revoked before', async () => {
    const leaf = (
      JSON.parse((await cliHere('identity', 'list', '--identity-folder', at('ids'), '--json')).stdout) as {
        fingerprint: string
      }[]
    )[0]
    const revoke = async (since: string, list: string): Promise<void> => {
      cpSync(at('ids'), at(`ids-${list}`), { recursive: true })
      const ran = await cli(
        'identity',
        'revoke',
        'acme',
        '--leaf',
        leaf?.fingerprint ?? '',
        '--reason',
        'key-compromise',
        '--from',
        since,
        '--identity-folder',
        at(`ids-${list}`),
        '--passphrase-file',
        at('secret'),
      )
      expect(ran.status, ran.stderr).toBe(0)
      cpSync(at(`ids-${list}`, 'acme', 'crl.pem'), at(`${list}.pem`))
    }
    await revoke(new Date(Date.now() - 1000).toISOString(), 'after')
    await revoke(new Date(begun - 60_000).toISOString(), 'before')
    const after = await cliHere('verify', packIn('one'), '--json', '--crl', at('after.pem'), ...trust())
    expect(outcomes(after), stdoutOf(after)).toMatchObject({ signature: 'passed' })
    expect(stdoutOf(after)).toMatch(/revoked later/)
    const before = await cliHere('verify', packIn('one'), '--json', '--crl', at('before.pem'), ...trust())
    expect(outcomes(before), stdoutOf(before)).toMatchObject({ signature: 'failed' })
    const unstamped = await cliHere('verify', packIn('two'), '--json', '--crl', at('after.pem'), ...trust())
    expect(outcomes(unstamped), stdoutOf(unstamped)).toMatchObject({ signature: 'failed' })
  })

  test('a copy with parts withheld verifies under the same seal; one part is revealed and fits only there', async () => {
    const make = ['redact', 'create', packIn('one'), '--redacted-by', 'Acme', '--reason', 'addresses are ours']
    const made = await cli(...make, '--redact', 'ipv4,mac', '--out', at('copy.zip'))
    expect(made.status, made.stderr).toBe(0)
    const ran = await cliHere('verify', at('copy.zip'), '--json', ...trust())
    expect(outcomes(ran), stdoutOf(ran)).toMatchObject({
      integrity: 'passed',
      signature: 'passed',
      time: 'passed',
      completeness: 'indeterminate',
    })
    expect(stdoutOf(ran)).toContain('"kind": "disclosure"')
    const shown = (await cli('redact', 'show', at('copy.zip'))).stdout
    const place = /^(\d+): .*\n(?: {3}.*\n)*? {3}part (\d+): ⟦IPv4/m.exec(shown) ?? []
    const reveal = ['--file-number', place[1] ?? '', '--part-number', place[2] ?? '', '--out', at('reveal.json')]
    const revealed = await cli('redact', 'reveal', packIn('one'), at('copy.zip'), ...reveal)
    expect(revealed.status, revealed.stderr).toBe(0)
    expect(readFileSync(at('reveal.json'), 'utf8')).toMatch(/\d+\.\d+\.\d+\.\d+/)
    expect((await cli('redact', 'apply', at('copy.zip'), at('reveal.json'), '--out', at('copy-2.zip'))).status).toBe(0)
    expect(outcomes(await cliHere('verify', at('copy-2.zip'), '--json', ...trust()))).toMatchObject({
      integrity: 'passed',
    })
    const other = await cliHere(
      'redact',
      'create',
      packIn('two'),
      '--redacted-by',
      'Acme',
      '--reason',
      'x',
      '--redact',
      'ipv4,mac',
      '--out',
      at('copy-3.zip'),
    )
    expect(other.status, other.stderr).toBe(0)
    expect(
      (await cliHere('redact', 'apply', at('copy-3.zip'), at('reveal.json'), '--out', at('copy-4.zip'))).status,
    ).toBe(2)
  })

  test('a PDF from elsewhere is recognized as one, and not verified', async () => {
    const foreign = '%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n'
    writeFileSync(at('foreign.pdf'), foreign)
    const ran = await cliHere('verify', at('foreign.pdf'), '--json')
    expect(ran.status).toBe(5)
    expect(stdoutOf(ran)).toMatch(/"kind": "foreign-pdf".*Not a Barewitness report/s)
  })
})
