import { FAILURE_CODES, type FailureCode } from '../../../schemas/failure-words.ts'
import type { PlannedSpan, Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { scheduleAttempts } from '../../core/base/layout.ts'
import { dueRuns, planSpans } from '../../core/period/plans.ts'
import type { Zones } from '../../core/run-chain/cadence.ts'
import { hasExactly, isInstant, isName, isSchedule, type LoggedEntry, parsedJson } from '../../core/run-chain/entry.ts'
import { plannedCadence, withinMinutesOf } from '../../core/schedule/schedule.ts'
import type { RunResult } from '../collect/run.ts'

/** The tasks of a start of a schedule, derived by planRun(). */
export interface RunPlan {
  /** The due time of this start; null when there is none. */
  readonly serves: Served | null
  /** Due times without a run, oldest first, that must be recorded now. */
  readonly missed: readonly string[]
  /** Number of missed runs left for later starts. */
  readonly left: number
  /** The due time that this start was too late for, where the schedule skips missed runs. */
  readonly tooLate: string | null
  /** The next due time after this start; null where nothing is scheduled any more. */
  readonly next: string | null
  /** Notices, one sentence each. */
  readonly notes: readonly string[]
}

interface Served {
  readonly due: string
  /** Minutes from the due time to this start; negative for an early start. */
  readonly minutesAfter: number
  /** Later than random delay and tolerance explain: the computer was off, or another run was in progress. */
  readonly late: boolean
}

export type PlanRunSchedule = Pick<
  Schedule,
  'name' | 'cadence' | 'zone' | 'jitterMinutes' | 'retries' | 'catchUp' | 'createdAt' | 'sealHours'
>

export interface PlanRunInput {
  readonly schedule: PlanRunSchedule
  /** All entries of the fleet’s chain, in order. */
  readonly entries: readonly LoggedEntry[]
  readonly now: string
  readonly zones: Zones
  /** How early a start may be; a timer of an operating system may fire slightly early. */
  readonly earlyMinutes?: number
  /** How many missed runs are to be recorded now; MOST_GAPS without it. */
  readonly mostMissed?: number
}

/** A timer may fire slightly early. */
const EARLY_MINUTES = 5
/** After its random delay, a start within this time still counts as in time. */
const PATIENCE_MINUTES = 120
/** More missed runs are recorded at the next starts: each needs a signature. */
export const MOST_GAPS = 100
/** A person must deal with older due times, which the period view shows as unrecorded. */
const LOOK_BACK_DAYS = 400
/** More than two months, so that every cadence has a due time in it. */
const LOOK_AHEAD_DAYS = 63

const MINUTE = 60_000
const DAY = 1440 * MINUTE

/**
 * Determines which due time a start at `now` serves, and which earlier ones had no run. The chain decides what was
 * scheduled, because a schedule written afterwards could hide missed runs; the file counts only where the chain has
 * no schedule. A due time with an entry in the chain is never served again. Fails with input.refused for an unknown
 * cadence or zone.
 */
export function planRun({
  schedule,
  entries,
  now,
  zones,
  earlyMinutes = EARLY_MINUTES,
  mostMissed = MOST_GAPS,
}: PlanRunInput): Outcome<RunPlan> {
  const start = Date.parse(now)
  const spans = spansOf(schedule, entries)
  const reach = iso(start + earlyMinutes * MINUTE)
  const due = dueRuns(spans, zones, { after: iso(start - LOOK_BACK_DAYS * DAY), until: reach })
  if (!due.ok) return due
  const coming = dueRuns(spans, zones, { after: reach, until: iso(start + LOOK_AHEAD_DAYS * DAY) })
  if (!coming.ok) return coming
  // A missed run that was signed under a clock ahead of time must not prevent the run of that time.
  const past = entries.filter(({ entry }) => entry.kind !== 'gap' || Date.parse(entry.at) <= start)
  const answered = answeredDue(schedule.name, past)
  const open = due.value.map((one) => one.due).filter((one) => !answered.has(Date.parse(one)))
  const latest = due.value.at(-1)?.due ?? null
  const minutesAfter = latest === null ? 0 : Math.round((start - Date.parse(latest)) / MINUTE)
  const late = minutesAfter > schedule.jitterMinutes + PATIENCE_MINUTES
  const isOpen = latest !== null && open.includes(latest)
  const tooLate = isOpen && late && !schedule.catchUp
  const serves = isOpen && !tooLate ? { due: latest, minutesAfter, late } : null
  const ahead = entryAfter(entries, now)
  const explained = explainedDue(past)
  const isMissed = (one: string): boolean => one !== serves?.due && !explained.has(Date.parse(one))
  const missed = ahead === null ? open.filter(isMissed) : []
  return ok({
    serves,
    missed: missed.slice(0, mostMissed),
    left: Math.max(0, missed.length - mostMissed),
    tooLate: tooLate ? latest : null,
    next: coming.value[0]?.due ?? null,
    notes: [
      ...(ahead === null ? [] : [clockNote(now, ahead)]),
      ...planNotes(schedule, spans),
      ...(serves?.late === true ? [`This run starts ${minutesAfter} minutes after it was due.`] : []),
    ],
  })
}

/** The time of an entry after `now`, which a wrong clock explains; null where there is none. */
export const entryAfter = (entries: readonly LoggedEntry[], now: string): string | null =>
  entries.find(({ entry }) => Date.parse(entry.at) > Date.parse(now))?.entry.at ?? null

/** Due times with a run or a missed run in the chain. */
export const answeredDue = (schedule: string, entries: readonly LoggedEntry[]): ReadonlySet<number> =>
  new Set(
    entries.flatMap(({ entry }) => {
      if (entry.kind === 'gap' && entry.schedule === schedule) return [Date.parse(entry.due)]
      return entry.kind === 'run' && entry.planned?.schedule === schedule ? [Date.parse(entry.planned.due)] : []
    }),
  )

/** Due times that a person recorded as missed without naming a schedule; where several have one of them, the calendar shows the others. */
export const explainedDue = (entries: readonly LoggedEntry[]): ReadonlySet<number> =>
  new Set(
    entries.flatMap(({ entry, signature }) =>
      entry.kind === 'gap' && entry.schedule === undefined && signature !== null ? [Date.parse(entry.due)] : [],
    ),
  )

/** Schedules over time. */
function spansOf(schedule: PlanRunSchedule, entries: readonly LoggedEntry[]): readonly PlannedSpan[] {
  const { name, createdAt } = schedule
  if (isPlanned(schedule, entries)) return planSpans(entries).filter((span) => span.schedule === name)
  const withinMinutes = withinMinutesOf(schedule)
  return [{ schedule: name, cadence: plannedCadence(schedule), withinMinutes, from: createdAt, until: null, entry: 0 }]
}

/** Whether the chain has an entry of the schedule. A schedule that is only in a file schedules nothing. */
export const isPlanned = ({ name }: Pick<Schedule, 'name'>, entries: readonly LoggedEntry[]): boolean =>
  entries.some(({ entry }) => entry.kind === 'plan' && entry.schedule === name)

/** A folder that was moved or is not mounted has no entry of it: every run so far would be recorded as missed there. */
export const unplanned = ({ name, out }: Pick<Schedule, 'name' | 'out'>): Outcome<never> =>
  fail(
    'input.refused',
    `no run chain in ${out} has an entry of the schedule ${name}: the folder was moved or replaced, or is not mounted; restore it, or remove the schedule and add it again`,
  )

const clockNote = (now: string, ahead: string): string =>
  `The clock of this computer shows ${now}, but the run chain has an entry of ${ahead}. Correct the clock. Until it is past that entry, missed runs are not recorded.`

function planNotes(schedule: PlanRunSchedule, spans: readonly PlannedSpan[]): readonly string[] {
  const [stated, planned] = [plannedCadence(schedule), spans.find(({ until }) => until === null)?.cadence]
  if (planned === undefined)
    return [`According to the run chain, ${schedule.name} was removed and schedules no more runs.`]
  return stated === planned
    ? []
    : [`The schedule file states “${stated}”, but the run chain states “${planned}”; the run chain applies.`]
}

const iso = (moment: number): string => new Date(moment).toISOString()

/**
 * How a start ended: `going` has started, or was killed; `nothing-due` collected nothing, and neither did `overlap`
 * (the previous run was in progress), `too-late` (the schedule skips missed runs) and `stopped` (before collection).
 */
const ATTEMPT_CODES = ['going', 'ran', 'nothing-due', 'overlap', 'too-late', 'stopped', 'failed'] as const
export type AttemptCode = (typeof ATTEMPT_CODES)[number]

/**
 * State of the pack of a start in the outbox: `pending` was not tried yet, `failed` is tried again as a whole,
 * `waiting` has items that the outbox tries again, `given-up` has items that it does not, `delivered` has neither.
 */
const SENDING_STATES = ['pending', 'failed', 'waiting', 'given-up', 'delivered'] as const

export interface AttemptSending {
  readonly state: (typeof SENDING_STATES)[number]
  /** Why not everything was delivered; null where everything was, or nothing was tried yet. */
  readonly code: FailureCode | null
  readonly detail: string
}

/** One start of a schedule. An unsigned log for people: the run chain is authoritative. */
export interface Attempt {
  /** 16 hexadecimal digits: its first line and its last have the same. */
  readonly id: string
  readonly schedule: string
  /** The due time of this start; null when nothing was due. */
  readonly due: string | null
  readonly startedAt: string
  readonly endedAt: string | null
  readonly run: string | null
  readonly exit: number | null
  readonly code: AttemptCode
  readonly detail: string
  /** Absent where the schedule names no integrations, and where there was nothing to send. */
  readonly sending?: AttemptSending
}

const LARGEST = 64 * 1024 * 1024
const LONGEST_DETAIL = 2000

/** Adds a line. Fails with store.failed. */
export const writeAttempt = (
  { files }: Pick<Ports, 'files'>,
  schedule: Pick<Schedule, 'out' | 'name'>,
  attempt: Attempt,
): Promise<Outcome<null>> =>
  files.append(
    scheduleAttempts(schedule),
    canonicalJson({ ...attempt, detail: attempt.detail.slice(0, LONGEST_DETAIL) }),
  )

/**
 * The starts of a schedule, in order of their start; none where nothing was ever started. Fails with input.refused,
 * naming the line.
 */
export async function readAttempts(
  { files }: Pick<Ports, 'files'>,
  out: string,
  name: string,
): Promise<Outcome<readonly Attempt[]>> {
  const path = scheduleAttempts({ out, name })
  if (!(await files.isThere(path))) return ok([])
  const bytes = await files.read(path, LARGEST)
  return bytes.ok ? parseAttempts(new TextDecoder().decode(bytes.value), path, name) : bytes
}

/**
 * Reads lines strictly. The last one counts only with its line end, because it may still be being written otherwise.
 */
function parseAttempts(text: string, path: string, name: string): Outcome<readonly Attempt[]> {
  const attempts = new Map<string, Attempt>()
  for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
    const value = parsedJson(line)
    if (!isAttempt(value, name) || canonicalJson(value) !== line)
      return fail('input.refused', `${path}:${index + 1} is not a start of the schedule ${name}`)
    attempts.set(value.id, value)
  }
  return ok([...attempts.values()])
}

