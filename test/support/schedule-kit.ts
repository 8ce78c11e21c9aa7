import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { lockFolder } from '../../main/adapters/folder-lock.ts'
import { createPorts } from '../../main/adapters/ports.ts'
import { createSealing } from '../../main/adapters/seal/index.ts'
import type { SendReport } from '../../main/app/outbox/send.ts'
import { runScheduled } from '../../main/app/scheduled/scheduled-run.ts'
import type { RanOnce, ScheduledOutcome } from '../../main/app/scheduled/states.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { fail, type Outcome, ok } from '../../main/core/base/failure.ts'
import { chainFolderOf, fleetPath } from '../../main/core/base/layout.ts'
import type { Notice } from '../../main/core/ports/notice.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import type { ChainEntry, LoggedEntry, PlanEntry, RunEntry } from '../../main/core/run-chain/entry.ts'
import { plannedCadence, withinMinutesOf } from '../../main/core/schedule/schedule.ts'
import type { FailureCode } from '../../schemas/failure-words.ts'
import type { CheckResult, NodeAssessment, Planned, Schedule, TracedNode } from '../../schemas/types.ts'
import { fakeCatalog } from './fake-catalog.ts'
import { must } from './outcomes.ts'

export const FLEET = 'clinic'

export const scheduleOf = (changes: Partial<Schedule> = {}): Schedule => ({
  name: 'nightly',
  fleet: '/etc/fleet.yaml',
  fleetName: FLEET,
  out: '/var/out',
  cadence: 'every day at 02:00',
  zone: 'UTC',
  jitterMinutes: 0,
  retries: { times: 0, waitMinutes: 10 },
  catchUp: true,
  gapsExitZero: false,
  notify: [],
  options: {},
  createdAt: '2026-03-01T00:00:00.000Z',
  ...changes,
})

const SIGNER = sha256('key')
export const logged = (entry: ChainEntry): LoggedEntry =>
  entry.kind === 'run' || entry.kind === 'period' ? { entry, signature: null } : { entry, signature: 'c2ln' }

export const planned = (cadence: string | null, at: string, changes: Partial<PlanEntry> = {}): LoggedEntry =>
  logged({
    kind: 'plan',
    schedule: 'nightly',
    cadence,
    withinMinutes: 120,
    from: at,
    at,
    fleet: FLEET,
    why: 'as agreed',
    signer: SIGNER,
    ...changes,
  })

export const ranAt = (due: string, at = due): LoggedEntry =>
  logged(runEntry(`run-${due}`, at, { schedule: 'nightly', due }))

const runEntry = (run: string, at: string, of: Planned | null): RunEntry => ({
  kind: 'run',
  run,
  at,
  fleet: FLEET,
  nodes: sha256('nodes'),
  tagManifest: sha256(`${run} ${at}`),
  signer: SIGNER,
  ...(of === null ? {} : { planned: of }),
})

export const findingOf = (check: string, verdict: CheckResult['verdict']): CheckResult =>
  ({ check, verdict, property: 'access', observations: [] }) as CheckResult

export interface MadeNode {
  readonly name: string
  /** Null: it did not answer. */
  readonly verdicts: Readonly<Record<string, CheckResult['verdict']>> | null
  readonly hostKey?: string
  readonly board?: string
}

/**
 * A schedule of the fleet in a folder of a team server, in its schedule file and as an entry of the run chain from the time that it was added.
 * Gives the schedule and its file.
 */
export async function enterServed(
  ports: Ports,
  folder: string,
  fleetName: string,
  changes: Partial<Schedule> = {},
): Promise<{ readonly schedule: Schedule; readonly file: string }> {
  const file = join(folder, 'schedules', 'schedules.json')
  const schedule = scheduleOf({
    ...{ fleet: fleetPath(folder), fleetName, out: folder, options: { declarations: folder } },
    ...changes,
  })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ schema: 'barewitness.schedules/1', schedules: [schedule] }))
  await enterPlan(ports, schedule)
  return { schedule, file }
}

