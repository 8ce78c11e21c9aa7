import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { openPack, writePack } from '../main/adapters/pack/index.ts'
import { endRecords, listedRecord, localHeader } from '../main/adapters/pack/zip-format.ts'
import { storedResponse } from '../main/adapters/seal/tsp/client.ts'
import { PATHS } from '../main/core/pack/pack-files.ts'
import { verifyPack } from '../main/verify/pack.ts'
import { realClock, validator } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { testTsa } from './support/lying-tsa.ts'
import { NO_KEPT_RULES, SAME_PAGES, sampleCatalog, samplePack, sampleSigner, sealing } from './support/sample-pack.ts'
import { sampled, times } from './support/thorough.ts'

// A sealed and time-stamped archive, as it lies on a disk, and everything that can be done to its bytes and entries one at a time.
const folder = folderOfTests('property')
const tsa = testTsa()
const at = (name: string): string => join(folder, name)
let files: Map<string, Uint8Array>
let archive: Buffer
let roots: { readonly signers: readonly Uint8Array[]; readonly authorities: readonly Uint8Array[] }

beforeAll(async () => {
  const signer = await sampleSigner(at('ids'), 'owner')
  const authority = { name: 'Memory TSA', chain: tsa.chain, crls: tsa.crls }
  const sealed = await samplePack({ signer, authority })
  const token = tsa.token(sealed.get(PATHS.seal) ?? new Uint8Array())
  files = new Map([...sealed, [PATHS.stamp, storedResponse(token)]])
  roots = { signers: [signer.chain[0] ?? new Uint8Array()], authorities: [tsa.root] }
  expect(await writePack(at('good.zip'), files)).toMatchObject({ ok: true })
  archive = readFileSync(at('good.zip'))
})

interface Entry {
  readonly name: string
  readonly data: Uint8Array
}

/** Entries in the given order, each header as we write it: only order, names and contents can be wrong. */
function archiveOf(entries: readonly Entry[]): Buffer {
  const locals: Buffer[] = []
  const listed: Buffer[] = []
  let start = 0
  for (const { name, data } of entries) {
    const entry = { name, size: data.length, crc: zlib.crc32(data) }
    const local = Buffer.concat([localHeader(entry), data])
    locals.push(local)
    listed.push(listedRecord({ ...entry, at: start }))
    start += local.length
  }
  const list = Buffer.concat(listed)
  return Buffer.concat([...locals, list, endRecords(entries.length, start, list.length)])
}

/** What the whole verifier says of an archive: refused unopened, or its report. */
async function verdict(bytes: Uint8Array): Promise<'refused' | 'no' | 'ok'> {
  writeFileSync(at('any.zip'), bytes)
  const opened = await openPack(at('any.zip'))
  if (!opened.ok) return 'refused'
  try {
    const { report } = await verifyPack({
      source: opened.value,
      departures: opened.value.departures,
      seal: sealing.reader,
      pages: SAME_PAGES,
      catalog: sampleCatalog,
      kept: NO_KEPT_RULES,
      validator,
      trust: { ...roots, lists: [] },
      checkpoint: null,
      verifiedAt: realClock.now(),
      file: 'any.zip',
      keep: false,
    })
    return report.ok ? 'ok' : 'no'
  } finally {
    await opened.value.close()
  }
}

describe('a sealed and time-stamped archive', () => {
  test('is accepted as it was written', async () => {
    expect(await verdict(archive)).toBe('ok')
  })

  test('is never accepted with any single byte changed', async () => {
    const flips = fc.tuple(fc.nat(archive.length - 1), fc.integer({ min: 1, max: 255 }))
    await fc.assert(
      fc.asyncProperty(flips, async ([place, mask]) => {
        const changed = Buffer.from(archive)
        changed[place] = (changed[place] ?? 0) ^ mask
        expect(await verdict(changed)).not.toBe('ok')
      }),
      { numRuns: times(40, 250) },
    )
  })

  test('is never accepted with any byte of its records changed', async () => {
    // Headers, list and end: what no digest is over.
    const list = archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))
    const places = Array.from({ length: Math.ceil((archive.length - list) / 3) }, (_, at) => list + at * 3)
    for (const place of sampled(places, 100)) {
      const changed = Buffer.from(archive)
      changed[place] = (changed[place] ?? 0) ^ 1
      expect(await verdict(changed), `byte ${place}`).not.toBe('ok')
    }
  })

  test('is never accepted cut off, or with anything after it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), async (length) => {
        expect(await verdict(archive.subarray(0, length))).not.toBe('ok')
      }),
      { numRuns: times(15, 40) },
    )
    expect(await verdict(Buffer.concat([archive, Buffer.from('x')]))).not.toBe('ok')
  })

  const entries = (): Entry[] =>
    [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, data]) => ({ name: `pack/${path}`, data }))

  test('put together from its entries is the same archive', () => {
    expect(archiveOf(entries()).equals(archive)).toBe(true)
  })

  test('is never accepted with an entry dropped, renamed, doubled or out of order, or with two that changed places', async () => {
    const all = entries()
    const index = fc.nat(all.length - 1)
    await fc.assert(
      fc.asyncProperty(index, index, fc.constantFrom('drop', 'rename', 'double', 'move', 'swap'), async (a, b, how) => {
        fc.pre(a !== b)
        const next = entries()
        const [one, other] = [next[a], next[b]]
        if (one === undefined || other === undefined) return
        if (how === 'drop') next.splice(a, 1)
        if (how === 'rename') next[a] = { ...one, name: `${one.name}x` }
        if (how === 'double') next.splice(b, 0, { ...one, name: `${one.name}-2` })
        if (how === 'move') next.splice(b, 0, ...next.splice(a, 1))
        if (how === 'swap')
          [next[a], next[b]] = [
            { ...other, name: one.name },
            { ...one, name: other.name },
          ]
        fc.pre(how !== 'swap' || Buffer.compare(one.data, other.data) !== 0)
        expect(await verdict(archiveOf(next)), `${how} ${a} ${b}`).not.toBe('ok')
      }),
      { numRuns: times(25, 150) },
    )
  })
})
