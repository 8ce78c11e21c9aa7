import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupFinder } from '../main/core/collector/literals.ts'
import { RULES } from '../main/core/collector/redact-rules.ts'

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const oneByOne = (groups: readonly (readonly string[])[], text: string): readonly number[] => {
  const lower = text.toLowerCase()
  return groups.map((literals) => (literals.some((literal) => lower.includes(literal.toLowerCase())) ? 1 : 0))
}
const found = (groups: readonly (readonly string[])[], text: string): readonly number[] => [
  ...groupFinder(groups)(text),
]

describe('literals of groups', () => {
  test('are found as when each is looked for by itself, over few characters so that they overlap', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '-', 'c'), maxLength: 6 })
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 5 }), { maxLength: 6 }), word, word, (groups, one, other) => {
        const text = `${one}${groups.flat().join(other)}${other}`
        expect(found(groups, text)).toEqual(oneByOne(groups, text))
        expect(found(groups, one)).toEqual(oneByOne(groups, one))
      }),
    )
  })

  test('are found in any bytes, for the rules of masking', () => {
    const groups = RULES.map(({ needs }) => needs)
    const finder = groupFinder(groups)
    const piece = fc.oneof(fc.uint8Array({ maxLength: 8 }).map(latin1), fc.constantFrom(...groups.flat()))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.boolean(), (pieces, isLarge) => {
        const text = isLarge
          ? pieces
              .join('')
              .toUpperCase()
              .replace(/[^\0-\xff]/g, '')
          : pieces.join('')
        expect([...finder(text)]).toEqual(oneByOne(groups, text))
      }),
    )
  })

  test.each([
    ['one that ends another', [['private key'], ['key'], ['e']], 'a PRIVATE KEY', [1, 1, 1]],
    ['one inside a longer one that does not come', [['abcd'], ['bc']], 'abce', [0, 1]],
    ['letters outside ASCII as they are', [['\u00e9']], '\u00c9', [0]],
    ['an empty one', [[''], []], '', [1, 0]],
  ] as const)('%s', (_, groups, text, expected) => {
    expect(found(groups, text)).toEqual(expected)
  })

  test('outside of Latin-1 are refused', () => {
    expect(() => groupFinder([['\u0100']])).toThrow('Latin-1')
  })
})
