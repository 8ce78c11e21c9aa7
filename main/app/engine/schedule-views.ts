import type { ScheduleDraft, ScheduleStatus, SchedulesView } from '../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../schemas/types.ts'
import type { Outcome } from '../../core/failure.ts'
import { calendarOf } from '../../core/period/calendar.ts'
import { dayOf } from '../../core/period/days.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { cadenceOf, plannedCadence, withinMinutesOf } from '../../core/schedule/schedule.ts'
import type { StartedBy } from '../../core/schedule/store.ts'
import { scheduleStatus } from '../schedule-status.ts'
import type { Attempt, AttemptCode } from '../scheduled/attempts.ts'
import type { EngineContext } from './context.ts'
import { knownRuns } from './history-read.ts'
import { readSettings } from './settings.ts'

export type Starting = Pick<StartedBy, 'program' | 'file'>

export const NO_PROGRAM =
  'Barewitness command line not found, so no timer can start a run. Install Node.js and the barewitness command on this computer.'

/** Why no schedule can be added now, or null. */
export function refusalOf({ session, scheduling }: EngineContext): string | null {
  if (session.demo) return 'The demo fleet runs only while it is collected; it cannot be scheduled.'
  if (session.fleet === null || session.fleet.nodes.length === 0) return 'Add nodes first.'
  return scheduling.program === null ? NO_PROGRAM : null
}

/**
 * Schedules of this user, with those of the window's own fleet marked. Fails with input.refused where the file cannot
 * be read.
 */
export async function listSchedules(context: EngineContext): Promise<Outcome<SchedulesView>> {
  const { ports, folder, session, scheduling } = context
  const read = await ports.schedules.read(scheduling.file)
  if (!read.ok) return read
  return ok({
    refusal: refusalOf(context),
    fleet: session.fleet?.name ?? null,
    zone: ports.timers.host.zone,
    authority: (await readSettings(ports, folder)).authority,
    here: await ports.timers.kinds(),
    schedules: read.value.schedules.map((schedule) => {
      const { name, fleetName, jitterMinutes, retries, catchUp, gapsExitZero, createdAt, options } = schedule
      const ours = isOwn(context, schedule)
      return {
        name,
        fleet: fleetName,
        ours,
        cadence: plannedCadence(schedule),
        jitterMinutes,
        retries,
        catchUp,
        gapsExitZero,
        createdAt,
        draft: ours ? draftOf(schedule) : null,
        passphraseFile: options.passphraseFile?.split(/[/\\]/).at(-1) ?? null,
        graceMinutes: withinMinutesOf(schedule),
        notifies: schedule.notify.map(notifyWords),
      }
    }),
  })
}

/** Whether a schedule collects from the window's own fleet and stores its runs with those of the window. */
export const isOwn = ({ folder, session }: EngineContext, { out, fleetName }: Schedule): boolean =>
  !session.demo && out === folder && fleetName === session.fleet?.name

/** A schedule as it can be changed in the window; null for times that the window cannot state. */
function draftOf(schedule: Schedule): ScheduleDraft | null {
  const cadence = cadenceOf(schedule)
  if (cadence === null) return null
  const { name, zone, jitterMinutes, retries, catchUp, gapsExitZero, notify, options } = schedule
  const { every, at } = cadence
  const webhook = notify.find((one) => one.kind === 'webhook')
  return {
    name,
    cadence: {
      every,
      hours: every === 'hours' ? cadence.hours : 6,
      weekday: every === 'week' ? cadence.weekday : 1,
      day: every === 'month' ? cadence.day : 1,
      at,
    },
    zone,
    jitterMinutes,
    retries,
    catchUp,
    gapsExitZero,
    identity: options.identity ?? null,
    passphrase: options.passphraseFile === undefined ? { use: 'make' } : { use: 'kept' },
    syslog: notify.some(({ kind }) => kind === 'syslog'),
    webhook: webhook?.kind === 'webhook' ? webhook.url : null,
  }
}

