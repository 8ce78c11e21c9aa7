import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { collectNode } from '../../main/app/collect/collect-node.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { LIVE_PROBES } from '../../main/catalog/single-tenancy/isolation/processors/live-tests.ts'
import { liveCpuidLong } from '../../main/catalog/single-tenancy/live-tests/index.ts'
import { rootCommands, sudoersFor } from '../../main/core/collector/sudoers.ts'
import type { ConnectTarget, EvidenceStore } from '../../main/core/ports/ports.ts'
import { captureKey, readProbe } from '../../main/core/recording/probe.ts'
import type { LoadedRecording } from '../../main/core/recording/recording.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import type { Capture, Recording } from '../../schemas/types.ts'
import { CLI, whyNoCli } from '../support/built-cli.ts'
import { realClock, realEntropy, realPause, targetOf, validator } from '../support/deps.ts'
import { folderOfTest } from '../support/folders.ts'
import { loadedOf } from '../support/loaded.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { isRoot, type Sshd, startSshd, whyNoSshd, whyNoUsers } from '../support/sshd.ts'

// Live tests through Debian's own OpenSSH server, on whatever machine this is.
const noRoot = whyNoSshd ?? (isRoot ? null : 'not running as root')
const hasCpuid = existsSync('/dev/cpu/0/cpuid')

const few: Catalog = {
  ...catalog,
  probes: [...catalog.probes.filter(({ live }) => live !== true).slice(0, 3), ...LIVE_PROBES],
}

let folder = ''
let store: EvidenceStore
beforeEach(async () => {
  folder = folderOfTest('live')
  store = must(await openEvidenceStore(folder, validator))
})

const targetAt = (sshd: Sshd, changes: Partial<ConnectTarget['node']> = {}): ConnectTarget => ({
  ...targetOf('host', { port: sshd.port, user: 'root', ...changes }),
  trust: { fingerprint: sshd.hostKey.fingerprint, knownHostsFiles: [] },
  credentials: { identityFile: sshd.clientKey, agent: false },
  transport: 'ssh2',
})

async function collect(target: ConnectTarget, liveTests: boolean, asked: Catalog = few): Promise<LoadedRecording> {
  const collected = await collectNode(
    { transport: createTransport(), store, clock: realClock, entropy: realEntropy, pause: realPause, catalog: asked },
    target,
    {
      run: 'real',
      signal: new AbortController().signal,
      deadlineSeconds: 90,
      onEvent: () => undefined,
      marks: { demo: false, synthetic: null },
      skip: new Set(),
      liveTests,
    },
  )
  return await loadedOf(collected)
}

const isLive = ({ probe }: Pick<Capture, 'probe'>): boolean => probe.startsWith('live.')
const live = ({ captures }: LoadedRecording) => captures.filter(({ meta }) => isLive(meta))

describeUnless(noRoot, 'this host, as root', () => {
  let sshd: Sshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(async () => await sshd.stop())

  test('off unless asked for', async () => {
    const loaded = await collect(targetAt(sshd), false)
    expect(live(loaded)).toEqual([])
    expect(loaded.recording).not.toHaveProperty('liveTests')
    expect(loaded.captures.filter(({ meta }) => 'heardMs' in meta)).toEqual([])
  })

  test('asked for: answered within its bound, timed by both clocks', async () => {
    const loaded = await collect(targetAt(sshd), true)
    expect(loaded.recording.outcome).toEqual({ status: 'complete', failure: null })
    expect(loaded.recording.liveTests).toBe(true)
    const answers = live(loaded)
    expect(answers).toHaveLength(LIVE_PROBES.flatMap(({ commands }) => Object.keys(commands)).length)
    expect(
      answers.filter(({ meta }) => meta.status !== 'done').map(({ meta }) => captureKey(meta.probe, meta.command)),
    ).toEqual([])
    for (const { meta } of answers) {
      expect(typeof meta.heardMs, captureKey(meta.probe, meta.command)).toBe('number')
    }
    const total = answers.reduce((sum, { meta }) => sum + (meta.heardMs ?? 0), 0)
    expect(total).toBeGreaterThan(3000)
    expect(loaded.captures.filter(({ meta }) => !isLive(meta) && 'heardMs' in meta)).toEqual([])
    const captures = new Map(loaded.captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one]))
    const reading = readProbe(liveCpuidLong, captures, { liveTests: true })
    if (!hasCpuid) return expect(reading.ok).toBe(false)
    if (!reading.ok) throw new Error(reading.reason)
    const { dd, node, collectingComputer } = reading.fact
    expect(dd).toBeGreaterThan(0)
    expect(node).toBeGreaterThanOrEqual(dd - 0.05)
    expect(collectingComputer).toBeGreaterThan(0)
  })
})