/** The entry that “schedule add” makes in the run chain, which begins with it. */
export async function enterPlan(ports: Pick<Ports, 'openRunChain'>, schedule: Schedule): Promise<void> {
  const { out, fleetName: fleet } = schedule
  const chain = must(await ports.openRunChain(chainFolderOf(out, fleet), { id: 'ab'.repeat(32), fleet }))
  must(await chain.append(logged(planOf(schedule))))
  await chain.close()
}

export const planOf = (schedule: Schedule): PlanEntry => ({
  kind: 'plan',
  schedule: schedule.name,
  cadence: plannedCadence(schedule),
  withinMinutes: withinMinutesOf(schedule),
  from: schedule.createdAt,
  at: schedule.createdAt,
  fleet: schedule.fleetName,
  why: 'as agreed',
  signer: SIGNER,
})

/** What a run of these nodes gave. */
export const statesOfNodes = (nodes: readonly MadeNode[], run = 'run'): RanOnce => ({
  run,
  incomplete: nodes.some(({ verdicts }) => verdicts === null),
  register: { riskAcceptances: [] },
  assessment: {
    asOf: '2026-03-02T02:00:00.000Z',
    controls: [{ framework: 'soc2', control: 'CC6.1', state: nodes.some(hasGap) ? 'deviations' : 'supported' }],
    nodes: nodes.map(({ name, verdicts }) => ({
      node: name,
      status: verdicts === null ? 'failed' : 'complete',
      isolation: verdicts === null ? null : {},
      results: Object.entries(verdicts ?? {}).map(([check, verdict]) => findingOf(check, verdict)),
    })) as unknown as NodeAssessment[],
  } as unknown as RanOnce['assessment'],
  trace: {
    nodes: nodes.map(({ name, verdicts, hostKey = 'SHA256:k', board }) => ({
      node: name,
      hostKey: verdicts === null ? null : hostKey,
      parts: board === undefined || verdicts === null ? [] : [{ kind: 'board', part: 'board', value: board }],
    })) as unknown as TracedNode[],
  },
})

const hasGap = ({ verdicts }: MadeNode): boolean => Object.values(verdicts ?? {}).includes('not-satisfied')

/** A schedule over a folder of its own, with a clock that is set and a run that only enters the chain. */
export interface Kit {
  readonly ports: Ports
  readonly schedule: Schedule
  readonly said: string[]
  readonly waits: number[]
  readonly notices: Notice[]
  /** How often a run was made. */
  readonly runs: () => number
  readonly setClock: (at: string) => void
  /** What the next runs give; a string is the failure that ends them. */
  readonly setNodes: (nodes: readonly MadeNode[] | FailureCode) => void
  /** Opening the key ends so from now on; null: it can be opened. */
  readonly refuseSigner: (refusal: Outcome<never> | null) => void
  readonly refuseNotices: (refuse: boolean) => void
  /** Outputs and time-stamps that the next runs lack. */
  readonly setShortfalls: (shortfalls: RanOnce['shortfalls']) => void
  /** The packs of each sending, by the name of their run; null is a sending of what waits. */
  readonly sent: (string | null)[]
  /** How sendings end from now on. */
  readonly setSending: (sending: (pack: string | null) => Promise<Outcome<SendReport>>) => void
  readonly start: (options?: {
    now?: boolean
    during?: () => Promise<void>
    signal?: AbortSignal
  }) => Promise<Outcome<ScheduledOutcome<RanOnce>>>
  /** What the chain says of due times: `run DUE` and `gap DUE WHY`. */
  readonly dueTimes: () => Promise<readonly string[]>
  readonly enter: (entry: LoggedEntry) => Promise<void>
  /** From now on the folder holds what another folder of this name holds: no run chain with the schedule. */
  readonly loseFolder: () => Promise<void>
  readonly remove: () => void
}