const MEMBERS = ['id', 'schedule', 'due', 'startedAt', 'endedAt', 'run', 'exit', 'code', 'detail'] as const

const isAttempt = (value: unknown, name: string): value is Attempt =>
  (hasExactly(value, MEMBERS) || (hasExactly(value, [...MEMBERS, 'sending']) && isSending(value.sending))) &&
  typeof value.id === 'string' &&
  /^[0-9a-f]{16}$/.test(value.id) &&
  isSchedule(value.schedule) &&
  value.schedule === name &&
  isInstant(value.startedAt) &&
  [value.due, value.endedAt].every((one) => one === null || isInstant(one)) &&
  (value.run === null || isName(value.run)) &&
  (value.exit === null || Number.isSafeInteger(value.exit)) &&
  ATTEMPT_CODES.some((code) => code === value.code) &&
  typeof value.detail === 'string' &&
  value.detail.length <= LONGEST_DETAIL

const isSending = (value: unknown): value is AttemptSending =>
  hasExactly(value, ['state', 'code', 'detail']) &&
  SENDING_STATES.some((state) => state === value.state) &&
  (value.code === null || FAILURE_CODES.some((code) => code === value.code)) &&
  typeof value.detail === 'string' &&
  value.detail.length <= LONGEST_DETAIL

