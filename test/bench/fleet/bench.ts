import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundled } from '../../support/bundled.ts'
import { whyNoSshd } from '../../support/sshd.ts'
import { spawnFarm } from '../farm/spawn.ts'
import { spread } from '../measure.ts'
import type { Result } from '../results.ts'
import { type BenchServer, startBenchServer } from '../server.ts'
import {
  ANSIBLE,
  CLUSH,
  COLLECT,
  COMMANDS,
  collectTool,
  type Nodes,
  PLAIN_SSH,
  PSSH,
  type Ran,
  ran,
  type Tool,
} from './tools.ts'

interface Row {
  /** What the nodes are. */
  readonly suite: string
  readonly tool: string
  readonly nodes: number
  readonly ran: readonly Ran[]
}

export interface FleetSizes {
  readonly emulated: readonly number[]
  /** Each is this computer, asked by a server of its own. */
  readonly real: number
  /** Of the real ones; of emulated ones, 100 and fewer. */
  readonly repetitions: number
}

const PORT = 2230
const SSHD = ['LogLevel VERBOSE', 'AllowUsers root@127.0.0.0/8', 'MaxSessions 10']
const OURS = { collect: 'collect, unpaced', export: 'collect, assess, seal' } as const

/**
 * `npm run bench -- --fleet [--quick]`: many nodes at once. Emulated ones, for what the program itself can do, and real sshd beside other
 * tools on the same nodes. All take turns; every run is checked to have brought everything; what cannot be measured here is skipped by name.
 */
export async function benchFleet({ emulated, real, repetitions }: FleetSizes): Promise<readonly Result[]> {
  const top = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'bwbench-fleet-'))
  const rows: Row[] = []
  const skipped: string[] = []
  print(`${COMMANDS} questions to a node`)
  try {
    if (!existsSync('/usr/bin/time')) throw new Error('needs /usr/bin/time (package time)')
    // A thousand nodes take minutes: once.
    for (const count of emulated) await onFarm(top, count, count > 100 ? 1 : repetitions, rows)
    if (whyNoSshd !== null || process.getuid?.() !== 0) skipped.push(`real sshd: ${whyNoSshd ?? 'not running as root'}`)
    else await onSshd(top, real, repetitions, rows, skipped)
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
  for (const why of skipped) print(`skipped: ${why}`)
  return resultsOf(rows)
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
    const ours = (step: keyof typeof OURS): Tool => ({
      name: OURS[step],
      program: process.execPath,
      argv: (_nodes, lanes, folder) => [process.execPath, child.program, farm.fleetFile, folder, String(lanes), step],
      complete: (_nodes, _folder, stdout) =>
        (JSON.parse(stdout || '{"complete":0}') as { readonly complete: number }).complete,
    })
    const suite = 'emulated'
    const [collects, plain]: [Ran[], Ran[]] = [[], []]
    for (let turn = 0; turn < repetitions; turn += 1) {
      collects.push(await checked(ours('collect'), nodes, width, join(top, `farm-${count}-${turn}`)))
      plain.push(await checked(PLAIN_SSH, nodes, width, join(top, `farm-ssh-${count}-${turn}`)))
    }
    rows.push({ suite, tool: OURS.collect, nodes: count, ran: collects })
    rows.push({ suite, tool: PLAIN_SSH.name, nodes: count, ran: plain })
    const whole = await checked(ours('export'), nodes, width, join(top, `farm-whole-${count}`))
    rows.push({ suite, tool: OURS.export, nodes: count, ran: [whole] })
    const parts = JSON.parse(whole.stdout) as Readonly<Record<string, number>>
    print(
      `whole run: collecting ${Math.round((parts.collectMs ?? 0) / 100) / 10} s with at most ${parts.collectPeakMiB} MiB, everything ${whole.seconds} s with at most ${whole.peakMiB} MiB; longest time without a moment ${Math.round(parts.longestQuiet ?? 0)} ms`,
    )
    const { cpuMs, peakMiB, sessions } = await farm.figures()
    print(
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
  const tools = [ours, PLAIN_SSH, CLUSH, PSSH, ANSIBLE].filter(({ name, program }) => {
    const isThere = existsSync(program)
    if (!isThere) skipped.push(`${name}: ${program} is not installed`)
    return isThere
  })
  try {
    const open = await server(['MaxStartups 500:30:1000'])
    try {
      const nodes = nodesOf(open, count)
      const runs = new Map(tools.map(({ name }) => [name, [] as Ran[]]))
      for (let turn = 0; turn < repetitions; turn += 1)
        for (const tool of tools)
          runs.get(tool.name)?.push(await checked(tool, nodes, count, join(top, `real-${turn}-${tools.indexOf(tool)}`)))
      for (const { name } of tools) rows.push({ suite: 'real', tool: name, nodes: count, ran: runs.get(name) ?? [] })
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
        print(
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

/** Each of our rows beside every other tool on the same nodes. */
function resultsOf(rows: readonly Row[]): readonly Result[] {
  const ours = (row: Row): boolean => row.tool === OURS.collect || row.tool === COLLECT
  return rows.flatMap((row) => {
    const { nodes, suite, tool } = row
    const what = `${nodes} ${suite} nodes`
    if (tool === OURS.export) return [wholeRun(what, row)]
    if (!ours(row)) return []
    const others = rows.filter(
      (one) => one.suite === suite && one.nodes === nodes && !ours(one) && one.tool !== OURS.export,
    )
    return [
      ...others.map((other): Result => {
        const ratio = rounded(wallOf(row) / wallOf(other))
        return {
          what: `${what}: \`${tool}\``,
          ours: `${wallOf(row)} s`,
          against: `${other.tool} ${wallOf(other)} s`,
          ratio,
          target:
            suite === 'emulated' && nodes >= 100 && other.tool === PLAIN_SSH.name
              ? { text: '≤ 0.9 ×', isKept: ratio <= 0.9 }
              : null,
        }
      }),
      cost(what, row, others),
    ]
  })
}

/** Processor time and memory of the client beside those of the others. */
const cost = (what: string, row: Row, others: readonly Row[]): Result => ({
  what: `${what}: processor time of the client for each, largest process`,
  ours: `${cpuOf(row)} ms, ${peakMiBOf(row)} MiB`,
  against: others.map((one) => `${one.tool} ${cpuOf(one)} ms, ${peakMiBOf(one)} MiB`).join('; '),
  ratio: null,
  target:
    row.suite === 'emulated' ? { text: '≤ 30 ms, ≤ 250 MiB', isKept: cpuOf(row) <= 30 && peakMiBOf(row) <= 250 } : null,
})

const wholeRun = (what: string, row: Row): Result => ({
  what: `${what}: ${OURS.export}`,
  ours: `${wallOf(row)} s, ${cpuOf(row)} ms of processor time for each`,
  against: null,
  ratio: null,
  target: row.nodes >= 1000 ? { text: '≤ 120 s', isKept: wallOf(row) <= 120 } : null,
})

const wallOf = ({ ran: all }: Row): number => spread(all.map(({ seconds }) => seconds)).median
const cpuOf = ({ ran: all, nodes }: Row): number => Math.round(spread(all.map(({ cpuMs }) => cpuMs / nodes)).median)
const peakMiBOf = ({ ran: all }: Row): number => Math.max(...all.map(({ peakMiB }) => peakMiB))
const rounded = (value: number): number => Math.round(value * 100) / 100
const print = (line: string): void => void process.stderr.write(`${line}\n`)
