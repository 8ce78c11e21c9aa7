import { beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../main/core/base/digest.ts'
import { fail, type Outcome } from '../../main/core/base/failure.ts'
import type { ObjectStore } from '../../main/core/objects.ts'
import type { StoredBytes } from '../../main/core/recording/recording.ts'
import { codeOf, must } from './outcomes.ts'

export const objectOf = (text: string | Uint8Array, digest = sha256(text)): StoredBytes => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return {
    size: bytes.length,
    sha256: digest,
    read: async () => bytes,
    open: async function* () {
      yield bytes.subarray(0, 3)
      yield bytes.subarray(3)
    },
  }
}

export const daysAhead = (days: number): string =>
  new Date((Math.floor(Date.now() / 1000) + days * 86_400) * 1000).toISOString()

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** What every implementation of ObjectStore must do. `open` gives the same store again with each call. */
export function objectsContract(name: string, open: () => Promise<Outcome<ObjectStore>>): void {
  describe(`${name} keeps the contract of an object store`, () => {
    let store: ObjectStore
    let keys = 0
    const newKey = (): string => `contract/${++keys}`
    beforeAll(async () => {
      store = must(await open())
    })

    test('what is stored is read again, with its size and until when it is kept', async () => {
      const [key, until] = [newKey(), daysAhead(30)]
      const version = must(await store.put(key, objectOf('answer of a node'), until))
      const head = must(await store.head(key, version))
      expect(head).toEqual({ size: 16, lock: { mode: store.locks ? 'COMPLIANCE' : 'STATED', until } })
      const [found] = must(await store.versions(key))
      expect(found).toEqual({ key, version, size: 16, hidden: false })
      if (found === undefined) throw new Error('not listed')
      expect(textOf(await store.stored(found, sha256('answer of a node')).read())).toBe('answer of a node')
    })
    test('an empty object, and one of several pieces, are stored as they are', async () => {
      for (const bytes of [new Uint8Array(), new Uint8Array(3_000_000).fill(7)]) {
        const key = newKey()
        must(await store.put(key, objectOf(bytes), daysAhead(1)))
        const [found] = must(await store.versions(key))
        if (found === undefined) throw new Error('not listed')
        expect(sha256(await store.stored(found, sha256(bytes)).read())).toBe(sha256(bytes))
      }
    })
    test('writing a key again adds a version and changes none; the first comes first', async () => {
      const key = newKey()
      const written: string[] = []
      for (const text of ['first', 'second', 'third']) {
        written.push(must(await store.put(key, objectOf(text), daysAhead(1))))
      }
      const found = must(await store.versions(key))
      expect(found.map(({ version }) => version)).toEqual(written)
      const texts = await Promise.all(found.map(async (one) => textOf(await store.stored(one, '').read())))
      expect(texts).toEqual(['first', 'second', 'third'])
    })
    test('bytes that differ from their digest or their size are not stored', async () => {
      const key = newKey()
      const other = objectOf('another text', sha256('a text'))
      expect(codeOf(await store.put(key, other, daysAhead(1)))).not.toBe('ok')
      expect(codeOf(await store.put(key, { ...objectOf('longer'), size: 3 }, daysAhead(1)))).not.toBe('ok')
      expect(codeOf(await store.put(key, { ...objectOf('shorter'), size: 30 }, daysAhead(1)))).not.toBe('ok')
      const found = must(await store.versions(key))
      const whole = await Promise.all(found.map(async (one) => must(await store.head(key, one.version))?.size ?? null))
      expect(whole).toEqual([])
    })
    test('versions are those below a prefix', async () => {
      for (const key of ['below/a/1', 'below/a/2', 'below/ab/1', 'beside/1'])
        must(await store.put(key, objectOf(key), daysAhead(1)))
      const keysBelow = async (prefix: string) => must(await store.versions(prefix)).map(({ key }) => key)
      expect(await keysBelow('below/a/')).toEqual(['below/a/1', 'below/a/2'])
      expect(await keysBelow('below/')).toEqual(['below/a/1', 'below/a/2', 'below/ab/1'])
      expect(await keysBelow('nothing/')).toEqual([])
    })
    test('a retention is made longer and never shorter', async () => {
      const key = newKey()
      const version = must(await store.put(key, objectOf('kept'), daysAhead(10)))
      const later = daysAhead(20)
      must(await store.extend(key, version, later))
      expect(must(await store.head(key, version))?.lock?.until).toBe(later)
      expect(codeOf(await store.extend(key, version, daysAhead(5)))).toBe('objects.refused')
      expect(must(await store.head(key, version))?.lock?.until).toBe(later)
    })
    test('a version that is not there is none, and reading it rejects', async () => {
      const key = newKey()
      const version = must(await store.put(key, objectOf('kept'), daysAhead(10)))
      expect(must(await store.head(newKey(), version))).toBeNull()
      const gone = store.stored({ key: newKey(), version, size: 4, hidden: false }, sha256('kept'))
      await expect(gone.read()).rejects.toThrow()
      const larger = store.stored({ key, version, size: 40, hidden: false }, sha256('kept'))
      await expect(larger.read()).rejects.toThrow()
    })
    test('an opened store has what an earlier one stored', async () => {
      const key = newKey()
      must(await store.put(key, objectOf('kept'), daysAhead(10)))
      expect(must(await must(await open()).versions(key)).length).toBe(1)
    })
  })
}

export const noStore = fail('objects.unreachable', 'away')
