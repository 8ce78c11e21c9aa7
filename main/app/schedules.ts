import type { Schedule } from '../../schemas/types.ts'
import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome, ok } from '../core/failure.ts'
import { chainFolderOf, chainStart } from '../core/layout.ts'
import { dueTimes, parseCadence } from '../core/period/cadence.ts'
import { calendarOf } from '../core/period/calendar.ts'
import type { Signer } from '../core/ports.ts'
import { dayOf } from '../core/register/days.ts'
import type { RunChain, SignedEntry } from '../core/run-chain/entry.ts'
import {
  cadenceOf,
  plannedCadence,
  type StartedBy,
  TIMER_KINDS,
  type TimerKind,
  type TimerUnits,
  withinMinutesOf,
} from '../core/schedule/schedule.ts'
import { unitsFor } from '../present/timers/units.ts'
import { appendSigned } from './append-signed.ts'
import { readCertificates } from './certificate-files.ts'
import { type UnattendedUse, unattendedUse } from './credentials.ts'
import { declaredForExport } from './engine/engagement-store.ts'
import { ALSO } from './export.ts'
import { openTargets } from './outbox/send.ts'
import { chainsBelow } from './rebuild-history.ts'
import { type Attempt, readAttempts } from './scheduled/plan-run.ts'

/** A schedule as entered by a person: the fleet’s name is read from its file. */
export type ScheduleDraft = Omit<Schedule, 'fleetName' | 'createdAt'>

export interface PlanInput {
  readonly file: string
  readonly openSigner: () => Promise<Outcome<Signer>>
}

/**
 * Adds a schedule: enters it, signed, into the fleet’s run chain below `out`, then writes the schedule file. Fails with
 * input.refused or input.not-found for invalid input; otherwise as the signer, the chain and the file do. A schedule
 * that cannot be signed is not added.
 */
export async function addSchedule(
  ports: Ports,
  draft: ScheduleDraft,
  { file, openSigner }: PlanInput,
): Promise<Outcome<Schedule>> {
  const fleetName = await checkDraft(ports, draft)
  if (!fleetName.ok) return fleetName
  const schedule: Schedule = { ...draft, fleetName: fleetName.value, createdAt: ports.clock.now() }
  const [problem] = ports.validator.problems('schedules', { schema: 'barewitness.schedules/1', schedules: [schedule] })
  if (problem !== undefined) return fail('input.refused', problem.replace('schedules[0].', ''))
  const changed = await ports.schedules.change(file, async (now) => {
    if (now.schedules.some(({ name }) => name === schedule.name))
      return fail('input.refused', `there is already a schedule ${schedule.name}; remove it first`)
    const entered = await enterPlan(ports, schedule, { openSigner, cadence: plannedCadence(schedule) })
    return entered.ok ? ok({ ...now, schedules: [...now.schedules, schedule] }) : entered
  })
  return changed.ok ? ok(schedule) : changed
}

/**
 * Replaces a schedule of the same name: enters the new times, signed, where they differ, then writes the schedule file and updates the
 * timers that are installed. Runs that were due until now remain due. Fails as addSchedule() does, and where there is no such schedule.
 */
export async function changeSchedule(
  ports: Ports,
  draft: ScheduleDraft,
  { file, openSigner, by }: PlanInput & { readonly by: Pick<StartedBy, 'program' | 'file'> },
): Promise<Outcome<Schedule>> {
  const fleetName = await checkDraft(ports, draft)
  if (!fleetName.ok) return fleetName
  const changed = await ports.schedules.change(file, async (now) => {
    const before = now.schedules.find(({ name }) => name === draft.name)
    if (before === undefined) return fail('input.refused', `there is no schedule ${draft.name}`)
    if (before.fleetName !== fleetName.value)
      return fail('input.refused', `schedule ${draft.name} belongs to the fleet ${before.fleetName}; add another one`)
    const schedule: Schedule = { ...draft, fleetName: before.fleetName, createdAt: before.createdAt }
    const [problem] = ports.validator.problems('schedules', {
      schema: 'barewitness.schedules/1',
      schedules: [schedule],
    })
    if (problem !== undefined) return fail('input.refused', problem.replace('schedules[0].', ''))
    const entered = await enterPlan(ports, schedule, { openSigner, cadence: plannedCadence(schedule), changes: true })
    return entered.ok
      ? ok({ ...now, schedules: now.schedules.map((one) => (one === before ? schedule : one)) })
      : entered
  })
  if (!changed.ok) return changed
  const schedule = changed.value.schedules.find(({ name }) => name === draft.name)
  if (schedule === undefined) return fail('store.failed', `schedule ${draft.name} is not in ${file}`)
  for (const kind of await ports.timers.kinds()) {
    const installed = await ports.timers.installed(kind, schedule.name)
    if (!installed.ok) return installed
    if (installed.value === null) continue
    const units = unitsOf(ports, kind, schedule, by)
    const done = units.ok ? await ports.timers.install(units.value) : units
    if (!done.ok) return done
  }
  return ok(schedule)
}

