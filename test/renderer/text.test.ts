import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bytes,
  day,
  plural,
  sentence,
  shellLine,
  unbroken,
  visible,
  when,
  withDates,
} from '../../renderer/models/text.ts'

describe('visible', () => {
  test.each([
    ['plain\ttext\n', 'plain\ttext\n'],
    ['\u001b[31m', '⟦ESC⟧[31m'],
    ['a\rb', 'a⟦CR⟧b'],
    ['\u0000\u007f\u009b', '⟦NUL⟧⟦DEL⟧⟦U+009B⟧'],
    ['\u202egnp.exe', '⟦U+202E⟧gnp.exe'],
    ['\u200b\ufeff\u2028', '⟦U+200B⟧⟦U+FEFF⟧⟦U+2028⟧'],
  ])('%j', (text, shown) => expect(visible(text)).toBe(shown))
  test('leaves nothing that moves, hides or reorders text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    fc.assert(
      fc.property(text, (any) => {
        expect(visible(any)).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/,
        )
      }),
    )
  })
})

test.each([
  ['the file changed while it was read; open it again', 'The file changed while it was read; open it again.'],
  ['gpu-01 is reached through jump-1', 'gpu-01 is reached through jump-1.'],
  ['servers.txt: this file is no text.', 'servers.txt: this file is no text.'],
])('%s, as a sentence', (reason, text) => expect(sentence(reason)).toBe(text))

test('a moment reads the same everywhere', () => {
  expect(when('2026-05-14T09:12:33.000Z')).toBe('14 May 2026 09:12 UTC')
  expect(when(null)).toBe('not recorded')
  expect(when('soon')).toBe('not recorded')
})

test.each([
  ['2026-05-14T09:12:33.000Z', 330, '14 May 2026 09:12 UTC (14:42 local)'],
  ['2026-05-14T20:12:33.000Z', 330, '14 May 2026 20:12 UTC (15 May 2026 01:42 local)'],
  ['2026-01-01T02:00:00.000Z', -300, '1 Jan 2026 02:00 UTC (31 Dec 2025 21:00 local)'],
  ['2026-05-14T09:12:33.000Z', 0, '14 May 2026 09:12 UTC'],
  ['2026-05-14T99:99:33.000Z', 330, '14 May 2026 99:99 UTC'],
])('%s, %d minutes ahead of UTC, is %s', (instant, minutes, text) => {
  expect(when(instant, () => minutes)).toBe(text)
})

test('moments inside a sentence read the same', () => {
  expect(withDates('valid from 2026-11-20T09:10:00.000Z to 2028-11-19T09:10:00Z; judged now')).toBe(
    'valid from 20 Nov 2026 09:10 UTC to 19 Nov 2028 09:10 UTC; judged now',
  )
  expect(withDates('run 20261120t0915z-0001 of 2026-11-20')).toBe('run 20261120t0915z-0001 of 2026-11-20')
})

test('sizes and counts', () => {
  expect([bytes(1), bytes(51), bytes(1536), bytes(3 * 1024 * 1024)]).toEqual([
    '1 byte',
    '51 bytes',
    '1.5 KiB',
    '3.0 MiB',
  ])
  expect([plural(1, 'node'), plural(0, 'node')]).toEqual(['1 node', '0 nodes'])
})

test('a command can be pasted into a shell', () => {
  expect(shellLine(['grep', '-m1', 'flags', '/proc/cpuinfo'])).toBe('grep -m1 flags /proc/cpuinfo')
  expect(shellLine(['sh', '-c', "it's; x"])).toBe("sh -c 'it'\\''s; x'")
})

test('a day is written with its month, and what is no day stays as it came, visibly', () => {
  expect(day('2026-05-04')).toBe('4 May 2026')
  expect(day('2027-03-01T23:59:59Z')).toBe('1 Mar 2027')
  expect(day('2026-13-01')).toBe('2026-13-01')
  expect(day('soon\u202e')).toBe('soon⟦U+202E⟧')
})

describe('a name with hyphens is one run, so that no line ends within it', () => {
  const wholes = (text: string) => unbroken(text).flatMap(({ text: part, isWhole }) => (isWhole ? [part] : []))
  test.each([
    ['The host key differs: demo-changed-08', ['demo-changed-08']],
    ['Storage is open: demo-gpu-02, demo-metal-04 (conceals it)', ['demo-gpu-02,', 'demo-metal-04']],
    ['Nothing – 5 nodes - here', []],
    [`A name of ${'x-'.repeat(20)}1 is longer than a column`, []],
  ])('%s', (text, expected) => expect(wholes(text)).toEqual(expected))
  test('together the runs are the text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        expect(
          unbroken(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(text)
      }),
    )
  })
})
