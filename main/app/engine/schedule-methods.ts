import type { CadenceDraft, ScheduleDraft, SchedulesView } from '../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { fleetPath } from '../../core/layout.ts'
import { type Cadence, cadenceText, HOURS } from '../../core/period/cadence.ts'
import { ok } from '../../core/result.ts'
import { TIMER_KINDS } from '../../core/schedule/store.ts'
import { installSchedule } from '../schedule-status.ts'
import { addSchedule, changeSchedule, type ScheduleDraft as Planned, removeSchedule, unitsOf } from '../schedules.ts'
import type { EngineContext, Handlers } from './context.ts'
import { hexOf, turnOf } from './kept-json.ts'
import { isOwn, listSchedules, NO_PROGRAM, refusalOf, type Starting, statusOf } from './schedule-views.ts'
import { makePassphraseFile, signingKey } from './trust-identities.ts'
import { identitiesFolder } from './trust-secrets.ts'

type Methods =
  | 'schedules.list'
  | 'schedules.add'
  | 'schedules.change'
  | 'schedules.run-now'
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
  const planned = async (
    draft: ScheduleDraft,
    keep: (draft: Planned) => Promise<Outcome<Schedule>>,
    before: Schedule | null = null,
  ): Promise<Outcome<SchedulesView>> => {
    const refusal = refusalOf(context)
    if (refusal !== null) return fail('input.refused', refusal)
    const passphraseFile = await passphraseFileOf(context, draft, { before, chosen })
    if (!passphraseFile.ok) return passphraseFile
    const made = plannedFrom(context.folder, draft, { before, passphraseFile: passphraseFile.value })
    if (!made.ok) return made
    const kept = await keep(made.value)
    return kept.ok ? await listSchedules(context) : kept
  }
  return {
    'schedules.list': () => listSchedules(context),
    'schedules.add': (draft) =>
      planned(draft, async (one) => await addSchedule(ports, one, { file, openSigner: openSigner(draft.identity) })),
    'schedules.change': (draft) =>
      withSchedule(draft.name, (before, by) =>
        isOwn(context, before)
          ? planned(
              draft,
              async (one) => await changeSchedule(ports, one, { file, openSigner: openSigner(draft.identity), by }),
              before,
            )
          : Promise.resolve(fail('input.refused', OTHERS)),
      ),
    'schedules.run-now': ({ name }) =>
      withSchedule(name, (_, { program, file: schedules }) =>
        ports.timers.start([...program, 'run', '--schedule', name, '--schedules', schedules, '--now']),
      ),
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

const OTHERS = 'this schedule was made elsewhere; it can be removed here and not changed'

/**
 * Where runs read the passphrase of the key that seals. Fails with input.refused where there is none: every run would fail at sealing.
 * A file is made for this user alone, after its content opened the key.
 */
async function passphraseFileOf(
  context: EngineContext,
  { passphrase, identity }: Pick<ScheduleDraft, 'passphrase' | 'identity'>,
  { before, chosen }: { readonly before: Schedule | null; readonly chosen: ReadonlyMap<string, string> },
): Promise<Outcome<string>> {
  if (passphrase.use === 'make') return await turnOf(context, 'identities')(() => makePassphraseFile(context, identity))
  const file = passphrase.use === 'kept' ? before?.options.passphraseFile : chosen.get(passphrase.handle)
  if (file === undefined)
    return fail(
      'input.refused',
      passphrase.use === 'kept'
        ? 'unattended runs need a passphrase file; set one up, or no run can be sealed'
        : 'the passphrase file is no longer known; choose it again',
    )
  return ok(file)
}

/**
 * A schedule for the window's own fleet, as a person entered it; its runs are stored with the window's own and use the
 * same declarations. What the window cannot show of an earlier one is kept. Fails with input.refused for an unknown cadence.
 */
function plannedFrom(
  folder: string,
  { cadence: asked, zone, identity, passphrase: _, syslog, webhook, ...draft }: ScheduleDraft,
  { before, passphraseFile }: { readonly before: Schedule | null; readonly passphraseFile: string },
): Outcome<Planned> {
  const cadence = cadenceFrom(asked, zone)
  if (cadence === null) return fail('input.refused', 'a schedule can run every 1, 2, 3, 4, 6, 8 or 12 hours')
  const words = cadenceText(cadence)
  const { identity: __, ...kept } = before?.options ?? {}
  return ok({
    ...draft,
    fleet: fleetPath(folder),
    out: folder,
    // The time zone is a separate field of the file.
    cadence: words.slice(0, -` in ${zone}`.length),
    zone,
    notify: notifyFrom(before?.notify ?? [], { syslog, webhook }),
    options: {
      ...kept,
      declarations: folder,
      identityFolder: identitiesFolder(folder),
      ...(identity === null ? {} : { identity }),
      passphraseFile,
    },
  })
}

/** Programs are kept as they are: the window sends no commands. The key of an address is kept with that address. */
function notifyFrom(
  before: Schedule['notify'],
  { syslog, webhook }: Pick<ScheduleDraft, 'syslog' | 'webhook'>,
): Schedule['notify'] {
  const same = before.find((one) => one.kind === 'webhook' && one.url === webhook)
  return [
    ...before.filter(({ kind }) => kind === 'command'),
    ...(webhook === null ? [] : [same ?? { kind: 'webhook' as const, url: webhook, secretFile: null }]),
    ...(syslog ? [{ kind: 'syslog' as const }] : []),
  ]
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
