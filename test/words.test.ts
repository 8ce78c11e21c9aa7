import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  DOCUMENT_STATES,
  documentStateWords,
  ROW_STATES,
  rowStateWords,
  SERVER_STATES,
  serverStateWords,
} from '../schemas/conclusion-words.ts'
import { FAILURE_CODES, failureWords } from '../schemas/failure-words.ts'
import { BANNED, durationWords, VERDICTS, verdictWords } from '../schemas/words.ts'

const schemas = new URL('../schemas/', import.meta.url)
const spoken = readdirSync(schemas)
  .filter((name) => /words\.ts$/.test(name))
  .map((name) => [name, readFileSync(new URL(name, schemas), 'utf8').split('export const BANNED')[0] ?? ''] as const)

describe('words', () => {
  test.each(spoken)('no text over-claims: %s', (_, text) => {
    for (const banned of BANNED) expect(text.replaceAll(/^ *(\/\*\*| \*|\/\/).*$/gm, '')).not.toMatch(banned)
  })

  test('all of it is looked at, failures too', () => {
    const names = spoken.map(([name]) => name)
    expect(names).toEqual(expect.arrayContaining(['words.ts', 'failure-words.ts', 'engagement-words.ts']))
    for (const { title } of Object.values(failureWords))
      expect(spoken.some(([, text]) => text.includes(title))).toBe(true)
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
    for (const state of ROW_STATES) expect(rowStateWords[state].meaning).toMatch(/\.$/)
    for (const state of SERVER_STATES) expect(serverStateWords[state].meaning).toMatch(/\.$/)
    for (const state of DOCUMENT_STATES) expect(documentStateWords[state].meaning).toMatch(/\.$/)
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

test.each([
  [0, '0 minutes'],
  [1, '1 minute'],
  [59, '59 minutes'],
  [60, '1 hour'],
  [61, '1 hour and 1 minute'],
  [4470, '74 hours and 30 minutes'],
])('%d minutes as people state them', (minutes, words) => expect(durationWords(minutes)).toBe(words))
