import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPack, writePack } from '../main/adapters/pack/index.ts'
import { LIMITS } from '../main/adapters/pack/limits.ts'
import { sha256 } from '../main/core/digest.ts'
import { evidenceDigestOf, manifestLines, PATHS } from '../main/core/pack.ts'
import { isSafeName, nodeFolder, recordingFiles } from '../main/core/pack-files.ts'
import type { Signer } from '../main/core/ports.ts'
import { recordingDigest } from '../main/core/recording.ts'
import { BANNED } from '../schemas/words.ts'
import { archiveAttacks, rawEntries, rawZip } from './support/pack-attacks.ts'
import { inHand, samplePack, sampleRecording, sampleSigner, verifySource } from './support/sample-pack.ts'

const folder = mkdtempSync(join(tmpdir(), 'bw-pack-'))
const at = (name: string): string => join(folder, name)
let signer: Signer
let files: Map<string, Uint8Array>

beforeAll(async () => {
  signer = await sampleSigner(at('ids'), 'signer')
  files = await samplePack({ signer })
  expect(await writePack(at('good.zip'), files)).toEqual({ ok: true, value: null })
})
afterAll(() => rmSync(folder, { recursive: true }))

async function opened(path: string) {
  const pack = await openPack(path)
  if (!pack.ok) throw new Error(`${pack.error.code}: ${pack.error.detail}`)
  return pack.value
}

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
    expect(text(PATHS.info)).toMatch(/^Payload-Oxum: \d+\.15$/m)
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

  test('says nothing that over-claims', () => {
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

  test('opens, gives back every byte, and verifies', async () => {
    const pack = await opened(at('good.zip'))
    expect(pack.paths).toEqual([...files.keys()].sort())
    for (const [path, bytes] of files) {
      expect(Buffer.from(await pack.read(path)).equals(Buffer.from(bytes)), path).toBe(true)
      expect(await pack.sha256(path)).toBe(sha256(bytes))
    }
    expect((await verifySource(pack)).report.ok).toBe(true)
    await expect(pack.read('nothing')).rejects.toThrow()
    await pack.close()
  })

  test('that was packed again by other tools, compressed, opens', async () => {
    writeFileSync(at('again.zip'), rawZip(rawEntries(files).map((entry) => ({ ...entry, deflate: true }))))
    const pack = await opened(at('again.zip'))
    expect((await verifySource(pack)).report.ok).toBe(true)
    await pack.close()
  })

  test.each(archiveAttacks)('with $name is not opened', async ({ build, detail }) => {
    writeFileSync(at('bad.zip'), build(files))
    const pack = await openPack(at('bad.zip'))
    expect(pack).toMatchObject({ ok: false, error: { code: 'pack.unsafe' } })
    if (!pack.ok) expect(pack.error.detail).toMatch(detail)
  })

  test('with too much in it is not opened', async () => {
    expect(await openPack(at('good.zip'), { ...LIMITS, entries: 5 })).toMatchObject({
      ok: false,
      error: { code: 'pack.unsafe' },
    })
    expect(await openPack(at('good.zip'), { ...LIMITS, totalBytes: 100 })).toMatchObject({
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
      await pack.close()
    }
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
