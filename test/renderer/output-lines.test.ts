import { describe, expect, test } from 'vitest'
import {
  byLineOf,
  linesOf,
  MOST_MATCHES,
  matchesOf,
  openedFor,
  openedFurther,
  piecesOf,
  rowAt,
  rowsOf,
  scrollTo,
  sliceOf,
} from '../../renderer/models/output-lines.ts'

describe('lines', () => {
  test.each([
    ['', []],
    ['one', ['one']],
    ['one\n', ['one']],
    ['one\n\n', ['one', '']],
    ['\n', ['']],
    ['a\u001b[31m\rb\nc\u202e', ['a⟦ESC⟧[31m⟦CR⟧b', 'c⟦U+202E⟧']],
    ['a\u2028b\nc', ['a⟦U+2028⟧b', 'c']],
  ])('%j', (text, lines) => expect(linesOf(text)).toEqual(lines))
})

describe('rows', () => {
  test('a short line is one row, and so is an empty one', () =>
    expect(rowsOf(['ab', '', 'c'], 80)).toEqual([
      { line: 0, from: 0, to: 2, hidden: 0 },
      { line: 1, from: 0, to: 0, hidden: 0 },
      { line: 2, from: 0, to: 1, hidden: 0 },
    ]))
  test('a line wider than the view goes on in the next row', () =>
    expect(rowsOf(['0123456789abcdef01'], 8)).toEqual([
      { line: 0, from: 0, to: 8, hidden: 0 },
      { line: 0, from: 8, to: 16, hidden: 0 },
      { line: 0, from: 16, to: 18, hidden: 0 },
    ]))
  test('a long line is cut at 4,000 characters and reports how many are not shown', () =>
    expect(rowsOf(['x'.repeat(10_000)], 100_000)).toEqual([{ line: 0, from: 0, to: 4000, hidden: 6000 }]))
  test('opened further, it goes on in rows that are no longer than that', () =>
    expect(rowsOf(['x'.repeat(10_000)], 100_000, new Map([[0, 8000]]))).toEqual([
      { line: 0, from: 0, to: 4000, hidden: 0 },
      { line: 0, from: 4000, to: 8000, hidden: 2000 },
    ]))
  test('a surrogate pair is not cut in two', () => {
    const text = `1234567😀9`
    expect(rowsOf([text], 8).map(({ from, to }) => text.slice(from, to))).toEqual(['1234567', '😀9'])
  })
  test('200,000 lines, and one line of 1 MiB, are cut into rows', () => {
    const many = linesOf('ab\u0000\n'.repeat(200_000))
    expect(rowsOf(many, 120).length).toBe(200_000)
    expect(matchesOf(many, 'NUL').length).toBe(MOST_MATCHES)
    const one = linesOf('A'.repeat(1024 * 1024))
    expect(rowsOf(one, 120, new Map([[0, 1024 * 1024]])).length).toBe(8739)
  })
  test('showing more of a line shows twice as much, and never more than there is', () => {
    expect(openedFurther(4000, 1_048_576)).toBe(8000)
    expect(openedFurther(8000, 9000)).toBe(9000)
    expect(openedFor(5000, 4000, 1_048_576)).toBe(8000)
    expect(openedFor(3000, 4000, 1_048_576)).toBeNull()
    expect(openedFor(8500, 4000, 8600)).toBe(8600)
  })
})

describe('find', () => {
  test('upper and lower case alike, and no character is special', () =>
    expect(matchesOf(['PermitRootLogin no', 'a.b a+b'], 'permitroot')).toEqual([{ line: 0, from: 0, to: 10 }]))
  test.each(['.', '[', '(', '\\', '*', '$^', '{1,2}', '-', '/', '|'])('%j means itself', (wanted) =>
    expect(matchesOf(['aaa', `x${wanted}y`], wanted)).toEqual([{ line: 1, from: 1, to: 1 + wanted.length }]),
  )
  test('nothing wanted, nothing found', () => expect(matchesOf(['abc'], '')).toEqual([]))
  test('a row is cut at its matches, also at one that began in the row before', () => {
    const text = 'xxnoxxnono'
    const matches = matchesOf([text], 'no')
    const row = { line: 0, from: 3, to: 9, hidden: 0 }
    expect(piecesOf(text, row, matches, matches[1])).toEqual([
      { text: 'o', is: 'match' },
      { text: 'xx', is: 'plain' },
      { text: 'no', is: 'current' },
      { text: 'n', is: 'match' },
    ])
  })
  test('matches are gathered by their line', () =>
    expect([...byLineOf(matchesOf(['no no', 'yes', 'no'], 'no'))].map(([line, own]) => [line, own.length])).toEqual([
      [0, 2],
      [2, 1],
    ]))
  test('the row of a match is found', () => {
    const rows = rowsOf(['x'.repeat(20), 'y', 'z'.repeat(9)], 8)
    expect(rowAt(rows, 0, 0)).toBe(0)
    expect(rowAt(rows, 0, 17)).toBe(2)
    expect(rowAt(rows, 1, 0)).toBe(3)
    expect(rowAt(rows, 2, 8)).toBe(5)
  })
})

describe('scrolling', () => {
  test('shows the rows in view', () =>
    expect(sliceOf(1000, 20, 400, 200)).toEqual({ first: 20, count: 11, top: 400, height: 20_000 }))
  test('the end of the list is its last row', () => {
    const { first, count } = sliceOf(1000, 20, 20_000 - 200, 200)
    expect(first + count).toBe(1000)
  })
  test('a list taller than a browser can lay out reaches its last row, too', () => {
    const end = sliceOf(1_000_000, 20, 6_000_000 - 200, 200)
    expect(end.first + end.count).toBe(1_000_000)
    expect(end.height).toBe(6_000_000)
    expect(sliceOf(1_000_000, 20, 0, 200).first).toBe(0)
  })
  test.each([1000, 1_000_000])('a row that is scrolled to is in view, of %d', (rows) => {
    for (const row of [0, 7, rows / 2, rows - 1]) {
      const { first, count } = sliceOf(rows, 20, scrollTo(row, rows, 20, 200), 200)
      expect(row).toBeGreaterThanOrEqual(first)
      expect(row).toBeLessThan(first + count)
    }
  })
})
