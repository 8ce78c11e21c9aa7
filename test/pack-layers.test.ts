import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shared } from '../main/app/common/shared.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { filesOfNodes, layered } from '../main/core/pack/pack.ts'
import {
  evidenceDigestOf,
  evidenceDigestOver,
  manifestLines,
  manifestOf,
  manifestRead,
  type PackContent,
  recordingFiles,
  storedRecordingFiles,
} from '../main/core/pack/pack-files.ts'
import { outlineOf } from '../main/core/recording/recording.ts'
import { sampleRecording } from './support/sample-pack.ts'

const loaded = ['node-a', 'node', 'node-b', 'node.a', 'con', 'node_'].map((node, at) =>
  sampleRecording(node, `answer ${at}\n`),
)
const flat = new Map(loaded.flatMap((one) => recordingFiles(one)))
const blobs = new Map(
  [...flat].flatMap(([, content]) => (content instanceof Uint8Array ? [[sha256(content), content] as const] : [])),
)
const lazy = filesOfNodes(
  loaded.map((one) =>
    storedRecordingFiles(outlineOf(one), ({ sha256: digest }) => blobs.get(digest) ?? expect.unreachable()),
  ),
)

async function bytesOf(content: PackContent | undefined): Promise<Buffer> {
  if (content === undefined || content instanceof Uint8Array) return Buffer.from(content ?? [])
  const pieces: Uint8Array[] = []
  for await (const piece of content.open()) pieces.push(piece)
  const opened = Buffer.concat(pieces)
  expect(Buffer.from(await content.read()).equals(opened)).toBe(true)
  expect([content.size, content.sha256]).toEqual([opened.length, sha256(opened)])
  return opened
}

describe('files of many nodes, made when they are asked for', () => {
  test('are those of their recordings', async () => {
    expect(lazy.size).toBe(flat.size)
    expect([...lazy.keys()].sort()).toEqual([...flat.keys()].sort())
    expect([...lazy].map(([path]) => path)).toEqual([...lazy.keys()])
    expect([...lazy.values()]).toHaveLength(flat.size)
    for (const [path, content] of flat)
      expect((await bytesOf(lazy.get(path))).equals(await bytesOf(content))).toBe(true)
    expect([...(lazy.inOrder?.() ?? [])]).toEqual([...flat.keys()].sort())
    expect(manifestLines(lazy)).toBe(manifestLines(flat))
  })

  test('are asked for in any order, and others are not there', () => {
    const paths = [...flat.keys()]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...paths), { maxLength: 30 }), fc.string(), (asked, other) => {
        for (const path of asked) expect(lazy.has(path) && lazy.get(path) !== undefined).toBe(true)
        expect(lazy.has(other) || lazy.get(`data/nodes/node-a/${other}`) !== undefined).toBe(flat.has(other))
      }),
    )
  })

  test('in layers, what is added to one later is seen, and counts', () => {
    const own = new Map<string, PackContent>([['data/scope.json', Buffer.from('{}')]])
    const both = layered(own, lazy)
    own.set('data/report.pdf', Buffer.from('%PDF'))
    expect(both.size).toBe(flat.size + 2)
    expect(both.has('data/report.pdf')).toBe(true)
    expect(new Map(both)).toHaveProperty('size', flat.size + 2)
    expect([...(both.inOrder?.() ?? [])]).toEqual([...both.keys()].sort())
    expect(evidenceDigestOver(both)).toBe(evidenceDigestOf(manifestLines(new Map(both))))
    const { content: _, ...digests } = manifestOf(both)
    expect(digests).toEqual(manifestRead(manifestLines(new Map(both))))
  })
})

describe('nodes that are described alike', () => {
  test('is the same value as before, once', () => {
    const share = shared()
    const reason = {
      direction: 'supports',
      text: 'Two accounts may log in, and each of them has a key of its own.',
      captures: ['a'],
    }
    const [first, second] = [1, 2].map((at) => share({ node: `node-${at}`, observations: [{ ...reason }, { at }] }))
    expect(second).toEqual({ node: 'node-2', observations: [reason, { at: 2 }] })
    expect(second?.observations[0]).toBe(first?.observations[0])
    expect(share({ ...first })).toBe(first)
  })

  test('and in the same order', () => {
    const share = shared()
    share({ one: 1, two: 2 })
    expect(Object.keys(share({ two: 2, one: 1 }))).toEqual(['two', 'one'])
    expect(share([0, null, false, '', []])).toEqual([0, null, false, '', []])
    expect(share([-0])).not.toBe(share([0]))
  })

  test('without comparing each with all, however they were chosen', () => {
    const share = shared()
    const fractions = Array.from({ length: 30_000 }, (_, at) => ({ of: at / 1e6 }))
    expect(share(fractions)).toEqual(fractions)
  })

  test('whatever it is', () => {
    const share = shared()
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(share(share(value))).toEqual(value)
      }),
    )
  })
})
