import type { RunTrace, TracedNode } from '../../../schemas/types.ts'
import type { PackJudge } from '../judge.ts'
import { PATHS } from '../pack-files.ts'
import type { PackSource, SchemaValidator } from '../ports.ts'
import { traceBytes } from '../trace.ts'
import { canonical, type PackReading, textOf } from './read.ts'
import type { RulesStanding } from './rules.ts'

/**
 * Whether the trace in a pack is the one that comes out here: a sentence when it is not. Packs of before there were traces have none.
 * Under other rules than those it was made with, what names the rules is taken as stated.
 */
export async function traceDiffers(
  { source, validator }: { readonly source: PackSource; readonly validator: SchemaValidator },
  { statement, assessment }: PackReading,
  { judge, rules: standing }: { readonly judge: PackJudge | null; readonly rules: RulesStanding | null },
  { traced, demo }: { readonly traced: readonly TracedNode[] | null; readonly demo: boolean },
): Promise<readonly string[]> {
  if (!source.paths.includes(PATHS.trace) || statement === null || assessment === null || judge === null) return []
  const text = await textOf(source, PATHS.trace)
  const found = canonical(text)
  if (found === null || validator.problems('trace', found.value).length > 0)
    return [`${PATHS.trace} is not a trace in canonical form.`]
  if (traced === null) return [`${PATHS.trace} could not be derived again.`]
  const stated = found.value as RunTrace
  const { run, planned = null } = statement.predicate
  // What nodes share is taken as stated: compareWhole() holds it against what is derived.
  const derived = await judge.trace(traced, { run, planned, demo, shared: assessment.shared })
  const { engine, rules } = stated
  const compared = standing === 'same' ? derived : { ...derived, engine, rules, catalog: assessment.catalog }
  return new TextDecoder().decode(traceBytes(compared)) === text
    ? []
    : [`${PATHS.trace} is not the one that comes out of the evidence and the scope.`]
}
