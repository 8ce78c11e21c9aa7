import { expect, test } from 'vitest'
import { whyNotOpened } from '../main/adapters/ssh/socket.ts'

test('why a node could not be reached is stated in words, not as a code', () => {
  const why = (code: string | undefined, message = 'connect failed') =>
    whyNotOpened({ message, ...(code === undefined ? {} : { code }) })
  expect([why('ECONNREFUSED'), why('EHOSTUNREACH'), why('ENOTFOUND')]).toEqual([
    'connection refused',
    'no route to the host',
    'host name not found',
  ])
})

test('a code without words is shown, and without a code the message, with nothing invisible in it', () => {
  expect(whyNotOpened({ code: 'EPROTO', message: 'x' })).toBe('EPROTO')
  expect(whyNotOpened({ message: 'no\u202esocket' })).toBe('no\\u{202e}socket')
})