describeUnless(whyNoUsers, 'an ordinary user', () => {
  const users = [{ name: 'bwaudit' }]
  // Rights differ in the lines that need them, so the others need not be measured again.
  const cpuid: Catalog = {
    ...few,
    probes: few.probes.filter(({ id, live }) => live !== true || id.startsWith('live.cpuid')),
  }
  const allowed = (liveTests: boolean): string =>
    sudoersFor(rootCommands(few.probes, { liveTests }), { user: 'bwaudit' })
  const asked = async (sudoers: string): Promise<LoadedRecording> => {
    const sshd = await startSshd({ users, files: { '/etc/sudoers.d/barewitness': sudoers } })
    try {
      return await collect(targetAt(sshd, { user: 'bwaudit', sudo: true }), true, cpuid)
    } finally {
      await sshd.stop()
    }
  }
  const refused = (loaded: LoadedRecording): readonly string[] =>
    live(loaded)
      .filter(({ stderr }) => /^sudo: /m.test(Buffer.from(stderr).toString()))
      .map(({ meta }) => captureKey(meta.probe, meta.command))

  test('with the drop-in of live tests: taskset may start dd, through sudo', async () => {
    const loaded = await asked(allowed(true))
    expect(refused(loaded)).toEqual([])
    const first = live(loaded).find(({ meta }) => meta.probe === 'live.cpuid' && meta.command === 'first')
    expect(first?.meta.privilege).toBe('sudo')
    const said = Buffer.from(first?.stderr ?? []).toString()
    expect(said).toMatch(hasCpuid ? /1048576 bytes .*copied/ : /No such file or directory/)
  })

  test('with the drop-in without them they are refused, by name', async () => {
    const loaded = await asked(allowed(false))
    expect(refused(loaded).filter((key) => key.startsWith('live.cpuid/'))).toHaveLength(5)
    const captures = new Map(loaded.captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one]))
    const reading = readProbe(liveCpuidLong, captures, { liveTests: true })
    expect(reading).toMatchObject({ ok: false, reason: 'not collected: sudo does not allow this line (taskset)' })
  })
})

const noCli = whyNoSshd ?? whyNoCli()

describeUnless(noCli, 'the built program', () => {
  const cli = (...argv: string[]) => spawnSync(process.execPath, [CLI, ...argv], { encoding: 'utf8', maxBuffer: 1e9 })
  let sshd: Sshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(async () => await sshd?.stop())
  const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()
  const fleet = (): string => {
    const file = join(folder, 'fleet.json')
    const node = {
      name: 'this-host',
      address: '127.0.0.1',
      port: sshd.port,
      user,
      hostKey: sshd.hostKey.fingerprint,
      identityFile: sshd.clientKey,
    }
    writeFileSync(file, JSON.stringify({ name: 'live', nodes: [node] }))
    return file
  }
  const stored = (out: string) => {
    const evidence = join(out, 'evidence')
    const run = readdirSync(evidence).find((name) => /^\d{8}t/.test(name)) ?? ''
    const at = join(evidence, run, 'this-host')
    return {
      recording: JSON.parse(readFileSync(join(at, 'recording.json'), 'utf8')) as Recording,
      captures: readFileSync(join(at, 'captures.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Capture),
    }
  }

  test('the catalog lists live tests as such, and the drop-in holds their lines only when wanted', () => {
    const probes = JSON.parse(cli('catalog', 'probes', '--json').stdout) as { id: string; live: boolean }[]
    expect(probes.filter((probe) => probe.live).map(({ id }) => id)).toEqual(LIVE_PROBES.map(({ id }) => id))
    expect(cli('catalog', 'probes').stdout).toContain('live test: runs only with --live-tests')
    expect(cli('catalog', 'sudoers').stdout).not.toContain('taskset')
    expect(cli('catalog', 'sudoers', '--live-tests').stdout).toContain('taskset -c 0 dd')
    expect(cli('collect', '--script').stdout).not.toContain('live.cpuid/first')
    expect(cli('collect', '--script', '--live-tests').stdout).toContain('live.cpuid/first')
  })

  test('collect --live-tests stores what was heard, and a run keeps to what it was begun with', () => {
    const out = join(folder, 'out')
    const first = cli('collect', '--fleet', fleet(), '--out', out, '--live-tests')
    expect(first.status, first.stderr).toBe(0)
    const { recording, captures } = stored(out)
    expect(recording.liveTests).toBe(true)
    const heard = captures.filter(isLive)
    expect(heard).toHaveLength(LIVE_PROBES.flatMap(({ commands }) => Object.keys(commands)).length)
    expect(heard.filter(({ heardMs }) => heardMs === undefined)).toEqual([])
    expect(captures.filter((one) => !isLive(one) && one.heardMs !== undefined)).toEqual([])

    const plain = join(folder, 'plain')
    expect(cli('collect', '--fleet', fleet(), '--out', plain).status).toBe(0)
    expect(stored(plain).recording).not.toHaveProperty('liveTests')
    expect(stored(plain).captures.filter(isLive)).toEqual([])
    const again = cli('collect', '--fleet', fleet(), '--out', plain, '--resume', '--live-tests')
    expect(again.stdout + again.stderr).toContain('started without live tests')
  })
})
