import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compression } from '../main/adapters/compression.ts'
import { type Held, heldBytes, sharing } from '../main/app/engine/context/share-equal.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { sha256 } from '../main/core/base/digest.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import { fixtureRecording } from './support/fixtures.ts'

const text = (of: string): Uint8Array => new Uint8Array(Buffer.from(of.repeat(2000)))
const hold = (held: ReturnType<typeof heldBytes>, bytes: Uint8Array): Held => held.hold(sha256(bytes), bytes)

function nodesPass(held: ReturnType<typeof heldBytes>, count = 20): void {
  for (let node = 0; node < count; node += 1) held.nodeDone()
}

test('an answer that no further node gives is compressed, and reads as before', () => {
  const held = heldBytes(compression)
  const own = hold(held, text('serial 1, '))
  nodesPass(held, 16)
  expect(own.isFull()).toBe(true)
  held.nodeDone()
  expect(own.isFull()).toBe(false)
  expect(own.bytes()).toEqual(text('serial 1, '))
})

test('an answer that two nodes give is held once, in full', () => {
  const held = heldBytes(compression)
  const one = hold(held, text('common '))
  held.nodeDone()
  const other = hold(held, text('common '))
  nodesPass(held)
  expect(other).toBe(one)
  expect(one.isFull()).toBe(true)
  expect(other.bytes()).toBe(one.bytes())
})

test('a compressed answer that a later node gives as well is held in full again, and stays so', () => {
  const held = heldBytes(compression)
  const one = hold(held, text('rare '))
  nodesPass(held)
  expect(one.isFull()).toBe(false)
  expect(hold(held, text('rare '))).toBe(one)
  expect(one.isFull()).toBe(true)
  nodesPass(held)
  expect([one.isFull(), one.bytes()]).toEqual([true, text('rare ')])
})

test.each([
  ['short', new Uint8Array(1023)],
  ['empty', new Uint8Array()],
  ['without repetition', new Uint8Array(randomBytes(4096))],
])('an answer that is %s stays as it is', (_, bytes) => {
  const held = heldBytes(compression)
  const own = hold(held, bytes)
  nodesPass(held)
  expect([own.isFull(), own.bytes()]).toEqual([true, bytes])
})

test('bytes of another length under the same digest are held apart, compressed or not', () => {
  const held = heldBytes(compression)
  const one = held.hold('d', text('a'))
  nodesPass(held)
  const other = held.hold('d', text('ab'))
  expect(other).not.toBe(one)
  expect([one.bytes(), other.bytes()]).toEqual([text('a'), text('ab')])
})

test('any bytes are restored as they were; others than were compressed are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), fc.uint8Array({ maxLength: 50 }), (bytes, altered) => {
      const compressed = compression.compress(bytes)
      expect(Buffer.from(compression.restore(compressed, bytes.length)).equals(bytes)).toBe(true)
      expect(() => compression.restore(compressed, bytes.length + 1)).toThrow()
      expect(() => compression.restore(altered, 5001)).toThrow()
    }),
  )
})

test('a recording with compressed answers reads as it was collected, byte for byte and key for key', () => {
  const named = (at: number): LoadedRecording => {
    const { recording, captures } = fixtureRecording('demo-gpu-01', catalog.probes)
    const own = text(`serial ${at}, `)
    return {
      recording,
      captures: captures.map(({ meta, stdout, stderr }) =>
        meta.probe === 'gpu.nvidia'
          ? {
              meta: { ...meta, stdout: { ...meta.stdout, sha256: sha256(own), size: own.length } },
              stdout: own,
              stderr,
            }
          : { meta, stdout, stderr },
      ),
    }
  }
  // A digest for the bytes: comparing them one by one takes minutes.
  const stated = ({ captures }: LoadedRecording): string =>
    JSON.stringify(
      captures.map((answer) => ({ ...answer, stdout: sha256(answer.stdout), stderr: sha256(answer.stderr) })),
    )
  // The query of each node is its own, and given once.
  const all = Array.from({ length: 18 }, (_, at) => named(at))
  const before = all.map(stated)
  const share = sharing(compression)
  expect(all.map(share.recording).map(stated)).toEqual(before)
})

test('answers of a run that is open are held once when another run of the same nodes is read, compressed ones too', () => {
  const serials = Array.from({ length: 18 }, (_, at) => text(`serial ${at}, `))
  const run = () =>
    serials.map((own) => {
      const { recording, captures } = fixtureRecording('demo-gpu-01', catalog.probes)
      const [first, ...others] = captures
      if (first === undefined) throw new Error('a recording without captures')
      const stdout = { ...first.meta.stdout, sha256: sha256(own), size: own.length }
      return { recording, captures: [{ ...first, meta: { ...first.meta, stdout }, stdout: own }, ...others] }
    })
  let compressed = 0
  const counting = {
    ...compression,
    compress: (bytes: Uint8Array) => {
      compressed += 1
      return compression.compress(bytes)
    },
  }
  const shown = run().map(sharing(counting).recording)
  const before = compressed
  const opened = run().map(sharing(counting, shown).recording)
  expect(before).toBeGreaterThan(0)
  expect(compressed).toBe(before)
  for (const [at, { captures }] of opened.entries()) {
    expect(Buffer.from(captures[0]?.stdout ?? []).equals(serials[at] ?? new Uint8Array())).toBe(true)
    expect(captures.slice(1).every(({ stdout }, of) => stdout === shown[at]?.captures[of + 1]?.stdout)).toBe(true)
  }
})
