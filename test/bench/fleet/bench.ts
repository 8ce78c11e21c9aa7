import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundled } from '../../support/bundled.ts'
import { whyNoSshd } from '../../support/sshd.ts'
import { spawnFarm } from '../farm/spawn.ts'
import { spread } from '../measure.ts'
import { type BenchServer, startBenchServer } from '../server.ts'
import { ANSIBLE, CLUSH, COMMANDS, collectTool, type Nodes, PLAIN_SSH, type Ran, ran, type Tool } from './tools.ts'

interface Row {
  readonly suite: string
  readonly tool: string
  readonly nodes: number
  readonly ran: readonly Ran[]
  readonly floorSeconds: number
}

const PORT = 2230
const SSHD = ['LogLevel VERBOSE', 'AllowUsers root@127.0.0.0/8', 'MaxSessions 10']

/**
 * `npm run bench -- --fleet [--quick]`: many nodes at once. Emulated ones, for what the program itself can do, and real sshd beside other
 * tools on the same nodes. All take turns; every run is checked to have brought everything; what cannot be measured here is skipped by name.
 */
export async function benchFleet(quick: boolean): Promise<void> {
  const top = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'bwbench-fleet-'))
  const repetitions = quick ? 1 : 3
  const rows: Row[] = []
  const skipped: string[] = []
  say(
    `load before: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors; node ${process.version}; ${COMMANDS} questions to a node`,
  )
  try {
    if (!existsSync('/usr/bin/time')) throw new Error('needs /usr/bin/time (package time)')
    // A thousand nodes take minutes: once.
    await onFarm(top, quick ? 100 : 1000, 1, rows)
    if (whyNoSshd !== null || process.getuid?.() !== 0) skipped.push(`real sshd: ${whyNoSshd ?? 'not running as root'}`)
    else await onSshd(top, quick ? 10 : 50, repetitions, rows, skipped)
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
  table(rows, skipped)
}

async function onFarm(top: string, count: number, repetitions: number, rows: Row[]): Promise<void> {
  // The program’s own when nothing is said: see `concurrency` of a fleet file.
  const width = 64
  const farm = await spawnFarm({ nodes: count, seconds: 1, spread: 0.3, faults: {} })
  const child = await bundled('../bench/fleet/child.ts')
  try {
    const knownHosts = join(top, 'farm-hosts')
    writeFileSync(knownHosts, hostsOf(farm.port))
    const nodes: Nodes = {
      count,
      port: farm.port,
      user: 'bwaudit',
      identityFile: farm.identityFile,
      fingerprint: farm.fingerprint,
      knownHosts,
    }
    const ours = (step: string): Tool => ({
      name: step === 'export' ? 'collect, assess, seal' : 'collect, unpaced',
      program: process.execPath,
      argv: (_nodes, lanes, folder) => [process.execPath, child.program, farm.fleetFile, folder, String(lanes), step],
      complete: (_nodes, _folder, stdout) =>
        (JSON.parse(stdout || '{"complete":0}') as { readonly complete: number }).complete,
    })
    const floorSeconds = Math.ceil(count / width)
    const [collects, plain]: [Ran[], Ran[]] = [[], []]
    for (let turn = 0; turn < repetitions; turn += 1) {
      collects.push(await checked(ours('collect'), nodes, width, join(top, `farm-${turn}`)))
      plain.push(await checked(PLAIN_SSH, nodes, width, join(top, `farm-ssh-${turn}`)))
    }
    rows.push({ suite: 'farm', tool: ours('collect').name, nodes: count, ran: collects, floorSeconds })
    rows.push({ suite: 'farm', tool: PLAIN_SSH.name, nodes: count, ran: plain, floorSeconds })
    const whole = await checked(ours('export'), nodes, width, join(top, 'farm-whole'))
    rows.push({ suite: 'farm', tool: ours('export').name, nodes: count, ran: [whole], floorSeconds })
    const parts = JSON.parse(whole.stdout) as Readonly<Record<string, number>>
    say(
      `whole run: collecting ${Math.round((parts.collectMs ?? 0) / 100) / 10} s with at most ${parts.collectPeakMiB} MiB, everything ${whole.seconds} s with at most ${whole.peakMiB} MiB; longest time without a moment ${Math.round(parts.longestQuiet ?? 0)} ms`,
    )
    const { cpuMs, peakMiB, sessions } = await farm.figures()
    say(
      `the farm: ${sessions} sessions, ${Math.round((cpuMs / sessions) * 10) / 10} ms of processor time each, at most ${peakMiB} MiB`,
    )
  } finally {
    farm.close()
    rmSync(child.folder, { recursive: true, force: true })
  }
}