/** Failures that may be temporary. A refused login is never retried: it could lock an account. */
const PASSING: ReadonlySet<string> = new Set([
  'ssh.unreachable',
  'ssh.lost',
  'ssh.timed-out',
  'ssh.jump-failed',
  'ssh.channel-refused',
  'collector.no-answer',
  'collector.truncated',
  'collector.garbled',
  'collector.timed-out',
  'collector.sudo-slow',
])

/**
 * Nodes of a run that are retried: those that failed for a reason that may be temporary, and those that were not
 * attempted.
 */
export function worthAgain(population: readonly string[], { recordings }: Pick<RunResult, 'recordings'>): string[] {
  const failures = new Map(
    recordings.map(({ recording: { node, outcome } }) => [
      node.name,
      outcome.status === 'complete' ? null : (outcome.failure?.code ?? 'collector.truncated'),
    ]),
  )
  // After several refused logins the other nodes were skipped on purpose.
  const leftAlone = [...failures.values()].includes('ssh.auth-refused')
  return population.filter((node) => {
    const failure = failures.get(node)
    if (failure === undefined) return !leftAlone
    return failure !== null && PASSING.has(failure)
  })
}

interface Collecting<C> {
  readonly first: () => Promise<Outcome<C>>
  /** Resumes this run and collects the missing captures of these nodes. */
  readonly again: (run: string, nodes: readonly string[]) => Promise<Outcome<C>>
  readonly retries: Schedule['retries']
  /** Resolves after this many milliseconds, or when the run must stop. */
  readonly wait: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
  readonly report: (text: string) => void
}

