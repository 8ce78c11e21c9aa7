import { failureWords } from '../../../schemas/failure-words.ts'
import type { Notify, Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import type { Failure, Outcome } from '../../core/base/failure.ts'
import { scheduleState } from '../../core/base/layout.ts'
import type { Notice, NoticeCounts } from '../../core/ports/notice.ts'
import { hasExactly, isName, parsedJson } from '../../core/run-chain/entry.ts'
import type { RanOnce, ScheduledInput } from './states.ts'
import {
  changesBetween,
  countsOf,
  outcomeWords,
  statesAfter,
  statesAfterFailure,
  type WatchedStates,
} from './states.ts'

interface ToNotify {
  /** The run; the failure where it could not be exported; `nothing` where there was none. */
  readonly happened: RanOnce | Failure | 'nothing'
  readonly due: string | null
  /** Whether earlier scheduled runs were missed. */
  readonly missed: boolean
}

/**
 * Compares the monitored states with those after the previous run, stores them, and notifies the recipients of the
 * schedule of changes; the first time, of the start of monitoring. Undelivered notifications are kept for the next run.
 * Returns the errors.
 */
export async function notifyOf<R extends RanOnce>(
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'notify'>,
  { schedule, claimOf, report }: ScheduledInput<R>,
  { happened, due, missed }: ToNotify,
): Promise<readonly Failure[]> {
  const remembered = await readRemembered(ports, schedule)
  if (remembered === null) report('The stored state of earlier runs cannot be read; monitoring starts again.')
  const { run: runBefore, states: before, waiting } = remembered ?? NOTHING_REMEMBERED
  const after = statesOf(happened, before, missed)
  // Nothing was monitored before, and nothing happened.
  if (after === null) return []
  const run = hasRun(happened) ? happened.run : null
  const first = before === null
  const beginning = after.outcome === 'failed' ? [outcomeWords.failed] : []
  const changed = first ? beginning : changesBetween(before, after, claimOf, (node) => whyMissing(happened, node))
  const changes = changed.map((change) => explained(change, happened))
  const about = { run, lastRun: run ?? runBefore, due, counts: countsOf(after) }
  const notice = first || changes.length > 0 ? noticeOf(ports, schedule, about, { changes, first }) : null
  for (const change of changes) report(`Changed: ${change}`)
  const { queue, notes } = queued(schedule.notify, waiting, notice)
  for (const note of notes) report(note)
  // Stored before any notification is sent, so that it keeps its id if this process is stopped.
  const next: Remembered = { run: run ?? runBefore, states: after, waiting: queue }
  const kept = await writeRemembered(ports, schedule, next)
  const delivered = await deliver(ports, queue)
  const still =
    queue.length === 0 ? kept : await writeRemembered(ports, schedule, { ...next, waiting: delivered.waiting })
  return [...delivered.failures, ...(kept.ok ? [] : [kept.error]), ...(kept.ok && !still.ok ? [still.error] : [])]
}

/**
 * Notifies the recipients that a start could not use the folder or the run chain of its schedule. Nothing can be
 * remembered there, so each such start sends one; none where a person started it. Returns the errors.
 */
export const notifyUnusable = async <R extends RanOnce>(
  ports: NotifyPorts,
  input: Pick<ScheduledInput<R>, 'schedule' | 'now'>,
  failure: Failure,
): Promise<readonly Failure[]> =>
  input.now
    ? []
    : await notifyNotStarted(
        ports,
        input,
        `The folder or the run chain of the schedule could not be used: ${reasonText(failure)}`,
      )

/** Notifies the recipients that due times are missed because the run before them does not end. Returns the errors. */
export const notifyHeld = <R extends RanOnce>(
  ports: NotifyPorts,
  input: Pick<ScheduledInput<R>, 'schedule'>,
): Promise<readonly Failure[]> =>
  notifyNotStarted(
    ports,
    input,
    'Two scheduled runs in a row were not started: an earlier run is still in progress, or its lock was left by another computer or container. The output of the start names the file.',
  )

type NotifyPorts = Pick<Ports, 'clock' | 'entropy' | 'notify'>

async function notifyNotStarted<R extends RanOnce>(
  ports: NotifyPorts,
  { schedule }: Pick<ScheduledInput<R>, 'schedule'>,
  change: string,
): Promise<readonly Failure[]> {
  const about = { run: null, lastRun: null, due: null, counts: { declared: 0, answered: 0, contradicted: 0 } }
  const made = noticeOf(ports, schedule, about, { changes: [change], first: false })
  const notice = { ...made, summary: 'No run was started.' }
  return (
    await deliver(
      ports,
      schedule.notify.map((to) => ({ to, notice })),
    )
  ).failures
}

const hasRun = (happened: ToNotify['happened']): happened is RanOnce =>
  typeof happened !== 'string' && 'run' in happened

function statesOf(happened: ToNotify['happened'], before: WatchedStates | null, missed: boolean): WatchedStates | null {
  if (happened === 'nothing') return before === null ? null : { ...before, missed }
  return hasRun(happened) ? statesAfter(before, happened, missed) : statesAfterFailure(before, missed)
}

/** An outcome with its reason. */
function explained(change: string, happened: ToNotify['happened']): string {
  if (change === outcomeWords.failed) return failedText(happened)
  if (change !== outcomeWords.incomplete || !hasRun(happened)) return change
  const titles = new Set(happened.shortfalls?.map(({ code }) => `${failureWords[code].title} (${code})`))
  return titles.size === 0 ? change : `${change} ${[...titles].join('; ')}.`
}

/** The title of the failure and the next step. Its detail is not sent: it may contain paths and addresses. */
const failedText = (happened: ToNotify['happened']): string =>
  typeof happened === 'string' || hasRun(happened)
    ? outcomeWords.failed
    : `The run could not be exported: ${reasonText(happened)}`

function reasonText({ code }: Failure): string {
  const { title, next } = failureWords[code]
  // It refers to a value that is not in the notification.
  const step = code === 'input.refused' ? '' : ` ${next}`
  return `${title} (${code}).${step} See “schedule status”.`
}

function whyMissing(happened: ToNotify['happened'], node: string): string | null {
  const failure = hasRun(happened) ? happened.assessment.nodes.find((one) => one.node === node)?.failure : null
  const known = Object.entries(failureWords).find(([code]) => code === failure?.code)
  return known?.[1].title ?? null
}

interface About {
  readonly run: string | null
  /** The last exported run, whose counts these are; null where there is none. */
  readonly lastRun: string | null
  readonly due: string | null
  readonly counts: NoticeCounts
}

/** Maximum number of changes in one notification; the report has all of them. */
const MOST_CHANGES = 50
/** Undelivered notifications beyond this number are discarded, the oldest first. */
const MOST_WAITING = 100

/** A notification of these changes; `first` is the one that reports the start of monitoring. */
function noticeOf(
  { clock, entropy }: Pick<Ports, 'clock' | 'entropy'>,
  { name, fleetName }: Pick<Schedule, 'name' | 'fleetName'>,
  { run, lastRun, due, counts }: About,
  { changes, first }: { readonly changes: readonly string[]; readonly first: boolean },
): Notice {
  const { declared, answered, contradicted } = counts
  const counted = `${answered} of ${declared} declared nodes collected; deviations without a risk acceptance: ${contradicted}.`
  const earlier = lastRun === null ? 'No run was exported yet.' : `The last exported run, ${lastRun}: ${counted}`
  const state = run === null ? earlier : counted
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`
  const more = changes.length - MOST_CHANGES
  return {
    schema: 'barewitness.notice/1',
    id: Buffer.from(entropy.bytes(16)).toString('hex'),
    schedule: name,
    fleet: fleetName,
    at: clock.now(),
    run,
    due,
    summary: `${first ? 'Monitoring started' : `${count} since the previous run`}${run === null ? '.' : ':'} ${state}`,
    changes: [...changes.slice(0, MOST_CHANGES), ...(more > 0 ? [`${more} more; see the report.`] : [])],
    counts,
  }
}

/**
 * Notifications for each recipient: those still undelivered, then the new one. Those for a recipient that is no longer
 * configured are discarded.
 */
function queued(
  places: readonly Notify[],
  before: readonly Waiting[],
  notice: Notice | null,
): { readonly queue: readonly Waiting[]; readonly notes: readonly string[] } {
  const known = new Set(places.map(keyOf))
  const due = before.filter(({ to }) => known.has(keyOf(to)))
  const queue: readonly Waiting[] = [...due, ...(notice === null ? [] : places.map((to) => ({ to, notice })))]
  const over = Math.max(0, queue.length - MOST_WAITING)
  return {
    queue: queue.slice(over),
    notes: [
      ...letGo(before.length - due.length, 'whose recipient is no longer configured'),
      ...letGo(over, 'that could not be delivered in time'),
    ],
  }
}

/** Delivers in order. After a failure no more is sent to that recipient: the rest is returned in `waiting`. */
async function deliver(
  { notify }: Pick<Ports, 'notify'>,
  queue: readonly Waiting[],
): Promise<{ readonly waiting: readonly Waiting[]; readonly failures: readonly Failure[] }> {
  const waiting: Waiting[] = []
  const failures: Failure[] = []
  const failed = new Set<string>()
  for (const one of queue) {
    const key = keyOf(one.to)
    if (!failed.has(key)) {
      const delivered = await notify(one.to, one.notice)
      if (delivered.ok) continue
      failures.push(delivered.error)
      failed.add(key)
    }
    waiting.push(one)
  }
  return { waiting, failures }
}

const keyOf = (to: Notify): string => canonicalJson(to)
const letGo = (count: number, why: string): readonly string[] =>
  count > 0 ? [`${count} pending notifications ${why} were discarded.`] : []

/** A notification that one recipient has not received yet. */
interface Waiting {
  readonly to: Notify
  readonly notice: Notice
}

/** State of a schedule between runs. It is not evidence: without it, monitoring starts again. */
interface Remembered {
  /** The last run that was exported; null before there was one. */
  readonly run: string | null
  readonly states: WatchedStates | null
  readonly waiting: readonly Waiting[]
}

const SCHEMA = 'barewitness.schedule-state/1'
const LARGEST = 64 * 1024 * 1024
const NOTHING_REMEMBERED: Remembered = { run: null, states: null, waiting: [] }

/** Null where the file exists but is not in the expected form. */
async function readRemembered(
  { files }: Pick<Ports, 'files'>,
  schedule: Pick<Schedule, 'out' | 'name'>,
): Promise<Remembered | null> {
  const path = scheduleState(schedule)
  if (!(await files.isThere(path))) return NOTHING_REMEMBERED
  const bytes = await files.read(path, LARGEST)
  return bytes.ok ? parseRemembered(new TextDecoder().decode(bytes.value)) : null
}

/** Fails with store.failed. */
const writeRemembered = (
  { files }: Pick<Ports, 'files'>,
  schedule: Pick<Schedule, 'out' | 'name'>,
  remembered: Remembered,
): Promise<Outcome<null>> => files.write(scheduleState(schedule), rememberedText(remembered))

const rememberedText = (remembered: Remembered): string => {
  const body = canonicalJson({ schema: SCHEMA, ...remembered })
  return `${body}\n`
}

function parseRemembered(text: string): Remembered | null {
  const value = parsedJson(text)
  if (!hasExactly(value, ['schema', 'run', 'states', 'waiting']) || value.schema !== SCHEMA) return null
  const { run, states, waiting } = value
  if (!(run === null || isName(run)) || !(states === null || isStates(states))) return null
  if (!Array.isArray(waiting) || !waiting.every(isWaiting)) return null
  const remembered = { run, states, waiting }
  return rememberedText(remembered) === text ? remembered : null
}

const isStates = (value: unknown): value is WatchedStates =>
  hasExactly(value, ['outcome', 'missed', 'controls', 'gaps', 'missing', 'machines', 'declared']) &&
  ['complete', 'incomplete', 'failed'].some((outcome) => outcome === value.outcome) &&
  typeof value.missed === 'boolean' &&
  isRecord(value.controls, (state) => typeof state === 'string') &&
  isList(value.gaps, (gap) => isList(gap, (part) => typeof part === 'string') && gap.length === 2) &&
  isList(value.missing, (node) => typeof node === 'string') &&
  isRecord(
    value.machines,
    (machine) =>
      hasExactly(machine, ['hostKey', 'parts']) &&
      [machine.hostKey, machine.parts].every((part) => part === null || typeof part === 'string'),
  ) &&
  Number.isSafeInteger(value.declared)

const isWaiting = (value: unknown): value is Waiting =>
  hasExactly(value, ['to', 'notice']) &&
  typeof value.to === 'object' &&
  value.to !== null &&
  hasExactly(value.notice, ['schema', 'id', 'schedule', 'fleet', 'at', 'run', 'due', 'summary', 'changes', 'counts']) &&
  isName(value.notice.id)

const isList = (value: unknown, of: (one: unknown) => boolean): value is unknown[] =>
  Array.isArray(value) && value.every(of)
const isRecord = (value: unknown, of: (one: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(of)
