import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { catalog } from '../../main/catalog/definition/index.ts'
import { createFrameReader } from '../../main/core/collector/frames.ts'
import { planOf } from '../../main/core/collector/plan.ts'
import { collectorScript } from '../../main/core/collector/script.ts'
import { CLI } from '../support/built-cli.ts'
import { FULL_QUARTER } from '../support/quarter.ts'
import { benchCli } from './cli-start.ts'
import { benchFleet } from './fleet/bench.ts'
import { type Spread, spread, timed } from './measure.ts'
import { openLink, SERVER_ADDRESS, whyNoLink } from './net/link.ts'
import { benchNodeCost } from './node-cost.ts'
import { benchPacks } from './pack.ts'
import { benchQuarter } from './quarter.ts'
import { benchReport } from './report.ts'
import { keptWord, machine, type Result, tooBusy, writeResults } from './results.ts'
import { startBenchServer } from './server.ts'
import { benchStart } from './start.ts'
import { benchTeam } from './team.ts'

/**
 * One node, real sshd: wall time of `barewitness collect`, whole process, against its floor in the same run: the system ssh client
 * feeding the same collector to `sh -s`. Ours and the floor take turns; every repetition is checked to have brought every answer.
 */
const REPETITIONS = Number(process.env.BENCH_REPETITIONS ?? 5)
const PORT = 2222
const NONCE = 'b'.repeat(24)

interface Row {
  readonly roundTripMs: number
  readonly link: 'tun' | 'loopback'
  readonly collect: Spread
  readonly floor: Spread
  readonly ratio: number
  readonly commands: number
  readonly evidenceBytes: number
  readonly loginsPerCollect: number
  /** One cheap answer, in process: connecting, logging in, one program. What grows with the round trip here is round trips. */
  readonly light: Spread
}

async function measure(roundTripMs: number): Promise<Row | string> {
  const missing = whyNoLink()
  if (missing !== null && roundTripMs > 0) return missing
  const link = missing === null ? await openLink(roundTripMs) : null
  const address = link === null ? '127.0.0.1' : SERVER_ADDRESS
  const server = await startBenchServer(link?.inServer ?? ((argv) => [...argv]), address, PORT)
  const inClient = link?.inClient ?? ((argv: readonly string[]) => [...argv])
  const work = mkdtempSync(join(tmpdir(), 'bwbench-'))
  try {
    const plan = planOf(catalog.probes, { sudo: false, echo: false })
    const script = collectorScript(plan, NONCE)
    const node = {
      name: 'bench',
      address,
      port: PORT,
      user: 'root',
      hostKey: server.fingerprint,
      identityFile: server.identityFile,
      agent: false,
    }
    const fleet = join(work, 'fleet.json')
    writeFileSync(fleet, JSON.stringify({ name: 'bench', nodes: [node] }))
    const floorArgv = inClient([
      'ssh',
      '-T',
      '-F',
      'none',
      '-o',
      'BatchMode=yes',
      '-o',
      `UserKnownHostsFile=${server.knownHosts}`,
      '-o',
      'IdentitiesOnly=yes',
      '-i',
      server.identityFile,
      '-p',
      String(PORT),
      `root@${address}`,
      'sh -s',
    ])
    const ours: number[] = []
    const floors: number[] = []
    let evidenceBytes = 0
    let logins = 0
    for (let turn = 0; turn <= REPETITIONS; turn += 1) {
      const floor = await timed(floorArgv, script)
      const reader = createFrameReader(NONCE, plan.commands.length)
      const frames = [...reader.push('stdout', floor.stdout), ...reader.push('stderr', floor.stderr)].filter(
        ({ kind }) => kind === 'frame',
      )
      if (frames.length !== plan.commands.length)
        throw new Error(
          `the floor brought ${frames.length} of ${plan.commands.length} answers: ${floor.stderr.subarray(0, 500)}`,
        )
      const before = server.logins()
      const out = join(work, `out-${turn}`)
      const collect = await timed(
        inClient([process.execPath, CLI, 'collect', '--fleet', fleet, '--out', out, '--json']),
      )
      logins = server.logins() - before
      if (collect.exitCode !== 0) throw new Error(`collect ended with ${collect.exitCode}: ${collect.stderr}`)
      const [recording] = (JSON.parse(collect.stdout.toString()) as { recordings: { folder: string }[] }).recordings
      const answers = readFileSync(join(recording?.folder ?? '', 'captures.jsonl'), 'utf8')
        .trim()
        .split('\n')
      evidenceBytes = answers.reduce(
        (sum, line) => sum + (JSON.parse(line) as { stdout: { size: number } }).stdout.size,
        0,
      )
      if (answers.length < plan.commands.length)
        throw new Error(`collect brought ${answers.length} of ${plan.commands.length} answers`)
      // The first turn warms caches and is not counted.
      if (turn > 0) {
        ours.push(collect.milliseconds)
        floors.push(floor.milliseconds)
      }
    }
    const light = await timed(
      inClient([
        'node',
        '--import',
        'tsx',
        resolve('test/bench/light-collect.ts'),
        address,
        String(PORT),
        server.fingerprint,
        server.identityFile,
        String(REPETITIONS),
      ]),
    )
    if (light.exitCode !== 0) throw new Error(`the light collection ended with ${light.exitCode}: ${light.stderr}`)
    const [collect, floor] = [spread(ours), spread(floors)]
    const ratio = Math.round((collect.median / floor.median) * 100) / 100
    return {
      roundTripMs,
      link: link === null ? 'loopback' : 'tun',
      collect,
      floor,
      ratio,
      commands: plan.commands.length,
      evidenceBytes,
      loginsPerCollect: logins,
      light: spread(JSON.parse(light.stdout.toString()) as number[]),
    }
  } finally {
    server.stop()
    link?.close()
    rmSync(work, { recursive: true, force: true })
  }
}