function notifyWords(notify: Schedule['notify'][number]): string {
  if (notify.kind === 'syslog') return 'Changes are written to the system log.'
  return notify.kind === 'webhook'
    ? `Changes are sent to ${plain(notify.url, 400)}${notify.secretFile === null ? '' : ', signed'}.`
    : `Changes are passed to the program ${plain(notify.argv[0], 400)}.`
}

const WITHOUT_DECLARATIONS =
  'Its packs do not include the declarations of this window: engagement, claims, risk acceptances and documents. Edit and save the schedule here to include them.'
/**
 * A schedule that stores its runs with those of the window and was created before schedules used the window's
 * declarations, or elsewhere.
 */
const isWithoutDeclarations = ({ folder }: EngineContext, { out, options }: Schedule): boolean =>
  out === folder && options.declarations === undefined

/** How far back missed runs are searched. */
const MISSED_DAYS = 91

/** Status of a schedule, in words. */
export async function statusOf(context: EngineContext, schedule: Schedule, by: Starting): Promise<ScheduleStatus> {
  const { nextDue, awaited, lastAttempt, timers, unattended, notes } = await scheduleStatus(context.ports, schedule, by)
  return {
    name: schedule.name,
    next: nextDue,
    awaited,
    last:
      lastAttempt === null
        ? null
        : {
            due: lastAttempt.due,
            startedAt: lastAttempt.startedAt,
            endedAt: lastAttempt.endedAt,
            words: attemptWords(lastAttempt),
          },
    installed: timers,
    credentials: unattended,
    missed: await missedOf(context, schedule),
    notes: isWithoutDeclarations(context, schedule) ? [...notes, WITHOUT_DECLARATIONS] : notes,
  }
}

/**
 * Due times that the chain of the window's fleet does not account for; none for a schedule that stores its runs
 * elsewhere.
 */
async function missedOf(context: EngineContext, { name, out }: Schedule): Promise<readonly string[]> {
  const { ports, folder, session } = context
  const known = out === folder && !session.demo ? await knownRuns(context) : null
  if (known === null) return []
  const asOf = ports.clock.now()
  const from = dayOf(new Date(Date.parse(asOf) - MISSED_DAYS * 86_400_000).toISOString())
  const read = calendarOf({
    entries: known.entries ?? [],
    facts: new Map(),
    zones: ports.zones,
    from,
    to: dayOf(asOf),
    asOf,
  })
  return read.ok ? read.value.unrecorded.filter(({ schedule }) => schedule === name).map(({ due }) => due) : []
}

const CODE_WORDS: Readonly<Record<Exclude<AttemptCode, 'ran' | 'failed'>, string>> = {
  going: 'In progress, or ended abnormally.',
  'nothing-due': 'No run was due; nothing was collected.',
  overlap: 'The previous run was still in progress; nothing was collected.',
  'too-late': 'The run was missed, and the schedule skips missed runs.',
  stopped: 'Stopped before it started.',
}

/** See EXIT in main/cli/exit-codes.ts, and the README. */
const EXIT_WORDS: Readonly<Record<number, string>> = {
  0: 'Sealed; every declared node was collected completely, or incomplete collection is accepted.',
  1: 'Ended with an internal error.',
  2: 'Refused: a required input is missing or invalid.',
  3: 'Sealed, with deviations that have no risk acceptance in effect.',
  4: 'Sealed, but incomplete: a node was not collected completely, or an output or time-stamp is missing.',
  5: 'Verification of the output failed.',
}

/** Result of a start, in words. */
export function attemptWords({ code, exit, detail }: Pick<Attempt, 'code' | 'exit' | 'detail'>): string {
  if (code !== 'ran' && code !== 'failed') return CODE_WORDS[code]
  const words = exit === null ? 'The result is not known.' : (EXIT_WORDS[exit] ?? `Ended with ${exit}.`)
  const told = plain(detail, 400).trim()
  return told === '' || code === 'ran' ? words : `${words} ${told}${told.endsWith('.') ? '' : '.'}`
}
