import { expect, test } from 'vitest'
import { causeOf } from '../main/adapters/http.ts'

test('why a node could not be reached is stated in words, not as a code', () => {
  const why = (code: string) => causeOf(Object.assign(new Error('connect failed'), { code }))
  expect([why('ECONNREFUSED'), why('EHOSTUNREACH'), why('ENOTFOUND')]).toEqual([
    'connection refused',
    'no route to the host',
    'host name not found',
  ])
})

test('a code without words is shown, and without a code the message, with nothing invisible in it', () => {
  expect(causeOf(Object.assign(new Error('x'), { code: 'EPROTO' }))).toBe('EPROTO')
  expect(causeOf(new Error('no\u202esocket'))).toBe('no\\u{202e}socket')
})