const busy = tooBusy(process.argv)
if (busy !== null) {
  process.stderr.write(`Not measured: ${busy}\n`)
  process.exit(2)
}

const state = machine()

/** Prints the results, and keeps them in docs/performance.md with `--write`. */
function report(name: string, results: readonly Result[]): void {
  process.stderr.write(`${state}\n`)
  for (const { what, ours, against, ratio, target } of results)
    process.stderr.write(
      `${what}: ${ours}${against === null ? '' : `, ${against}`}${ratio === null ? '' : `, ratio ${ratio}`}${target === null ? '' : `; target ${target.text} ${keptWord(target)}`}\n`,
    )
  if (process.argv.includes('--write')) writeResults(name, results, state, new Date().toISOString().slice(0, 10))
}

if (process.argv.includes('--start')) {
  report('start', await benchStart())
  process.exit(0)
}
if (process.argv.includes('--cli')) {
  report('cli', await benchCli())
  process.exit(0)
}
if (process.argv.includes('--node')) {
  await benchNodeCost()
  process.exit(0)
}
if (process.argv.includes('--packs')) {
  await benchPacks(process.argv.includes('--small'))
  process.exit(0)
}

if (process.argv.includes('--fleet')) {
  const isQuick = process.argv.includes('--quick')
  const sizes = isQuick
    ? { emulated: [100], real: 10, repetitions: 1 }
    : { emulated: [100, 1000], real: 50, repetitions: 3 }
  report('fleet', await benchFleet(sizes))
  process.exit(0)
}
if (process.argv.includes('--quarter')) {
  const at = process.argv.indexOf('--days')
  await benchQuarter(at === -1 ? FULL_QUARTER.days : Number(process.argv[at + 1]))
  process.exit(0)
}

if (process.argv.includes('--report')) {
  const at = process.argv.indexOf('--nodes')
  report('report', await benchReport(at === -1 ? 1000 : Number(process.argv[at + 1])))
  process.exit(0)
}
if (process.argv.includes('--team')) {
  const at = process.argv.indexOf('--nodes')
  report('team', await benchTeam(at === -1 ? 300 : Number(process.argv[at + 1])))
  process.exit(0)
}

const rows: Row[] = []
for (const roundTripMs of [0, 40, 80]) {
  const row = await measure(roundTripMs)
  if (typeof row === 'string') {
    process.stderr.write(`round trip ${roundTripMs} ms: skipped, ${row}\n`)
    continue
  }
  rows.push(row)
  process.stderr.write(
    `round trip ${roundTripMs} ms: collect ${row.collect.median} ms (${row.collect.min}–${row.collect.max}), floor ${row.floor.median} ms (${row.floor.min}–${row.floor.max}), ratio ${row.ratio}; ${row.commands} commands, ${row.evidenceBytes} bytes, ${row.loginsPerCollect} login\n`,
  )
}

const [near, far] = [rows[0], rows.length > 1 ? rows.at(-1) : undefined]
const roundTrips =
  near === undefined || far === undefined
    ? null
    : Math.round(((far.light.median - near.light.median) / (far.roundTripMs - near.roundTripMs)) * 10) / 10
process.stderr.write(`round trips per node, from the slope of one cheap collection: ${roundTrips ?? 'not measured'}
`)
report(
  'collect',
  rows.map(({ roundTripMs, collect, floor, ratio }) => ({
    what: `one node, ${roundTripMs} ms away: \`collect\`, whole process`,
    ours: `${collect.median} ms`,
    against: `\`ssh node 'sh -s'\` with the same script ${floor.median} ms`,
    ratio,
    target: { text: '≤ 1.15 ×', isKept: ratio <= 1.15 },
  })),
)
process.stdout.write(
  `${JSON.stringify({ schema: 'barewitness.bench/1', node: process.version, repetitions: REPETITIONS, rows, roundTrips }, null, 2)}\n`,
)
