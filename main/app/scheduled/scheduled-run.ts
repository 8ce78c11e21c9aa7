import type { Planned, Schedule } from '../../../schemas/types.ts'
import type { Failure, Outcome } from '../../core/failure.ts'
import { PACK_EXTENSION } from '../../core/pack.ts'
import { plain } from '../../core/plain-text.ts'
import type { Signer } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import type { LoggedEntry } from '../../core/run-chain/entry.ts'
import type { World } from '../../core/world.ts'
import { chainFolderOf } from '../chain-folder.ts'
import { settlePrepared } from '../continued-export.ts'
import { type Attempt, type AttemptCode, readAttempts, writeAttempt } from './attempts.ts'
import { runningFolder } from './paths.ts'
import { planRun, type RunPlan } from './plan-run.ts'
import {
  type MissedRun,
  recordMissed,
  unwrittenRun,
  unwrittenRuns,
  WHY_TOO_LATE,
  whyFailed,
  whyMissed,
  withoutRuns,
} from './record-missed.ts'
import type { RunStates } from './states.ts'
import { tellOf } from './tell.ts'

/** What the work of one run gave: enough to say what changed. */
export interface RanOnce extends RunStates {
  readonly run: string
}

export interface ScheduledInput<R extends RanOnce> {
  readonly schedule: Schedule
  /** A person asks: without jitter, and also where nothing is due. */
  readonly now: boolean
  readonly signal: AbortSignal
  /** Resolves after so many milliseconds, or when the signal is aborted. */
  readonly wait: (milliseconds: number) => Promise<void>
  readonly openSigner: () => Promise<Outcome<Signer>>
  /** Collects, assesses, seals and keeps. */
  readonly run: (planned: Planned | null) => Promise<Outcome<R>>
  /** A check in words. */
  readonly claimOf: (check: string) => string
  /** The exit code that an outcome will end with, for the list of starts. */
  readonly exitOf: (outcome: ScheduledOutcome<R>) => number
  /** Told as it goes, for people. */
  readonly say: (text: string) => void
}

export interface ScheduledOutcome<R> {
  readonly code: Exclude<AttemptCode, 'going'>
  readonly due: string | null
  readonly ran: R | null
  /** Gaps that were recorded. */
  readonly recorded: number
  /** What went wrong beside the run, or kept it from being exported, in the order in which it happened. */
  readonly failures: readonly Failure[]
}

/**
 * One start of a schedule, as a timer or a person makes it: finds out which due time it is for, records those that stayed without a run,
 * runs, and tells of changes. Two of them never run at once. Fails where the schedule, its chain or its folder cannot be used; whatever
 * goes wrong later is in the outcome.
 */
export async function runScheduled<R extends RanOnce>(
  world: World,
  input: ScheduledInput<R>,
): Promise<Outcome<ScheduledOutcome<R>>> {
  const { schedule } = input
  const held = await world.files.hold(runningFolder(schedule))
  // Only somebody’s lock says that somebody is there: a full disk, or one that can only be read, is a failure.
  if (!held.ok && !(await isHeld(world, schedule))) return held
  try {
    const entries = await entriesOf(world, schedule)
    if (!entries.ok) return entries
    const attempts = await readAttempts(world, schedule.out, schedule.name)
    if (!attempts.ok) input.say(`The list of earlier starts cannot be used: ${plain(attempts.error.detail, 300)}`)
    const earlier = attempts.ok ? attempts.value : []
    const unwritten = held.ok ? await unwrittenRuns(world, schedule, entries.value, earlier) : new Set<string>()
    const startedAt = world.clock.now()
    const written = withoutRuns(entries.value, unwritten)
    const plan = planRun({ schedule, entries: written, now: startedAt, zones: world.zones })
    if (!plan.ok) return plan
    const id = Buffer.from(world.entropy.bytes(8)).toString('hex')
    const start: Start<R> = { world, input, plan: plan.value, earlier, unwritten, id, startedAt }
    return ok(held.ok ? await heldStart(start) : await ended(start, whileAnotherGoes(start)))
  } finally {
    if (held.ok) await held.value.release()
  }
}

