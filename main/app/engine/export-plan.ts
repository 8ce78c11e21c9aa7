import type { ExportPlan } from '../../../schemas/ipc-packs.ts'
import { FAILURE_CODES, failureWords } from '../../../schemas/words.ts'
import { partClassWords, WITHHOLDABLE } from '../../core/disclosure/classes.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { withFailure } from '../views.ts'
import type { EngineContext } from './context.ts'
import { registerOf } from './register-store.ts'
import type { RunState } from './session.ts'
import { readSettings } from './settings.ts'
import { listIdentities } from './trust-identities.ts'

/** What an export of the current run would hold. Nothing is sealed or asked for. */
export async function exportPlan(context: EngineContext): Promise<Outcome<ExportPlan>> {
  const { world, catalog, folder, session } = context
  const { run } = session
  if (run === null) return fail('input.refused', NO_RUN)
  if (session.going?.run === run.run) return fail('input.refused', STILL_GOING)
  const register = await registerOf(context, 'run')
  if (!register.ok) return register
  const identities = await listIdentities(context)
  if (!identities.ok) return identities
  const inForce = (entries: readonly { readonly standing: string }[]): number =>
    entries.filter(({ standing }) => standing === 'in-force').length
  return ok({
    run: run.run,
    demo: session.demo,
    declared: run.assessment.nodes.length,
    missing: missingIn(run),
    captures: run.recordings.reduce((sum, { captures }) => sum + captures.length, 0),
    frameworks: catalog.frameworks.map(({ id, title }) => ({
      id,
      title,
      chosen: run.scope.frameworks.includes(id),
    })),
    exceptions: inForce(register.value.exceptions),
    attachments: inForce(register.value.attachments),
    identities: identities.value,
    authority: (await readSettings(world, folder)).authority,
    withholdable: WITHHOLDABLE.map((id) => ({ id, title: partClassWords[id] })),
  })
}

export const NO_RUN = 'there is no run to export yet'
export const STILL_GOING = 'this run is still going on; export it when it has ended'

/** Declared nodes without evidence, each with the reason. */
export function missingIn({ assessment, unreadable }: RunState): ExportPlan['missing'] {
  return assessment.nodes
    .filter(({ status }) => status === 'failed' || status === 'missing')
    .map((missing) => withFailure(missing, unreadable))
    .map(({ node, failure }) => ({
      node,
      why: failure === null ? 'It was not asked in this run.' : wordsOf(failure),
    }))
}

/** A failure in one line. */
export function wordsOf({ code, detail }: { readonly code: string; readonly detail: string }): string {
  const known = FAILURE_CODES.find((one) => one === code)
  const title = known === undefined ? code : failureWords[known].title
  return detail === '' ? `${title}.` : `${title}: ${plain(detail, 400)}`
}
