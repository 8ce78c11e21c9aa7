import type { Schedule } from '../../../../schemas/types.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { hexOf } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { runningFolder } from '../../../core/base/layout.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { inMemory } from '../../../core/recording/recording.ts'
import { newRunId, type RunResult } from '../../collect/run.ts'
import { chainOfFleet } from '../../history/run-chain.ts'
import { type Attempt, collectAgain, readAttempts, writeAttempt } from '../../scheduled/plan-run.ts'
import { type ServedStart, servedStart } from '../../scheduled/served.ts'
import type { EngineContext, ServerStarts } from '../context/context.ts'
import { turnOf } from '../context/kept-json.ts'
import type { RunState } from '../context/run-state.ts'
import { collectOwn, type ScheduledRun } from '../runs/run-methods.ts'
import { readNote } from '../runs/run-notes.ts'
import { loadRun, shelfOf } from '../runs/stored-runs.ts'
import { firstOfSchedules } from './schedule-view.ts'

/** A run that is about to start because a schedule requires it. */
export interface DueStart {
  readonly schedule: string
  readonly due: string
  readonly run: string
  /** A process before this one had started it. */
  readonly isContinued: boolean
}

/** Scheduled runs of a team server, which no timer of an operating system starts. */
export interface ScheduledStarts {
  /**
   * Starts the next run that is due, or nothing. Must not be called again before it resolved. The start is stored,
   * and `noted` awaited, before any node is contacted. Fails as the schedule file, the run chain and the store do; a
   * start that was stored by then is continued later.
   */
  readonly startDue: (noted: (start: DueStart) => Promise<void>) => Promise<Outcome<DueStart | null>>
  /** Starts nothing more, and resolves when the run in progress has ended; the next process continues it. */
  readonly close: () => Promise<void>
}

/** Another process that starts runs of this folder is not waited for. */
const HOLD_MS = 1000

export function scheduledStarts(context: EngineContext, { wait }: ServerStarts): ScheduledStarts {
  const { ports, session } = context
  const stop = new AbortController()
  let going: Promise<void> | null = null

  /** For each schedule as it is in the file: until when nothing is to be started. */
  const quiet = new Map<string, string>()

  const begin = async (
    schedule: Schedule,
    { attempt, before }: Pick<Followed, 'attempt' | 'before'>,
    noted: (start: DueStart) => Promise<void>,
    release: () => Promise<void>,
  ): Promise<Outcome<DueStart>> => {
    const { due, run } = attempt
    if (due === null || run === null) return fail('bug', 'a start without its due time and run')
    const start: DueStart = { schedule: schedule.name, due, run, isContinued: before !== null }
    await noted(start)
    going = follow(context, { schedule, attempt, before, start }, { wait, signal: stop.signal })
      .finally(release)
      .finally(() => {
        going = null
      })
    return ok(start)
  }

  const next = async (
    schedule: Schedule,
    noted: (start: DueStart) => Promise<void>,
  ): Promise<Outcome<DueStart | null>> => {
    const key = canonicalJson(schedule)
    if (ports.clock.now() < (quiet.get(key) ?? '')) return ok(null)
    const first = await decide(context, schedule)
    if (!first.ok) return first
    if (first.value.is === 'wait') {
      if (first.value.until !== null) quiet.set(key, first.value.until)
      return ok(null)
    }
    const held = await ports.files.hold(runningFolder(schedule), HOLD_MS)
    if (!held.ok) return held
    const { release } = held.value
    let isPassedOn = false
    try {
      // Another process may have started it in between.
      const decided = await decide(context, schedule)
      if (!decided.ok) return decided
      const { value } = decided
      if (value.is === 'wait') return ok(null)
      const before = value.is === 'continue' ? await storedState(context, value.attempt.run) : null
      // Another run is shown since: to continue this one would show it in the place of the later one.
      const isReplaced = before !== null && session.run !== null && session.run.run !== before.run
      if (value.is === 'end' || value.is === 'too-late' || (value.is === 'continue' && isReplaced)) {
        const over = await writeAttempt(ports, schedule, await overOf(context, schedule, value))
        return over.ok ? ok(null) : over
      }
      const attempt = value.is === 'continue' ? value.attempt : newAttempt(context, schedule, value.due)
      const written = value.is === 'continue' ? ok(null) : await writeAttempt(ports, schedule, attempt)
      if (!written.ok) return written
      const begun = await begin(schedule, { attempt, before }, noted, release)
      isPassedOn = begun.ok
      return begun
    } finally {
      if (!isPassedOn) await release()
    }
  }

  return {
    startDue: async (noted) => {
      if (going !== null || session.going !== null || session.demo || stop.signal.aborted) return ok(null)
      return await firstOfSchedules(context, (schedule) => next(schedule, noted))
    },
    close: async () => {
      stop.abort()
      await going
    },
  }
}

/**
 * Decides about the start of a schedule. The run chain is read only where something may be due, because an export of
 * a large pack can lock it for minutes. Fails as chain and attempts do.
 */
