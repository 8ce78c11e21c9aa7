import { describe, expect, test } from 'vitest'
import { type Asked, lackingIn } from '../main/verify/steps/complete.ts'
import {
  type CheckOutcome,
  VERIFICATION_CHECKS,
  type VerificationCheck,
  type VerificationReport,
  type VerifiedKind,
} from '../schemas/verification.ts'

const NOTHING: Asked = { signers: false, authorities: false, checkpoint: false }
const SIGNERS: Asked = { ...NOTHING, signers: true }
const AUTHORITIES: Asked = { ...NOTHING, authorities: true }
const HEAD: Asked = { ...NOTHING, checkpoint: true }

/** Of a reader who named nothing: no signer, no time and no history can be shown. */
const UNNAMED: Partial<Record<VerificationCheck, CheckOutcome>> = {
  signature: 'indeterminate',
  time: 'indeterminate',
  continuity: 'indeterminate',
}

const signer = (ended: boolean): VerificationReport['signer'] => ({
  subject: 'A',
  fingerprint: 'f',
  trusted: false,
  trust: 'unknown',
  ended,
})

describe('what a verification was to show and did not', () => {
  test('a copy whose rules are not known here lacks its results, though parts of it are withheld', () => {
    const checks = VERIFICATION_CHECKS.map((check) => ({
      check,
      outcome: 'indeterminate' as const,
      summary: '',
      details: [],
    }))
    const rules = { status: 'unknown', version: '9.9.9', results: 106, unconfirmed: 64 } as const
    expect(lackingIn({ kind: 'disclosure', checks, rules, differences: [], signer: null }, NOTHING)).toEqual([
      'integrity',
      'reproducibility',
    ])
  })

  test('a copy whose results differ lacks them, though its rules are withheld', () => {
    const checks = VERIFICATION_CHECKS.map((check) => ({
      check,
      outcome: check === 'integrity' ? ('passed' as const) : ('indeterminate' as const),
      summary: '',
      details: [],
    }))
    const differences = [{ node: 'a', check: 'x', stated: 'satisfied', derived: 'not-satisfied' }] as const
    const copy = { kind: 'disclosure', checks, rules: null, signer: null } as const
    expect(lackingIn({ ...copy, differences: [] }, NOTHING)).toEqual([])
    expect(lackingIn({ ...copy, differences }, NOTHING)).toEqual(['reproducibility'])
  })

  test.each<
    [VerifiedKind, Partial<Record<VerificationCheck, CheckOutcome>>, Asked, boolean, readonly VerificationCheck[]]
  >([
    ['pack', {}, { signers: true, authorities: true, checkpoint: true }, false, []],
    ['pack', UNNAMED, NOTHING, false, []],
    ['pack', UNNAMED, SIGNERS, false, ['signature']],
    ['pack', UNNAMED, AUTHORITIES, false, ['time']],
    ['pack', UNNAMED, HEAD, false, ['continuity']],
    ['pack', UNNAMED, NOTHING, true, ['signature']],
    ['pack', {}, NOTHING, true, []],
    ['pack', { completeness: 'indeterminate' }, NOTHING, false, ['completeness']],
    ['pack', { reproducibility: 'indeterminate' }, SIGNERS, false, ['reproducibility']],
    [
      'pack',
      { integrity: 'indeterminate', reproducibility: 'failed' },
      NOTHING,
      false,
      ['integrity', 'reproducibility'],
    ],
    ['period', { ...UNNAMED, reproducibility: 'indeterminate' }, NOTHING, false, ['reproducibility']],
    ['excerpt', UNNAMED, NOTHING, false, []],
    ['disclosure', { ...UNNAMED, completeness: 'indeterminate', reproducibility: 'indeterminate' }, NOTHING, false, []],
    ['disclosure', { ...UNNAMED, integrity: 'indeterminate' }, NOTHING, false, ['integrity']],
    ['report', { ...UNNAMED, completeness: 'indeterminate', reproducibility: 'indeterminate' }, NOTHING, false, []],
    [
      'report',
      { ...UNNAMED, completeness: 'indeterminate', reproducibility: 'indeterminate' },
      SIGNERS,
      false,
      ['signature'],
    ],
    ['foreign-pdf', { integrity: 'failed' }, NOTHING, false, ['integrity']],
  ])('%s with %j, asked %j, ended %s: %j', (kind, outcomes, asked, ended, expected) => {
    const checks = VERIFICATION_CHECKS.map((check) => ({
      check,
      outcome: outcomes[check] ?? ('passed' as const),
      summary: '',
      details: [],
    }))
    expect(lackingIn({ kind, checks, rules: null, differences: [], signer: signer(ended) }, asked)).toEqual(expected)
  })
})