/** The farm's own host key, as known_hosts has it: read from the farm. */
const hostsOf = (port: number): string => {
  const line = execFileSync('ssh-keyscan', ['-t', 'ed25519', '-p', String(port), '127.78.0.1'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return `bench ${line.split(' ').slice(1).join(' ')}`
}

async function onSshd(top: string, count: number, repetitions: number, rows: Row[], skipped: string[]): Promise<void> {
  const cli = await bundled('../../main/cli/index.ts')
  const ours = collectTool(cli.program)
  const tools = [ours, PLAIN_SSH, CLUSH, ANSIBLE].filter(({ name, program }) => {
    const isThere = existsSync(program)
    if (!isThere) skipped.push(`${name}: ${program} is not installed`)
    return isThere
  })
  try {
    const open = await server(['MaxStartups 500:30:1000'])
    try {
      const nodes = nodesOf(open, count)
      const before = busySeconds()
      await checked(PLAIN_SSH, { ...nodes, count: 1 }, 1, join(top, 'floor'))
      const floor = Math.round(((busySeconds() - before) * count * 10) / cpus().length) / 10
      const runs = new Map(tools.map(({ name }) => [name, [] as Ran[]]))
      for (let turn = 0; turn < repetitions; turn += 1)
        for (const tool of tools)
          runs.get(tool.name)?.push(await checked(tool, nodes, count, join(top, `real-${turn}-${tools.indexOf(tool)}`)))
      for (const { name } of tools)
        rows.push({ suite: 'real sshd', tool: name, nodes: count, ran: runs.get(name) ?? [], floorSeconds: floor })
    } finally {
      open.stop()
    }
    const usual = await server([])
    try {
      const nodes = nodesOf(usual, count)
      for (const tool of [ours, PLAIN_SSH]) {
        const before = usual.log().length
        const one = await ran(tool, nodes, count, join(top, `usual-${tool.name.slice(0, 3)}`))
        const log = usual.log().slice(before)
        const [accepted, failed] = [
          log.split('Accepted publickey').length - 1,
          log.split('Failed publickey').length - 1,
        ]
        say(
          `MaxStartups 10:30:100, ${tool.name}, ${count} nodes: ${count - one.complete} lost, ${failed} refused logins, ${accepted} logins, ${one.seconds} s`,
        )
        if (tool === ours && (one.complete !== count || failed > 0)) throw new Error(`nodes were lost: ${one.stderr}`)
      }
    } finally {
      usual.stop()
    }
  } finally {
    rmSync(cli.folder, { recursive: true, force: true })
  }
}

/**
 * Seconds that the processors of this computer worked so far. Every node is this computer, so what one node makes them work, by all of them,
 * is the least that so many can take, as long as nothing else runs.
 */
const busySeconds = (): number =>
  cpus().reduce((sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) / 1000, 0)

const server = (config: readonly string[]): Promise<BenchServer> =>
  startBenchServer((argv) => [...argv], '0.0.0.0', PORT, [...SSHD, ...config])

function nodesOf({ folder, identityFile, fingerprint }: BenchServer, count: number): Nodes {
  const knownHosts = join(folder, 'bench_hosts')
  writeFileSync(knownHosts, `bench ${readFileSync(join(folder, 'host.pub'), 'utf8')}`)
  return { count, port: PORT, user: 'root', identityFile, fingerprint, knownHosts }
}

/** A run that did not bring everything is no measurement. */
async function checked(tool: Tool, nodes: Nodes, width: number, folder: string): Promise<Ran> {
  const one = await ran(tool, nodes, width, folder)
  if (one.complete !== nodes.count)
    throw new Error(`${tool.name}: ${one.complete} of ${nodes.count} nodes were complete: ${one.stderr}`)
  return one
}

function table(rows: readonly Row[], skipped: readonly string[]): void {
  const best = new Map(rows.map(({ suite }) => [suite, rows.find((row) => row.suite === suite)]))
  const lines = rows.map((row) => {
    const wall = spread(row.ran.map(({ seconds }) => seconds))
    const cpu = spread(row.ran.map(({ cpuMs }) => cpuMs / row.nodes))
    const first = spread(best.get(row.suite)?.ran.map(({ seconds }) => seconds) ?? []).median
    return {
      suite: row.suite,
      tool: row.tool,
      nodes: row.nodes,
      n: wall.n,
      wall,
      nodesPerSecond: ratio(row.nodes, wall.median),
      cpuMsPerNode: cpu,
      peakMiB: Math.max(...row.ran.map(({ peakMiB }) => peakMiB)),
      toFloor: ratio(wall.median, row.floorSeconds),
      oursToIt: ratio(first, wall.median),
    }
  })
  say('| nodes | tool | n | wall s | nodes/s | client CPU ms/node | largest process MiB | ÷ floor | ours ÷ it |')
  say('|---|---|---|---|---|---|---|---|---|')
  for (const { suite, tool, nodes, n, wall, nodesPerSecond, cpuMsPerNode: cpu, peakMiB, toFloor, oursToIt } of lines)
    say(
      `| ${nodes} ${suite} | ${tool} | ${n} | ${wall.median} (${wall.min}–${wall.max}) | ${nodesPerSecond} | ${cpu.median} (${cpu.min}–${cpu.max}) | ${peakMiB} | ${toFloor} | ${oursToIt} |`,
    )
  for (const why of skipped) say(`skipped: ${why}`)
  process.stdout.write(
    `${JSON.stringify({ schema: 'barewitness.bench-fleet/1', node: process.version, load: loadavg(), rows: lines, skipped }, null, 2)}\n`,
  )
}

const ratio = (value: number, of: number): number => Math.round((value / of) * 100) / 100
const say = (line: string): void => void process.stderr.write(`${line}\n`)
