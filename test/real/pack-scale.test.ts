import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openPack, writePack } from '../../main/adapters/pack/index.ts'
import { endRecords, listedRecord, localHeader } from '../../main/adapters/pack/zip-format.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { folderOfTests } from '../support/folders.ts'
import { isInstalled } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'

/** Large packs and the tools that other people have. The bytes stay few: many small files, or one that is mostly a hole. */
const TOOLS = ['zip', 'unzip']
const missing = TOOLS.filter((tool) => !isInstalled(tool))

const folder = folderOfTests('scale')
const at = (name: string): string => join(folder, name)
const run = (tool: string, ...argv: string[]): string =>
  execFileSync(tool, argv, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 })

const COUNT = 66_000
const many = new Map(
  Array.from({ length: COUNT }, (_, index) => [`data/${Math.floor(index / 500)}/${index}`, Buffer.from(`${index}`)]),
)

describe.skipIf(missing.length > 0)(`with ${TOOLS.join(' and ')} (skipped where one is absent)`, () => {
  test('unzip reads a pack of 66,000 files, which needs the 64-bit form', async () => {
    expect(await writePack(at('many.zip'), many)).toEqual({ ok: true, value: null })
    expect(run('unzip', '-tqq', 'many.zip')).toBe('')
    expect(run('unzip', '-Z1', 'many.zip').trimEnd().split('\n')).toHaveLength(COUNT)
  })

  test.each(['-0', '-6'])(
    'a folder of 66,000 files that zip %s packed opens, and is not taken for ours',
    async (level) => {
      for (const [path, bytes] of many) {
        mkdirSync(dirname(join(folder, 'pack', path)), { recursive: true })
        writeFileSync(join(folder, 'pack', path), bytes)
      }
      rmSync(at('again.zip'), { force: true })
      run('zip', level, '-q', '-r', '-D', 'again.zip', 'pack')
      const [archive, unpacked] = [await openPack(at('again.zip')), await openPack(at('pack'))]
      if (!archive.ok || !unpacked.ok) throw new Error(JSON.stringify([archive, unpacked]))
      expect(archive.value.paths).toEqual([...many.keys()].sort())
      expect(unpacked.value.paths).toEqual(archive.value.paths)
      for (const path of ['data/0/0', 'data/131/65999']) {
        expect(await archive.value.sha256(path)).toBe(sha256(many.get(path) ?? ''))
        expect(await unpacked.value.sha256(path)).toBe(sha256(many.get(path) ?? ''))
      }
      expect(archive.value.departures.length).toBeGreaterThan(0)
      await archive.value.close()
      await unpacked.value.close()
    },
  )

  // 4 GiB + 1 byte of zeros, which is a hole in the file, and a file after it. CRC-32 and SHA-256 are what other tools say of them.
  const size = 2 ** 32 + 1
  const hole = { name: 'pack/data/hole', size, crc: 0x41d912ff, at: 0 }
  const after = { name: 'pack/data/small', size: 4, crc: 0x9be3e0a3, at: localHeader(hole).length + size }
  function sparse(path: string): void {
    const listAt = after.at + localHeader(after).length + after.size
    const list = Buffer.concat([listedRecord(hole), listedRecord(after)])
    const file = openSync(path, 'w')
    writeSync(file, localHeader(hole), 0, null, 0)
    ftruncateSync(file, after.at)
    const rest = Buffer.concat([localHeader(after), Buffer.from('1234'), list, endRecords(2, listAt, list.length)])
    writeSync(file, rest, 0, rest.length, after.at)
    closeSync(file)
  }
  test('a file over 4 GiB, and one beyond it, are found by unzip and by us', async () => {
    sparse(at('sparse.zip'))
    expect(run('unzip', '-Z', '-l', 'sparse.zip')).toMatch(
      /4294967297 .* pack\/data\/hole\n.* 4 .* pack\/data\/small\n/,
    )
    expect(run('unzip', '-p', 'sparse.zip', 'pack/data/small')).toBe('1234')
    const pack = must(await openPack(at('sparse.zip')))
    expect(pack.departures).toEqual([])
    expect(await pack.sha256('data/hole')).toBe('fbb82f7b353676bb562eb82157fcf0ea42c36492ca13ee56dbf82c08b6802c5c')
    await expect(pack.read('data/hole')).rejects.toThrow(/has 4294967297 bytes/)
    expect(Buffer.from(await pack.read('data/small')).toString()).toBe('1234')
    await pack.close()
  })
})
