import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import type { Attempt } from '../../main/app/scheduled/plan-run.ts'
import { evidenceFolder, recordingFolder, scheduleAttempts } from '../../main/core/base/layout.ts'
import { recordingDigest } from '../../main/core/recording/recording.ts'
import { checkAudit } from '../../main/server/audit.ts'
import type { ScheduleStatus } from '../../schemas/ipc-schedules.ts'
import type { RunListItem } from '../../schemas/ipc-views.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { bundled } from '../support/bundled.ts'
import { newToken, startCollector, withCollectors, ZONED } from '../support/collector-kit.ts'
import { validator } from '../support/deps.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { type SteppedTeam, startStepped } from '../support/killed-team.ts'
import { startTestProvider, type TestProvider } from '../support/oidc-test-provider.ts'
import { must } from '../support/outcomes.ts'
import { enterServed } from '../support/schedule-kit.ts'
import { newSigner, withSealers } from '../support/sealer-kit.ts'
import { answerValue } from '../support/team-kit.ts'

/**
 * A team server is killed while it starts and makes a scheduled run, of which two nodes are collected by a collector and one by the server. The
 * next process ends what it left.
 */

const TOKEN = newToken()
const signer = newSigner('J. Chen')
const configured = (config: TeamConfig): TeamConfig =>
  withCollectors(withSealers(config, signer), { 'frankfurt-1': { token: TOKEN, zone: 'frankfurt' } })

const [DUE, NEXT_DUE] = ['2026-11-20T09:00:00.000Z', '2026-11-20T10:00:00.000Z']
/** Of the server: while the first run is the latest that is due, and while the second is. */
const [FIRST, SECOND] = ['2026-11-20T09:15:00.000Z', '2026-11-20T10:15:00.000Z']
const NODES = Object.values(ZONED)

let made: Awaited<ReturnType<typeof bundled>>
let provider: TestProvider
let root: string
let folders = 0
const open: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  made = await bundled('team-in-steps.ts')
  provider = await startTestProvider()
  root = mkdtempSync(join(tmpdir(), 'bw-scheduled-steps-'))
})
afterAll(async () => {
  for (const close of open.splice(0)) await close()
  await provider?.close()
  for (const one of [root, made?.folder]) if (one !== undefined) rmSync(one, { recursive: true, force: true })
})

/** A folder of a team server with a schedule whose run is due, and what its processes leave there. */
async function scheduled() {
  folders += 1
  const folder = join(root, String(folders))
  const alpha = join(folder, 'alpha')
  const { schedule } = await enterServed(createFakePorts(), alpha, 'zoned', {
    ...{ cadence: 'every 1 hours at :00', createdAt: '2026-11-20T08:30:00.000Z', sealHours: 72 },
  })
  const path = scheduleAttempts(schedule)
  const lines = (): readonly Attempt[] =>
    (existsSync(path) ? readFileSync(path, 'utf8') : '')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const audit = (): readonly Readonly<Record<string, unknown>>[] => {
    const text = readFileSync(join(folder, 'audit.jsonl'), 'utf8')
    expect(checkAudit(text).intact).toBe(true)
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const store = async () => must(await openEvidenceStore(evidenceFolder(alpha), validator))
  const running: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const end of running.splice(0).reverse()) await end()
  }
  open.push(close)
  return {
    close,
    lines,
    audit,
    store,
    /** A server that ends before such a change, and a collector that asks it. */
    start: async (time: string, endsAt: readonly RegExp[] = []) => {
      const team = await startStepped(made.program, folder, provider, configured, { time, endsAt })
      running.push(team.kill)
      const collector = await startCollector(join(folder, 'collector'), team.origin, TOKEN)
      running.push(collector.stop)
      return team
    },
    /** Resolves once the start for a due time has ended. */
    ended: async (due: string) => {
      while (lines().findLast((one) => one.due === due)?.endedAt == null) await sleep(10)
    },
    /** The bytes of the list of answers of each node of a run, as far as there is one. */
    answers: (run: string): ReadonlyMap<string, string> =>
      new Map(
        NODES.flatMap((node) => {
          const list = join(recordingFolder(alpha, run, node), 'captures.jsonl')
          return existsSync(list) ? [[node, readFileSync(list, 'utf8')] as const] : []
        }),
      ),
  }
}
type Scheduled = Awaited<ReturnType<typeof scheduled>>

/** A server is killed at a point of its first run; resolves with the name that was stored for it. */
async function killedAt(at: Scheduled, endsAt: readonly RegExp[]): Promise<string> {
  const team = await at.start(FIRST, endsAt)
  await team.ended
  await at.close()
  at.audit()
  const [{ run } = { run: null }] = at.lines()
  if (run === null) throw new Error('nothing is stored of the start')
  return run
}

const asked = async (team: SteppedTeam) => {
  const officer = await team.as({ sub: 'officer', name: 'officer', roles: ['officer'] })
  const ask = async <T>(method: string, input: unknown): Promise<T> =>
    answerValue<T>(await officer.call('alpha', method, input))
  return {
    status: await ask<ScheduleStatus>('schedules.status', { name: 'nightly' }),
    runs: await ask<readonly RunListItem[]>('runs.list', null),
  }
}