interface Start<R extends RanOnce> {
  readonly world: World
  readonly input: ScheduledInput<R>
  readonly plan: RunPlan
  readonly earlier: readonly Attempt[]
  /** Runs that the chain names and that nobody has a pack of. */
  readonly unwritten: ReadonlySet<string>
  readonly id: string
  readonly startedAt: string
}

const isHeld = async (world: World, schedule: Schedule): Promise<boolean> => {
  const below = await world.files.below(runningFolder(schedule), 1)
  return below.ok && below.value.files.length > 0
}

/** The chain of the fleet as it is, and nothing where there is none yet. A pack that it names and that lacks only its name gets it. */
async function entriesOf(world: World, { out, fleetName }: Schedule): Promise<Outcome<readonly LoggedEntry[]>> {
  const folder = chainFolderOf(out, fleetName)
  if (!(await world.files.isThere(`${folder}/chain.json`))) return ok([])
  const id = Buffer.from(world.entropy.bytes(32)).toString('hex')
  const opened = await world.openRunChain(folder, { id, fleet: fleetName })
  if (!opened.ok) return opened
  try {
    const chain = opened.value.chain()
    for (const { entry } of chain.entries.slice(-MAY_BE_PREPARED)) {
      if (entry.kind !== 'run') continue
      const settled = await settlePrepared(world, `${out}/${entry.run}/${entry.run}${PACK_EXTENSION}`, entry.run, chain)
      if (!settled.ok) return settled
    }
    return ok(chain.entries)
  } finally {
    await opened.value.close()
  }
}

/** Only the latest entries can be of a run whose pack an interrupted start left without its name: each start looks. */
const MAY_BE_PREPARED = 8

/** A timer may wake us again for a due time whose run goes on: only another due time is missed by that. */
function whileAnotherGoes<R extends RanOnce>({ input, plan, earlier }: Start<R>): ScheduledOutcome<R> {
  const due = plan.serves?.due ?? null
  const going = earlier.findLast(({ code }) => code === 'going')?.due ?? null
  const isMissed = due !== null && due !== going
  input.say(
    isMissed
      ? `The run before is still going: nothing was started for ${due}, and the next run records that.`
      : 'A run of this schedule is going on, and no other is due.',
  )
  return { code: isMissed ? 'overlap' : 'nothing-due', due, ran: null, recorded: 0, failures: [] }
}

async function heldStart<R extends RanOnce>(start: Start<R>): Promise<ScheduledOutcome<R>> {
  const { world, input, plan, earlier, unwritten } = start
  const { schedule, say } = input
  for (const note of plan.notes) say(note)
  const missed = plan.missed.map((due) => ({
    due,
    why: due === plan.tooLate && earlier.every((one) => one.due !== due) ? WHY_TOO_LATE : whyMissed(due, earlier),
  }))
  const gaps = await recordMissed(world, schedule, missed, input.openSigner, unwritten)
  const recorded = gaps.ok ? gaps.value : 0
  const failures = gaps.ok ? [] : [gaps.error]
  if (recorded > 0)
    say(
      recorded === 1
        ? 'A planned run did not happen; the chain of runs has a record of it.'
        : `${recorded} planned runs did not happen; the chain of runs has a record of each.`,
    )
  if (plan.left > 0) say(`${plan.left} more did not happen; the next starts record them.`)
  const due = plan.serves?.due ?? null
  if (due === null && !input.now) {
    const code = plan.tooLate === null ? 'nothing-due' : 'too-late'
    say(code === 'too-late' ? WHY_TOO_LATE : `Nothing is due${nextText(plan)}. With --now, a run is made all the same.`)
    const told = recorded > 0 ? await tellOf(world, input, { happened: 'nothing', due, missed: true }) : []
    return await ended(start, { code, due: plan.tooLate, ran: null, recorded, failures: [...failures, ...told] })
  }
  const begun = await writeAttempt(world, schedule, attemptOf(start, 'going', due))
  if (!begun.ok) failures.push(begun.error)
  await jitter(start)
  if (input.signal.aborted) {
    say('Stopped before any node was asked.')
    return await ended(start, { code: 'stopped', due, ran: null, recorded, failures })
  }
  say(due === null ? 'Nothing is due: this run counts as one that somebody started.' : `This run is for ${due}.`)
  const ran = await input.run(due === null ? null : { schedule: schedule.name, due })
  const lost = ran.ok || due === null ? ok(0) : await recordLost(start, { due, why: whyFailed(ran.error) })
  if (lost.ok && lost.value > 0) say(`No run could be exported for ${due}; that is recorded in the chain of runs.`)
  const told = await tellOf(world, input, { happened: ran.ok ? ran.value : 'failure', due, missed: missed.length > 0 })
  const gapsInAll = recorded + (lost.ok ? lost.value : 0)
  say(servedText(start, ran.ok ? `exported as ${ran.value.run}` : 'not exported', gapsInAll))
  return await ended(start, {
    code: ran.ok ? 'ran' : 'failed',
    due,
    ran: ran.ok ? ran.value : null,
    recorded: gapsInAll,
    failures: once([...failures, ...(ran.ok ? [] : [ran.error]), ...(lost.ok ? [] : [lost.error]), ...told]),
  })
}