export function scheduleKit(changes: Partial<Schedule> = {}): Kit {
  const out = mkdtempSync(join(tmpdir(), 'bw-scheduled-'))
  const schedule = scheduleOf({ out, ...changes })
  const base = createPorts(fakeCatalog)
  let at = schedule.createdAt
  let nodes: readonly MadeNode[] | FailureCode = [{ name: 'gpu-1', verdicts: { 'a.b': 'satisfied' } }]
  let refuses = false
  let shortfalls: RanOnce['shortfalls']
  let runs = 0
  let sending = async (_: string | null): Promise<Outcome<SendReport>> => ok({ planned: 0, files: [], targets: [] })
  const [said, waits, notices, sent]: [string[], number[], Notice[], (string | null)[]] = [[], [], [], []]
  const clock = { ...base.clock, now: () => at }
  const ports: Ports = {
    ...base,
    clock,
    // No one waits ten seconds here for someone else's run.
    files: {
      ...base.files,
      hold: async (folder) =>
        (await base.files.isThere(folder)) ? await lockFolder(folder, 100) : await base.files.hold(folder),
    },
    sealing: createSealing(clock, base.entropy),
    notify: async (_, notice) => {
      if (refuses) return fail('notice.undelivered', 'nobody there')
      notices.push(notice)
      return ok(null)
    },
  }
  let signer: Promise<Signer> | null = null
  let refusal: Outcome<never> | null = null
  const openSigner = async (): Promise<Outcome<Signer>> => {
    if (refusal !== null) return refusal
    signer ??= ports.sealing.demoSigner()
    return ok(await signer)
  }
  const chain = async () => {
    return must(await ports.openRunChain(chainFolderOf(out, FLEET), { id: 'ab'.repeat(32), fleet: FLEET }))
  }
  let isPlanned = false
  const plan = async (): Promise<void> => {
    if (isPlanned) return
    isPlanned = true
    await enterPlan(ports, schedule)
  }
  const enter = async (entry: LoggedEntry): Promise<void> => {
    const open = await chain()
    const appended = await open.append(entry)
    await open.close()
    if (!appended.ok) throw new Error(appended.error.detail)
  }
  return {
    ports,
    schedule,
    said,
    waits,
    notices,
    sent,
    setSending: (next) => {
      sending = next
    },
    runs: () => runs,
    setClock: (next) => {
      at = next
    },
    setNodes: (next) => {
      nodes = next
    },
    refuseSigner: (next) => {
      refusal = next
    },
    setShortfalls: (next) => {
      shortfalls = next
    },
    refuseNotices: (refuse) => {
      refuses = refuse
    },
    start: async ({ now = false, during, signal = new AbortController().signal } = {}) => {
      await plan()
      return await runScheduled(ports, {
        schedule,
        now,
        signal,
        wait: async (milliseconds) => {
          waits.push(milliseconds)
        },
        openSigner,
        send: async (_, pack) => {
          sent.push(pack?.split('/').at(-2) ?? null)
          return await sending(pack)
        },
        claimOf: (check) => `Claim of ${check}.`,
        exitOf: ({ code }) => (code === 'ran' || code === 'nothing-due' ? 0 : 4),
        report: (text) => said.push(text),
        run: async (of) => {
          runs += 1
          await during?.()
          if (typeof nodes === 'string') return fail(nodes, 'at 10.0.0.7')
          const run = `run-${runs}`
          await enter(logged(runEntry(run, at, of)))
          return ok({ ...statesOfNodes(nodes, run), ...(shortfalls === undefined ? {} : { shortfalls }) })
        },
      })
    },
    dueTimes: async () => {
      const open = await chain()
      await open.close()
      return open.chain().entries.flatMap(({ entry }) => {
        if (entry.kind === 'gap') return [`gap ${entry.due} ${entry.why}`]
        return entry.kind === 'run' ? [`run ${entry.planned?.due ?? 'unplanned'}`] : []
      })
    },
    enter,
    loseFolder: async () => {
      await plan()
      rmSync(out, { recursive: true, force: true })
      mkdirSync(out)
    },
    remove: () => rmSync(out, { recursive: true, force: true }),
  }
}
