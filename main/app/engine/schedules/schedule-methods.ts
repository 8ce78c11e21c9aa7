import type { ChosenFile, ScheduleDraft, ScheduleStatus, SchedulesView } from '../../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../../schemas/types.ts'
import { hexOf } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { fleetPath } from '../../../core/base/layout.ts'
import { type StartedBy, TIMER_KINDS } from '../../../core/schedule/schedule.ts'
import { scheduledSince, scheduleStatus } from '../../schedules/schedule-status.ts'
import {
  addSchedule,
  changeSchedule,
  checkIntegrations,
  installSchedule,
  type ScheduleDraft as Planned,
  removeSchedule,
  unitsOf,
} from '../../schedules/schedules.ts'
import type { EngineContext, Handlers } from '../context/context.ts'
import { fileName, turnOf } from '../context/kept-json.ts'
import { knownRuns } from '../runs/history-read.ts'
import { makePassphraseFile, signerOf } from '../trust/trust-identities.ts'
import { identitiesFolder } from '../trust/trust-secrets.ts'
import {
  cadenceWords,
  isOwn,
  listSchedules,
  MISSED_DAYS,
  NO_PROGRAM,
  refusalOf,
  scheduleNamed,
} from './schedule-view.ts'
import { attemptWords, sendingView } from './schedule-words.ts'
import { type ScheduleMethod, servedScheduleMethods } from './served-schedules.ts'

/** Scheduled runs. A team server starts them itself; elsewhere, timers of the operating system do. */
export const scheduleMethods = (context: EngineContext): Pick<Handlers, ScheduleMethod> =>
  context.scheduling.server === null ? timedMethods(context) : servedScheduleMethods(context)

/** Stored in the same file as those of the command line, and started by timers of the operating system. */
function timedMethods(context: EngineContext): Pick<Handlers, ScheduleMethod> {
  const { ports, scheduling } = context
  const { file, program } = scheduling
  /** Files that a person chose, by handle: the window sends no paths. */
  const chosen = new Map<string, string>()
  const choose = async (
    picked: { readonly path: string } | undefined,
    check: (path: string) => Promise<Outcome<null>>,
  ): Promise<Outcome<ChosenFile | null>> => {
    if (picked === undefined) return ok(null)
    const usable = await check(picked.path)
    if (!usable.ok) return usable
    const handle = hexOf(ports.entropy.bytes(16))
    chosen.set(handle, picked.path)
    return ok({ handle, file: fileName(picked.path) })
  }
  const withSchedule = async <T>(
    name: string,
    work: (schedule: Schedule, by: Starting) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> => {
    const found = await scheduleNamed(context, name)
    if (!found.ok) return found
    return program === null ? fail('input.refused', NO_PROGRAM) : await work(found.value, { program, file })
  }
  const planned = async (
    draft: ScheduleDraft,
    keep: (draft: Planned) => Promise<Outcome<Schedule>>,
    before: Schedule | null = null,
  ): Promise<Outcome<SchedulesView>> => {
    const refusal = refusalOf(context) ?? (draft.sealHours === null ? null : SEALED_AT_ONCE)
    if (refusal !== null) return fail('input.refused', refusal)
    const passphraseFile = await passphraseFileOf(context, draft, { before, chosen })
    if (!passphraseFile.ok) return passphraseFile
    const integrations = integrationsOf(draft, { before, chosen })
    if (!integrations.ok) return integrations
    const files = { passphraseFile: passphraseFile.value, integrations: integrations.value }
    const made = plannedFrom(context.folder, draft, { before, ...files })
    if (!made.ok) return made
    const kept = await keep(made.value)
    return kept.ok ? await listSchedules(context) : kept
  }
  return {
    'schedules.list': () => listSchedules(context),
    'schedules.add': (draft) =>
      planned(draft, (one) => addSchedule(ports, one, { file, openSigner: signerOf(context, draft.identity) })),
    'schedules.change': (draft) =>
      withSchedule(draft.name, (before, by) =>
        isOwn(context, before)
          ? planned(
              draft,
              (one) => changeSchedule(ports, one, { file, openSigner: signerOf(context, draft.identity), by }),
              before,
            )
          : Promise.resolve(fail('input.refused', OTHERS)),
      ),
    'schedules.run-now': ({ name }) =>
      withSchedule(name, (_, { program, file: schedules }) =>
        ports.timers.start([...program, 'run', '--schedule', name, '--schedules', schedules, '--now']),
      ),
    'schedules.choose-passphrase': (_, picked) => choose(picked, (path) => ports.schedules.secret(path)),
    'schedules.choose-integrations': (_, picked) => choose(picked, (path) => checkIntegrations(ports, path)),
    'schedules.remove': async ({ name, identity }) => {
      const removed = await removeSchedule(ports, name, { file, openSigner: signerOf(context, identity) })
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
            const described = made.ok ? made.value : { units: [], warnings: [`${made.error.detail}.`] }
            return { kind, here: here.includes(kind), units: described.units, warnings: described.warnings }
          }),
        )
      }),
    'schedules.status': ({ name }) =>
      withSchedule(name, async (schedule, by) => ok(await statusOf(context, schedule, by))),
  }
}

