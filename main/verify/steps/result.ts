import type { NodeAssessment } from '../../../schemas/types.ts'
import type {
  CheckOutcome,
  Difference,
  VerificationCheck,
  VerificationCheckResult,
} from '../../../schemas/verification.ts'
import { type Verdict, verdictWords } from '../../../schemas/words.ts'
import { compare } from '../../core/recording/recording.ts'

/** The result of one verification check. */
export const checkResult = (
  check: VerificationCheck,
  outcome: CheckOutcome,
  summary: string,
  details: readonly string[] = [],
): VerificationCheckResult => ({ check, outcome, summary, details })

/** A verdict within a sentence. */
export const verdictText = (verdict: Verdict | null): string =>
  verdict === null ? 'none' : `“${verdictWords[verdict].label}”`

/** The verdicts of a node by check. */
export const verdictsOf = ({ results }: Pick<NodeAssessment, 'results'>): ReadonlyMap<string, Verdict> =>
  new Map(results.map(({ check, verdict }) => [check, verdict]))

/** The checks of a node whose stated and derived verdicts differ, in order. */
export const differencesOn = (
  node: string,
  stated: ReadonlyMap<string, Verdict>,
  derived: ReadonlyMap<string, Verdict>,
): readonly Difference[] =>
  [...new Set([...stated.keys(), ...derived.keys()])].sort(compare).flatMap((check) => {
    const [one, other] = [stated.get(check) ?? null, derived.get(check) ?? null]
    return one === other ? [] : [{ node, check, stated: one, derived: other }]
  })
