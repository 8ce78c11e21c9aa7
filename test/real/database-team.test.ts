import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { folderOfTest } from '../support/folders.ts'
import { type Cluster, startPostgres, whyNoPostgres } from '../support/postgres.ts'
import { auditOf, firstAnswers, KILLS, killAtRandom, killable, recordingOf } from '../support/team-kills.ts'
import { ENGAGEMENT, runEnded, startRun, teamProcesses } from '../support/team-processes.ts'

const missing = whyNoPostgres()

describe.skipIf(missing !== null)(
  `server processes with one database${missing === null ? '' : ` (${missing})`}`,
  () => {
    let cluster: Cluster
    beforeAll(async () => {
      cluster = await startPostgres()
    })
    afterAll(async () => await cluster?.stop())

    /** A team of its own database for one test. */
    const newTeam = async (zones: Readonly<Record<string, string>>, throughGate: readonly string[]) => {
      const database = await cluster.newDatabase()
      const shared = { database: database.config, throughGate }
      const team = await teamProcesses(folderOfTest('database-team'), { count: 4, collectors: zones, shared })
      onTestFinished(team.close)
      const query = (sql: string, values: readonly unknown[] = []) => cluster.admin(database.name, sql, values)
      return { team, query }
    }

    test('a job of a killed collector of one process is handed out by the other within 30 seconds', async () => {
      const zones = { 'frankfurt-1': 'frankfurt', 'frankfurt-2': 'frankfurt', 'tokyo-1': 'tokyo' }
      const { team } = await newTeam(zones, ['frankfurt-1', 'tokyo-1'])
      const server = await team.startServer()
      await team.startGate()
      const [first] = await Promise.all([team.startCollector('frankfurt-1'), team.startCollector('tokyo-1')])
      const officer = await team.officer()
      const { run, nodes } = await startRun(officer)
      const job = await firstAnswers(join(team.folder, 'frankfurt-1/spool'))
      await first.kill()
      const killed = Date.now()
      await team.startCollector('frankfurt-2')
      const status = await runEnded(officer)
      for (const node of nodes) {
        const event = status.events.find((one) => 'node' in one && one.node === node)
        expect(event).toMatchObject({ kind: 'node-done', partial: false })
        expect((await recordingOf(team, run, node)).recording.outcome.status).toBe('complete')
      }
      const leases = auditOf(team).filter(({ kind, of }) => kind === 'lease' && (of as { job: string }).job === job)
      expect(leases.map(({ subject }) => subject).sort()).toEqual(['frankfurt-1', 'frankfurt-2'])
      const again = leases.find(({ subject }) => subject === 'frankfurt-2')
      expect(Date.parse(String(again?.at)) - killed).toBeLessThan(30_000)
      // The session of the officer is there after a kill.
      await server.kill()
      await team.startServer()
      expect((await officer.session(ENGAGEMENT)).role).toBe('officer')
    })

    test(`${KILLS.withDatabase} kills of both servers, PostgreSQL and collectors lose nothing and store nothing twice`, {
      timeout: 60 * 60_000,
    }, async () => {
      const collectors = ['frankfurt-1', 'tokyo-1']
      const { team, query } = await newTeam({ 'frankfurt-1': 'frankfurt', 'tokyo-1': 'tokyo' }, ['frankfurt-1'])
      const started = [team.startServer, team.startGate, ...collectors.map((name) => () => team.startCollector(name))]
      const parts = [...started.map(killable), { kill: cluster.kill, start: cluster.start }]
      const isEnqueued = async (run: string): Promise<void> => {
        const jobs = async () =>
          (
            await query("SELECT count(*)::integer AS jobs FROM barewitness.jobs WHERE job::json ->> 'run' = $1", [run])
          )[0]
        while ((await jobs())?.jobs !== team.nodes.length) await sleep(20)
      }
      await killAtRandom(team, parts, collectors, { kills: KILLS.withDatabase, isEnqueued })
      // Every job has an end, and each node of each run had one job.
      const [jobs, ...others] = await query(
        `SELECT state, count(*)::integer AS jobs, count(DISTINCT (job::json ->> 'run', job::json #>> '{node,name}'))::integer AS nodes
       FROM barewitness.jobs GROUP BY state`,
      )
      expect([jobs?.state, jobs?.jobs, others]).toEqual(['completed', jobs?.nodes, []])
    })
  },
)
