import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { collectRun } from '../../main/app/collect/collect-run.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { evidenceFolder, SPOOL } from '../../main/core/base/layout.ts'
import { captureKey } from '../../main/core/recording/probe.ts'
import type { LoadedRecording } from '../../main/core/recording/recording.ts'
import { validator } from '../support/deps.ts'
import { folderOfTests } from '../support/folders.ts'
import { must } from '../support/outcomes.ts'
import { auditOf, firstAnswers, KILLS, killAtRandom, killable, recordingOf, spooled } from '../support/team-kills.ts'
import { engagementFolder, runEnded, startRun, type TeamProcesses, teamProcesses } from '../support/team-processes.ts'

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
    team = await teamProcesses(folderOfTests('collectors'), {
      count: 4,
      collectors: { 'frankfurt-1': 'frankfurt', 'frankfurt-2': 'frankfurt', 'tokyo-1': 'tokyo' },
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

describe('kills at random moments', () => {
  let team: TeamProcesses
  beforeAll(async () => {
    team = await teamProcesses(folderOfTests('collectors-killed'), {
      count: 4,
      collectors: { 'frankfurt-1': 'frankfurt', 'tokyo-1': 'tokyo' },
    })
  })
  afterAll(async () => await team.close())

  test(`${KILLS.withFiles} of server and collectors lose nothing and store nothing twice`, {
    timeout: 60 * 60_000,
  }, async () => {
    const collectors = ['frankfurt-1', 'tokyo-1']
    const parts = [team.startServer, ...collectors.map((name) => () => team.startCollector(name))].map(killable)
    await killAtRandom(team, parts, collectors, { kills: KILLS.withFiles })
  })
})
