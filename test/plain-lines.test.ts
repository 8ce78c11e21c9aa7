import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plain, plainLines } from '../main/core/base/plain-text.ts'

/** Any characters, with those that break lines, hide or reverse text more often than by chance. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\n',
        '\r',
        '\r\n',
        '\t',
        '\u0085',
        '\u2028',
        '\u2029',
        '\u0000',
        '\u001b[31m',
        '\u202e',
        '\u200b',
      ),
      fc.constantFrom('\ud800', '\udc00', 'a', ' '),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

describe('what a person typed in several lines', () => {
  test.each([
    ['two\nlines', 'two\nlines'],
    ['from\r\nWindows\rand older\u2028and other\u0085editors', 'from\nWindows\nand older\nand other\neditors'],
    ['  \n around \n\n', 'around'],
    ['a\n\n\tb', 'a\n\n b'],
    ['a\u202eb\u0007', 'a\\u{202e}b\\u{7}'],
    ['', ''],
  ])('%j', (typed, shown) => expect(plainLines(typed, 100)).toBe(shown))
  test('of any characters: line feeds are the only ones that move, hide or reorder text, and a second time changes nothing', () => {
    fc.assert(
      fc.property(hostile, (typed) => {
        const shown = plainLines(typed, 1_000_000)
        for (const line of shown.split('\n')) expect(plain(line, line.length)).toBe(line)
        expect(plainLines(shown, 1_000_000)).toBe(shown)
      }),
    )
  })
  test('is cut to so many characters, before hidden ones are written out', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 0, max: 20 }), (typed, max) => {
        const whole = plainLines(typed, 1_000_000)
        const cut = plainLines(typed, max)
        expect(cut === whole || cut.endsWith('…')).toBe(true)
      }),
    )
  })
})