/**
 * Removes a schedule: enters the removal, signed, into the chain where there is one, removes the timers, then the
 * schedule. Can be called again after a failure. Returns the schedule as it was.
 */
export async function removeSchedule(
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'openRunChain' | 'schedules' | 'sealing' | 'timers'>,
  name: string,
  { file, openSigner }: PlanInput,
): Promise<Outcome<Schedule>> {
  let removed: Schedule | null = null
  const changed = await ports.schedules.change(file, async (now) => {
    const schedule = now.schedules.find((one) => one.name === name)
    if (schedule === undefined) return fail('input.refused', `there is no schedule ${name} in ${file}`)
    removed = schedule
    const folder = chainFolderOf(schedule.out, schedule.fleetName)
    const hasChain = await ports.files.isThere(chainStart(folder))
    const entered = hasChain ? await enterPlan(ports, schedule, { openSigner, cadence: null }) : ok(null)
    if (!entered.ok) return entered
    const kinds = await ports.timers.kinds()
    // Timer systems that leave files are cleaned up also where they are not running; a crontab exists only with its
    // program.
    for (const kind of TIMER_KINDS.filter((one) => one !== 'cron' || kinds.includes(one))) {
      const taken = await ports.timers.remove(kind, name)
      if (!taken.ok) return taken
    }
    return ok({ ...now, schedules: now.schedules.filter((one) => one !== schedule) })
  })
  if (!changed.ok) return changed
  return removed === null ? fail('bug', 'another schedule was removed than the one found') : ok(removed)
}

/** The units of a schedule for today's settings. Fails as unitsFor() does. */
export const unitsOf = (
  { zones, clock, timers }: Pick<Ports, 'zones' | 'clock' | 'timers'>,
  kind: TimerKind,
  schedule: Schedule,
  by: Pick<StartedBy, 'program' | 'file'>,
): Outcome<TimerUnits> => unitsFor(kind, schedule, { ...timers.host, ...by }, { zones, now: clock.now() })

/** The name of a schedule’s fleet, after everything that it names was found and checked. */
async function checkDraft(ports: Ports, draft: ScheduleDraft): Promise<Outcome<string>> {
  const { options, out, notify } = draft
  const cadence = parseCadence(plannedCadence(draft))
  if (cadence === null)
    return fail(
      'input.refused',
      `interval: “${draft.cadence}” is not one of: every day at 02:00; every 6 hours at :15 (1, 2, 3, 4, 6, 8 or 12); every monday at 02:00; on day 1 of every month at 02:00 (up to day 28)`,
    )
  if (cadence.every === 'hours' && draft.jitterMinutes >= cadence.hours * 60)
    return fail(
      'input.refused',
      `random delay: must be shorter than the interval to the next run, ${cadence.hours * 60} minutes`,
    )
  if (ports.zones(cadence.zone) === null) return fail('input.refused', `unknown time zone ${cadence.zone}`)
  if (!isAbsolute(out)) return fail('input.refused', `out: ${out} is not an absolute path`)
  const also = options.also
    ?.split(',')
    .map((one) => one.trim())
    .find((one) => one !== '' && !ALSO.some((known) => known === one))
  if (also !== undefined) return fail('input.refused', `additional outputs: “${also}” is not one of ${ALSO.join(', ')}`)
  const fleet = await ports.fleets.read(draft.fleet)
  if (!fleet.ok) return fleet
  const identities = await ports.identities.list(options.identityFolder ?? ports.identities.defaultFolder)
  if (!identities.ok) return identities
  const { identity } = options
  if (identity !== undefined && !identities.value.some(({ name }) => name === identity))
    return fail('identity.missing', `there is no signing identity ${identity}; no schedule was added`)
  if (options.register !== undefined) {
    const register = await ports.readRegister(options.register)
    if (!register.ok) return register
    if (register.value === null) return fail('input.not-found', `${options.register} could not be read`)
  }
  if (options.declarations !== undefined) {
    const declared = await declaredForExport({ ports, folder: options.declarations, demo: false })
    if (!declared.ok) return declared
  }
  const secrets = [options.passphraseFile, ...notify.map((one) => (one.kind === 'webhook' ? one.secretFile : null))]
  for (const secret of secrets) {
    const readable = typeof secret === 'string' ? await ports.schedules.secret(secret) : ok(null)
    if (!readable.ok) return readable
  }
  const sendable = draft.integrations === undefined ? ok(null) : await checkIntegrations(ports, draft.integrations)
  if (!sendable.ok) return sendable
  return ok(fleet.value.fleet.name)
}

