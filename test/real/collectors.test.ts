import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { collectRun } from '../../main/app/collect-run.ts'
import { catalog } from '../../main/catalog/index.ts'
import { evidenceFolder, folderIn, JOBS, SPOOL } from '../../main/core/layout.ts'
import { captureKey } from '../../main/core/probe.ts'
import { type LoadedRecording, recordingDigest } from '../../main/core/recording.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { validator } from '../support/deps.ts'
import { folderOfTests } from '../support/folders.ts'
import { must } from '../support/kept-runs.ts'
import {
  engagementFolder,
  type Running,
  runEnded,
  startRun,
  type TeamProcesses,
  teamProcesses,
} from '../support/team-processes.ts'

/** How often server and collectors are killed, together. */
const KILLS = Number(process.env.BAREWITNESS_KILLS ?? 10)

const recordingOf = async (team: TeamProcesses, run: string, node: string): Promise<LoadedRecording> =>
  must(await must(await openEvidenceStore(evidenceFolder(engagementFolder(team)), validator)).load(run, node))

const auditOf = ({ folder }: TeamProcesses): readonly Record<string, unknown>[] => {
  const text = readFileSync(join(folder, 'audit.jsonl'), 'utf8')
  expect(checkAudit(text).intact).toBe(true)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const spooled = (team: TeamProcesses, name: string): readonly string[] =>
  readdirSync(join(team.folder, name, 'spool')).filter((entry) => /^[0-9a-f]{32}/.test(entry))

/** Answers to commands; what is measured has times and random numbers in it. */
const answersOf = ({ captures }: LoadedRecording): ReadonlyMap<string, string> => {
  const measured = new Set(
    catalog.probes.flatMap(({ id, commands }) =>
      Object.entries(commands).flatMap(([name, { kind }]) => (kind === 'measure' ? [captureKey(id, name)] : [])),
    ),
  )
  return new Map(
    captures.flatMap(({ meta }) => {
      const key = captureKey(meta.probe, meta.command)
      return measured.has(key) ? [] : [[key, `${meta.stdout.sha256} ${meta.stderr.sha256}`] as const]
    }),
  )
}

describe('a team server with collectors of two zones', () => {
  let team: TeamProcesses
  beforeAll(async () => {
    team = await teamProcesses(folderOfTests('collectors'), 4, {
      'frankfurt-1': 'frankfurt',
      'frankfurt-2': 'frankfurt',
      'tokyo-1': 'tokyo',
    })
  })
  afterAll(async () => await team.close())

  test('a collector that is killed in the middle of a job is replaced, and every recording arrives once', async () => {
    await team.startServer()
    const [first] = await Promise.all([team.startCollector('frankfurt-1'), team.startCollector('tokyo-1')])
    const officer = await team.officer()
    const { run, nodes } = await startRun(officer)
    await first.untilSaid('leased')
    const job = await firstAnswers(join(team.folder, 'frankfurt-1/spool'))
    await first.kill()
    await team.startCollector('frankfurt-2')
    const status = await runEnded(officer)
    for (const node of nodes)
      expect(status.events.find((one) => 'node' in one && one.node === node)).toMatchObject({
        kind: 'node-done',
        partial: false,
      })
    // What the killed one had begun is kept aside, and not delivered.
    await team.startCollector('frankfurt-1')
    while (!existsSync(join(team.folder, 'frankfurt-1/spool', SPOOL.refused, job))) await sleep(20)
    expect(spooled(team, 'frankfurt-1')).not.toContain(job)
    const entries = auditOf(team)
    const deliveries = entries.filter(({ kind }) => kind === 'delivery')
    expect(deliveries.map(({ of }) => (of as { node: string }).node).sort()).toEqual([...nodes].sort())
    expect(new Set(deliveries.map(({ outcome }) => outcome))).toEqual(new Set(['allowed']))
    const leases = entries.filter(({ kind, of }) => kind === 'lease' && (of as { job: string }).job === job)
    expect(leases.map(({ subject }) => subject)).toEqual(['frankfurt-1', 'frankfurt-2'])
    for (const node of nodes) expect((await recordingOf(team, run, node)).recording.outcome.status).toBe('complete')
  })
  test('a recording has the same answers as one that this computer collects', async () => {
    const ports = createPorts(catalog)
    const [run = ''] = must(
      await must(await openEvidenceStore(evidenceFolder(engagementFolder(team)), validator)).runs(),
    )
    const fleets = ['frankfurt-1', 'tokyo-1'].map((name) => ports.fleets.read(join(team.folder, name, 'fleet.json')))
    const targets = (await Promise.all(fleets)).flatMap((read) => must(read).targets({}))
    const folder = join(team.folder, 'here')
    must(
      await collectRun(ports, catalog, {
        run: 'here',
        targets,
        storeFolder: folder,
        concurrency: 4,
        signal: new AbortController().signal,
        onEvent: () => undefined,
        marks: () => ({ demo: false, synthetic: null }),
      }),
    )
    const store = must(await openEvidenceStore(folder, validator))
    for (const { name } of team.nodes) {
      const here = must(await store.load('here', name))
      const there = await recordingOf(team, run, name)
      expect(answersOf(here).size).toBeGreaterThan(100)
      expect(answersOf(there)).toEqual(answersOf(here))
      expect(there.recording.hostKey).toMatchObject({ fingerprint: here.recording.hostKey?.fingerprint })
      expect(there.recording.collector.catalogDigest).toBe(here.recording.collector.catalogDigest)
    }
  })
})

/** The job that has answers in a spool. */
async function firstAnswers(spool: string): Promise<string> {
  for (;;) {
    for (const job of readdirSync(spool).filter((name) => /^[0-9a-f]{32}$/.test(name))) {
      const evidence = join(spool, job, SPOOL.evidence)
      const lists = existsSync(evidence) ? readdirSync(evidence, { recursive: true, encoding: 'utf8' }) : []
      if (lists.some((path) => path.endsWith('captures.jsonl') && readFileSync(join(evidence, path)).length > 0))
        return job
    }
    await sleep(5)
  }
}

describe('kills at random moments', () => {
  let team: TeamProcesses
  beforeAll(async () => {
    team = await teamProcesses(folderOfTests('collectors-killed'), 4, {
      'frankfurt-1': 'frankfurt',
      'tokyo-1': 'tokyo',
    })
  })
  afterAll(async () => await team.close())

  test(`${KILLS} of server and collectors lose nothing and store nothing twice`, { timeout: 60 * 60_000 }, async () => {
    const parts = ['server', 'frankfurt-1', 'tokyo-1'] as const
    const start = (part: (typeof parts)[number]) => (part === 'server' ? team.startServer() : team.startCollector(part))
    const running = new Map<string, Running>()
    for (const part of parts) running.set(part, await start(part))
    const runs: string[] = []
    const waits = async (): Promise<readonly string[]> => {
      const store = must(await openEvidenceStore(evidenceFolder(engagementFolder(team)), validator))
      const open: string[] = []
      for (const run of runs)
        for (const { name } of team.nodes) if (!(await store.load(run, name)).ok) open.push(`${run}/${name}`)
      return open
    }
    for (let kills = 0; kills < KILLS; kills += 1) {
      if ((await waits()).length === 0) {
        const officer = await team.officer()
        await runEnded(officer).catch(() => undefined)
        runs.push((await startRun(officer)).run)
      }
      await sleep(Math.random() * 2500)
      const part = parts[Math.floor(Math.random() * parts.length)] ?? 'server'
      await running.get(part)?.kill()
      running.set(part, await start(part))
    }
    while ((await waits()).length > 0) await sleep(200)
    for (const name of ['frankfurt-1', 'tokyo-1']) while (spooled(team, name).length > 0) await sleep(100)
    const deliveries = auditOf(team).filter(({ kind }) => kind === 'delivery')
    expect(deliveries.filter(({ outcome }) => outcome !== 'allowed')).toEqual([])
    for (const run of runs)
      for (const { name } of team.nodes) {
        const { recording, captures } = await recordingOf(team, run, name)
        const sent = deliveries.flatMap(({ of }) => {
          const one = of as { readonly run: string; readonly node: string; readonly recording: string }
          return one.run === run && one.node === name ? [one.recording] : []
        })
        // Confirmed before it is stored: after a kill between both, the same recording again, and no other.
        expect([...new Set(sent)]).toEqual([recordingDigest({ recording, captures })])
        expect(recording.outcome.status).toBe('complete')
      }
    const incoming = join(folderIn(engagementFolder(team), 'jobs'), JOBS.incoming)
    expect(readdirSync(incoming)).toEqual([])
    for (const name of ['frankfurt-1', 'tokyo-1'])
      expect(readdirSync(join(team.folder, name, 'spool', SPOOL.refused))).toEqual([])
  })
})
