import { describe, expect, test } from 'vitest'
import {
  CLAIM_WORDS,
  countsOfClaim,
  requiredDocuments,
  worstFirst,
  worstOf,
} from '../../renderer/models/claims-model.ts'
import { coverageWords } from '../../schemas/engagement-words.ts'
import type { ClaimRow, ClaimWord } from '../../schemas/ipc-engagement.ts'
import { BANNED, claimAnswerWords } from '../../schemas/words.ts'

const NONE = {
  corroborated: 0,
  contradicted: 0,
  inconclusive: 0,
  'not-observable': 0,
  'document-required': 0,
  'not-applicable': 0,
}

const claim = (
  id: string,
  counts: Partial<Record<ClaimWord, number>>,
  documentRequired: string | null = null,
): ClaimRow => ({
  id,
  text: `${id} is so.`,
  source: null,
  tests: [],
  why: null,
  documentRequired,
  nodes: Object.values(counts).reduce((sum, count) => sum + count, 0),
  counts: { ...NONE, ...counts },
})

describe('promises', () => {
  test('are listed with contradicted ones first, those without results last', () => {
    const claims = [
      claim('asked-nobody', {}),
      claim('seen', { corroborated: 3 }),
      claim('broken-once', { corroborated: 2, contradicted: 1 }),
      claim('record', { 'document-required': 3 }),
      claim('open', { corroborated: 2, inconclusive: 1 }),
      claim('seen-too', { corroborated: 1 }),
    ]
    expect(worstFirst(claims).map(({ id }) => id)).toEqual([
      'broken-once',
      'open',
      'record',
      'seen',
      'seen-too',
      'asked-nobody',
    ])
    expect(worstOf(claim('x', {}))).toBeNull()
  })

  test('are answered in counts with their denominator, by word', () =>
    expect(countsOfClaim(claim('x', { corroborated: 2, contradicted: 1 }))).toEqual([
      { word: 'contradicted', text: 'Contradicted on 1 of 3 nodes' },
      { word: 'corroborated', text: 'Corroborated on 2 of 3 nodes' },
    ]))

  test('name each record once, with all that it would show', () =>
    expect(
      requiredDocuments({ claims: [claim('a', {}, 'The contract'), claim('b', {}), claim('c', {}, 'The contract')] }),
    ).toEqual([{ what: 'The contract', claims: ['a is so.', 'c is so.'] }]))
})

test('every result has its own shape and label, and no label over-claims', () => {
  expect(new Set(CLAIM_WORDS.map((word) => claimAnswerWords[word].mark)).size).toBe(CLAIM_WORDS.length)
  for (const { label, meaning } of [...Object.values(claimAnswerWords), ...Object.values(coverageWords)]) {
    expect(meaning).toMatch(/\.$/)
    for (const banned of BANNED) expect(`${label}. ${meaning}`).not.toMatch(banned)
  }
})
