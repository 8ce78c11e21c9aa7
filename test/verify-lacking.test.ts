import { describe, expect, test } from 'vitest'
import { type Asked, lackingIn } from '../main/core/verify/lacking.ts'
import {
  type AnswerOutcome,
  QUESTIONS,
  type Question,
  type VerificationReport,
  type VerifiedKind,
} from '../schemas/verification.ts'

const NOTHING: Asked = { signers: false, authorities: false, lastHead: false }
const SIGNERS: Asked = { ...NOTHING, signers: true }
const AUTHORITIES: Asked = { ...NOTHING, authorities: true }
const HEAD: Asked = { ...NOTHING, lastHead: true }

/** Of a reader who named nothing: no signer, no time and no history can be shown. */
const UNNAMED: Partial<Record<Question, AnswerOutcome>> = {
  'signed-by': 'not-shown',
  'existed-by': 'not-shown',
  'chain-continuous': 'not-shown',
}
const signer = (ended: boolean): VerificationReport['signer'] => ({
  subject: 'A',
  fingerprint: 'f',
  trusted: false,
  standing: 'unknown',
  ended,
})

describe('what a verification was to show and did not', () => {
  test('a copy whose rules are not known here lacks its results, though parts of it are withheld', () => {
    const answers = QUESTIONS.map((question) => ({ question, outcome: 'not-shown' as const, summary: '', details: [] }))
    const rules = { standing: 'unknown', version: '9.9.9', results: 106, unconfirmed: 64 } as const
    expect(lackingIn({ kind: 'disclosure', answers, rules, signer: null }, NOTHING)).toEqual(['intact', 'reproducible'])
  })

  test.each<[VerifiedKind, Partial<Record<Question, AnswerOutcome>>, Asked, boolean, readonly Question[]]>([
    ['pack', {}, { signers: true, authorities: true, lastHead: true }, false, []],
    ['pack', UNNAMED, NOTHING, false, []],
    ['pack', UNNAMED, SIGNERS, false, ['signed-by']],
    ['pack', UNNAMED, AUTHORITIES, false, ['existed-by']],
    ['pack', UNNAMED, HEAD, false, ['chain-continuous']],
    ['pack', UNNAMED, NOTHING, true, ['signed-by']],
    ['pack', {}, NOTHING, true, []],
    ['pack', { complete: 'not-shown' }, NOTHING, false, ['complete']],
    ['pack', { reproducible: 'not-shown' }, SIGNERS, false, ['reproducible']],
    ['pack', { intact: 'not-shown', reproducible: 'no' }, NOTHING, false, ['intact', 'reproducible']],
    ['period', { ...UNNAMED, reproducible: 'not-shown' }, NOTHING, false, ['reproducible']],
    ['excerpt', UNNAMED, NOTHING, false, []],
    ['disclosure', { ...UNNAMED, complete: 'not-shown', reproducible: 'not-shown' }, NOTHING, false, []],
    ['disclosure', { ...UNNAMED, intact: 'not-shown' }, NOTHING, false, ['intact']],
    ['report', { ...UNNAMED, complete: 'not-shown', reproducible: 'not-shown' }, NOTHING, false, []],
    ['report', { ...UNNAMED, complete: 'not-shown', reproducible: 'not-shown' }, SIGNERS, false, ['signed-by']],
    ['foreign-pdf', { intact: 'no' }, NOTHING, false, ['intact']],
  ])('%s with %j, asked %j, ended %s: %j', (kind, outcomes, asked, ended, expected) => {
    const answers = QUESTIONS.map((question) => ({
      question,
      outcome: outcomes[question] ?? ('yes' as const),
      summary: '',
      details: [],
    }))
    expect(lackingIn({ kind, answers, rules: null, signer: signer(ended) }, asked)).toEqual(expected)
  })
})
