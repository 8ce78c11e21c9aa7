import type {
  ScheduleDraft,
  ScheduleMethods,
  ScheduleStatus,
  SchedulesView,
} from '../../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { fleetPath } from '../../../core/base/layout.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { AwaitedRun } from '../../../core/period/calendar.ts'
import { type Attempt, readAttempts } from '../../scheduled/plan-run.ts'
import { dueAround, scheduledSince } from '../../schedules/schedule-status.ts'
import {
  addSchedule,
  changeSchedule,
  type ScheduleDraft as Planned,
  removeSchedule,
} from '../../schedules/schedules.ts'
import type { EngineContext, Handlers } from '../context/context.ts'
import { knownRuns } from '../runs/history-read.ts'
import { signerOf } from '../trust/trust-identities.ts'
import { cadenceWords, isOwn, listSchedules, MISSED_DAYS, refusalOf, scheduleNamed } from './schedule-view.ts'
import { attemptWords } from './schedule-words.ts'

export type ScheduleMethod = keyof ScheduleMethods

/**
 * Schedules of one engagement of a team server. Each is a signed entry of the run chain. The server starts the runs,
 * and a person seals them.
 */
export function servedScheduleMethods(context: EngineContext): Pick<Handlers, ScheduleMethod> {
  const { ports, scheduling } = context
  const { file } = scheduling
  const kept = async (
    draft: ScheduleDraft,
    keep: (planned: Planned) => Promise<Outcome<Schedule>>,
  ): Promise<Outcome<SchedulesView>> => {
    const planned = plannedFrom(context, draft)
    if (!planned.ok) return planned
    return await listedAfter(await keep(planned.value))
  }
  const listedAfter = async (done: Outcome<Schedule>): Promise<Outcome<SchedulesView>> => {
    if (!done.ok) return done
    context.notify({ kind: 'schedules-changed' })
    return await listSchedules(context)
  }
  return {
    'schedules.list': () => listSchedules(context),
    'schedules.add': (draft) =>
      kept(draft, (planned) => addSchedule(ports, planned, { file, openSigner: signerOf(context, draft.identity) })),
    'schedules.change': (draft) =>
      kept(draft, (planned) =>
        changeSchedule(ports, planned, {
          file,
          openSigner: signerOf(context, draft.identity),
          // No timer starts what is in the schedule file.
          by: { program: ['', ''], file },
        }),
      ),
    'schedules.remove': async ({ name, identity }) =>
      await listedAfter(await removeSchedule(ports, name, { file, openSigner: signerOf(context, identity) })),
    'schedules.status': async ({ name }) => {
      const schedule = await scheduleNamed(context, name)
      return schedule.ok ? ok(await statusOf(context, schedule.value)) : schedule
    },
    'schedules.run-now': async () => BY_PERSON,
    'schedules.choose-passphrase': async () => NO_KEY,
    'schedules.choose-integrations': async () => NO_INTEGRATIONS,
    'schedules.install': async () => NO_TIMER,
    'schedules.preview': async () => NO_TIMER,
  }
}

const BY_PERSON = fail(
  'input.refused',
  'the server starts scheduled runs; a run that a person starts is not one of them',
)
const NO_KEY = fail('input.refused', 'no key is opened on the server; a run is sealed by a sealer')
const NO_INTEGRATIONS = fail('input.refused', 'the configuration of the engagement states where its packs are sent')
const NO_TIMER = fail('input.refused', 'the server itself starts scheduled runs; no timer is installed')
const NO_NOTICES = fail('input.refused', 'a schedule of the server sends no notifications')
const NO_SEAL_HOURS = fail('input.refused', 'state how long a person may take to seal a run')

