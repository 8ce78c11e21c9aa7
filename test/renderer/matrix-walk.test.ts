import { expect, test } from 'vitest'
import { placeAfter, slotsAfter, visibleRows } from '../../renderer/models/matrix-walk.ts'

/** 300 rows of 13 places, of which the third has two. */
const EXTENT = { rows: 300, page: 10, stopsIn: (row: number) => (row === 2 ? 2 : 13) }

test.each([
  ['ArrowRight', false, [0, 0], [0, 1]],
  ['ArrowRight', false, [0, 12], [0, 12]],
  ['ArrowLeft', false, [0, 0], [0, 0]],
  ['ArrowUp', false, [0, 4], [-1, 4]],
  ['ArrowUp', false, [-1, 4], [-1, 4]],
  ['ArrowDown', false, [299, 4], [299, 4]],
  ['Home', false, [7, 5], [7, 0]],
  ['End', false, [7, 5], [7, 12]],
  ['Home', true, [7, 5], [0, 0]],
  ['End', true, [7, 5], [299, 12]],
  ['PageDown', false, [295, 5], [299, 5]],
  ['PageUp', false, [-1, 5], [0, 5]],
] as const)('%s (Control: %s) leads from %j to %j', (key, isControl, [row, column], [toRow, toColumn]) => {
  expect(placeAfter(key, isControl, { row, column }, EXTENT)).toEqual({ row: toRow, column: toColumn })
})

test('a row with fewer places keeps the column for the next one', () => {
  const short = placeAfter('ArrowDown', false, { row: 1, column: 8 }, EXTENT)
  expect(short).toEqual({ row: 2, column: 8 })
  expect(placeAfter('ArrowDown', false, short ?? { row: 0, column: 0 }, EXTENT)).toEqual({ row: 3, column: 8 })
  expect(placeAfter('ArrowLeft', false, short ?? { row: 0, column: 0 }, EXTENT)).toEqual({ row: 2, column: 0 })
})

test('other keys move nothing', () => {
  for (const key of ['a', 'Enter', 'Escape', 'Tab'])
    expect(placeAfter(key, false, { row: 0, column: 0 }, EXTENT)).toBeNull()
  expect(placeAfter('ArrowDown', true, { row: 0, column: 0 }, EXTENT)).toBeNull()
})

test('without rows there is the heading alone', () => {
  const none = { ...EXTENT, rows: 0 }
  for (const key of ['ArrowDown', 'PageDown', 'End'])
    expect(placeAfter(key, false, { row: -1, column: 0 }, none)?.row).toBe(-1)
})

test('rows in sight are drawn with some beside, and the one with the focus wherever it is', () => {
  expect(visibleRows({ first: 0, sight: 10, rows: 300, kept: 0 })).toEqual(Array.from({ length: 20 }, (_, at) => at))
  const far = visibleRows({ first: 100, sight: 10, rows: 300, kept: 0 })
  expect(far[0]).toBe(0)
  expect(far.slice(1)).toEqual(Array.from({ length: 26 }, (_, at) => 94 + at))
  expect(visibleRows({ first: 296, sight: 10, rows: 300, kept: 299 }).at(-1)).toBe(299)
  expect(visibleRows({ first: 0, sight: 4, rows: 4, kept: 3 })).toEqual([0, 1, 2, 3])
  // A list that became shorter while it was scrolled down.
  expect(visibleRows({ first: 200, sight: 10, rows: 3, kept: 0 })).toEqual([0])
  expect(visibleRows({ first: 0, sight: 10, rows: 0, kept: -1 })).toEqual([])
})

test('a row that comes into sight takes the element of one that left it; the others keep theirs', () => {
  const before = slotsAfter(new Map(), [0, 1, 2, 3])
  expect([...before.values()]).toEqual([0, 1, 2, 3])
  const after = slotsAfter(before, [0, 3, 4, 5])
  expect([...after]).toEqual([
    [0, 0],
    [3, 3],
    [4, 1],
    [5, 2],
  ])
  expect(slotsAfter(after, [0, 3, 4, 5])).toEqual(after)
})
