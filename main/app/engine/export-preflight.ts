import type { PreflightItem } from '../../../schemas/ipc-packs.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import { shownOf } from '../findings.ts'
import { preflightOf } from '../preflight.ts'
import { viewSource } from './assessment-methods.ts'
import type { EngineContext } from './context.ts'
import { readDraft } from './engagement-store.ts'
import { NO_RUN } from './export-plan.ts'
import { readSettings } from './settings.ts'
import { listIdentities } from './trust-identities.ts'

/** What is open before the run that is shown is exported. Fails with input.refused without a run, or as its readers do. */
export async function exportPreflight(context: EngineContext): Promise<Outcome<readonly PreflightItem[]>> {
  const { ports, catalog, folder } = context
  const source = await viewSource(context, 'run')
  const { run, fleet } = context.session
  if (source === null || run === null) return fail('input.refused', NO_RUN)
  const identities = await listIdentities(context)
  if (!identities.ok) return identities
  const draft = await readDraft({ ports, folder, demo: context.session.demo })
  if (!draft.ok) return draft
  const { assessment, register } = source
  const { recordings } = run
  const declared = [...(fleet?.nodes ?? []), ...recordings.map(({ recording: { node } }) => node)]
  return ok(
    preflightOf({
      assessment,
      shown: shownOf({ assessment, catalog, register, recordings }),
      register,
      placed: new Set(declared.flatMap(({ name, location }) => (location === undefined ? [] : [name]))),
      engagementWaits: draft.value !== null,
      identities: identities.value.length,
      authority: (await readSettings(ports, folder)).authority,
    }),
  )
}
