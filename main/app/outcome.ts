import type { Assessment, Register } from '../../schemas/types.ts'
import { acceptancesOf } from '../core/register.ts'
import { NOTHING_SHARED, surplusNames } from '../core/same-machine.ts'

/** Outcome of an assessment for the scheduler. */
export interface AssessmentOutcome {
  /** A check is not satisfied on one or more nodes, without a risk acceptance in effect at the evaluation date. */
  readonly gaps: boolean
  /**
   * A declared node was not collected, or only partially, or is a machine that already counts under another name; or
   * the provider inventory has an unreconciled asset.
   */
  readonly incomplete: boolean
}

export function outcomeOf(
  { nodes, asOf, reconciliation, shared = NOTHING_SHARED }: Assessment,
  { riskAcceptances }: Register,
): AssessmentOutcome {
  const { inForce } = acceptancesOf(riskAcceptances, asOf)
  return {
    gaps: nodes.some(({ node, results }) =>
      results.some(({ check, verdict }) => verdict === 'not-satisfied' && inForce(node, check) === null),
    ),
    incomplete:
      nodes.length === 0 ||
      nodes.some(({ status }) => status !== 'complete') ||
      (reconciliation?.unreconciled ?? 0) > 0 ||
      surplusNames(shared) > 0,
  }
}
