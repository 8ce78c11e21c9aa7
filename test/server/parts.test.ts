import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../../main/core/base/digest.ts'
import { inBatches, LARGEST_PACKED, LARGEST_PART, packParts, unpackParts } from '../../main/core/team/jobs.ts'

const partOf = (bytes: Uint8Array) => ({ digest: sha256(bytes), bytes })
const parts = fc.array(fc.uint8Array({ maxLength: 50 }).map(partOf), { maxLength: 20 })
const plainOf = (list: readonly { readonly digest: string; readonly bytes: Uint8Array }[]) =>
  list.map(({ digest, bytes }) => [digest, Buffer.from(bytes).toString('hex')])

test('what is packed is unpacked', () => {
  fc.assert(
    fc.property(parts, (list) => {
      const read = unpackParts(packParts(list))
      expect(read.ok && plainOf(read.value)).toEqual(plainOf(list))
    }),
  )
})

test('a body that was cut is refused, wherever it was cut within a file', () => {
  const packed = packParts([partOf(Buffer.from('abc')), partOf(Buffer.from('')), partOf(Buffer.from('d'))])
  const ends = [39, 75]
  for (let size = 1; size < packed.length; size += 1)
    expect([size, unpackParts(packed.subarray(0, size)).ok]).toEqual([size, ends.includes(size)])
})

test('any bytes are read or refused', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void unpackParts(bytes)))
  const long = packParts([partOf(Buffer.from('x'))])
  long.set([255, 255, 255, 255], 32)
  expect(unpackParts(long).ok).toBe(false)
})

test('more files than one body has are refused, and batches have no more', () => {
  const empty = Array.from({ length: 2500 }, (_, at) => partOf(Buffer.from(`${at}`)))
  expect(unpackParts(packParts(empty.slice(0, 1001))).ok).toBe(false)
  const batches = inBatches(empty)
  expect(batches.flat()).toEqual(empty)
  expect(batches.every((batch) => unpackParts(packParts(batch)).ok)).toBe(true)
})

test('batches fit into a body, also with the largest file between small ones', () => {
  const small = partOf(Buffer.from('x'))
  const batches = inBatches([small, { digest: sha256('large'), bytes: new Uint8Array(LARGEST_PART) }, small])
  expect(batches.flat()).toHaveLength(3)
  for (const batch of batches) expect(packParts(batch).length).toBeLessThanOrEqual(LARGEST_PACKED)
})