/** Records a due time whose run failed, also where the failure came between the chain’s entry and its pack. */
async function recordLost<R extends RanOnce>(
  { world, input, unwritten }: Start<R>,
  { due, why }: MissedRun,
): Promise<Outcome<number>> {
  const { schedule, openSigner } = input
  const entries = await entriesOf(world, schedule)
  if (!entries.ok) return entries
  const run = await unwrittenRun(world, schedule, entries.value, due)
  return await recordMissed(
    world,
    schedule,
    [{ due, why }],
    openSigner,
    new Set([...unwritten, ...(run === null ? [] : [run])]),
  )
}

/** What failed for one reason is told once: a key that cannot be opened seals no run, and signs no gap either. */
const once = (failures: readonly Failure[]): readonly Failure[] =>
  failures.filter(
    ({ code, detail }, at) => failures.findIndex((one) => one.code === code && one.detail === detail) === at,
  )

/** What the run was for, as the last thing that is said of it. */
function servedText<R extends RanOnce>({ input, plan }: Start<R>, became: string, gaps: number): string {
  const { serves } = plan
  const recorded = gaps === 0 ? '' : `; ${gaps === 1 ? '1 gap' : `${gaps} gaps`} recorded`
  if (serves === null) return `A run of ${input.schedule.name} that was not planned: ${became}${recorded}.`
  const when = serves.late ? `${serves.minutesAfter} minutes late` : 'in time'
  return `Planned run of ${input.schedule.name}, due at ${serves.due} and begun ${when}: ${became}${recorded}.`
}

const nextText = ({ next }: RunPlan): string => (next === null ? '' : `; the next run is due at ${next}`)

/** Spreads starts of many computers; none where a person waits. */
async function jitter<R extends RanOnce>({ world, input }: Start<R>): Promise<void> {
  const { now, schedule, wait, say } = input
  if (now || schedule.jitterMinutes === 0) return
  const [a = 0, b = 0, c = 0, d = 0] = world.entropy.bytes(4)
  const part = (a + b * 2 ** 8 + c * 2 ** 16 + d * 2 ** 24) / 2 ** 32
  const milliseconds = Math.floor(part * schedule.jitterMinutes * 60_000)
  say(`Waiting ${Math.round(milliseconds / 1000)} s: starts are spread over ${schedule.jitterMinutes} min.`)
  await wait(milliseconds)
}

function attemptOf<R extends RanOnce>(
  { input, id, startedAt }: Start<R>,
  code: AttemptCode,
  due: string | null,
): Attempt {
  const schedule = input.schedule.name
  return { id, schedule, due, startedAt, endedAt: null, run: null, exit: null, code, detail: '' }
}

/** Writes down how a start ended. */
async function ended<R extends RanOnce>(start: Start<R>, outcome: ScheduledOutcome<R>): Promise<ScheduledOutcome<R>> {
  const { world, input } = start
  const written = await writeAttempt(world, input.schedule, {
    ...attemptOf(start, outcome.code, outcome.due),
    endedAt: world.clock.now(),
    run: outcome.ran?.run ?? null,
    exit: input.exitOf(outcome),
    detail: outcome.failures.map(({ code, detail }) => `${code}: ${plain(detail, 300)}`).join('; '),
  })
  return written.ok ? outcome : { ...outcome, failures: [...outcome.failures, written.error] }
}