/** Whether a scheduled run could send by this configuration: it and its secrets can be read. Fails with input.refused or input.not-found. */
export async function checkIntegrations(
  ports: Pick<Ports, 'files' | 'integrations'>,
  file: string,
): Promise<Outcome<null>> {
  if (!isAbsolute(file)) return fail('input.refused', `integrations: ${file} is not an absolute path`)
  const config = await ports.integrations.read(file)
  if (!config.ok) return config
  const targets = await openTargets(ports, config.value)
  if (!targets.ok) return targets
  const trusted = await readCertificates(ports, config.value.trust ?? [])
  if (!trusted.ok) return trusted
  return trusted.value.length > 0
    ? ok(null)
    : fail('input.refused', `${file} names no certificate under “trust”; no pack of a schedule could be sent`)
}

/** Absolute, on every supported system. */
const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:[\\/]|^\\\\/.test(path)

interface PlanWords {
  readonly openSigner: PlanInput['openSigner']
  readonly cadence: string | null
  /** The schedule is in the chain already, with other times. */
  readonly changes?: boolean
}

/** Enters the schedule from now on; nothing where the chain has the same already. */
const enterPlan = (
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'openRunChain' | 'sealing'>,
  schedule: Schedule,
  { openSigner, cadence, changes = false }: PlanWords,
): Promise<Outcome<RunChain>> => {
  const { name, fleetName: fleet, out } = schedule
  const withinMinutes = withinMinutesOf(schedule)
  return appendSigned(
    ports,
    { fleet, chainFolder: chainFolderOf(out, fleet), openSigner, begin: true },
    (at, signer, { entries }) => {
      const said = entries.findLast(({ entry }) => entry.kind === 'plan' && entry.schedule === name)?.entry
      if (said?.kind === 'plan' && said.cadence === cadence && said.withinMinutes === withinMinutes) return ok([])
      const why =
        cadence === null
          ? 'The schedule was removed.'
          : changes
            ? 'The schedule was changed.'
            : 'The schedule was added.'
      const plan: SignedEntry = {
        kind: 'plan',
        schedule: name,
        cadence,
        withinMinutes,
        from: at,
        at,
        fleet,
        why,
        signer,
      }
      return ok([plan])
    },
  )
}

export interface ScheduleStatus {
  readonly schedule: Schedule
  /** UTC; null for an unknown cadence or time zone. */
  readonly nextDue: string | null
  /** Since the schedule was added; null before the first. */
  readonly lastDue: string | null
  /** The run that is due and may still start in time, with the time after which it is missed; null where none is. */
  readonly awaited: { readonly due: string; readonly until: string } | null
  /** The last start; null where there was none. */
  readonly lastAttempt: Attempt | null
  readonly timers: readonly TimerStatus[]
  readonly unattended: readonly UnattendedUse[]
  /** Notices, one sentence each. */
  readonly notes: readonly string[]
}

export interface TimerStatus {
  readonly kind: TimerKind
  /**
   * `other`: the installed timer differs from the one for today's schedule. `inactive`: it does not differ, but the
   * operating system will not start it.
   */
  readonly state: 'installed' | 'other' | 'inactive'
}

const DAY_MS = 86_400_000
/** Every cadence is due within so many days. */
const LONGEST_DAYS = 63

