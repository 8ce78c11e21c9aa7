import type { Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { type Failure, type Outcome, ok } from '../../core/base/failure.ts'
import { chainFolderOf, chainStart, packOfRun, runningFolder } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { LoggedEntry } from '../../core/run-chain/entry.ts'
import { finishPrepared } from '../export/continued-export.ts'
import { newChain, withRunChain } from '../history/run-chain.ts'
import { notifyHeld, notifyOf, notifyUnusable } from './notify.ts'
import {
  type Attempt,
  type AttemptCode,
  isPlanned,
  planRun,
  type RunPlan,
  readAttempts,
  unplanned,
  writeAttempt,
} from './plan-run.ts'
import { PENDING, sendPacks } from './send-packs.ts'
import {
  hasShortfalls,
  type MissedRun,
  type RanOnce,
  recordMissed,
  type ScheduledInput,
  type ScheduledOutcome,
  unwrittenRun,
  unwrittenRuns,
  WHY_TOO_LATE,
  whyFailed,
  whyMissed,
  withoutRuns,
} from './states.ts'

/**
 * One start of a schedule, by a timer or a person: determines its due time, records missed runs, runs, sends
 * notifications of changes, and then packs. Two starts never run at once. Fails where the schedule, its chain or its
 * folder cannot be used, and sends a notification of it; later errors are in the outcome, except those of sending
 * packs, which change no outcome.
 */
export async function runScheduled<R extends RanOnce>(
  ports: Ports,
  input: ScheduledInput<R>,
): Promise<Outcome<ScheduledOutcome<R>>> {
  const started = await startOnce(ports, input)
  if (!started.ok) {
    const unsent = await notifyUnusable(ports, input, started.error)
    for (const { code, detail } of unsent) input.report(`${code}: ${plain(detail, 300)}`)
    return started
  }
  const { outcome, id, entries, isHeld } = started.value
  // Not while the schedule is locked: a receiver that is slow must not make the next run late.
  if (isHeld) await sendPacks(ports, input, { id, entries, run: outcome.ran?.run ?? null })
  return ok(outcome)
}

interface Started<R extends RanOnce> extends Pick<Start<R>, 'id'> {
  readonly outcome: ScheduledOutcome<R>
  /** The chain before this start. */
  readonly entries: readonly LoggedEntry[]
  /** Whether no other start was in progress. */
  readonly isHeld: boolean
}

async function startOnce<R extends RanOnce>(ports: Ports, input: ScheduledInput<R>): Promise<Outcome<Started<R>>> {
  const { schedule } = input
  // Before anything is created: without its run chain, the folder of the schedule is not there.
  if (!(await ports.files.isThere(chainStart(chainFolderOf(schedule.out, schedule.fleetName)))))
    return unplanned(schedule)
  const held = await ports.files.hold(runningFolder(schedule))
  // Only a lock by another process means that a run is in progress: a full or read-only disk is a failure.
  if (!held.ok && !(await isHeld(ports, schedule))) return held
  try {
    const entries = await entriesOf(ports, schedule)
    if (!entries.ok) return entries
    if (!isPlanned(schedule, entries.value)) return unplanned(schedule)
    const attempts = await readAttempts(ports, schedule.out, schedule.name)
    if (!attempts.ok) input.report(`The list of earlier starts cannot be used: ${plain(attempts.error.detail, 300)}`)
    const earlier = attempts.ok ? attempts.value : []
    const unwritten = held.ok ? await unwrittenRuns(ports, schedule, entries.value, earlier) : new Set<string>()
    const startedAt = ports.clock.now()
    const written = withoutRuns(entries.value, unwritten)
    const plan = planRun({ schedule, entries: written, now: startedAt, zones: ports.zones })
    if (!plan.ok) return plan
    const id = Buffer.from(ports.entropy.bytes(8)).toString('hex')
    const start: Start<R> = { ports, input, plan: plan.value, earlier, unwritten, id, startedAt }
    const outcome = held.ok ? await heldStart(start) : await ended(start, await whileAnotherGoes(start, held.error))
    return ok({ outcome, id, entries: entries.value, isHeld: held.ok })
  } finally {
    if (held.ok) await held.value.release()
  }
}

interface Start<R extends RanOnce> {
  readonly ports: Ports
  readonly input: ScheduledInput<R>
  readonly plan: RunPlan
  readonly earlier: readonly Attempt[]
  /** Runs that the chain names and whose packs do not exist. */
  readonly unwritten: ReadonlySet<string>
  readonly id: string
  readonly startedAt: string
}

const isHeld = async (ports: Pick<Ports, 'files'>, schedule: Schedule): Promise<boolean> => {
  const below = await ports.files.below(runningFolder(schedule), 1)
  return below.ok && below.value.files.length > 0
}

/**
 * The entries of the current chain of the fleet; empty where there is none yet. A pack that the chain names and that
 * has no final name yet gets it.
 */
async function entriesOf(
  ports: Pick<Ports, 'entropy' | 'files' | 'openRunChain' | 'packs'>,
  { out, fleetName }: Schedule,
): Promise<Outcome<readonly LoggedEntry[]>> {
  const folder = chainFolderOf(out, fleetName)
  if (!(await ports.files.isThere(chainStart(folder)))) return ok([])
  return await withRunChain(ports, folder, newChain(ports, fleetName), async (open) => {
    const chain = open.chain()
    for (const { entry } of chain.entries.slice(-MAY_BE_PREPARED)) {
      if (entry.kind !== 'run') continue
      const settled = await finishPrepared(ports, packOfRun(out, entry.run), chain)
      if (!settled.ok) return settled
    }
    return ok(chain.entries)
  })
}

/** Only the latest entries can be of a run whose pack has no final name; each start checks them. */
const MAY_BE_PREPARED = 8

/** A timer may fire again for a due time whose run is in progress; only a different due time is then missed. */
async function whileAnotherGoes<R extends RanOnce>(
  { ports, input, plan, earlier }: Start<R>,
  { detail }: Failure,
): Promise<ScheduledOutcome<R>> {
  const due = plan.serves?.due ?? null
  const going = earlier.findLast(({ code }) => code === 'going')?.due ?? null
  const isMissed = due !== null && due !== going
  input.report(
    isMissed
      ? `The previous run is still in progress: no run was started for ${due}. The next start records it as missed. If no run is in progress, as after a container was replaced, delete the file shown: ${plain(detail, 400)}.`
      : 'A run of this schedule is in progress, and no other is due.',
  )
  const failures = isMissed && isSecondInARow(earlier, due) ? await notifyHeld(ports, input) : []
  return { code: isMissed ? 'overlap' : 'nothing-due', due, ran: null, recorded: 0, failures: [...failures] }
}

/** One due time during a run may be expected; a second one is notified, and no further one. */
function isSecondInARow(earlier: readonly Attempt[], due: string): boolean {
  const started = earlier.filter(({ code }) => code !== 'nothing-due')
  const before = new Set(
    started.slice(started.findLastIndex(({ code }) => code !== 'overlap') + 1).map((one) => one.due),
  )
  return before.size === 1 && !before.has(due)
}

async function heldStart<R extends RanOnce>(start: Start<R>): Promise<ScheduledOutcome<R>> {
  const { ports, input, plan, earlier, unwritten } = start
  const { schedule, report } = input
  for (const note of plan.notes) report(note)
  const missed = plan.missed.map((due) => ({
    due,
    why: due === plan.tooLate && earlier.every((one) => one.due !== due) ? WHY_TOO_LATE : whyMissed(due, earlier),
  }))
  const gaps = await recordMissed(ports, schedule, missed, input.openSigner, unwritten)
  const recorded = gaps.ok ? gaps.value : 0
  const failures: Failure[] = gaps.ok ? [] : [gaps.error]
  if (recorded > 0)
    report(
      recorded === 1
        ? 'A scheduled run did not take place; the missed run is recorded in the run chain.'
        : `${recorded} scheduled runs did not take place; the missed runs are recorded in the run chain.`,
    )
  // The run of this start may end as they did: without a notification.
  if (missed.some(({ due }) => earlier.findLast((one) => one.due === due)?.code === 'going'))
    failures.push(...(await notifyOf(ports, input, { happened: 'nothing', due: null, missed: true })))
  if (plan.left > 0) report(`${plan.left} more missed runs will be recorded at the next starts.`)
  const due = plan.serves?.due ?? null
  if (due === null && !input.now) {
    const code = plan.tooLate === null ? 'nothing-due' : 'too-late'
    report(code === 'too-late' ? WHY_TOO_LATE : `No run is due${nextText(plan)}. Use --now to run anyway.`)
    const unsent = recorded > 0 ? await notifyOf(ports, input, { happened: 'nothing', due, missed: true }) : []
    return await ended(start, { code, due: plan.tooLate, ran: null, recorded, failures: [...failures, ...unsent] })
  }
  const begun = await writeAttempt(ports, schedule, { ...attemptOf(start, 'going', due), ...pendingOf(schedule) })
  if (!begun.ok) failures.push(begun.error)
  await jitter(start)
  if (input.signal.aborted) {
    report('Stopped before any node was collected.')
    return await ended(start, { code: 'stopped', due, ran: null, recorded, failures })
  }
  report(due === null ? 'No run is due: this run counts as started manually.' : `This run is for ${due}.`)
  const ran = await input.run(due === null ? null : { schedule: schedule.name, due })
  const lost = ran.ok || due === null ? ok(0) : await recordLost(start, { due, why: whyFailed(ran.error) })
  if (lost.ok && lost.value > 0) report(`No run could be exported for ${due}; the run chain records it as missed.`)
  const unsent = await notifyOf(ports, input, {
    happened: ran.ok ? ran.value : ran.error,
    due,
    missed: missed.length > 0,
  })
  const gapsInAll = recorded + (lost.ok ? lost.value : 0)
  report(servedText(start, ran.ok ? `exported as ${ran.value.run}` : 'not exported', gapsInAll))
  return await ended(start, {
    code: ran.ok ? 'ran' : 'failed',
    due,
    ran: ran.ok ? ran.value : null,
    recorded: gapsInAll,
    failures: once([...failures, ...(ran.ok ? [] : [ran.error]), ...(lost.ok ? [] : [lost.error]), ...unsent]),
  })
}

/** Records a due time whose run failed, also where it failed between the chain’s entry and its pack. */
async function recordLost<R extends RanOnce>(
  { ports, input, unwritten }: Start<R>,
  { due, why }: MissedRun,
): Promise<Outcome<number>> {
  const { schedule, openSigner } = input
  const entries = await entriesOf(ports, schedule)
  if (!entries.ok) return entries
  const run = await unwrittenRun(ports, schedule, entries.value, due)
  return await recordMissed(
    ports,
    schedule,
    [{ due, why }],
    openSigner,
    new Set([...unwritten, ...(run === null ? [] : [run])]),
  )
}

/** Failures with one cause are reported once: a key that cannot be opened can sign neither a run nor a missed run. */
const once = (failures: readonly Failure[]): readonly Failure[] =>
  failures.filter(
    ({ code, detail }, at) => failures.findIndex((one) => one.code === code && one.detail === detail) === at,
  )

/** The purpose of the run, as the last message. */
function servedText<R extends RanOnce>({ input, plan }: Start<R>, became: string, gaps: number): string {
  const { serves } = plan
  const recorded = gaps === 0 ? '' : `; ${gaps === 1 ? '1 missed run' : `${gaps} missed runs`} recorded`
  if (serves === null) return `Unscheduled run of ${input.schedule.name}: ${became}${recorded}.`
  const when = serves.late ? `${serves.minutesAfter} minutes late` : 'on time'
  return `Scheduled run of ${input.schedule.name}, due at ${serves.due}, started ${when}: ${became}${recorded}.`
}

const nextText = ({ next }: RunPlan): string => (next === null ? '' : `; the next run is due at ${next}`)

/** Spreads the starts of many computers; none where a person waits. */
async function jitter<R extends RanOnce>({ ports, input }: Start<R>): Promise<void> {
  const { now, schedule, wait, report } = input
  if (now || schedule.jitterMinutes === 0) return
  const [a = 0, b = 0, c = 0, d = 0] = ports.entropy.bytes(4)
  const part = (a + b * 2 ** 8 + c * 2 ** 16 + d * 2 ** 24) / 2 ** 32
  const milliseconds = Math.floor(part * schedule.jitterMinutes * 60_000)
  report(`Random delay: waiting ${Math.round(milliseconds / 1000)} s of at most ${schedule.jitterMinutes} min.`)
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

/** Stated before there is a pack: where this program is killed after it, the next start sends the pack. */
const pendingOf = ({ integrations }: Schedule): Pick<Attempt, 'sending'> =>
  integrations === undefined ? {} : { sending: PENDING }

const incompleteText = (ran: RanOnce): readonly string[] => [
  ...(ran.incomplete ? ['Not every node was collected completely'] : []),
  ...(hasShortfalls(ran) ? [`Missing: ${codesOf(ran)}`] : []),
]

const codesOf = ({ shortfalls = [] }: RanOnce): string => [...new Set(shortfalls.map(({ code }) => code))].join(', ')

/** Its exit code states this already; deviations, with their own code, hide it. */
const INCOMPLETE = 4

/** Records how a start ended. */
async function ended<R extends RanOnce>(start: Start<R>, outcome: ScheduledOutcome<R>): Promise<ScheduledOutcome<R>> {
  const { ports, input } = start
  const exit = input.exitOf(outcome)
  const written = await writeAttempt(ports, input.schedule, {
    ...attemptOf(start, outcome.code, outcome.due),
    endedAt: ports.clock.now(),
    run: outcome.ran?.run ?? null,
    ...(outcome.ran === null ? {} : pendingOf(input.schedule)),
    exit,
    detail: [
      ...(exit === INCOMPLETE || outcome.ran === null ? [] : incompleteText(outcome.ran)),
      ...outcome.failures.map(({ code, detail }) => `${code}: ${plain(detail, 300)}`),
    ].join('; '),
  })
  return written.ok ? outcome : { ...outcome, failures: [...outcome.failures, written.error] }
}
