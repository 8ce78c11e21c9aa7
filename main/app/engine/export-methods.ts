import type { Reply } from '../../../schemas/ipc.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import type { EngineContext, Handlers } from './context.ts'
import { buildDraft } from './export-build.ts'
import { type Draft, discardDraft, saveDraft } from './export-draft.ts'
import { exportPlan } from './export-plan.ts'
import { exportPreflight } from './export-preflight.ts'
import { inTurn, turnOf } from './kept-json.ts'
import { openPack } from './review-pack.ts'

type Methods = 'export.plan' | 'export.preflight' | 'export.build' | 'export.review' | 'export.save' | 'export.discard'

/** From a run to a sealed pack in a chosen folder. Drafts are known until the program ends; their files are kept. */
export function exportMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { ports } = context
  const drafts = new Map<string, Draft>()
  const turn = inTurn()
  const withDraft = <T>(handle: string, work: (draft: Draft) => Promise<Outcome<T>>): Promise<Reply<T>> =>
    turn(async () => {
      const draft = drafts.get(handle)
      return draft === undefined
        ? fail('input.refused', 'this export is no longer available; start a new one')
        : await work(draft)
    })
  return {
    'export.plan': () => turn(() => exportPlan(context)),
    'export.preflight': () => turn(() => exportPreflight(context)),
    'export.build': (wanted) =>
      turn(async () => {
        const built = await buildDraft(context, wanted)
        if (!built.ok) return built
        drafts.set(built.value.view.handle, built.value)
        return ok(built.value.view)
      }),
    'export.review': ({ handle }) =>
      withDraft(handle, ({ opens }) =>
        turnOf(context, 'pack')(() => openPack(context, { path: opens, draft: true, imported: null })),
      ),
    'export.save': async ({ handle }, chosen) =>
      chosen === undefined ? ok(null) : await withDraft(handle, (draft) => saveDraft(ports, draft, chosen.path)),
    'export.discard': ({ handle }) =>
      withDraft(handle, async (draft) => {
        const gone = await discardDraft(ports, draft)
        if (gone.ok) drafts.delete(handle)
        return gone
      }),
  }
}
