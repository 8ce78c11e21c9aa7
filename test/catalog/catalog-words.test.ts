import { describe, expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { BANNED } from '../../schemas/words.ts'
import { checks, fixtures, probes } from '../support/evaluated.ts'

describe('the words', () => {
  const banned = (texts: readonly string[]): readonly string[] =>
    texts.filter((text) => BANNED.some((word) => word.test(text)))
  // Words of the node stand in quotation marks and are its own.
  const ours = (text: string): string => text.replace(/“[^”]*”/g, '')

  test('probes and checks do not over-claim', () => {
    expect(banned(probes.flatMap(({ id, title, why }) => [id, title, why]))).toEqual([])
    expect(banned(checks.flatMap(({ id, expected, limitations }) => [id, expected, limitations]))).toEqual([])
  })

  test('reasons do not over-claim', () => {
    const texts = fixtures.flatMap(({ conclusions }) =>
      [...conclusions.values()].flatMap(({ observations }) => observations.map(({ text }) => ours(text))),
    )
    expect(banned([...new Set(texts)])).toEqual([])
  })

  test('mappings do not over-claim', () => {
    const texts = catalog.frameworks.flatMap(({ controls }) =>
      controls.flatMap((control) => [control.notCovered, ...control.mappings.map(({ shows }) => shows)]),
    )
    expect(banned([...new Set(texts)])).toEqual([])
  })
})