const SEALED_AT_ONCE = 'runs of this computer are sealed when they were collected'
const OTHERS = 'this schedule was made elsewhere; it can be removed here and not changed'

/**
 * The file from which runs read the passphrase of the sealing key. Fails with input.refused where there is none,
 * because every run would fail at sealing. `make` creates a file for this user only, after its content opened the
 * key.
 */
async function passphraseFileOf(
  context: EngineContext,
  { passphrase, identity }: Pick<ScheduleDraft, 'passphrase' | 'identity'>,
  { before, chosen }: { readonly before: Schedule | null; readonly chosen: ReadonlyMap<string, string> },
): Promise<Outcome<string>> {
  if (passphrase.use === 'make') return await turnOf(context, 'identities')(() => makePassphraseFile(context, identity))
  const file =
    passphrase.use === 'file'
      ? chosen.get(passphrase.handle)
      : passphrase.use === 'kept'
        ? before?.options.passphraseFile
        : undefined
  if (file === undefined)
    return fail(
      'input.refused',
      passphrase.use === 'file'
        ? 'the passphrase file is no longer known; choose it again'
        : 'unattended runs need a passphrase file; set one up, or no run can be sealed',
    )
  return ok(file)
}

/**
 * The configuration that packs are sent with; null where they are not sent. Fails with input.refused for a file that
 * is no longer known.
 */
function integrationsOf(
  { integrations }: Pick<ScheduleDraft, 'integrations'>,
  { before, chosen }: { readonly before: Schedule | null; readonly chosen: ReadonlyMap<string, string> },
): Outcome<string | null> {
  if (integrations.use === 'none') return ok(null)
  const file = integrations.use === 'kept' ? before?.integrations : chosen.get(integrations.handle)
  return file === undefined
    ? fail('input.refused', 'the integrations file is no longer known; choose it again')
    : ok(file)
}

/**
 * A schedule for the window's fleet, as a person entered it. Its runs are stored with those of the window and use the
 * same declarations. Settings of an earlier schedule that the window does not show are kept. Fails with input.refused
 * for an unknown cadence.
 */
function plannedFrom(
  folder: string,
  {
    cadence: asked,
    zone,
    identity,
    passphrase: _,
    sealHours: ____,
    syslog,
    webhook,
    integrations: __,
    ...draft
  }: ScheduleDraft,
  {
    before,
    passphraseFile,
    integrations,
  }: { readonly before: Schedule | null; readonly passphraseFile: string; readonly integrations: string | null },
): Outcome<Planned> {
  const cadence = cadenceWords(asked, zone)
  if (!cadence.ok) return cadence
  const { identity: ___, ...kept } = before?.options ?? {}
  return ok({
    ...draft,
    fleet: fleetPath(folder),
    out: folder,
    cadence: cadence.value,
    zone,
    notify: notifyFrom(before?.notify ?? [], { syslog, webhook }),
    ...(integrations === null ? {} : { integrations }),
    options: {
      ...kept,
      declarations: folder,
      identityFolder: identitiesFolder(folder),
      ...(identity === null ? {} : { identity }),
      passphraseFile,
    },
  })
}

/**
 * The recipients of a schedule. Programs are unchanged, because the window sends no commands. The key of an address
 * is kept with that address.
 */
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

type Starting = Pick<StartedBy, 'program' | 'file'>

const WITHOUT_DECLARATIONS =
  'Its packs do not include the declarations of this window: engagement, claims, risk acceptances and documents. Edit and save the schedule here to include them.'
/**
 * Whether a schedule stores its runs with those of the window without using its declarations. Such a schedule is from
 * an earlier version, or was created elsewhere.
 */
const isWithoutDeclarations = ({ folder }: EngineContext, { out, options }: Schedule): boolean =>
  out === folder && options.declarations === undefined

/** Status of a schedule, in words. */
async function statusOf(context: EngineContext, schedule: Schedule, by: Starting): Promise<ScheduleStatus> {
  const status = await scheduleStatus(context.ports, schedule, by)
  const { nextDue, awaited, timers, unattended, notes } = status
  const last =
    status.lastAttempt?.code === 'nothing-due' ? (status.lastResult ?? status.lastAttempt) : status.lastAttempt
  return {
    name: schedule.name,
    next: nextDue,
    awaited,
    last:
      last === null
        ? null
        : {
            due: last.due,
            startedAt: last.startedAt,
            endedAt: last.endedAt,
            words: attemptWords(last),
            sending: sendingView(last.sending),
          },
    installed: timers,
    credentials: unattended,
    waiting: [],
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
  const read = scheduledSince(ports, known.entries ?? [], MISSED_DAYS)
  return read.ok ? read.value.unrecorded.filter(({ schedule }) => schedule === name).map(({ due }) => due) : []
}
