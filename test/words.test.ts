import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FAILURE_CODES, failureWords } from '../schemas/failure-words.ts'
import { BANNED, CONTROL_STATES, controlStateWords, VERDICTS, verdictWords } from '../schemas/words.ts'

const spoken =
  readFileSync(new URL('../schemas/words.ts', import.meta.url), 'utf8').split('export const BANNED')[0] ?? ''

describe('words', () => {
  test('nothing we say over-claims', () => {
    for (const banned of BANNED) expect(spoken.replaceAll(/^ *(\/\*\*| \*|\/\/).*$/gm, '')).not.toMatch(banned)
  })

  test.each([
    'This node is compliant',
    'certified',
    'It proves that',
    'fully encrypted',
    'score: 9',
    '100 % of nodes',
    'guaranteed',
    'nodes are secure',
  ])('the lint catches “%s”', (text) => {
    expect(BANNED.some((banned) => banned.test(text))).toBe(true)
  })

  test('every verdict, state and failure has plain words', () => {
    for (const verdict of VERDICTS) expect(verdictWords[verdict].label).not.toBe('')
    for (const state of CONTROL_STATES) expect(controlStateWords[state].meaning).toMatch(/\.$/)
    for (const code of FAILURE_CODES) {
      const { title, meaning, next } = failureWords[code]
      expect(title).not.toMatch(/\.$/)
      expect(meaning).toMatch(/\.$/)
      expect(next).toMatch(/\.$/)
    }
  })

  test('no two verdicts share a mark', () => {
    expect(new Set(VERDICTS.map((verdict) => verdictWords[verdict].mark)).size).toBe(VERDICTS.length)
  })
})
