import { describe, expect, test } from 'vitest'
import { markedLines } from '../main/core/recording/evidence-lines.ts'

const SWAPS =
  'Filename\t\t\tType\t\tSize\tUsed\tPriority\n/dev/dm-1\t\tpartition\t8388604\t0\t-2\n/swapfile\t\tfile\t\t64\t0\t-3\n'
const DMI = 'Manufacturer: Supermicro\nProduct Name: SYS-421GE-TNRT\nSerial Number: A411\nVersion: 0123\n'

describe('lines that hold what was read', () => {
  test.each([
    ['a value of a list of mappings', SWAPS, [{ path: '/dev/dm-1', size: 8388604 }], [1]],
    ['a number of two digits', SWAPS, { size: 64 }, [2]],
    ['a big whole number', SWAPS, { size: 8388604n }, [1]],
    ['values in a map and a set', SWAPS, new Map([['x', new Set(['/swapfile', 'partition'])]]), [1, 2]],
    ['several words in a row', DMI, { product: 'SYS-421GE-TNRT' }, [1]],
    ['each line of a long value', DMI, 'Supermicro\nA411', [0, 2]],
    ['a value that fills a line', 'enabled 2\nfailure 1\n', 'enabled 2', [0]],
  ])('%s', (_, text, fact, lines) => expect(markedLines(text, fact)).toEqual(lines))
  test.each([
    ['part of a word', SWAPS, { value: 'swapfil' }],
    ['part of a number', SWAPS, { size: 38860 }],
    ['part of a name with digits', DMI, { product: 'SYS-421G' }],
    ['short strings', SWAPS, ['dm', 'if']],
    ['one digit', SWAPS, { used: 0, priority: 2 }],
    ['names of fields', DMI, { Manufacturer: true, Product: null }],
    ['another case', DMI, 'supermicro'],
    ['no words at all', '--- ---\n', '---'],
    ['bytes', 'uint8array 65 66', new Uint8Array([65, 66])],
    ['nothing', SWAPS, undefined],
    ['an empty text', '', { value: 'partition' }],
  ])('not %s', (_, text, fact) => expect(markedLines(text, fact)).toEqual([]))
  test('each line once, in order, whatever the line ends are', () => {
    expect(markedLines('sda sda\r\nsdb\r\nsda', { a: 'sda', b: 'sda' })).toEqual([0, 2])
  })
})

describe('whatever a node answers', () => {
  /** The square of what these hold is beyond the limit of a test. */
  const soon = markedLines
  const many = Array.from({ length: 3000 }, (_, at) => `value-${at}`)
  test('a line of 50 MB', () => {
    // Through a buffer: a repeated string is only put together when it is first read.
    const line = (part: string): string => Buffer.alloc(50 * 1024 * 1024, part).toString('latin1')
    const long = line('A')
    expect(soon(long, ['AAA', long])).toEqual([])
    expect(soon(line('a '), ['a a a'])).toEqual([0])
  })
  test('a piece of 1 MiB and more values than are looked for', () => {
    expect(soon('value-1 value-2\n'.repeat(65_536), many)).toHaveLength(65_536)
    expect(soon('nothing of it '.repeat(74_898), many)).toEqual([])
  })
  test('a text made to be slow', () => {
    const values = Array.from({ length: 2000 }, (_, at) => `aaaa ${'.'.repeat(at % 300)}${at}`.slice(0, 399))
    soon('aaaa '.repeat(209_715), values)
    soon('a\n'.repeat(524_288), values)
  })
  test('a fact without end', () => {
    const round: { self?: unknown; name: string } = { name: 'round' }
    round.self = round
    expect(soon('a round thing', round)).toEqual([0])
    soon(
      'x',
      Array.from({ length: 300_000 }, (_, at) => at),
    )
  })
  test('random bytes never throw, and lines are lines of the text', () => {
    let seed = 7
    const next = (most: number): number => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31
      return seed % most
    }
    const LETTERS = [
      'a',
      'b',
      '1',
      '2',
      '\n',
      '\r',
      ' ',
      '.',
      '*',
      '(',
      '\\',
      '\u0000',
      '\u202e',
      '\ud800',
      '\ufffd',
      'é',
    ]
    const text = (): string => Array.from({ length: next(60) }, () => LETTERS[next(LETTERS.length)]).join('')
    for (let round = 0; round < 2000; round += 1) {
      const given = text()
      const marked = markedLines(given, [text(), { x: next(1000), y: [text()] }, null, Number.NaN])
      const count = given.split('\n').length
      expect(marked.every((line, at) => line >= 0 && line < count && (at === 0 || line > (marked[at - 1] ?? 0)))).toBe(
        true,
      )
    }
  })
})
