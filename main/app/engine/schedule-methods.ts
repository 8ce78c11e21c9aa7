import type { CadenceDraft, ScheduleDraft } from '../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { fleetPath } from '../../core/layout.ts'
import { type Cadence, cadenceText, HOURS } from '../../core/period/cadence.ts'
import { ok } from '../../core/result.ts'
import { TIMER_KINDS } from '../../core/schedule/store.ts'
import { installSchedule } from '../schedule-status.ts'
import { addSchedule, type ScheduleDraft as Planned, removeSchedule, unitsOf } from '../schedules.ts'
import type { EngineContext, Handlers } from './context.ts'
import { hexOf, turnOf } from './kept-json.ts'
import { listSchedules, NO_PROGRAM, refusalOf, type Starting, statusOf } from './schedule-views.ts'
import { signingKey } from './trust-identities.ts'
import { identitiesFolder } from './trust-secrets.ts'

type Methods =
  | 'schedules.list'
  | 'schedules.add'
  | 'schedules.choose-passphrase'
  | 'schedules.remove'
  | 'schedules.install'
  | 'schedules.preview'
  | 'schedules.status'

/**
 * Scheduled runs: stored in the same file as those of the command line, and started by timers of the operating system.
 */
export function scheduleMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { ports, scheduling } = context
  const { file, program } = scheduling
  /** Files that a person chose, by handle: the window sends no paths. */
  const chosen = new Map<string, string>()
  const openSigner = (identity: string | null) => async () => {
    const signer = await turnOf(context, 'identities')(() => signingKey(context, identity))
    return signer.ok ? ok(signer.value.value) : signer
  }
  const withSchedule = async <T>(
    name: string,
    work: (schedule: Schedule, by: Starting) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> => {
    const read = await ports.schedules.read(file)
    if (!read.ok) return read
    const found = read.value.schedules.find((one) => one.name === name)
    if (found === undefined) return fail('input.not-found', `there is no schedule ${name}`)
    return program === null ? fail('input.refused', NO_PROGRAM) : await work(found, { program, file })
  }
  return {
    'schedules.list': () => listSchedules(context),
    'schedules.add': async (draft) => {
      const refusal = refusalOf(context)
      if (refusal !== null) return fail('input.refused', refusal)
      const planned = plannedFrom(context.folder, draft, chosen)
      if (!planned.ok) return planned
      const added = await addSchedule(ports, planned.value, { file, openSigner: openSigner(draft.identity) })
      return added.ok ? await listSchedules(context) : added
    },
    'schedules.choose-passphrase': async (_, picked) => {
      if (picked === undefined) return ok(null)
      const readable = await ports.schedules.secret(picked.path)
      if (!readable.ok) return readable
      const handle = hexOf(ports.entropy.bytes(16))
      chosen.set(handle, picked.path)
      return ok({ handle, file: picked.path.split(/[/\\]/).at(-1) ?? picked.path })
    },
    'schedules.remove': async ({ name, identity }) => {
      const removed = await removeSchedule(ports, name, { file, openSigner: openSigner(identity) })
      return removed.ok ? await listSchedules(context) : removed
    },
    'schedules.install': ({ name, kind }) =>
      withSchedule(name, async (schedule, by) => {
        const installed = await installSchedule(ports, kind, schedule, by)
        return installed.ok ? ok(await statusOf(context, schedule, by)) : installed
      }),
    'schedules.preview': ({ name }) =>
      withSchedule(name, async (schedule, by) => {
        const here = await ports.timers.kinds()
        return ok(
          TIMER_KINDS.map((kind) => {
            const made = unitsOf(ports, kind, schedule, by)
            const told = made.ok ? made.value : { units: [], warnings: [`${made.error.detail}.`] }
            return { kind, here: here.includes(kind), units: told.units, warnings: told.warnings }
          }),
        )
      }),
    'schedules.status': ({ name }) =>
      withSchedule(name, async (schedule, by) => ok(await statusOf(context, schedule, by))),
  }
}

/**
 * A schedule for the window's own fleet, as a person entered it; its runs are stored with the window's own and use the
 * same declarations. `chosen`: files by handle. Fails with input.refused for an unknown cadence or handle.
 */
function plannedFrom(
  folder: string,
  { cadence: asked, zone, identity, passphrase, ...draft }: ScheduleDraft,
  chosen: ReadonlyMap<string, string>,
): Outcome<Planned> {
  const cadence = cadenceFrom(asked, zone)
  if (cadence === null) return fail('input.refused', 'a schedule can run every 1, 2, 3, 4, 6, 8 or 12 hours')
  const passphraseFile = passphrase === null ? undefined : chosen.get(passphrase)
  if (passphrase !== null && passphraseFile === undefined)
    return fail('input.refused', 'the passphrase file is no longer known; choose it again')
  const words = cadenceText(cadence)
  return ok({
    ...draft,
    fleet: fleetPath(folder),
    out: folder,
    // The time zone is a separate field of the file.
    cadence: words.slice(0, -` in ${zone}`.length),
    zone,
    notify: [],
    options: {
      declarations: folder,
      identityFolder: identitiesFolder(folder),
      ...(identity === null ? {} : { identity }),
      ...(passphraseFile === undefined ? {} : { passphraseFile }),
    },
  })
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
