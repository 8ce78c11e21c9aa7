import type { Question, VerificationReport, VerifiedKind } from '../../../schemas/verification.ts'

/** Trust inputs that the reader supplied; the corresponding checks must then pass. */
export interface Asked {
  /** Certificates of signers that they trust. */
  readonly signers: boolean
  /** Certificates of time-stamp authorities that they trust. */
  readonly authorities: boolean
  /** A run chain checkpoint that they kept. */
  readonly lastHead: boolean
}

/**
 * Checks that must pass for each kind of file. A report alone contains no evidence, and a redacted copy lacks part of it; there,
 * an indeterminate check is acceptable.
 */
const ALWAYS: Readonly<Record<VerifiedKind, readonly Question[]>> = {
  pack: ['intact', 'complete', 'reproducible'],
  period: ['intact', 'complete', 'reproducible'],
  excerpt: ['intact', 'complete', 'reproducible'],
  disclosure: ['intact'],
  report: ['intact'],
  'foreign-pdf': ['intact'],
}

/**
 * The checks that must pass and did not, in order. Unknown rules leave every result
 * indeterminate, in a redacted copy as well. A seal whose certificate has expired, without evidence of
 * when it was made, fails the signature check even where no certificate was supplied: a holder of the old key could have made it now.
 */
export function lackingIn(
  { kind, answers, rules, signer }: Pick<VerificationReport, 'kind' | 'answers' | 'rules' | 'signer'>,
  asked: Asked,
): readonly Question[] {
  const wanted = new Set<Question>([
    ...ALWAYS[kind],
    ...(rules?.standing === 'unknown' ? (['reproducible'] as const) : []),
    ...(asked.signers || signer?.ended === true ? (['signed-by'] as const) : []),
    ...(asked.authorities ? (['existed-by'] as const) : []),
    ...(asked.lastHead ? (['chain-continuous'] as const) : []),
  ])
  return answers
    .filter(({ question, outcome }) => wanted.has(question) && outcome !== 'yes')
    .map(({ question }) => question)
}
