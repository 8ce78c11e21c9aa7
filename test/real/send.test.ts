import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { CLI } from '../support/built-cli.ts'
import { demoExport, whyNoDemoExport } from '../support/demo-export.ts'
import { describeUnless } from '../support/needing.ts'
import { type Fakes, type Fault, startFakes, TOKENS } from '../support/outbox-fakes.ts'
import { integrationsFile } from '../support/outbox-kit.ts'

const why = whyNoDemoExport()

interface Ran {
  readonly status: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built program; `onStart` gets what ends it. */
function cli(argv: readonly string[], onStart: (kill: () => void) => void = () => undefined): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [CLI, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
    onStart(() => child.kill('SIGKILL'))
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk)
    })
    child.once('close', (status, signal) => done({ status, signal, stdout, stderr }))
  })
}

/** Lines of captured output that are long enough to be nothing else. */
function capturedLines(folder: string): readonly string[] {
  const lines = new Set<string>()
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (!/sha256[/\\][0-9a-f]{64}$/.test(name) || statSync(path).size > 1_000_000) continue
    for (const line of readFileSync(path, 'utf8').split('\n')) if (line.trim().length >= 24) lines.add(line.trim())
  }
  return [...lines]
}

describeUnless(why, 'send, as a program', () => {
  let [shared, pack, first] = ['', '', '']
  let [folder, fakes]: [string, Fakes] = ['', null as never]
  const config = (at = folder, files: readonly object[] = []): string => integrationsFile(at, fakes, { files })

  beforeAll(async () => {
    shared = mkdtempSync(join(tmpdir(), 'bw-send-'))
    const at = demoExport()
    pack = join(at, readdirSync(at).find((name) => name.endsWith('.barewitness.zip')) ?? '')
    // A first run that is killed at its first request: everything is planned, and one attempt has begun.
    first = join(shared, 'first')
    fakes = await startFakes()
    await cli(['send', pack, '--config', config(first), '--allow-demo'], (kill) => {
      fakes.hooks.faults = () => {
        kill()
        return 'dropped'
      }
    })
    await fakes.close()
  })
  afterAll(() => rmSync(shared, { recursive: true, force: true }))
  beforeEach(async () => {
    folder = mkdtempSync(join(shared, 'one-'))
    fakes = await startFakes()
  })
  afterEach(() => fakes.close())

  const journalOf = (at: string): string => readFileSync(join(at, 'outbox', 'outbox.jsonl'), 'utf8')
  const counts = () => ({
    jira: fakes.kept.jira.length,
    labels: new Set(fakes.kept.jira.flatMap(({ labels }) => labels.filter((one) => one.startsWith('bw-')))).size,
    serviceNow: fakes.kept.serviceNow.length,
    correlations: new Set(fakes.kept.serviceNow.map(({ correlation_id }) => correlation_id)).size,
    cisoAssistant: fakes.kept.cisoAssistant.length,
    vanta: fakes.kept.vanta.length,
    drata: fakes.kept.drata.length,
    webhook: fakes.kept.webhook.size,
  })

  test('everything arrives once, states what it is, and holds no captured output and no token', async () => {
    const files = [
      { name: 'lake', format: 'ocsf', folder: 'lake' },
      { name: 'records', format: 'opentelemetry', folder: 'records' },
    ]
    const path = config(folder, files)
    const dry = await cli(['send', pack, '--config', path, '--allow-demo', '--dry-run'])
    expect({ status: dry.status, sent: fakes.received.length }).toEqual({ status: 0, sent: 0 })
    expect([existsSync(join(folder, 'outbox')), existsSync(join(folder, 'lake'))]).toEqual([false, false])
    const sent = await cli(['send', pack, '--config', path, '--allow-demo'])
    expect(sent).toMatchObject({ status: 0, stdout: '' })
    const findings = fakes.kept.jira.length
    expect(findings).toBeGreaterThan(20)
    expect(counts()).toEqual({
      jira: findings,
      labels: findings,
      serviceNow: findings,
      correlations: findings,
      cisoAssistant: 1,
      vanta: 1,
      drata: 1,
      webhook: findings + 1,
    })
    expect([fakes.kept.slack, fakes.kept.teams].map(({ length }) => length)).toEqual([1, 1])
    expect(fakes.kept.openTelemetry).toHaveLength(findings + 1)
    expect(fakes.kept.jira.every(({ summary }) => summary.startsWith('[Demo data] '))).toBe(true)

    const lake = readdirSync(join(folder, 'lake')).map((name) => readFileSync(join(folder, 'lake', name), 'utf8'))
    const records = readdirSync(join(folder, 'records')).map((name) =>
      readFileSync(join(folder, 'records', name), 'utf8'),
    )
    const events = (lake[0] ?? '')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { class_uid: number })
    expect([lake.length, records.length]).toEqual([1, 1])
    expect(events.length).toBeGreaterThan(500)
    expect(new Set(events.map(({ class_uid }) => class_uid))).toEqual(new Set([2003]))

    const texts = [
      ...fakes.received.map(({ path: at, body }) => `${at}\n${body}`),
      ...[dry.stdout, dry.stderr, sent.stderr, journalOf(folder), ...lake, ...records],
    ].join('\n')
    // What is written within JSON is compared as it is read.
    const read = texts.replaceAll('\\"', '"').replaceAll('\\\\', '\\')
    const captured = capturedLines(demoExport())
    expect(captured.length).toBeGreaterThan(1000)
    expect(captured.filter((line) => read.includes(line))).toEqual([])
    for (const token of Object.values(TOKENS)) {
      const places = fakes.received.filter(({ body }) => body.includes(token))
      expect({ token, places: places.length }).toEqual({ token, places: 0 })
      for (const text of [dry.stdout, dry.stderr, sent.stderr, journalOf(folder)])
        expect(text.includes(token)).toBe(false)
    }

    const before = fakes.received.length
    const again = await cli(['send', pack, '--config', path, '--allow-demo'])
    expect({ status: again.status, sent: fakes.received.length - before }).toEqual({ status: 0, sent: 0 })
    expect(again.stderr).toContain('lake: unchanged')

    // Nine receivers, each with what it takes of one run.
    const status = await cli(['send', '--config', path, '--status'])
    const lines = status.stdout.trimEnd().split('\n')
    expect([status.status, lines.length, lines.filter((line) => line.includes(': Sent ('))]).toEqual([0, 9, lines])
    expect(fakes.received.length).toBe(before)
  })

  test.each<[string, (copy: string) => void, readonly string[], number]>([
    [
      'an altered pack',
      (copy) => {
        const bytes = readFileSync(copy)
        const at = bytes.indexOf('"verdict":"not-satisfied"')
        bytes.write(at === -1 ? 'X' : '"verdict":"satisfied"    ', at === -1 ? bytes.length >> 1 : at)
        writeFileSync(copy, bytes)
      },
      ['--allow-demo'],
      5,
    ],
    ['a demo pack without the option', () => undefined, [], 2],
    ['a file that is no pack', (copy) => writeFileSync(copy, 'PK'), ['--allow-demo'], 5],
  ])('%s is refused, and nothing is planned', async (_, alter, options, status) => {
    const copy = join(folder, 'copy.barewitness.zip')
    cpSync(pack, copy)
    alter(copy)
    const ran = await cli(['send', copy, '--config', config(), ...options])
    expect({ status: ran.status, sent: fakes.received.length }).toEqual({ status, sent: 0 })
    expect(existsSync(join(folder, 'outbox'))).toBe(false)
  })

  test('a token that others can read is refused before anything is sent', async () => {
    const path = config()
    expect((await cli(['send', '--config', path, '--check-config'])).status).toBe(0)
    chmodSync(join(folder, 'jira-token'), 0o644)
    const ran = await cli(['send', pack, '--config', path, '--allow-demo'])
    expect({ status: ran.status, sent: fakes.received.length }).toEqual({ status: 2, sent: 0 })
    expect(ran.stderr.includes(TOKENS.jira)).toBe(false)
  })

  // The search of the fake sees every issue at once. Where a search lags behind, test/outbox/deliver.test.ts shows what follows.
  test.each<[number, Fault]>([
    [1, 'lost'],
    [2, 'dropped'],
    [7, 'lost'],
    [61, 'lost'],
    [140, 'lost'],
    [233, 'lost'],
  ])('killed at request %i (%s), it continues: nothing is lost, nothing is made twice', async (at, fault) => {
    const path = config()
    cpSync(join(first, 'outbox'), join(folder, 'outbox'), { recursive: true })
    let seen = 0
    const ran = await cli(['send', '--config', path], (kill) => {
      fakes.hooks.faults = () => {
        seen += 1
        if (seen !== at) return null
        kill()
        return fault
      }
    })
    expect(ran.signal).toBe('SIGKILL')
    fakes.hooks.faults = () => null
    expect(await cli(['send', '--config', path])).toMatchObject({ status: 0 })
    const findings = counts().jira
    expect(findings).toBeGreaterThan(20)
    expect(counts()).toEqual({
      jira: findings,
      labels: findings,
      serviceNow: findings,
      correlations: findings,
      cisoAssistant: 1,
      vanta: 1,
      drata: 1,
      webhook: findings + 1,
    })
    expect(fakes.kept.openTelemetry.length).toBeGreaterThanOrEqual(findings + 1)
    expect(fakes.kept.slack.length).toBeGreaterThanOrEqual(1)
  })
})
