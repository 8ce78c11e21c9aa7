import type { LimitGroup } from '../../../schemas/ipc-packs.ts'
import { catalogFor } from '../../core/catalog.ts'
import { tally } from '../../core/tally.ts'
import { limitsPage } from '../../present/limits-page.ts'
import type { EngineContext } from './context.ts'
import { presentationOfPack } from './review-results.ts'

/** Everything that the open pack does not show; nothing where no pack is open. */
export function reviewLimits(context: EngineContext): readonly LimitGroup[] {
  const { pack } = context.session
  if (pack === null) return []
  const { assessment } = pack
  const presentation = presentationOfPack(context, pack)
  if (assessment === null || presentation === null) return limitsPage({ report: pack.review.report, shown: null })
  const catalog = catalogFor(context.catalog, assessment.scope)
  return limitsPage({
    report: pack.review.report,
    shown: { assessment, catalog, tally: tally(assessment, catalog.checks), presentation },
  })
}
