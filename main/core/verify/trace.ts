import type { RunTrace, TracedNode } from '../../../schemas/types.ts'
import type { Catalog } from '../catalog.ts'
import { PATHS } from '../pack-files.ts'
import type { PackSource, SchemaValidator } from '../ports.ts'
import { traceBytes, traceOf } from '../trace.ts'
import { canonical, type PackReading, textOf } from './read.ts'
import { standingOf } from './reproduce.ts'

/**
 * Whether the trace in a pack is the one that comes out here: a sentence when it is not. Packs of before there were traces have none.
 * Under other rules than those it was made with, what names the rules is taken as stated.
 */
export async function traceDiffers(
  {
    source,
    catalog,
    validator,
  }: { readonly source: PackSource; readonly catalog: Catalog; readonly validator: SchemaValidator },
  { statement, scope, assessment }: PackReading,
  { traced, demo }: { readonly traced: readonly TracedNode[] | null; readonly demo: boolean },
): Promise<readonly string[]> {
  if (!source.paths.includes(PATHS.trace) || statement === null || scope === null || assessment === null) return []
  const text = await textOf(source, PATHS.trace)
  const found = canonical(text)
  if (found === null || validator.problems('trace', found.value).length > 0)
    return [`${PATHS.trace} is not a trace in canonical form.`]
  if (traced === null) return [`${PATHS.trace} could not be derived again.`]
  const stated = found.value as RunTrace
  const { run, planned = null } = statement.predicate
  const { asOf, ...declared } = scope
  // As stated: compareWhole() holds it against what is derived.
  const { shared } = assessment
  const derived = traceOf(catalog, {
    run,
    planned,
    assessment: { asOf, scope: declared, demo, ...(shared && { shared }) },
    nodes: traced,
  })
  const { engine, rules } = stated
  const compared =
    standingOf(assessment, catalog) === 'same' ? derived : { ...derived, engine, rules, catalog: assessment.catalog }
  return new TextDecoder().decode(traceBytes(compared)) === text
    ? []
    : [`${PATHS.trace} is not the one that comes out of the evidence and the scope.`]
}
