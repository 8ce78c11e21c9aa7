import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../main/core/base/digest.ts'
import { changedStreams } from '../../main/core/drift/explain.ts'
import type { CapturedAnswer } from '../../main/core/recording/recording.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const answer = (stdout: Uint8Array, stderr: Uint8Array = new Uint8Array()): CapturedAnswer =>
  ({
    stdout,
    stderr,
    meta: {
      stdout: { sha256: sha256(stdout), size: stdout.length },
      stderr: { sha256: sha256(stderr), size: stderr.length },
    },
  }) as CapturedAnswer
const asked = { probe: 'p', command: 'c' }
const of = (then: Uint8Array, now: Uint8Array) => changedStreams(asked, answer(then), answer(now))[0]

describe('the lines of an answer that changed', () => {
  test('equal answers, and one stream of two', () => {
    expect(changedStreams(asked, answer(bytes('a')), answer(bytes('a')))).toEqual([])
    expect(changedStreams(asked, undefined, undefined)).toEqual([])
    const changed = changedStreams(asked, answer(bytes('a')), answer(bytes('a'), bytes('no')))
    expect(changed.map(({ stream, added }) => [stream, added])).toEqual([['stderr', ['no']]])
  })
  test('an answer that only one has', () => {
    expect(changedStreams(asked, undefined, answer(bytes('a\nb\n')))[0]).toMatchObject({
      before: null,
      after: sha256(bytes('a\nb\n')),
      added: ['a', 'b'],
    })
  })
  test('counts how often a line occurs; the order alone shows no line', () => {
    expect(of(bytes('a\na\nb\n'), bytes('a\nb\nb\n'))).toMatchObject({ removed: ['a'], added: ['b'] })
    expect(of(bytes('a\nb\n'), bytes('b\na\n'))).toMatchObject({ removed: [], added: [], more: 0 })
  })
  test('bytes that are no text show no line', () => {
    for (const odd of [new Uint8Array([0xff, 0xfe, 0x41]), bytes('a\0b'), new Uint8Array([0xc3])])
      expect(of(bytes('a\n'), odd)).toMatchObject({ removed: [], added: [], more: 0 })
  })
  test('what cannot be seen is spelled out: controls, directions, a mark before the text', () => {
    const text = '\u001b]0;owned\u0007\u202Egnp.exe\u202C\u200b\r\n'
    expect(of(bytes(''), bytes(text))?.added).toEqual(['\\u{1b}]0;owned\\u{7}\\u{202e}gnp.exe\\u{202c}\\u{200b}\\u{d}'])
    expect(of(bytes('a\n'), bytes('\ufeffa\n'))?.added).toEqual(['\\u{feff}a'])
  })
  test('a huge answer and a huge line are bounded', () => {
    const many = bytes(Array.from({ length: 200_000 }, (_, at) => `line ${at}`).join('\n'))
    const changed = of(bytes('old\n'), many)
    expect(changed?.added).toHaveLength(5)
    expect(changed).toMatchObject({ removed: ['old'], more: 199_995 })
    const [long = ''] = of(bytes(''), bytes('x'.repeat(4_000_000)))?.added ?? []
    expect(long).toBe(`${'x'.repeat(200)}…`)
  })
  test('any bytes: never throws, never more than five lines a side, nothing invisible', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.string({ unit: 'binary' }), (one, two, text) => {
        for (const [then, now] of [
          [one, two],
          [one, bytes(text)],
        ] as const)
          for (const { removed, added, more } of changedStreams(asked, answer(then), answer(now))) {
            expect(Math.max(removed.length, added.length)).toBeLessThanOrEqual(5)
            expect(more).toBeGreaterThanOrEqual(0)
            for (const line of [...removed, ...added])
              expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
          }
      }),
    )
  })
})