/**
 * Collects, and retries incomplete nodes as often as the schedule allows. Collected evidence is never lost in a later
 * attempt.
 */
export async function collectAgain<C extends { readonly population: readonly string[]; readonly result: RunResult }>({
  first,
  again,
  retries,
  wait,
  signal,
  report,
}: Collecting<C>): Promise<Outcome<C>> {
  const begun = await first()
  if (!begun.ok) return begun
  let collected = begun.value
  for (let tried = 1; tried <= retries.times; tried += 1) {
    const nodes = worthAgain(collected.population, collected.result)
    if (nodes.length === 0 || collected.result.cancelled) break
    report(
      `${nodes.length} of ${collected.population.length} nodes were not collected completely; retrying in ${retries.waitMinutes} min (${tried} of ${retries.times}).`,
    )
    await wait(retries.waitMinutes * 60_000)
    if (signal.aborted) break
    const more = await again(collected.result.run, nodes)
    if (!more.ok) {
      report(`The retry failed: ${more.error.code}.`)
      break
    }
    collected = { ...collected, result: merged(collected.result, more.value.result) }
  }
  return ok(collected)
}

/** The later recording of each node. */
function merged(before: RunResult, after: RunResult): RunResult {
  const later = new Map(after.recordings.map((one) => [one.recording.node.name, one]))
  const kept = before.recordings.filter(({ recording }) => !later.has(recording.node.name))
  return { ...after, recordings: [...kept, ...after.recordings] }
}
