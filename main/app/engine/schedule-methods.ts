import type { Schedule } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import { TIMER_KINDS } from '../../core/schedule/store.ts'
import { installSchedule } from '../schedule-status.ts'
import { addSchedule, removeSchedule, unitsOf } from '../schedules.ts'
import type { EngineContext, Handlers } from './context.ts'
import { hexOf } from './kept-json.ts'
import { plannedFrom } from './schedule-draft.ts'
import { listSchedules, NO_PROGRAM, refusalOf, type Starting, statusOf } from './schedule-views.ts'
import { signingKey } from './signing-key.ts'
import { turnOf } from './turns.ts'

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
  const { world, scheduling } = context
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
    const read = await world.schedules.read(file)
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
      const added = await addSchedule(world, planned.value, { file, openSigner: openSigner(draft.identity) })
      return added.ok ? await listSchedules(context) : added
    },
    'schedules.choose-passphrase': async (_, picked) => {
      if (picked === undefined) return ok(null)
      const readable = await world.schedules.secret(picked.path)
      if (!readable.ok) return readable
      const handle = hexOf(world.entropy.bytes(16))
      chosen.set(handle, picked.path)
      return ok({ handle, file: picked.path.split(/[/\\]/).at(-1) ?? picked.path })
    },
    'schedules.remove': async ({ name, identity }) => {
      const removed = await removeSchedule(world, name, { file, openSigner: openSigner(identity) })
      return removed.ok ? await listSchedules(context) : removed
    },
    'schedules.install': ({ name, kind }) =>
      withSchedule(name, async (schedule, by) => {
        const installed = await installSchedule(world, kind, schedule, by)
        return installed.ok ? ok(await statusOf(context, schedule, by)) : installed
      }),
    'schedules.preview': ({ name }) =>
      withSchedule(name, async (schedule, by) => {
        const here = await world.timers.kinds()
        return ok(
          TIMER_KINDS.map((kind) => {
            const made = unitsOf(world, kind, schedule, by)
            const told = made.ok ? made.value : { units: [], warnings: [`${made.error.detail}.`] }
            return { kind, here: here.includes(kind), units: told.units, warnings: told.warnings }
          }),
        )
      }),
    'schedules.status': ({ name }) =>
      withSchedule(name, async (schedule, by) => ok(await statusOf(context, schedule, by))),
  }
}
