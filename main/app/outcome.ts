import type { Assessment } from '../../schemas/types.ts'

/** What an assessment means for whoever scheduled it. */
export interface AssessmentOutcome {
  /** At least one check is contradicted on at least one node. */
  readonly gaps: boolean
  /** At least one declared node was not collected, or only in part. */
  readonly incomplete: boolean
}

export const outcomeOf = ({ nodes }: Assessment): AssessmentOutcome => ({
  gaps: nodes.some(({ findings }) => findings.some(({ verdict }) => verdict === 'not-met')),
  incomplete: nodes.length === 0 || nodes.some(({ status }) => status !== 'complete'),
})
