import type { CadenceDraft, ScheduleDraft, SchedulesView } from '../../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { type Cadence, cadenceText, HOURS } from '../../../core/run-chain/cadence.ts'
import { cadenceOf, plannedCadence, withinMinutesOf } from '../../../core/schedule/schedule.ts'
import type { EngineContext } from '../context/context.ts'
import { fileName } from '../context/kept-json.ts'
import { readSettings } from '../context/settings.ts'
import { notifyWords } from './schedule-words.ts'

/**
 * The cadence in the words of the schedule file, whose time zone is a separate field. Fails with input.refused for an
 * interval that no schedule has.
 */
export function cadenceWords(asked: CadenceDraft, zone: string): Outcome<string> {
  const cadence = cadenceFrom(asked, zone)
  return cadence === null
    ? fail('input.refused', 'a schedule can run every 1, 2, 3, 4, 6, 8 or 12 hours')
    : ok(cadenceText(cadence).slice(0, -` in ${zone}`.length))
}

function cadenceFrom({ every, hours, weekday, day, at }: CadenceDraft, zone: string): Cadence | null {
  switch (every) {
    case 'hours': {
      const known = HOURS.find((one) => one === hours)
      return known === undefined ? null : { every, hours: known, at: at % 60, zone }
    }
    case 'day':
      return { every, at, zone }
    case 'week':
      return { every, weekday, at, zone }
    case 'month':
      return { every, day, at, zone }
  }
}

export const NO_PROGRAM =
  'Barewitness command line not found, so no timer can start a run. Install Node.js and the barewitness command on this computer.'

/** Why no schedule can be added now, or null. */
export function refusalOf({ session, scheduling }: EngineContext): string | null {
  if (session.demo) return 'The demo fleet runs only while it is collected; it cannot be scheduled.'
  if (session.fleet === null || session.fleet.nodes.length === 0) return 'Add nodes first.'
  return scheduling.server === null && scheduling.program === null ? NO_PROGRAM : null
}

/** The schedule with this name. Fails with input.not-found, and as reading the schedule file does. */
export async function scheduleNamed({ ports, scheduling }: EngineContext, name: string): Promise<Outcome<Schedule>> {
  const read = await ports.schedules.read(scheduling.file)
  if (!read.ok) return read
  const found = read.value.schedules.find((one) => one.name === name)
  return found === undefined ? fail('input.not-found', `there is no schedule ${name}`) : ok(found)
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
    startedBy: scheduling.server === null ? 'timers' : 'server',
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
        draft: ours ? draftOf(schedule, scheduling.server !== null) : null,
        passphraseFile: options.passphraseFile === undefined ? null : fileName(options.passphraseFile),
        integrationsFile: schedule.integrations === undefined ? null : fileName(schedule.integrations),
        graceMinutes: withinMinutesOf(schedule),
        notifies: schedule.notify.map(notifyWords),
      }
    }),
  })
}

/**
 * The first result of work on the own schedules, in the order of their file; null without one. Fails as the file does,
 * and where no work has a result, as the first that fails.
 */
export async function firstOfSchedules<T>(
  context: EngineContext,
  work: (schedule: Schedule) => Promise<Outcome<T | null>>,
): Promise<Outcome<T | null>> {
  const read = await context.ports.schedules.read(context.scheduling.file)
  if (!read.ok) return read
  let failed: Outcome<never> | null = null
  for (const schedule of read.value.schedules.filter((one) => isOwn(context, one))) {
    const done = await work(schedule)
    if (!done.ok) failed ??= done
    else if (done.value !== null) return done
  }
  return failed ?? ok(null)
}

/** How far back missed runs are searched. */
export const MISSED_DAYS = 91

/** Whether a schedule collects from the window's own fleet and stores its runs with those of the window. */
export const isOwn = ({ folder, session }: EngineContext, { out, fleetName }: Schedule): boolean =>
  !session.demo && out === folder && fleetName === session.fleet?.name

/** A schedule as the window can change it; null for times that the window cannot express. */
function draftOf(schedule: Schedule, isServed: boolean): ScheduleDraft | null {
  const cadence = cadenceOf(schedule)
  if (cadence === null) return null
  const { name, zone, jitterMinutes, retries, sealHours = null, catchUp, gapsExitZero, notify, options } = schedule
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
    sealHours,
    catchUp,
    gapsExitZero,
    identity: options.identity ?? null,
    passphrase: { use: isServed ? 'none' : options.passphraseFile === undefined ? 'make' : 'kept' },
    syslog: notify.some(({ kind }) => kind === 'syslog'),
    webhook: webhook?.kind === 'webhook' ? webhook.url : null,
    integrations: { use: schedule.integrations === undefined ? 'none' : 'kept' },
  }
}
