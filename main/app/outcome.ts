import type { Assessment, Register } from '../../schemas/types.ts'
import { acceptancesOf } from '../core/register.ts'
import { NOTHING_SHARED, surplusNames } from '../core/same-machine.ts'

/** What an assessment means for whoever scheduled it. */
export interface AssessmentOutcome {
  /** At least one check is contradicted on at least one node, and nobody accepts that as of the assessment's moment. */
  readonly gaps: boolean
  /**
   * At least one declared node was not collected, or only in part, or is a machine that already counts under another name; or the provider
   * lists a machine that nobody accounts for.
   */
  readonly incomplete: boolean
}

export function outcomeOf(
  { nodes, asOf, coverage, shared = NOTHING_SHARED }: Assessment,
  { exceptions }: Register,
): AssessmentOutcome {
  const { inForce } = acceptancesOf(exceptions, asOf)
  return {
    gaps: nodes.some(({ node, findings }) =>
      findings.some(({ check, verdict }) => verdict === 'not-met' && inForce(node, check) === null),
    ),
    incomplete:
      nodes.length === 0 ||
      nodes.some(({ status }) => status !== 'complete') ||
      (coverage?.uncovered ?? 0) > 0 ||
      surplusNames(shared) > 0,
  }
}
