import type { Schedule } from '../../schemas/types.ts'
import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { chainFolderOf, chainStart } from '../core/layout.ts'
import { parseCadence } from '../core/period/cadence.ts'
import type { Signer } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import type { RunChain, SignedEntry } from '../core/run-chain/entry.ts'
import { plannedCadence, withinMinutesOf } from '../core/schedule/schedule.ts'
import { type StartedBy, TIMER_KINDS, type TimerKind, type TimerUnits } from '../core/schedule/store.ts'
import { unitsFor } from '../present/timers/units.ts'
import { appendSigned } from './append-signed.ts'
import { declaredForExport } from './engine/engagement-store.ts'
import { ALSO } from './export.ts'

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
  return ok(fleet.value.fleet.name)
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
