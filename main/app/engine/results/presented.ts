import type { Source } from '../../../../schemas/ipc-views.ts'
import type { Assessment, Register } from '../../../../schemas/types.ts'
import { type Outcome, ok } from '../../../core/base/failure.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import type { SampledFinding } from '../../../core/pack/sample.ts'
import type { RecordingOutline } from '../../../core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../../core/register/register.ts'
import { catalogFor } from '../../../core/rules/catalog.ts'
import type { Presentation } from '../../../present/presentation.ts'
import { registerInScope } from '../../common/attachments.ts'
import { type FindingSource, shownOf } from '../../evaluate/finding-views.ts'
import type { EngineContext, PackState } from '../context/context.ts'
import { viewSource } from './assessment-methods.ts'

interface Stated {
  readonly assessment: Assessment
  readonly register: Register
  readonly recordings: readonly Pick<RecordingOutline, 'recording'>[]
}

/**
 * The presentation of an assessment, of a run or of a pack. Composed once for each evaluation, because every screen
 * requests it. A changed register leads to another evaluation.
 */
export function presented(
  { catalog }: Pick<EngineContext, 'catalog'>,
  { assessment, register: whole, recordings }: Stated,
): Presentation {
  const known = composed.get(assessment)
  if (known !== undefined) return known
  const register = registerInScope(catalog, whole, assessment.scope)
  const shown = shownOf({ assessment, catalog, register, recordings })
  composed.set(assessment, shown)
  return shown
}

const composed = new WeakMap<object, Presentation>()

/**
 * Findings of the shown run or of the open pack, with their sources. Null and failures as viewSource() returns them.
 */
export async function findingSource(context: EngineContext, of: Source): Promise<Outcome<FindingSource | null>> {
  const found = await viewSource(context, of)
  if (!found.ok || found.value === null) return found.ok ? ok(null) : found
  const { value: source } = found
  const { assessment, recordings, run } = source
  const catalog = catalogFor(context.catalog, assessment.scope)
  const register = registerInScope(context.catalog, source.register, assessment.scope)
  const shown = presented(context, { assessment, register: source.register, recordings })
  return ok({ of, run, assessment, catalog, register, shown })
}

/** The presentation of the open pack, as in its report; null where its results cannot be read. */
export function presentationOfPack(
  context: Pick<EngineContext, 'catalog'>,
  { assessment, register, recordings }: PackState,
): Presentation | null {
  return assessment === null
    ? null
    : presented(context, { assessment, register: register ?? EMPTY_REGISTER, recordings })
}

/** Findings of the open pack, informational ones last. */
function findingsOfPack(context: Pick<EngineContext, 'catalog'>, pack: PackState): readonly Finding[] {
  const shown = presentationOfPack(context, pack)
  return shown === null ? [] : [...shown.findings, ...shown.informational]
}

/** The check results of the open pack, with the data of each that sampling needs. */
export function resultsOfPack(context: Pick<EngineContext, 'catalog'>, pack: PackState): readonly SampledFinding[] {
  const { assessment } = pack
  if (assessment === null) return []
  const levels = new Map(findingsOfPack(context, pack).map(({ check, severity }) => [check, severity.level]))
  const proposed = new Set(
    catalogFor(context.catalog, assessment.scope).frameworks.flatMap((one) => (one.proposed ? [one.id] : [])),
  )
  const deciding = new Set(
    assessment.controls
      .filter(({ framework, state }) => !proposed.has(framework) && state !== 'out-of-scope')
      .flatMap(({ checks }) => checks.flatMap(({ check, decides }) => (decides ? [check] : []))),
  )
  return assessment.nodes.flatMap(({ node, results }) =>
    results.map(({ check, verdict }) => ({
      node,
      check,
      verdict,
      decides: deciding.has(check),
      severity: verdict === 'not-satisfied' ? (levels.get(check) ?? null) : null,
    })),
  )
}
