import type { RunTrace, TracedNode } from '../../../schemas/types.ts'
import type { PackAssessor } from '../../core/assessor.ts'
import { PATHS } from '../../core/pack-files.ts'
import type { PackSource, SchemaValidator } from '../../core/ports.ts'
import { traceBytes } from '../../core/trace.ts'
import { canonical, type PackReading, textOf } from './read.ts'
import type { RulesStatus } from './rules.ts'
import { OWN_PRODUCER } from './tags.ts'

/**
 * Compares the run trace in a pack with the one derived here: a sentence when they differ. A pack of another version may have none.
 * With different rules, the fields that identify the rules are taken as stated.
 */
export async function traceDiffers(
  { source, validator }: { readonly source: PackSource; readonly validator: SchemaValidator },
  { statement, assessment }: PackReading,
  { assess, rules: rulesStatus }: { readonly assess: PackAssessor | null; readonly rules: RulesStatus | null },
  { traced, demo }: { readonly traced: readonly TracedNode[] | null; readonly demo: boolean },
): Promise<readonly string[]> {
  if (statement === null || assessment === null || assess === null) return []
  if (!source.paths.includes(PATHS.trace))
    return statement.predicate.producer === OWN_PRODUCER ? [`${PATHS.trace} is missing.`] : []
  const text = await textOf(source, PATHS.trace)
  const found = canonical(text)
  if (found === null || validator.problems('trace', found.value).length > 0)
    return [`${PATHS.trace} is not a run trace in canonical form.`]
  if (traced === null) return [`${PATHS.trace} could not be derived.`]
  const stated = found.value as RunTrace
  const { run, planned = null } = statement.predicate
  // Facts shared between nodes and the reconciliation are taken as stated; compareWhole() compares them with the derived ones.
  const { shared, reconciliation } = assessment
  const derived = await assess.trace(traced, { run, planned, demo, shared, reconciliation })
  const { engine, rules } = stated
  const compared = rulesStatus === 'same' ? derived : { ...derived, engine, rules, catalog: assessment.catalog }
  return new TextDecoder().decode(traceBytes(compared)) === text
    ? []
    : [`${PATHS.trace} differs from the run trace derived from the evidence and the scope.`]
}
