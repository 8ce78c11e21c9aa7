import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { masked, rememberingMasking } from '../main/core/collector/redact.ts'

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
const secret = (number: number): Uint8Array => bytes(`password=hunter${number}\n`)

describe('equal answers are masked once', () => {
  test('with the result that each would have by itself, whatever came before and was dropped', () => {
    const answer = fc.oneof(
      fc.constantFrom('', 'uid=0(root)\n', 'PASSWD=x', 'token=abcdefgh', 'a\0b'),
      fc.nat(9).map((number) => `DB_PASSWORD=hunter${number}`),
      fc.uint8Array({ maxLength: 20 }).map((one) => Buffer.from(one).toString('latin1')),
    )
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 40 }), fc.nat(5), fc.nat(120), (answers, most, mostBytes) => {
        const mask = rememberingMasking(most, mostBytes)
        for (const one of answers) {
          const result = mask(bytes(one))
          expect(result).toEqual(masked(bytes(one)))
          expect(result.sha256).toBe(sha256(result.bytes))
        }
      }),
    )
  })

  test('an answer in which nothing was found comes back itself, and not one that was equal before', () => {
    const mask = rememberingMasking()
    const [one, other] = [bytes('uid=0'), bytes('uid=0')]
    expect(mask(one).bytes).toBe(one)
    expect(mask(other).bytes).toBe(other)
  })

  test('masked bytes are kept up to the limit, the newest longest', () => {
    const length = masked(secret(0)).bytes.length
    const mask = rememberingMasking(100, 2 * length)
    const [first, second] = [mask(secret(1)), mask(secret(2))]
    expect(mask(secret(1)).bytes).toBe(first.bytes)
    mask(secret(3))
    expect(mask(secret(2)).bytes).toBe(second.bytes)
    expect(mask(secret(1)).bytes).not.toBe(first.bytes)
  })

  test('an answer beyond the limit alone is not kept and takes no room afterwards', () => {
    const mask = rememberingMasking(100, masked(secret(0)).bytes.length)
    const large = bytes(`password=hunter22 ${'x'.repeat(100)}`)
    expect(mask(large)).toEqual(masked(large))
    expect(mask(secret(1)).bytes).toBe(mask(secret(1)).bytes)
  })
})
