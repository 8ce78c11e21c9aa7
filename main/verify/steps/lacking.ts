import type { VerificationCheck, VerificationReport, VerifiedKind } from '../../../schemas/verification.ts'

/** Trust inputs that the reader supplied; the corresponding checks must then pass. */
export interface Asked {
  /** Certificates of signers that they trust. */
  readonly signers: boolean
  /** Certificates of time-stamp authorities that they trust. */
  readonly authorities: boolean
  /** A run chain checkpoint that they kept. */
  readonly checkpoint: boolean
}

/**
 * Checks that must pass for each kind of file. A report alone contains no evidence, and a redacted copy lacks part of it; there,
 * an indeterminate check is acceptable.
 */
const ALWAYS: Readonly<Record<VerifiedKind, readonly VerificationCheck[]>> = {
  pack: ['integrity', 'completeness', 'reproducibility'],
  period: ['integrity', 'completeness', 'reproducibility'],
  excerpt: ['integrity', 'completeness', 'reproducibility'],
  disclosure: ['integrity'],
  report: ['integrity'],
  'foreign-pdf': ['integrity'],
}

/**
 * The checks that must pass and did not, in order. Unknown rules leave every result
 * indeterminate, in a redacted copy as well. A seal whose certificate has expired, without evidence of
 * when it was made, fails the signature check even where no certificate was supplied: a holder of the old key could have made it now.
 */
export function lackingIn(
  { kind, checks, rules, signer }: Pick<VerificationReport, 'kind' | 'checks' | 'rules' | 'signer'>,
  asked: Asked,
): readonly VerificationCheck[] {
  const wanted = new Set<VerificationCheck>([
    ...ALWAYS[kind],
    ...(rules?.status === 'unknown' ? (['reproducibility'] as const) : []),
    ...(asked.signers || signer?.ended === true ? (['signature'] as const) : []),
    ...(asked.authorities ? (['time'] as const) : []),
    ...(asked.checkpoint ? (['continuity'] as const) : []),
  ])
  return checks.filter(({ check, outcome }) => wanted.has(check) && outcome !== 'passed').map(({ check }) => check)
}
