import type { Question, VerificationReport, VerifiedKind } from '../../../schemas/verification.ts'

/** What the reader named, and so wants an answer to. */
export interface Asked {
  /** Certificates of signers that they trust. */
  readonly signers: boolean
  /** Certificates of time-stamp authorities that they believe. */
  readonly authorities: boolean
  /** The head of a chain of runs that they kept. */
  readonly lastHead: boolean
}

/**
 * What every verification of a kind has to show. A report alone holds no evidence, and a copy with parts withheld lacks some of it: there,
 * what cannot be shown is no lack.
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
 * The questions that were to be answered with yes and were not, in their order. Rules that the reader does not have leave every result
 * open, in a copy with parts withheld too. A seal whose certificate has ended, with nothing that shows
 * when it was made, lacks an answer about its signer even where no certificate was named: whoever holds the old key could have made it now.
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
