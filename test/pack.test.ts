import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { openPack, replacePack, writePack } from '../main/adapters/pack/index.ts'
import { LIMITS } from '../main/adapters/pack/limits.ts'
import type { OpenPack } from '../main/core/all-ports.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { isSafeName } from '../main/core/base/layout.ts'
import { evidenceDigestOf, manifestLines, PATHS } from '../main/core/pack/pack.ts'
import { nodeFolder, type PackContent, recordingFiles } from '../main/core/pack/pack-files.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { StoredBytes } from '../main/core/recording/recording.ts'
import { recordingDigest } from '../main/core/recording/recording.ts'
import { BANNED } from '../schemas/words.ts'
import { folderOfTests } from './support/folders.ts'
import { testUnless } from './support/needing.ts'
import { must } from './support/outcomes.ts'
import { archiveAttacks, type RawEntry, rawEntries, rawZip } from './support/pack-attacks.ts'
import { inHand, samplePack, sampleRecording, sampleSigner, verifySource } from './support/sample-pack.ts'
import { putTogether, renamed, takeApart, type ZipPart } from './support/zip-parts.ts'

const folder = folderOfTests('pack')
const at = (name: string): string => join(folder, name)
let signer: Signer
let files: Map<string, Uint8Array>

beforeAll(async () => {
  signer = await sampleSigner(at('ids'), 'signer')
  files = await samplePack({ signer })
  expect(await writePack(at('good.zip'), files)).toEqual({ ok: true, value: null })
})

// Always the same, and to be compressed only to about half.
const noise = (size: number): Uint8Array =>
  new Uint8Array(size).map((_, index) => Math.imul(index ^ (index >>> 7), 0x9e3779b1) >>> 28)

async function opened(path: string) {
  return must(await openPack(path))
}

const NONE = new Uint8Array()

describe('a pack', () => {
  test('is a BagIt bag whose lists name every file but the seal', () => {
    const text = (path: string): string => new TextDecoder().decode(files.get(path))
    expect(text(PATHS.bag)).toBe('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')
    const listed = [PATHS.manifest, PATHS.tagManifest].flatMap((path) =>
      text(path)
        .trim()
        .split('\n')
        .map((line) => line.slice(66)),
    )
    expect([...listed, PATHS.tagManifest, PATHS.seal].sort()).toEqual([...files.keys()].sort())
    expect(text(PATHS.info)).toMatch(/^Payload-Oxum: \d+\.18$/m)
    expect(text(PATHS.statement)).toContain('"_type":"https://in-toto.io/Statement/v1"')
  })

  test('has the digest that its report prints, which grep and sha256sum compute too', () => {
    const payload = new Map([...files].filter(([path]) => path.startsWith('data/')))
    const manifest = new TextDecoder().decode(files.get(PATHS.manifest))
    const lines = manifest.split('\n').filter((line) => line !== '' && !line.includes('  data/report'))
    expect(evidenceDigestOf(manifest)).toBe(sha256(`${lines.join('\n')}\n`))
    const without = new Map([...payload].filter(([path]) => path !== PATHS.report))
    expect(evidenceDigestOf(manifestLines(without))).toBe(evidenceDigestOf(manifestLines(payload)))
  })

  test('holds recordings whose two files hash to the digest of the recording', () => {
    const recording = sampleRecording('node-a', '')
    const parts = inHand(new Map(recordingFiles(recording)))
    const joined = Buffer.concat(
      ['recording.json', 'captures.jsonl'].map((name) => parts.get(`data/nodes/node-a/${name}`) ?? Buffer.alloc(0)),
    )
    expect(sha256(joined)).toBe(recordingDigest(recording))
  })

  test('gives nodes with names that no file system keeps a folder of their own', () => {
    for (const name of ['con', 'aux.x', 'ends.', 'x'.repeat(190)]) expect(isSafeName(name), name).toBe(false)
    for (const name of ['gpu-01', 'a', 'con-1', 'x_y.z']) expect(nodeFolder(name)).toBe(`data/nodes/${name}`)
    expect(nodeFolder('con')).toMatch(/^data\/nodes\/node-[0-9a-f]{24}$/)
  })

  test('contains nothing that over-claims', () => {
    const spoken = new TextDecoder().decode(files.get(PATHS.help))
    for (const banned of BANNED) expect(spoken).not.toMatch(banned)
    expect(spoken).toContain(signer.fingerprint)
  })
})

