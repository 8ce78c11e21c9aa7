import { describe, expect, test } from 'vitest'
import { outcomeWord, verificationAnswers, verificationHeadline } from '../main/present/verification-headline.ts'
import {
  type CheckOutcome,
  type ReaderInput,
  VERIFICATION_CHECKS,
  type VerificationCheck,
  type VerificationCheckResult,
  type VerificationReport,
  type VerifiedKind,
  verificationCheckWords,
} from '../schemas/verification.ts'

type Given = CheckOutcome | ReaderInput

const result = (check: VerificationCheck, given: Given = 'passed'): VerificationCheckResult => {
  const stated = { check, summary: '', details: [] }
  return given === 'passed' || given === 'failed' || given === 'indeterminate'
    ? { ...stated, outcome: given }
    : { ...stated, outcome: 'indeterminate', needs: given }
}

/** A report whose checks pass but for the given ones; an input stands for an indeterminate check that needs it. */
const report = (
  given: Partial<Record<VerificationCheck, Given>>,
  kind: VerifiedKind = 'pack',
  demo = false,
): VerificationReport => ({
  schema: 'barewitness.verification/2',
  file: 'a.zip',
  kind,
  verifiedAt: '2026-06-02T08:00:00Z',
  ok: !Object.values(given).includes('failed'),
  demo,
  rules: null,
  checks: VERIFICATION_CHECKS.map((check) => result(check, given[check])),
  differences: [],
  signer: null,
})

describe('the headline of a verification', () => {
  test('names the demo key only where demo data is sealed with one', () => {
    const textOf = (signature: Given): string => verificationHeadline(report({ signature }, 'pack', true)).text
    expect(textOf('indeterminate')).toContain('The demo key cannot be trusted.')
    expect(textOf('passed')).not.toContain('demo key')
    expect(textOf('signer')).not.toContain('demo key')
  })

  test.each([
    [
      'altered wins over everything',
      report({ integrity: 'failed', completeness: 'indeterminate' }, 'pack', true),
      'Verification failed: contents altered',
      'failed',
    ],
    [
      'another failure',
      report({ reproducibility: 'failed' }),
      `Verification failed: ${verificationCheckWords.reproducibility.label}`,
      'failed',
    ],
    ['demo data', report({ signature: 'indeterminate' }, 'pack', true), 'Demo data: not evidence', 'open'],
    ['the signer open', report({ signature: 'signer' }), 'Contents verified. Signer not yet confirmed', 'open'],
    [
      'the signer open, and contents not derived again',
      report({ signature: 'signer', reproducibility: 'indeterminate' }),
      'No check failed. Signer not yet confirmed',
      'open',
    ],
    [
      'a confirmed signer whose certificate expired',
      report({ signature: 'indeterminate' }),
      'No check failed; 1 of 6 indeterminate',
      'open',
    ],
    ['another open', report({ time: 'indeterminate' }), 'No check failed; 1 of 6 indeterminate', 'open'],
    ['all passed', report({}), 'All six checks passed', 'passed'],
    ['not ours', report({ integrity: 'failed' }, 'foreign-pdf'), 'Not a Barewitness file', 'open'],
  ])('%s', (_, given, word, tone) => expect(verificationHeadline(given)).toMatchObject({ word, tone }))

  test('calls nothing altered in an archive that another program packed, unless another check failed', () => {
    const repackedOf = (given: Parameters<typeof report>[0]): VerificationReport => {
      const made = report({ integrity: 'failed', ...given })
      const checks = made.checks.map((one) =>
        one.check === 'integrity' ? { ...one, isOnlyRepacked: true as const } : one,
      )
      return { ...made, checks }
    }
    const [alone, more] = [repackedOf({ signature: 'signer' }), repackedOf({ completeness: 'failed' })]
    expect(verificationHeadline(alone)).toMatchObject({
      tone: 'failed',
      word: 'Verification failed: packed by another program',
    })
    expect(verificationHeadline(more).word).not.toContain('altered')
    expect(outcomeWord('pack', alone.checks[0] ?? result('integrity'))).toBe('Repacked')
  })

  test.each([
    [
      report({ signature: 'signer', time: 'authority', continuity: 'checkpoint' }),
      '3 of 6 checks passed, 3 need your input.',
    ],
    [
      report({ signature: 'signer', time: 'indeterminate' }),
      '4 of 6 checks passed, 1 needs your input, 1 is indeterminate.',
    ],
    [
      report({ completeness: 'failed', time: 'indeterminate', continuity: 'indeterminate' }),
      '3 of 6 checks passed, 1 failed, 2 are indeterminate. Do not rely on what they name.',
    ],
  ])('counts every check once, %#', (given, text) => expect(verificationHeadline(given).text).toBe(text))
})

describe('the checks in words', () => {
  test('only a file written by Barewitness is called altered', () => {
    expect(outcomeWord('pack', result('integrity', 'failed'))).toBe('Altered')
    expect(outcomeWord('foreign-pdf', result('integrity', 'failed'))).toBe('Unknown format')
    expect(outcomeWord('pack', result('completeness', 'failed'))).toBe('Failed')
    expect(outcomeWord('pack', result('integrity', 'indeterminate'))).toBe('Indeterminate')
  })

  test('input is asked for, with a next step, only where the reader can supply it', () => {
    const answers = verificationAnswers(
      report({ signature: 'signer', time: 'indeterminate', continuity: 'checkpoint' }),
    )
    expect(answers.map(({ check, word, step }) => [check, word, step !== null])).toEqual([
      ['integrity', 'Passed', false],
      ['signature', 'Needs input', true],
      ['time', 'Indeterminate', false],
      ['completeness', 'Passed', false],
      ['reproducibility', 'Passed', false],
      ['continuity', 'Needs input', true],
    ])
  })
})
