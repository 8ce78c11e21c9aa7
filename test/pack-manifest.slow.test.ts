import { expect, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { manifestLines, manifestOf, type PackContent } from '../main/core/pack/pack-files.ts'

test('a manifest that is too long to be held is the same, read whole or piece by piece', async () => {
  const one = Buffer.from('x')
  const many = new Map<string, PackContent>(
    Array.from({ length: 200_000 }, (_, at) => [`data/nodes/node-a/sha256/${at}`, one] as const),
  )
  const { content, sha256: digest } = manifestOf(many)
  if (content instanceof Uint8Array) throw new Error('it was held')
  const text = manifestLines(many)
  expect(text.length).toBeGreaterThan(16 * 1024 * 1024)
  const pieces: Uint8Array[] = []
  for await (const piece of content.open()) pieces.push(piece)
  expect(Buffer.concat(pieces).toString() === text).toBe(true)
  expect(Buffer.from(await content.read()).toString() === text).toBe(true)
  expect(digest).toBe(sha256(text))
})