describe('an archive', () => {
  test('of the same files is the same bytes, whatever their order and the time zone', async () => {
    const zone = process.env.TZ
    try {
      for (const TZ of ['UTC', 'Pacific/Kiritimati', 'America/St_Johns']) {
        process.env.TZ = TZ
        await writePack(at('again.zip'), new Map([...files].reverse()))
        expect(sha256(readFileSync(at('again.zip'))), TZ).toBe(sha256(readFileSync(at('good.zip'))))
      }
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
    expect(readdirSync(folder).filter((name) => name.includes('.part-'))).toEqual([])
  })

  const mode = (name: string): string => (statSync(at(name)).mode & 0o777).toString(8)
  const few = new Map([['bagit.txt', Buffer.from('bag')]])

  const noModes = process.platform === 'win32' ? 'Windows has no such modes' : null
  testUnless(noModes, 'is for its owner alone; one that is replaced keeps its mode', async () => {
    await writePack(at('mine.zip'), few)
    expect(mode('mine.zip')).toBe('600')
    for (const kept of [0o664, 0o400]) {
      chmodSync(at('mine.zip'), kept)
      expect(await replacePack(at('mine.zip'), few)).toEqual({ ok: true, value: null })
      expect(mode('mine.zip')).toBe(kept.toString(8))
    }
  })

  test('of two that are written to one place at once one is there, whole, and the other is refused', async () => {
    for (let round = 0; round < 20; round += 1) {
      const path = at(`one-place-${round}.zip`)
      const both = ['bag', 'another bag'].map((text) => new Map([['bagit.txt', Buffer.from(text)]]))
      const written = await Promise.all(both.map((files) => writePack(path, files)))
      expect(written.map(({ ok }) => ok).sort()).toEqual([false, true])
      expect(written.find(({ ok }) => !ok)).toMatchObject({
        error: { code: 'input.refused', detail: `${path} already exists` },
      })
      const winner = both[written.findIndex(({ ok }) => ok)]?.get('bagit.txt') ?? Buffer.from('')
      expect(readFileSync(path).includes(winner)).toBe(true)
    }
    expect(readdirSync(folder).filter((name) => name.includes('.part-'))).toEqual([])
  })

  test('what is there is left as it is', async () => {
    writeFileSync(at('theirs.zip'), 'sealed by somebody')
    symlinkSync('nowhere', at('a-link.zip'))
    for (const name of ['theirs.zip', 'a-link.zip'])
      expect(await writePack(at(name), few)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(readFileSync(at('theirs.zip'), 'utf8')).toBe('sealed by somebody')
    expect(lstatSync(at('a-link.zip')).isSymbolicLink()).toBe(true)
  })

  test('below a file, or in the place of a folder, is a failure that leaves nothing', async () => {
    writeFileSync(at('a-file'), 'x')
    mkdirSync(at('a-folder/inside'), { recursive: true })
    const before = readdirSync(folder)
    for (const path of ['a-file/p.zip', 'a-file/deep/p.zip'])
      expect(await writePack(at(path), few), path).toMatchObject({ ok: false, error: { code: 'store.failed' } })
    expect(await writePack(at('a-folder'), few)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(await replacePack(at('a-folder'), few)).toMatchObject({ ok: false, error: { code: 'store.failed' } })
    expect(readdirSync(folder)).toEqual(before)
    expect(readFileSync(at('a-file'), 'utf8')).toBe('x')
  })

  test('opens, gives back every byte, and verifies', async () => {
    const pack = await opened(at('good.zip'))
    expect(pack.paths).toEqual([...files.keys()].sort())
    for (const [path, bytes] of files) {
      expect(Buffer.from(await pack.read(path)).equals(Buffer.from(bytes)), path).toBe(true)
      expect(await pack.sha256(path)).toBe(sha256(bytes))
      expect(pack.comparedWith?.(path)).toBe(sha256(bytes))
    }
    expect(() => pack.comparedWith?.('nothing')).toThrow(/there is no/)
    expect((await verifySource(pack)).report.ok).toBe(true)
    expect([pack.departures, pack.folder]).toEqual([[], null])
    await expect(pack.read('nothing')).rejects.toThrow()
    await pack.close()
  })

  test('gives its files to be copied into another, which is the same bytes', async () => {
    const pack = await opened(at('good.zip'))
    const copies = new Map(pack.paths.map((path) => [path, pack.stored(path)]))
    expect(await writePack(at('copy.zip'), copies)).toEqual({ ok: true, value: null })
    expect(readFileSync(at('copy.zip')).equals(readFileSync(at('good.zip')))).toBe(true)
    const parts: Uint8Array[] = []
    for await (const part of pack.stored(PATHS.scope).open()) parts.push(part)
    expect(Buffer.concat(parts).equals(Buffer.from(files.get(PATHS.scope) ?? []))).toBe(true)
    expect(() => pack.stored('nothing')).toThrow(/there is no/)
    await pack.close()
  })

  test('of these three files has always been these bytes', async () => {
    const three = new Map([
      ['data/a/b', new Uint8Array()],
      ['bagit.txt', Buffer.from('bag')],
      ['VERIFY.txt', Buffer.from('help')],
    ])
    await writePack(at('three.zip'), three)
    expect(sha256(readFileSync(at('three.zip')))).toBe(
      '52c7de4e988e16bcd0cefc65b475c3617b7623601bf9bf9a44c697e0f1e48090',
    )
  })

  test('that was packed again by other tools, compressed, opens', async () => {
    writeFileSync(at('again.zip'), rawZip(rawEntries(files).map((entry) => ({ ...entry, deflate: true }))))
    const pack = await opened(at('again.zip'))
    expect((await verifySource(pack)).report.ok).toBe(true)
    expect(pack.departures).toHaveLength(2)
    expect(pack.departures[0]).toMatch(/^Entry “pack\/VERIFY\.txt” differs in the list .*, and so do \d+ more\.$/)
    expect(pack.departures[1]).toMatch(/^Entry “pack\/VERIFY\.txt” is packed differently .*, and so do \d+ more\.$/)
    await pack.close()
  })

  test.each([true, false])('that states sizes after the data opens, compressed: %s', async (deflate) => {
    const data = noise(2_000_000)
    const packed = deflate ? deflateRawSync(data).length : data.length
    const after = Buffer.alloc(16)
    for (const [index, value] of [0x08074b50, crc32(data), packed, data.length].entries())
      after.writeUInt32LE(value, index * 4)
    for (const gap of [after, after.subarray(4)]) {
      writeFileSync(at('later.zip'), rawZip([{ name: 'pack/data/later', data, deflate, flags: 8, gap }]))
      const pack = await opened(at('later.zip'))
      expect(await pack.sha256('data/later')).toBe(sha256(data))
      expect(Buffer.from(await pack.read('data/later')).equals(Buffer.from(data))).toBe(true)
      await pack.close()
    }
  })

  test.each([
    ['larger', { statedSize: 1_500_000 }, /larger than its stated size/],
    ['smaller', { statedSize: 2_500_000 }, /smaller than its stated size/],
    ['longer', { tail: new Uint8Array(2_000_000) }, /belong to no entry/],
  ])('with a large compressed entry that is %s than declared is not opened', async (_, lie, why) => {
    const data = noise(2_000_000)
    writeFileSync(at('bad.zip'), rawZip([{ name: 'pack/data/big', data, deflate: true, ...lie }]))
    const pack = await openPack(at('bad.zip'))
    expect(pack).toMatchObject({ ok: false, error: { code: 'pack.unsafe' } })
    if (!pack.ok) expect(pack.error.detail).toMatch(why)
  })

  test('whose entries were put in another order, left out, renamed or doubled is never taken for the one that was written', async () => {
    const parts = takeApart(readFileSync(at('good.zip')))
    const places = parts.map((_, place) => place)
    const order = fc.shuffledSubarray(places, { minLength: places.length })
    const one = fc.nat({ max: places.length - 1 })
    const pick = (from: readonly number[]): ZipPart[] => from.flatMap((place) => parts[place] ?? [])
    expect(putTogether(parts, parts).equals(readFileSync(at('good.zip')))).toBe(true)
    const changes = fc.oneof(
      fc.tuple(order, order).map(([entries, list]) => putTogether(pick(entries), pick(list))),
      fc.tuple(fc.subarray(places), fc.subarray(places)).map(([a, b]) => putTogether(pick(a), pick(b))),
      one.map((place) => {
        const others = parts.map((part, index) =>
          index === place ? renamed(part, `${part.name.slice(0, -1)}0`) : part,
        )
        return putTogether(others, others)
      }),
      fc.tuple(one, one).map(([from, to]) => {
        const doubled = parts.toSpliced(
          to,
          0,
          ...pick([from]).map((part) => renamed(part, `${part.name.slice(0, -1)}0`)),
        )
        return putTogether(doubled, doubled)
      }),
    )
    const written = await opened(at('good.zip'))
    const listing = async (pack: OpenPack): Promise<string> =>
      (await Promise.all(pack.paths.map(async (path) => `${path} ${await pack.sha256(path)}`))).join('\n')
    const genuine = await listing(written)
    await written.close()
    await fc.assert(
      fc.asyncProperty(changes, async (bytes) => {
        fc.pre(!bytes.equals(readFileSync(at('good.zip'))))
        writeFileSync(at('changed.zip'), bytes)
        const pack = await openPack(at('changed.zip'))
        if (!pack.ok) return
        const same = (await listing(pack.value)) === genuine
        await pack.value.close()
        expect(same && pack.value.departures.length === 0).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  test('with one file too large to be held has its digest and no more', async () => {
    const pack = must(await openPack(at('good.zip'), { ...LIMITS, readBytes: 10 }))
    await expect(pack.read(PATHS.scope)).rejects.toThrow(/at most 10 are read into memory/)
    expect(await pack.sha256(PATHS.scope)).toBe(sha256(files.get(PATHS.scope) ?? ''))
    await pack.close()
  })

  test('whose file changed after it was opened is noticed', async () => {
    writeFileSync(at('moving.zip'), readFileSync(at('good.zip')))
    const pack = await opened(at('moving.zip'))
    const bytes = readFileSync(at('moving.zip'))
    writeFileSync(at('moving.zip'), bytes.fill(0x58, 0, bytes.length - 22))
    await expect(pack.read(PATHS.scope)).rejects.toThrow(/changed while/)
    await pack.close()
  })

  test.each(archiveAttacks)('with $name is not opened', async ({ build, detail }) => {
    writeFileSync(at('bad.zip'), build(files))
    const pack = await openPack(at('bad.zip'))
    expect(pack).toMatchObject({ ok: false, error: { code: 'pack.unsafe' } })
    if (!pack.ok) expect(pack.error.detail).toMatch(detail)
  })

  test.each<[string, readonly RawEntry[]]>([
    [
      'entries of folders',
      [
        { name: 'pack/', data: NONE, mode: 0o040755 },
        { name: 'pack/data/', data: NONE, mode: 0o040755 },
      ],
    ],
    ['what macOS keeps beside files', [{ name: '__MACOSX/pack/._bagit.txt', data: new Uint8Array([1]) }]],
    ['settings of Finder', [{ name: '.DS_Store', data: new Uint8Array([1]) }]],
  ])('that another program packed, with %s, is not read, and not called an attack', async (_, more) => {
    writeFileSync(at('again.zip'), rawZip([...more, ...rawEntries(files)]))
    expect(await openPack(at('again.zip'))).toMatchObject({ ok: false, error: { code: 'pack.repacked' } })
    // Anything worse in it is named as that.
    writeFileSync(at('again.zip'), rawZip([...more, ...rawEntries(files), { name: 'pack/../x', data: NONE }]))
    expect(await openPack(at('again.zip'))).toMatchObject({ ok: false, error: { code: 'pack.unsafe' } })
  })

  test('with a folder entry that has content is not opened', async () => {
    writeFileSync(
      at('bad.zip'),
      rawZip([{ name: 'pack/data/', data: new Uint8Array([1]), mode: 0o040755 }, ...rawEntries(files)]),
    )
    expect(await openPack(at('bad.zip'))).toMatchObject({ ok: false, error: { code: 'pack.unsafe' } })
  })

  test('with too much in it is not opened', async () => {
    expect(await openPack(at('good.zip'), { ...LIMITS, entries: 5 })).toMatchObject({
      ok: false,
      error: { code: 'pack.unsafe' },
    })
    for (const less of [{ totalBytes: 100 }, { listBytes: 100 }])
      expect(await openPack(at('good.zip'), { ...LIMITS, ...less })).toMatchObject({
        ok: false,
        error: { code: 'pack.unsafe' },
      })
  })

  test('with something outside its folder, or that is none, is not read', async () => {
    writeFileSync(at('bad.zip'), rawZip([...rawEntries(files), { name: 'readme.txt', data: new Uint8Array([1]) }]))
    expect(await openPack(at('bad.zip'))).toMatchObject({ ok: false, error: { code: 'pack.unreadable' } })
    for (const bytes of ['', 'hello', 'x'.repeat(100)]) {
      writeFileSync(at('bad.zip'), bytes)
      expect(await openPack(at('bad.zip'))).toMatchObject({ ok: false, error: { code: 'pack.unreadable' } })
    }
    expect(await openPack(at('nowhere.zip'))).toMatchObject({ ok: false, error: { code: 'input.not-found' } })
  })

  test('with any byte of its contents changed is refused, at the latest when verified', async () => {
    const good = readFileSync(at('good.zip'))
    const listAt = good.readUInt32LE(good.length - 6)
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: listAt - 1 }), fc.integer({ min: 1, max: 255 }), async (place, mask) => {
        const bytes = Buffer.from(good)
        bytes[place] = (bytes[place] ?? 0) ^ mask
        // The two bytes that say which version of the format unpacks an entry mean nothing here.
        const header = bytes.lastIndexOf('PK\x03\x04', place, 'latin1')
        fc.pre(place < header + 4 || place > header + 5)
        writeFileSync(at('changed.zip'), bytes)
        expect((await openPack(at('changed.zip'))).ok).toBe(false)
      }),
      { numRuns: 150 },
    )
  })

  test('of any bytes gives a failure and throws nothing', async () => {
    const good = readFileSync(at('good.zip'))
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: good.length - 1 }),
        fc.uint8Array({ minLength: 1, maxLength: 30 }),
        async (place, bytes) => {
          const changed = Buffer.from(good)
          changed.set(bytes.subarray(0, changed.length - place), place)
          writeFileSync(at('any.zip'), changed)
          const pack = await openPack(at('any.zip'))
          if (pack.ok) await pack.value.close()
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('bytes kept elsewhere', () => {
  const large = randomBytes(3 * 1024 ** 2)
  const kept = (bytes: Uint8Array, said: Partial<StoredBytes> = {}): StoredBytes => ({
    size: bytes.length,
    sha256: sha256(bytes),
    read: async () => bytes,
    open: async function* () {
      for (let from = 0; from < bytes.length; from += 700_001) yield bytes.subarray(from, from + 700_001)
    },
    ...said,
  })

  test('give the same archive as bytes in hand', async () => {
    const given = new Map([...files, ['data/large', large], ['data/none', new Uint8Array()]])
    await writePack(at('inhand.zip'), given)
    expect(await writePack(at('kept.zip'), new Map([...given].map(([path, bytes]) => [path, kept(bytes)])))).toEqual({
      ok: true,
      value: null,
    })
    expect(readFileSync(at('kept.zip')).equals(readFileSync(at('inhand.zip')))).toBe(true)
    const pack = await opened(at('kept.zip'))
    expect(Buffer.from(await pack.read('data/large')).equals(large)).toBe(true)
    expect(pack.departures).toEqual([])
    await pack.close()
  })

  const broken = async (): Promise<never> => {
    throw new Error('the disk is gone')
  }
  test.each([
    ['another digest, small', kept(Buffer.from('a'), { sha256: sha256('b') }), /changed/],
    ['another size, small', kept(Buffer.from('a'), { size: 2 }), /changed/],
    ['another digest, large', kept(large, { sha256: sha256('b') }), /changed/],
    ['more than declared, large', kept(large, { size: large.length - 1 }), /changed/],
    ['less than declared, large', kept(large, { size: large.length + 1 }), /changed/],
    ['nothing, small', kept(Buffer.from('a'), { read: broken }), /the disk is gone/],
    ['nothing, large', kept(large, { open: () => ({ [Symbol.asyncIterator]: () => ({ next: broken }) }) }), /is gone/],
    ['more than is ever read', kept(large, { size: LIMITS.totalBytes + 1 }), /at most 17179869184 are read/],
  ])('that give %s leave no archive, and the failure names which', async (_, content, why) => {
    const written = await writePack(
      at('none/never.zip'),
      new Map<string, PackContent>([...files, ['data/odd', content]]),
    )
    expect(written).toMatchObject({ ok: false, error: { code: 'store.failed' } })
    if (!written.ok && !why.source.includes('17179869184')) expect(written.error.detail).toContain('data/odd')
    if (!written.ok) expect(written.error.detail).toMatch(why)
    expect(existsSync(at('none')) ? readdirSync(at('none')) : []).toEqual([])
  })
})

describe('a folder', () => {
  const unpack = (into: string): void => {
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(into, 'pack', path)), { recursive: true })
      writeFileSync(join(into, 'pack', path), bytes)
    }
  }

  test('opens from inside and from above', async () => {
    unpack(at('unpacked'))
    for (const path of [at('unpacked'), at('unpacked/pack')]) {
      const pack = await opened(path)
      expect((await verifySource(pack)).report.ok).toBe(true)
      expect([pack.departures, pack.folder]).toEqual([[], at('unpacked/pack')])
      await pack.close()
    }
    for (const less of [{ entries: 5 }, { totalBytes: 100 }])
      expect(await openPack(at('unpacked'), { ...LIMITS, ...less })).toMatchObject({
        ok: false,
        error: { code: 'pack.unsafe' },
      })
  })

  test('with a link in it is not opened', async () => {
    unpack(at('linked'))
    symlinkSync('/etc/passwd', at('linked/pack/data/passwd'))
    expect(await openPack(at('linked'))).toMatchObject({ ok: false, error: { code: 'pack.unsafe' } })
  })

  test('that changes while it is read is noticed', async () => {
    unpack(at('moving'))
    const pack = await opened(at('moving'))
    writeFileSync(at(`moving/pack/${PATHS.scope}`), '{}')
    await expect(pack.read(PATHS.scope)).rejects.toThrow(/changed while/)
  })
})