/** Every node of the run is stored as it was delivered, once. */
async function expectStoredOnce(at: Scheduled, run: string): Promise<void> {
  const [store, entries] = [await at.store(), at.audit()]
  for (const node of NODES) {
    const { recording, captures } = must(await store.load(run, node))
    expect([node, recording.outcome.status]).toEqual([node, 'complete'])
    const delivered = entries.filter(({ kind, of }) => {
      const { run: its, node: one } = (of ?? {}) as Record<string, unknown>
      return kind === 'delivery' && its === run && one === node
    })
    expect(delivered.filter(({ outcome }) => outcome !== 'allowed')).toEqual([])
    const digests = delivered.map(({ of }) => (of as Record<string, unknown>).recording)
    // Noted before it is stored: after a kill between both, the same recording again, and no other.
    expect([node, [...new Set(digests)]]).toEqual([
      node,
      node === ZONED.third ? [] : [recordingDigest({ recording, captures })],
    ])
  }
}

/** Right before which change of its files the server ends: the first that matches the last of these, after one of each before it. */
const POINTS: [what: string, ...endsAt: RegExp[]][] = [
  ['the start is stored, and not in the audit log', /^datasync .*attempts\.jsonl$/, /^appendFile .*audit\.jsonl$/],
  ['the start is in the audit log, and the run has no note', /^open .*\/runs\/[^/]+\.json/],
  ['one of two jobs is stored', /^datasync .*jobs\.jsonl$/, /^appendFile .*jobs\.jsonl$/],
  ['answers of a node are stored, and not listed', /^appendFile .*\/evidence\/.*captures\.jsonl$/],
  ['a recording is delivered, and not placed', /^rename .*\/incoming\/[^/]+\/recording$/],
  ['a recording is placed, and not confirmed', /^rename .*\/incoming\/[^/]+\/recording$/, /^rm .*\/incoming\/[^/]+$/],
  ['all nodes are collected, and the note does not count them', /^rename .*\/runs\//, /^open .*\/runs\/[^/]+\.json/],
  ['the end is not stored', /^datasync .*attempts\.jsonl$/, /^appendFile .*attempts\.jsonl$/],
]

describe('killed in a scheduled run', () => {
  test.concurrent.each<[what: string, ...endsAt: RegExp[]]>(POINTS)(
    'where %s, the run is ended once, and the next one is started',
    async (_, ...endsAt) => {
      const at = await scheduled()
      const run = await killedAt(at, endsAt)
      const before = at.answers(run)
      const team = await at.start(FIRST)
      await at.ended(DUE)
      await expectStoredOnce(at, run)
      for (const [node, answers] of before) expect(at.answers(run).get(node)?.startsWith(answers)).toBe(true)
      const first = await asked(team)
      expect(first.status).toMatchObject({
        next: NEXT_DUE,
        last: { due: DUE, endedAt: FIRST },
        waiting: [{ due: DUE, run, isLate: false }],
        ...{ awaited: null, missed: [], notes: [] },
      })
      expect(first.runs).toMatchObject([{ run, nodes: 3, complete: 3, open: true }])

      // What is due next is started; until then it looked many times, and started nothing.
      await team.setClock(SECOND)
      await at.ended(NEXT_DUE)
      const lines = at.lines()
      expect(lines.map(({ due, code }) => [due, code])).toEqual([
        ...[[DUE, 'going'] as const, [DUE, 'ran'] as const],
        ...[[NEXT_DUE, 'going'] as const, [NEXT_DUE, 'ran'] as const],
      ])
      const next = lines[2]?.run ?? ''
      expect(lines.map((one) => one.run)).toEqual([run, run, next, next])
      expect([...must(await (await at.store()).runs())].sort()).toEqual([run, next])
      await expectStoredOnce(at, next)
      const starts = at.audit().filter(({ kind }) => kind === 'run-started' || kind === 'run-continued')
      const ofRun = starts.flatMap(({ kind, of }) => ((of as Record<string, unknown>).run === run ? [kind] : []))
      expect(ofRun[0]).toBe('run-started')
      expect(starts.map(({ of }) => of)).toEqual([
        ...ofRun.map(() => ({ schedule: 'nightly', due: DUE, run })),
        { schedule: 'nightly', due: NEXT_DUE, run: next },
      ])
      const { status } = await asked(team)
      expect(status.waiting.map((one) => [one.due, one.run])).toEqual([
        [DUE, run],
        [NEXT_DUE, next],
      ])
      await at.close()
    },
  )
})

describe('killed, and not started again before the next run is due', () => {
  test.concurrent.each<[string, boolean, ...RegExp[]]>([
    ['the run was not begun', false, /^open .*\/runs\/[^/]+\.json/],
    ['nodes were being collected', true, /^rename .*\/incoming\/[^/]+\/recording$/],
  ])('where %s, what is known of it is stated', async (_, wasBegun, ...endsAt) => {
    const at = await scheduled()
    const run = await killedAt(at, endsAt)
    const team = await at.start(SECOND)
    await at.ended(NEXT_DUE)
    const next = at.lines()[2]?.run
    expect(at.lines()).toMatchObject([
      { due: DUE, code: 'going', run },
      wasBegun ? { due: DUE, code: 'ran', run } : { due: DUE, code: 'stopped', run: null },
      { due: NEXT_DUE, code: 'going', run: next },
      { due: NEXT_DUE, code: 'ran', run: next },
    ])
    const { status, runs } = await asked(team)
    expect(status.last).toMatchObject({ due: NEXT_DUE })
    expect(status.waiting.map((one) => one.run)).toEqual(wasBegun ? [run, next] : [next])
    expect(runs.map((one) => one.run)).toEqual(wasBegun ? [next, run] : [next])
    expect(runs[0]).toMatchObject({ complete: 3, open: true })
    at.audit()
    await at.close()
  })
})
