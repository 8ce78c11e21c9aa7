import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, isSameJson } from '../main/core/base/canonical-json.ts'

/** RFC 8785 in its plainest form: every object taken apart and put together again. */
function plainly(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plainly).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${plainly(member)}`).join(',')}}`
}

const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', '9', '10', '0a', 'toJSON', 'é', '\u{1f600}', '\ufb33'))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.array(tie('value')),
    fc
      .array(fc.tuple(key, fc.oneof(tie('value'), fc.constant(undefined))))
      .map((members) => Object.fromEntries(members)),
  ),
}))

test('the text is that of the plainest implementation, whatever the keys and their order', () => {
  fc.assert(
    fc.property(value, (one) => {
      expect(canonicalJson(one)).toBe(plainly(one))
      // What was read back is in order, and is written in the same way.
      expect(canonicalJson(JSON.parse(canonicalJson(one)))).toBe(plainly(one))
    }),
    { numRuns: 300 },
  )
})

test('half of a surrogate pair is written as U+FFFD, so that a text with one is not canonical', () => {
  expect(canonicalJson({ a: ['x\ud800'] })).toBe('{"a":["x\ufffd"]}')
  expect(canonicalJson({ 'b\udfff': 1, c: '\u{1f600}', '\ue000': 2 })).toBe('{"b\ufffd":1,"c":"\u{1f600}","\ue000":2}')
  expect(canonicalJson({ 'z\ud800': 1, 'z\ue000': 2 })).toBe('{"z\ue000":2,"z\ufffd":1}')
  const text = '{"a":"\\ud800"}'
  expect(canonicalJson(JSON.parse(text))).not.toBe(text)
})

test('objects that are no plain data are written by their own members', () => {
  const day = Object.assign(new Date(0), { b: 1, a: 2 })
  expect(canonicalJson({ day, bytes: new Uint8Array([7, 8]) })).toBe('{"bytes":{"0":7,"1":8},"day":{"a":2,"b":1}}')
})

test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [undefined], [() => 1], [Symbol('a')], [1n]])(
  'a value that JSON cannot hold is refused at any depth',
  (one) => {
    expect(() => canonicalJson(one)).toThrow('canonicalJson')
    expect(() => canonicalJson([one])).toThrow('canonicalJson')
    expect(() => canonicalJson({ b: { c: [one] }, a: 1 })).toThrow('canonicalJson')
  },
)

/** The same value with the members of every object in another order, some of them absent. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    [...Object.entries(value).reverse(), ['absent', undefined] as const].map(([key, member]) => [key, turned(member)]),
  )
}

test('values are the same where their texts are', () => {
  fc.assert(
    fc.property(value, value, (one, other) => {
      expect(isSameJson(one, turned(one))).toBe(true)
      expect(isSameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other))
      expect(isSameJson([one, other], [one, one])).toBe(canonicalJson(one) === canonicalJson(other))
    }),
  )
  expect(isSameJson(JSON.parse('{"__proto__":{}}'), { a: 1 })).toBe(false)
  expect(isSameJson([-0], [0])).toBe(true)
})
