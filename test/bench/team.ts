import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FindingsView } from '../../schemas/ipc-findings.ts'
import type { EvidenceList } from '../../schemas/ipc-results.ts'
import { valueIn } from '../support/engine-kit.ts'
import { startPostgres, whyNoPostgres } from '../support/postgres.ts'
import { replyIn, type Visitor } from '../support/team-kit.ts'
import {
  ENGAGEMENT,
  engagementFolder,
  runEnded,
  startRun,
  type TeamProcesses,
  teamProcesses,
} from '../support/team-processes.ts'
import { spread } from './measure.ts'
import type { Result } from './results.ts'

const COLLECTORS = { 'north-1': 'north', 'north-2': 'north', 'south-1': 'south' }
const AT_ONCE = 4
const USERS = Number(process.env.BENCH_USERS ?? 50)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60)
/** Between two pages of one person, in milliseconds. */
const READING = [1000, 3000] as const
const RUNS_AN_HOUR = 10_000
const MOST_P95 = 200

/**
 * `npm run bench -- --team`: a team server with three collectors over emulated nodes, all on this machine with the nodes themselves. One collection
 * of all of them, then people who read its results at once.
 */
export async function benchTeam(nodes: number): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bwbench-team-'))
  const missing = whyNoPostgres()
  if (missing !== null) process.stderr.write(`jobs in files: ${missing}\n`)
  const cluster = missing === null ? await startPostgres() : null
  try {
    const database = (await cluster?.newDatabase())?.config
    const team = await teamProcesses(folder, {
      ...{ count: nodes, collectors: COLLECTORS, concurrency: AT_ONCE },
      shared: database === undefined ? null : { database, throughGate: [] },
    })
    try {
      return await measured(team)
    } finally {
      await team.close()
    }
  } finally {
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measured(team: TeamProcesses): Promise<readonly Result[]> {
  const server = await team.startServer()
  const runs = await collected(team)
  const reading = await read(team)
  const kib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1])
  const stored = execFileSync('du', ['-sk', engagementFolder(team)], { encoding: 'utf8' }).split('\t')[0]
  const { length } = team.nodes
  return [
    runs,
    ...reading,
    plainResult(`server, the most memory, with results of ${length} nodes`, `${Math.round(kib / 1024)} MiB`),
    plainResult('engagement on the disk, for each node of one run', `${Math.round(Number(stored) / length)} KiB`),
  ]
}

const plainResult = (what: string, ours: string): Result => ({ what, ours, against: null, ratio: null, target: null })

async function collected(team: TeamProcesses): Promise<Result> {
  for (const name of Object.keys(COLLECTORS)) await team.startCollector(name)
  const officer = await team.officer()
  const began = performance.now()
  await startRun(officer)
  const { events } = await runEnded(officer)
  const seconds = (performance.now() - began) / 1000
  const whole = events.filter((event) => event.kind === 'node-done' && !event.partial)
  if (whole.length !== team.nodes.length)
    throw new Error(`${whole.length} of ${team.nodes.length} nodes were collected`)
  const anHour = Math.round((team.nodes.length / seconds) * 3600)
  return {
    what: `${Object.keys(COLLECTORS).length} collectors, ${team.nodes.length} emulated nodes on the same machine: node-runs an hour`,
    ours: `${anHour} (${team.nodes.length} in ${seconds.toFixed(1)} s)`,
    against: null,
    ratio: null,
    target: { text: `≥ ${RUNS_AN_HOUR}`, isKept: anHour >= RUNS_AN_HOUR },
  }
}

/** What one person asks for on the way from the overview to one answer of a node. */
async function read(team: TeamProcesses): Promise<readonly Result[]> {
  const people = await Promise.all(Array.from({ length: USERS }, (_, at) => team.reader(`person-${at}`)))
  const times = new Map<string, number[]>()
  const ask = async <T>(person: Visitor, method: string, input: unknown): Promise<T> => {
    const began = performance.now()
    const answered = await person.call(ENGAGEMENT, method, input)
    times.set(method, [...(times.get(method) ?? []), performance.now() - began])
    return valueIn(replyIn<T>(answered))
  }
  // The latest run is opened by the first who asks.
  for (const person of people.slice(0, 1)) await ask(person, 'home.get', null)
  times.clear()
  const end = performance.now() + SECONDS * 1000
  const [least, most] = READING
  const pause = (): Promise<void> => sleep(least + Math.random() * (most - least))
  await Promise.all(
    people.map(async (person, at) => {
      await sleep(Math.random() * most)
      for (let turn = 0; performance.now() < end; turn += 1) {
        const node = team.nodes[(at * 7 + turn) % team.nodes.length]?.name ?? ''
        await ask(person, 'home.get', null)
        await pause()
        const { rows } = await ask<FindingsView>(person, 'findings.get', { of: 'run', node: null })
        await pause()
        await ask(person, 'finding.get', { of: 'run', reference: rows[turn % rows.length]?.reference ?? '' })
        await pause()
        await ask(person, 'node.get', { of: 'run', node })
        const { captures } = await ask<EvidenceList>(person, 'evidence.list', { of: 'run', node })
        await pause()
        const { probe = '', command = '' } = captures[turn % captures.length] ?? {}
        const about = { of: 'run', node, capture: `${probe}/${command}`, stream: 'stdout', offset: 0 }
        await ask(person, 'evidence.get', about)
        await pause()
      }
    }),
  )
  const all = [...times.values()].flat()
  for (const [method, own] of times) process.stderr.write(`${method}: ${own.length} calls, ${p95(own)} ms at p95\n`)
  return [
    {
      what: `${USERS} people who read results of ${team.nodes.length} nodes: p95 of ${all.length} calls in ${SECONDS} s`,
      ours: `${p95(all)} ms, median ${spread(all).median} ms`,
      against: null,
      ratio: null,
      target: { text: `≤ ${MOST_P95} ms`, isKept: p95(all) <= MOST_P95 },
    },
  ]
}

function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round((sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN) * 10) / 10
}
