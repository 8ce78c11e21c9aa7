import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  consistencyPath,
  type Inclusion,
  inclusionPath,
  leafHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '../main/core/base/digest.ts'
import { expectLinear } from './support/growth.ts'

/** The inputs and hashes of the reference tree that Certificate Transparency implementations are tested with. */
const INPUTS = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
] as const
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
] as const
const reference = INPUTS.map((hex) => leafHash(Buffer.from(hex, 'hex')))
const root = (size: number): string => ROOTS[size] ?? ''

describe('the published reference tree', () => {
  test.each(ROOTS.map((expected, size) => [size, expected] as const))('root of %i leaves', (size, expected) => {
    expect(rootOf(reference.slice(0, size))).toBe(expected)
  })

  test.each([
    [0, 1, []],
    [
      0,
      8,
      [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    ],
    [
      5,
      8,
      [
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
    [
      1,
      5,
      [
        '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ] as const)('inclusion of leaf %i of %i', (index, size, path) => {
    expect(inclusionPath(index, reference.slice(0, size))).toEqual(path)
    expect(verifyInclusion({ index, size, leaf: reference[index] ?? '', root: root(size), path })).toBe(true)
  })

  test.each([
    [1, 1, []],
    [
      1,
      8,
      [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    ],
    [
      6,
      8,
      [
        '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [
      2,
      5,
      [
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
    [
      6,
      7,
      [
        '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
        'b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
  ] as const)('consistency of %i with %i', (oldSize, newSize, path) => {
    expect(consistencyPath(oldSize, reference.slice(0, newSize))).toEqual(path)
    const heads = { oldSize, oldRoot: root(oldSize), newSize, newRoot: root(newSize) }
    expect(verifyConsistency({ ...heads, path })).toBe(true)
  })
})

const LARGEST = 64
const leaves = Array.from({ length: LARGEST }, (_, index) => leafHash(Buffer.from(`leaf ${index}`)))
const roots = Array.from({ length: LARGEST + 1 }, (_, size) => rootOf(leaves.slice(0, size)))
const rootAt = (size: number): string => roots[size] ?? ''
const leafAt = (index: number): string => leaves[index] ?? ''
const other = leafHash(Buffer.from('no leaf'))

/** Every path but this one that differs from it in one place: an element altered, left out, doubled or swapped, or one more at the end. */
const pathsBeside = (path: readonly string[]): readonly (readonly string[])[] => [
  [...path, other],
  ...path.flatMap((hash, at) => [
    path.with(at, other),
    path.toSpliced(at, 1),
    path.toSpliced(at, 0, hash),
    ...(at > 0 ? [path.with(at, path[at - 1] ?? '').with(at - 1, hash)] : []),
  ]),
]

describe('every size to 64', () => {
  test('every leaf is included where it is, and nowhere else', () => {
    for (let size = 1; size <= LARGEST; size += 1)
      for (let index = 0; index < size; index += 1) {
        const path = inclusionPath(index, leaves.slice(0, size))
        const proof: Inclusion = { index, size, leaf: leafAt(index), root: rootAt(size), path }
        const where = `leaf ${index} of ${size}`
        expect(verifyInclusion(proof), where).toBe(true)
        expect(verifyInclusion({ ...proof, leaf: other }), where).toBe(false)
        expect(verifyInclusion({ ...proof, root: other }), where).toBe(false)
        expect(verifyInclusion({ ...proof, root: rootAt(size - 1) }), where).toBe(false)
        for (const beside of [index - 1, index + 1, index + size])
          expect(verifyInclusion({ ...proof, index: beside }), `${where} at ${beside}`).toBe(false)
      }
  })

  test('every older tree is consistent with every newer one, and no other head is', () => {
    for (let newSize = 0; newSize <= LARGEST; newSize += 1)
      for (let oldSize = 0; oldSize <= newSize; oldSize += 1) {
        const path = consistencyPath(oldSize, leaves.slice(0, newSize))
        const proof = { oldSize, oldRoot: rootAt(oldSize), newSize, newRoot: rootAt(newSize), path }
        const where = `${oldSize} of ${newSize}`
        expect(verifyConsistency(proof), where).toBe(true)
        expect(verifyConsistency({ ...proof, oldRoot: other }), where).toBe(false)
        if (oldSize > 0) expect(verifyConsistency({ ...proof, newRoot: other }), where).toBe(false)
        expect(verifyConsistency({ ...proof, oldSize: newSize + 1 }), where).toBe(false)
        if (oldSize > 1) expect(verifyConsistency({ ...proof, oldSize: oldSize - 1 }), where).toBe(false)
      }
  })

  test('no altered path verifies', () => {
    for (let size = 1; size <= LARGEST; size += 7)
      for (let at = 0; at < size; at += 1) {
        const path = inclusionPath(at, leaves.slice(0, size))
        for (const beside of pathsBeside(path))
          expect(
            verifyInclusion({ index: at, size, leaf: leafAt(at), root: rootAt(size), path: beside }),
            `leaf ${at} of ${size}`,
          ).toBe(false)
        const heads = { oldSize: at + 1, oldRoot: rootAt(at + 1), newSize: size, newRoot: rootAt(size) }
        for (const beside of pathsBeside(consistencyPath(at + 1, leaves.slice(0, size))))
          expect(verifyConsistency({ ...heads, path: beside }), `${at + 1} of ${size}`).toBe(false)
      }
  })

  test('a history with any leaf altered is not consistent with the older head', () => {
    const sizes = fc.integer({ min: 1, max: LARGEST }).chain((newSize) =>
      fc.record({
        newSize: fc.constant(newSize),
        oldSize: fc.integer({ min: 1, max: newSize }),
        seed: fc.nat(),
      }),
    )
    fc.assert(
      fc.property(sizes, ({ newSize, oldSize, seed }) => {
        const rewritten = leaves.slice(0, newSize).with(seed % oldSize, other)
        const path = consistencyPath(oldSize, rewritten)
        expect(
          verifyConsistency({ oldSize, oldRoot: rootAt(oldSize), newSize, newRoot: rootOf(rewritten), path }),
        ).toBe(false)
      }),
    )
  })
})

describe('malformed proofs', () => {
  const proof: Inclusion = {
    index: 2,
    size: 5,
    leaf: leafAt(2),
    root: rootAt(5),
    path: inclusionPath(2, leaves.slice(0, 5)),
  }
  const heads = {
    oldSize: 3,
    oldRoot: rootAt(3),
    newSize: 5,
    newRoot: rootAt(5),
    path: consistencyPath(3, leaves.slice(0, 5)),
  }

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('the count %s', (count) => {
    expect(verifyInclusion(proof)).toBe(true)
    expect(verifyInclusion({ ...proof, index: count })).toBe(false)
    expect(verifyInclusion({ ...proof, size: count })).toBe(false)
    expect(verifyConsistency(heads)).toBe(true)
    expect(verifyConsistency({ ...heads, oldSize: count })).toBe(false)
    expect(verifyConsistency({ ...heads, newSize: count })).toBe(false)
  })

  test.each(['', 'zz', leafAt(1).toUpperCase(), `${leafAt(1)}00`])('the hash “%s”', (hash) => {
    expect(verifyInclusion({ ...proof, path: proof.path.with(0, hash) })).toBe(false)
    expect(verifyConsistency({ ...heads, path: heads.path.with(0, hash) })).toBe(false)
  })

  test('an empty path between different trees', () => {
    for (const oldSize of [1, 2, 3, 4])
      expect(verifyConsistency({ ...heads, oldSize, oldRoot: rootAt(oldSize), path: [] })).toBe(false)
  })

  test('a leaf or a tree that is not there is our bug', () => {
    expect(() => inclusionPath(5, leaves.slice(0, 5))).toThrow('no leaf 5 among 5')
    expect(() => consistencyPath(6, leaves.slice(0, 5))).toThrow('no tree of 6 among 5 leaves')
  })
})

test('60,000 leaves and their proofs', () => {
  const many = Array.from({ length: 60_000 }, (_, index) => leafHash(Buffer.from(String(index))))
  const all = rootOf(many)
  const path = inclusionPath(43_210, many)
  const older = { oldSize: 43_211, oldRoot: rootOf(many.slice(0, 43_211)) }
  const tie = consistencyPath(older.oldSize, many)
  expect(path).toHaveLength(16)
  expect(verifyInclusion({ index: 43_210, size: 60_000, leaf: many[43_210] ?? '', root: all, path })).toBe(true)
  expect(verifyConsistency({ ...older, newSize: 60_000, newRoot: all, path: tie })).toBe(true)
  expectLinear((size) => rootOf(many.slice(0, size)), 5000)
  expectLinear((size) => inclusionPath(size >> 1, many.slice(0, size)), 5000)
})
