import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { evidenceFolder, folderIn, JOBS, SPOOL } from '../../main/core/base/layout.ts'
import { type LoadedRecording, recordingDigest } from '../../main/core/recording/recording.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { validator } from './deps.ts'
import { must } from './outcomes.ts'
import { AUDIT_LOGS } from './team-folder.ts'
import { engagementFolder, runEnded, startRun, type TeamProcesses } from './team-processes.ts'

/** How often parts are killed, together. */
export const KILLS = { withFiles: 10, withDatabase: 50 } as const

/** Something that is killed and started again. */
export interface Killable {
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

export const recordingOf = async (team: TeamProcesses, run: string, node: string): Promise<LoadedRecording> =>
  must(await must(await openEvidenceStore(evidenceFolder(engagementFolder(team)), validator)).load(run, node))

/** The entries of all audit logs, each of which must be whole. */
export const auditOf = ({ folder }: TeamProcesses): readonly Record<string, unknown>[] =>
  AUDIT_LOGS.map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8')
      expect(checkAudit(text).intact).toBe(true)
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    })

export const spooled = (team: TeamProcesses, name: string): readonly string[] =>
  readdirSync(join(team.folder, name, 'spool')).filter((entry) => /^[0-9a-f]{32}/.test(entry))

/** The process of a part: started, killed, and started again. */
export function killable(start: () => Promise<Pick<Killable, 'kill'>>): Killable {
  let running: Pick<Killable, 'kill'> | null = null
  return {
    start: async () => {
      running = await start()
    },
    kill: async () => await running?.kill(),
  }
}

/**
 * Kills parts of a team at random moments of its runs and starts them again, until every node of every run is recorded. Then each must be
 * stored as it was delivered, once, and nothing be left on the way. Every part
 * is killed about equally often. `isEnqueued`: resolves once all jobs of a started run are stored.
 */
export async function killAtRandom(
  team: TeamProcesses,
  parts: readonly Killable[],
  collectors: readonly string[],
  { kills, isEnqueued }: { readonly kills: number; readonly isEnqueued?: (run: string) => Promise<void> },
): Promise<void> {
  for (const part of parts) await part.start()
  const runs: string[] = []
  const waits = async (): Promise<readonly string[]> => {
    const store = must(await openEvidenceStore(evidenceFolder(engagementFolder(team)), validator))
    const open: string[] = []
    for (const run of runs)
      for (const { name } of team.nodes) if (!(await store.load(run, name)).ok) open.push(`${run}/${name}`)
    return open
  }
  for (const part of inRounds(parts, kills)) {
    if ((await waits()).length === 0) {
      const officer = await team.officer()
      await runEnded(officer).catch(() => undefined)
      const { run } = await startRun(officer)
      await isEnqueued?.(run)
      runs.push(run)
    }
    await sleep(Math.random() * 2500)
    await part.kill()
    await part.start()
  }
  while ((await waits()).length > 0) await sleep(200)
  for (const name of collectors) while (spooled(team, name).length > 0) await sleep(100)
  const deliveries = auditOf(team).filter(({ kind }) => kind === 'delivery')
  // While its database is away, a server refuses; the collector delivers again.
  const refused = deliveries.filter(({ outcome }) => outcome !== 'allowed')
  expect(refused.filter(({ reason }) => !String(reason).startsWith('the database cannot be used'))).toEqual([])
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
  expect(readdirSync(join(folderIn(engagementFolder(team), 'jobs'), JOBS.incoming))).toEqual([])
  for (const name of collectors) expect(readdirSync(join(team.folder, name, 'spool', SPOOL.refused))).toEqual([])
}

/** So many parts, each once in every round, in an order that differs from round to round. */
function* inRounds(parts: readonly Killable[], count: number): Generator<Killable> {
  for (let left = count; left > 0; left -= parts.length) {
    const places = parts.map((part) => ({ part, place: Math.random() })).sort((a, b) => a.place - b.place)
    for (const { part } of places.slice(0, left)) yield part
  }
}

/** The job in a spool that has answers of its node. */
export async function firstAnswers(spool: string): Promise<string> {
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