/** Status of a schedule. What cannot be read is a notice: a status never fails for it. */
export async function scheduleStatus(
  ports: Pick<Ports, 'clock' | 'files' | 'fleets' | 'identities' | 'openRunChain' | 'schedules' | 'timers' | 'zones'>,
  schedule: Schedule,
  by: Pick<StartedBy, 'program' | 'file'>,
): Promise<ScheduleStatus> {
  const notes: string[] = []
  const noted = <T>(outcome: Outcome<T>, otherwise: T): T => {
    if (outcome.ok) return outcome.value
    notes.push(`${outcome.error.detail}.`)
    return otherwise
  }
  const { lastDue, nextDue } = dueAround(ports, schedule)
  const attempts = noted(await readAttempts(ports, schedule.out, schedule.name), [])
  const kinds = await ports.timers.kinds()
  const timers: TimerStatus[] = []
  for (const kind of kinds) {
    const installed = noted(await ports.timers.installed(kind, schedule.name), null)
    if (installed === null) continue
    const wanted = unitsOf(ports, kind, schedule, by)
    const same = wanted.ok && JSON.stringify(wanted.value.units) === JSON.stringify(installed.units)
    timers.push({ kind, state: same ? (installed.active ? 'installed' : 'inactive') : 'other' })
  }
  if (timers.length === 0) notes.push('No timer is installed; install one, or every scheduled run will be missed.')
  if (timers.length > 1) notes.push('Several timers start it; each due time is still run only once.')
  if (timers.some(({ state }) => state === 'other')) notes.push('The installed timer is out of date; install it again.')
  if (timers.some(({ kind }) => kind === 'systemd') && (await ports.timers.lingers()) === false)
    notes.push(
      `Timers of ${ports.timers.host.user} run only while that user is logged in; run: loginctl enable-linger ${ports.timers.host.user}`,
    )
  const fleet = noted(await ports.fleets.read(schedule.fleet), null)
  const targets = fleet === null ? [] : fleet.targets({})
  if (fleet !== null && fleet.fleet.name !== schedule.fleetName)
    notes.push(
      `The fleet file is now named “${fleet.fleet.name}”, but the schedule is in the run chain of “${schedule.fleetName}”. Remove the schedule and add it again.`,
    )
  const unattended = await unattendedUse(ports, targets, schedule.options)
  const awaited = noted(await awaitedOf(ports, schedule), null)
  return { schedule, nextDue, lastDue, awaited, lastAttempt: attempts.at(-1) ?? null, timers, unattended, notes }
}

/**
 * From the run chain in the schedule’s own folder, which states what was scheduled and what took place. Fails as a
 * chain does.
 */
async function awaitedOf(
  ports: Pick<Ports, 'clock' | 'files' | 'openRunChain' | 'zones'>,
  { name, out, fleetName }: Schedule,
): Promise<Outcome<ScheduleStatus['awaited']>> {
  const chains = await chainsBelow(ports, out)
  if (!chains.ok) return chains
  const asOf = ports.clock.now()
  const from = dayOf(new Date(Date.parse(asOf) - LONGEST_DAYS * DAY_MS).toISOString())
  for (const { chain } of chains.value.filter((one) => one.chain.fleet === fleetName)) {
    const { zones } = ports
    const read = calendarOf({ entries: chain.entries, facts: new Map(), zones, from, to: dayOf(asOf), asOf })
    if (!read.ok) return read
    const last = read.value.awaited.findLast(({ schedule }) => schedule === name)
    if (last !== undefined) return ok({ due: last.due, until: last.until })
  }
  return ok(null)
}

function dueAround(
  { clock, zones }: Pick<Ports, 'clock' | 'zones'>,
  schedule: Schedule,
): Pick<ScheduleStatus, 'lastDue' | 'nextDue'> {
  const cadence = cadenceOf(schedule)
  if (cadence === null) return { lastDue: null, nextDue: null }
  const now = clock.now()
  const at = (days: number): string => new Date(Date.parse(now) + days * DAY_MS).toISOString()
  const before = dueTimes(cadence, zones, at(-LONGEST_DAYS), now) ?? []
  const after = dueTimes(cadence, zones, now, at(LONGEST_DAYS)) ?? []
  return { lastDue: before.findLast((due) => due > schedule.createdAt) ?? null, nextDue: after[0] ?? null }
}

/**
 * Installs the units of a schedule; returns notices about them. Fails as unitsOf() and the operating system’s program
 * do.
 */
export async function installSchedule(
  ports: Pick<Ports, 'clock' | 'timers' | 'zones'>,
  kind: TimerKind,
  schedule: Schedule,
  by: Pick<StartedBy, 'program' | 'file'>,
): Promise<Outcome<readonly string[]>> {
  const units = unitsOf(ports, kind, schedule, by)
  if (!units.ok) return units
  const installed = await ports.timers.install(units.value)
  return installed.ok ? ok(units.value.warnings) : installed
}
