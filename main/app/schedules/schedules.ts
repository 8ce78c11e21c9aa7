import type { Schedule, ScheduleFile } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { chainFolderOf, chainStart } from '../../core/base/layout.ts'
import type { Signer } from '../../core/ports/ports.ts'
import { parseCadence } from '../../core/run-chain/cadence.ts'
import type { RunChain } from '../../core/run-chain/entry.ts'
import {
  plannedCadence,
  type StartedBy,
  TIMER_KINDS,
  type TimerKind,
  type TimerUnits,
  withinMinutesOf,
} from '../../core/schedule/schedule.ts'
import { unitsFor } from '../../present/timers/units.ts'
import { readCertificates } from '../common/certificate-files.ts'
import { declaredForExport } from '../engine/stored/engagement-store.ts'
import { ALSO } from '../export/export.ts'
import { appendSigned, type EnterInput } from '../history/append-signed.ts'
import { openTargets } from '../outbox/send.ts'

/** A schedule as a person enters it: the fleet’s name is read from its file. */
export type ScheduleDraft = Omit<Schedule, 'fleetName' | 'createdAt'>

interface PlanInput {
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
  const allows = ({ schedules }: ScheduleFile): Outcome<null> =>
    schedules.some(({ name }) => name === schedule.name)
      ? fail('input.refused', `there is already a schedule ${schedule.name}; remove it first`)
      : ok(null)
  const now = await ports.schedules.read(file)
  const free = now.ok ? allows(now.value) : now
  if (!free.ok) return free
  const next = async (then: ScheduleFile): Promise<Outcome<ScheduleFile>> =>
    ok({ ...then, schedules: [...then.schedules, schedule] })
  const appendWith = storing(ports, file, { allows, next })
  const entered = await enterPlan(ports, schedule, { openSigner, cadence: plannedCadence(schedule), appendWith })
  return entered.ok ? ok(schedule) : entered
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
  const now = await ports.schedules.read(file)
  if (!now.ok) return now
  const before = now.value.schedules.find(({ name }) => name === draft.name)
  if (before === undefined) return noSchedule(draft.name, file)
  if (before.fleetName !== fleetName.value)
    return fail('input.refused', `schedule ${draft.name} belongs to the fleet ${before.fleetName}; add another one`)
  const schedule: Schedule = { ...draft, fleetName: before.fleetName, createdAt: before.createdAt }
  const [problem] = ports.validator.problems('schedules', { schema: 'barewitness.schedules/1', schedules: [schedule] })
  if (problem !== undefined) return fail('input.refused', problem.replace('schedules[0].', ''))
  const appendWith = storing(ports, file, {
    allows: sameAs(before, file),
    next: async (then) =>
      ok({ ...then, schedules: then.schedules.map((one) => (one.name === schedule.name ? schedule : one)) }),
  })
  const cadence = plannedCadence(schedule)
  const entered = await enterPlan(ports, schedule, { openSigner, cadence, changes: true, appendWith })
  if (!entered.ok) return entered
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
  const now = await ports.schedules.read(file)
  if (!now.ok) return now
  const schedule = now.value.schedules.find((one) => one.name === name)
  if (schedule === undefined) return noSchedule(name, file)
  const stored = storing(ports, file, {
    allows: sameAs(schedule, file),
    next: async (then) => {
      const kinds = await ports.timers.kinds()
      // Timer systems that leave files are cleaned up also where they are not running; a crontab exists only with its
      // program.
      for (const kind of TIMER_KINDS.filter((one) => one !== 'cron' || kinds.includes(one))) {
        const taken = await ports.timers.remove(kind, name)
        if (!taken.ok) return taken
      }
      return ok({ ...then, schedules: then.schedules.filter((one) => one.name !== name) })
    },
  })
  const hasChain = await ports.files.isThere(chainStart(chainFolderOf(schedule.out, schedule.fleetName)))
  const removed = hasChain
    ? await enterPlan(ports, schedule, { openSigner, cadence: null, appendWith: stored })
    : await stored(async () => ok(null))
  return removed.ok ? ok(schedule) : removed
}

const noSchedule = (name: string, file: string) => fail('input.refused', `there is no schedule ${name} in ${file}`)

/** Whether a schedule is unchanged since a person was asked for a signature. */
const sameAs =
  (before: Schedule, file: string) =>
  ({ schedules }: ScheduleFile): Outcome<null> => {
    const now = schedules.find(({ name }) => name === before.name)
    if (now === undefined) return noSchedule(before.name, file)
    return canonicalJson(now) === canonicalJson(before)
      ? ok(null)
      : fail('input.refused', `schedule ${before.name} was changed meanwhile; nothing was recorded`)
  }

interface FileChange {
  readonly allows: (now: ScheduleFile) => Outcome<null>
  readonly next: (now: ScheduleFile) => Promise<Outcome<ScheduleFile>>
}

/**
 * Does work, then changes the schedule file, with the file locked. It is not locked before the entries for the work
 * are signed, because a person may take minutes. Does nothing where the file no longer allows it.
 */
const storing =
  ({ schedules }: Pick<Ports, 'schedules'>, file: string, { allows, next }: FileChange) =>
  async <T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    let done: Outcome<T> = fail('bug', 'the schedule file was not changed')
    const changed = await schedules.change(file, async (now) => {
      const allowed = allows(now)
      if (!allowed.ok) return allowed
      done = await work()
      return done.ok ? await next(now) : done
    })
    return changed.ok ? done : changed
  }

/** The units of a schedule for today's settings. Fails as unitsFor() does. */
export const unitsOf = (
  { zones, clock, timers }: Pick<Ports, 'zones' | 'clock' | 'timers'>,
  kind: TimerKind,
  schedule: Schedule,
  by: Pick<StartedBy, 'program' | 'file'>,
): Outcome<TimerUnits> => unitsFor(kind, schedule, { ...timers.host, ...by }, { zones, now: clock.now() })

/** The name of a schedule’s fleet, after every file and identity that the schedule names was checked. */
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
  readonly appendWith: NonNullable<EnterInput['appendWith']>
}

/** Enters the schedule from now on; nothing where the chain has the same already. */
const enterPlan = (
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'openRunChain' | 'sealing'>,
  schedule: Schedule,
  { openSigner, cadence, changes = false, appendWith }: PlanWords,
): Promise<Outcome<RunChain>> => {
  const { name, fleetName: fleet, out } = schedule
  const withinMinutes = withinMinutesOf(schedule)
  return appendSigned(
    ports,
    { fleet, chainFolder: chainFolderOf(out, fleet), openSigner, begin: true, appendWith },
    (at, signer, { entries }) => {
      const latest = entries.findLast(({ entry }) => entry.kind === 'plan' && entry.schedule === name)?.entry
      if (latest?.kind === 'plan' && latest.cadence === cadence && latest.withinMinutes === withinMinutes) return ok([])
      const why =
        cadence === null
          ? 'The schedule was removed.'
          : changes
            ? 'The schedule was changed.'
            : 'The schedule was added.'
      return ok([{ kind: 'plan', schedule: name, cadence, withinMinutes, from: at, at, fleet, why, signer }])
    },
  )
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
