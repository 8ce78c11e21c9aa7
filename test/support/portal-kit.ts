import type { Input } from '../../schemas/ipc.ts'
import type { ExportDraft, ExportPlan } from '../../schemas/ipc-packs.ts'
import type { SharedPack } from '../../schemas/ipc-portal.ts'
import type { RunStatus } from '../../schemas/ipc-views.ts'
import { replyIn, type Visitor } from './team-kit.ts'

/** Has an officer collect the demo fleet of alpha, seal it with a key that is discarded, and share the pack. */
export async function sharedExport(
  officer: Visitor,
  note = '',
  to: readonly string[] | null = null,
  redact: Input<'export.build'>['redact'] = null,
): Promise<SharedPack & { readonly handle: string }> {
  const ask = async <T>(method: string, input: unknown): Promise<T> => {
    const reply = replyIn<T>(await officer.call('alpha', method, input))
    if (!reply.ok) throw new Error(`${method}: ${reply.error.code}: ${reply.error.detail}`)
    return reply.value
  }
  await ask('demo.open', null)
  while ((await ask<RunStatus | null>('run.status', null))?.going === true)
    await new Promise((resolve) => setTimeout(resolve, 20))
  const plan = await ask<ExportPlan>('export.plan', null)
  const { handle } = await ask<ExportDraft>('export.build', {
    frameworks: plan.frameworks.filter(({ chosen }) => chosen).map(({ id }) => id),
    ...{ identity: null, timestamp: false, also: [], redact },
  })
  const [shared] = await ask<SharedPack[]>('portal.share', { handle, note, to })
  if (shared === undefined) throw new Error('nothing was shared')
  return { ...shared, handle }
}
