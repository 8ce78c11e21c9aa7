import type { CheckOutcome, VerificationCheck, VerificationCheckResult } from '../../../schemas/verification.ts'

/** The result of one verification check. */
export const checkResult = (
  check: VerificationCheck,
  outcome: CheckOutcome,
  summary: string,
  details: readonly string[] = [],
): VerificationCheckResult => ({ check, outcome, summary, details })
