import type { ScheduleStatus, SchedulesView } from '../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../schemas/types.ts'
import type { Outcome } from '../../core/failure.ts'
import { calendarOf } from '../../core/period/calendar.ts'
import { dayOf } from '../../core/period/days.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { plannedCadence } from '../../core/schedule/schedule.ts'
import type { StartedBy } from '../../core/schedule/units.ts'
import { scheduleStatus } from '../schedule-status.ts'
import type { Attempt, AttemptCode } from '../scheduled/attempts.ts'
import type { EngineContext } from './context.ts'
import { knownRuns } from './history-read.ts'

export type Starting = Pick<StartedBy, 'program' | 'file'>

export const NO_PROGRAM =
  'We found no command line of Barewitness that a timer could start. Install Node.js and the barewitness command on this computer.'

/** Why nothing can be planned now, or null. */
export function refusalOf({ session, scheduling }: EngineContext): string | null {
  if (session.demo)
    return 'The demo fleet stands on this computer only while it is collected from; nothing is planned for it.'
  if (session.fleet === null || session.fleet.nodes.length === 0) return 'Add nodes first.'
  return scheduling.program === null ? NO_PROGRAM : null
}

/** Schedules of this user, those of the window's own fleet marked. Fails with input.refused where the file cannot be read. */
export async function listSchedules(context: EngineContext): Promise<Outcome<SchedulesView>> {
  const { world, folder, session, scheduling } = context
  const read = await world.schedules.read(scheduling.file)
  if (!read.ok) return read
  return ok({
    refusal: refusalOf(context),
    fleet: session.fleet?.name ?? null,
    zone: world.timers.host.zone,
    here: await world.timers.kinds(),
    schedules: read.value.schedules.map((schedule) => {
      const { name, fleetName, out, jitterMinutes, retries, catchUp, gapsExitZero, createdAt } = schedule
      const cadence = plannedCadence(schedule)
      const ours = !session.demo && out === folder && fleetName === session.fleet?.name
      return { name, fleet: fleetName, ours, cadence, jitterMinutes, retries, catchUp, gapsExitZero, createdAt }
    }),
  })
}

const WITHOUT_DECLARATIONS =
  'Its packs hold nothing of what is declared in this window: engagement, claims, exceptions and records. Remove it and add it again here to have them in.'
/** A schedule that keeps its runs with those of the window, and was made before schedules took what is declared there, or elsewhere. */
const isWithoutDeclarations = ({ folder }: EngineContext, { out, options }: Schedule): boolean =>
  out === folder && options.declarations === undefined

/** How far back missed runs are looked for. */
const MISSED_DAYS = 91

/** How a schedule stands, in words. */
export async function statusOf(context: EngineContext, schedule: Schedule, by: Starting): Promise<ScheduleStatus> {
  const { nextDue, awaited, lastAttempt, timers, unattended, notes } = await scheduleStatus(context.world, schedule, by)
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

/** Due times that the chain of the window's fleet accounts for in no way; none for a schedule that keeps its runs elsewhere. */
async function missedOf(context: EngineContext, { name, out }: Schedule): Promise<readonly string[]> {
  const { world, folder, session } = context
  const known = out === folder && !session.demo ? await knownRuns(context) : null
  if (known === null) return []
  const asOf = world.clock.now()
  const from = dayOf(new Date(Date.parse(asOf) - MISSED_DAYS * 86_400_000).toISOString())
  const read = calendarOf({
    entries: known.entries ?? [],
    facts: new Map(),
    zones: world.zones,
    from,
    to: dayOf(asOf),
    asOf,
  })
  return read.ok ? read.value.unrecorded.filter(({ schedule }) => schedule === name).map(({ due }) => due) : []
}

const CODE_WORDS: Readonly<Record<Exclude<AttemptCode, 'ran' | 'failed'>, string>> = {
  going: 'It goes on, or was stopped hard.',
  'nothing-due': 'Nothing was due, so nothing was asked.',
  overlap: 'The run before was still going on, so nothing was asked.',
  'too-late': 'It was too late, and the schedule does not catch up.',
  stopped: 'It was stopped before it began.',
}

/** See EXIT in main/cli/exit-codes.ts, and the README. */
const EXIT_WORDS: Readonly<Record<number, string>> = {
  0: 'It was sealed; every declared node was collected in full, or gaps are not to count.',
  1: 'It ended with a mistake of ours.',
  2: 'It was refused: something it needs is missing or wrong.',
  3: 'It was sealed, and a finding is contradicted that nobody accepts.',
  4: 'It was sealed, and a declared node was not collected in full, or something could not be had.',
  5: 'What was written does not verify.',
}

/** What became of a start, in words. */
export function attemptWords({ code, exit, detail }: Pick<Attempt, 'code' | 'exit' | 'detail'>): string {
  if (code !== 'ran' && code !== 'failed') return CODE_WORDS[code]
  const words = exit === null ? 'How it ended is not known.' : (EXIT_WORDS[exit] ?? `It ended with ${exit}.`)
  const told = plain(detail, 400).trim()
  return told === '' || code === 'ran' ? words : `${words} ${told}${told.endsWith('.') ? '' : '.'}`
}