/** A draft as a schedule of the server. Fails with input.refused for settings that such a schedule does not have. */
function plannedFrom(context: EngineContext, draft: ScheduleDraft): Outcome<Planned> {
  const { folder } = context
  const refusal = refusalOf(context)
  if (refusal !== null) return fail('input.refused', refusal)
  const { name, cadence: asked, zone, jitterMinutes, retries, catchUp, gapsExitZero, sealHours } = draft
  if (draft.passphrase.use !== 'none') return NO_KEY
  if (draft.integrations.use !== 'none') return NO_INTEGRATIONS
  if (draft.syslog || draft.webhook !== null) return NO_NOTICES
  if (sealHours === null) return NO_SEAL_HOURS
  const cadence = cadenceWords(asked, zone)
  if (!cadence.ok) return cadence
  return ok({
    ...{ name, zone, jitterMinutes, retries, catchUp, gapsExitZero, sealHours },
    cadence: cadence.value,
    fleet: fleetPath(folder),
    out: folder,
    notify: [],
    options: { declarations: folder },
  })
}

/** Status of a schedule. Anything that cannot be read becomes a notice, so a status never fails for it. */
async function statusOf(context: EngineContext, schedule: Schedule): Promise<ScheduleStatus> {
  const { ports } = context
  const { name } = schedule
  const attempts = await readAttempts(ports, schedule.out, name)
  const reading = await readingOf(context, schedule)
  const runs = new Map(
    (attempts.ok ? attempts.value : []).flatMap(({ due, run, code }) =>
      due === null || run === null || code === 'going' ? [] : [[due, run] as const],
    ),
  )
  const last = attempts.ok ? attempts.value.at(-1) : undefined
  const { awaited, overdue } = reading.ok ? reading.value : NOTHING_DUE
  const collected = (run: AwaitedRun, isLate: boolean): ScheduleStatus['waiting'] => {
    const found = runs.get(run.due)
    return found === undefined ? [] : [{ due: run.due, run: found, until: run.until, isLate }]
  }
  const isOpen = ({ due }: AwaitedRun): boolean => !runs.has(due)
  const open = awaited.findLast(isOpen)
  return {
    name,
    next: dueAround(ports, schedule).nextDue,
    awaited: open === undefined ? null : { due: open.due, until: open.until },
    last: last === undefined ? null : { ...startOf(last), sending: null },
    installed: [],
    credentials: [],
    waiting: [
      ...overdue.flatMap((run) => collected(run, true)),
      ...awaited.flatMap((run) => collected(run, false)),
    ].sort((a, b) => Date.parse(a.due) - Date.parse(b.due)),
    missed: overdue.filter(isOpen).map(({ due }) => due),
    notes: [
      ...[attempts, reading].flatMap((read) => (read.ok ? [] : [`${read.error.detail}.`])),
      ...(isOwn(context, schedule) ? [] : [OTHER_FLEET]),
    ],
  }
}

const OTHER_FLEET = 'The fleet has another name now, so that nothing is started. Remove the schedule and add it again.'

const startOf = ({ due, startedAt, endedAt, code, exit, detail }: Attempt) => ({
  ...{ due, startedAt, endedAt },
  words: code === 'ran' ? plain(detail, 400) : attemptWords({ code, exit, detail }),
})

interface Due {
  readonly awaited: readonly AwaitedRun[]
  /** Due times whose limit has passed, without an entry in the run chain. */
  readonly overdue: readonly AwaitedRun[]
}

const NOTHING_DUE: Due = { awaited: [], overdue: [] }

/** Due times of a schedule without an entry in the run chain. Fails as the chain does. */
async function readingOf(context: EngineContext, { name }: Schedule): Promise<Outcome<Due>> {
  const known = await knownRuns(context)
  if (known === null) return ok(NOTHING_DUE)
  const read = scheduledSince(context.ports, known.entries ?? [], MISSED_DAYS)
  if (!read.ok) return read
  const { awaited, unrecorded } = read.value
  const untilOf = (due: string, minutes: number): string => new Date(Date.parse(due) + minutes * 60_000).toISOString()
  return ok({
    awaited: awaited.filter(({ schedule }) => schedule === name),
    overdue: unrecorded
      .filter(({ schedule }) => schedule === name)
      .map((run) => ({ ...run, until: untilOf(run.due, run.withinMinutes) })),
  })
}