async function decide({ ports }: EngineContext, schedule: Schedule): Promise<Outcome<ServedStart>> {
  const { out, name, fleetName } = schedule
  const attempts = await readAttempts(ports, out, name)
  if (!attempts.ok) return attempts
  const common = { schedule, attempts: attempts.value, now: ports.clock.now(), zones: ports.zones }
  const may = servedStart({ ...common, entries: null })
  if (!may.ok || may.value.is === 'wait') return may
  const chain = await chainOfFleet(ports, out, fleetName)
  return chain.ok ? servedStart({ ...common, entries: chain.value?.entries ?? [] }) : chain
}

const newAttempt = ({ ports }: EngineContext, { name }: Schedule, due: string): Attempt => ({
  id: hexOf(ports.entropy.bytes(8)),
  schedule: name,
  due,
  startedAt: ports.clock.now(),
  endedAt: null,
  run: newRunId(ports.clock, ports.entropy),
  exit: null,
  code: 'going',
  detail: '',
})

/** The last line of a due time for which nothing more is collected. */
async function overOf(
  context: EngineContext,
  schedule: Schedule,
  value: Exclude<ServedStart, { is: 'wait' | 'start' }>,
): Promise<Attempt> {
  const { ports, folder } = context
  const endedAt = ports.clock.now()
  if (value.is === 'too-late')
    return { ...newAttempt(context, schedule, value.due), run: null, endedAt, code: 'too-late' }
  const { attempt } = value
  const wasBegun = attempt.run !== null && (await readNote(ports, folder, attempt.run)) !== null
  return wasBegun
    ? { ...attempt, endedAt, code: 'ran', detail: 'The server ended while it collected.' }
    : { ...attempt, endedAt, run: null, code: 'stopped' }
}

interface Followed {
  readonly schedule: Schedule
  readonly attempt: Attempt
  /** What an earlier process stored of the run; null where it stored nothing. */
  readonly before: RunState | null
  readonly start: DueStart
}

/** Collects as the schedule requires, and stores the result, unless this process is stopped first. */
async function follow(
  context: EngineContext,
  { schedule, attempt, before, start }: Followed,
  { wait, signal }: ServerStarts & { readonly signal: AbortSignal },
): Promise<void> {
  const { ports, session } = context
  const scheduled: ScheduledRun = { run: start.run, planned: { schedule: start.schedule, due: start.due } }
  const collected = await collectAgain({
    first: async () => {
      const first = await collectOnce(context, scheduled, [], before)
      return first.ok || before === null ? first : ok(collectedOf(before, false))
    },
    again: async (run, nodes) =>
      session.run?.run === run
        ? await collectOnce(context, scheduled, nodes, session.run)
        : fail('input.refused', 'another run was started meanwhile'),
    retries: schedule.retries,
    wait: (milliseconds) => wait(milliseconds, signal),
    signal,
    report: () => undefined,
  }).catch((thrown: unknown) => fail('bug', String(thrown)))
  if (signal.aborted) return
  // If it cannot be stored, the next check of this schedule ends the start.
  await writeAttempt(ports, schedule, {
    ...attempt,
    endedAt: ports.clock.now(),
    ...(collected.ok
      ? { code: 'ran', detail: resultWords(collected.value) }
      : { code: 'failed', run: null, detail: `${collected.error.code}: ${plain(collected.error.detail, 300)}` }),
  })
  context.notify({ kind: 'schedules-changed' })
}

/** The stored state of a run that was started; null where collection had not begun. */
async function storedState(context: EngineContext, run: string | null): Promise<RunState | null> {
  const { ports, catalog, folder, session } = context
  if (run === null) return null
  if (session.run?.run === run) return session.run
  const shelf = shelfOf(context)
  if (shelf === null || (await readNote(ports, folder, run)) === null) return null
  const loaded = await loadRun(shelf, catalog, run)
  return loaded.ok ? loaded.value : null
}

interface Collected {
  readonly population: readonly string[]
  readonly result: RunResult
}

const collectedOf = ({ run, scope, recordings }: RunState, cancelled: boolean): Collected => ({
  population: scope.inFleet ?? scope.population,
  result: { run, recordings: recordings.map(inMemory), cancelled },
})

/** Collects once, and waits for the end. Fails as a start by a person does. */
async function collectOnce(
  context: EngineContext,
  scheduled: ScheduledRun,
  nodes: readonly string[],
  before: RunState | null,
): Promise<Outcome<Collected>> {
  const { session } = context
  const turn = turnOf(context, 'fleet')
  const begun = await turn(async () => {
    const ticket = await collectOwn(context, nodes, before, scheduled)
    return ticket.ok ? ok(session.going) : ticket
  })
  if (!begun.ok) return begun
  await begun.value?.done
  const { run } = session
  return run?.run === scheduled.run
    ? ok(collectedOf(run, begun.value?.stop.signal.aborted === true))
    : fail('store.failed', 'the run could not be stored')
}

function resultWords({ population, result }: Collected): string {
  const complete = result.recordings.filter(({ recording }) => recording.outcome.status === 'complete').length
  const words = `${complete} of ${population.length} nodes collected completely.`
  return result.cancelled ? `${words} Stopped by a person.` : words
}
