import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeEach, describe, expect, test } from 'vitest'
import { createFiles } from '../main/adapters/files.ts'
import { csvPieces } from '../main/adapters/stored-file.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { folderOfTest } from './support/folders.ts'

const files = createFiles()
let folder = ''
beforeEach(() => {
  folder = folderOfTest('files')
})

// Where mkdir(2) says ENOENT below a folder that is there, Node's own recursive form never ends.
test.skipIf(!existsSync('/proc/self'))(
  'a folder that cannot be made is a failure (skipped where there is no /proc)',
  async () => {
    for (const made of [await files.hold('/proc/x'), await files.write('/proc/x/y/file', '')])
      expect(made).toMatchObject({ ok: false, error: { code: 'store.failed' } })
  },
)

test.skipIf(!existsSync('/dev/zero'))(
  'a device or a named pipe is not read, also behind a link (skipped where there is no /dev/zero)',
  async () => {
    const [device, pipe] = [join(folder, 'device.pdf'), join(folder, 'pipe.pdf')]
    symlinkSync('/dev/zero', device)
    execFileSync('mkfifo', [pipe])
    for (const path of ['/dev/zero', device, pipe, folder])
      expect(await files.read(path)).toMatchObject({ ok: false, error: { code: 'input.not-found' } })
    const [plain, link] = [join(folder, 'plain'), join(folder, 'link')]
    writeFileSync(plain, 'abc')
    symlinkSync(plain, link)
    expect(await files.read(link)).toMatchObject({ ok: true, value: new TextEncoder().encode('abc') })
  },
)

describe('a file written in pieces', () => {
  test.each<[string, readonly (string | Uint8Array)[]]>([
    ['none', []],
    ['one', ['a']],
    ['text and bytes', ['ä', new Uint8Array([1, 2, 3]).subarray(1), '']],
    ['more than a block', Array.from({ length: 5 }, (_, index) => String(index).repeat(700_000))],
    ['a text longer than a block, with characters of several bytes at every place', ['é€😀x'.repeat(300_000), '😀']],
    [
      'texts that end one to four bytes before the end of a block',
      [...'1234'].flatMap((n) => ['x'.repeat(2 ** 20 - Number(n)), '😀é']),
    ],
    ['bytes longer than a block, between texts', ['ä', new Uint8Array(2_500_000).fill(7), 'ö']],
    ['half a character, which no encoding has', ['a\ud83d', '\ude00b']],
  ])('of %s is the pieces one after the other, and is returned with its digest', async (_, pieces) => {
    const path = join(folder, 'below', 'file')
    const whole = Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
    expect(await files.writePieces(path, pieces)).toEqual({
      ok: true,
      value: { size: whole.length, sha256: sha256(whole) },
    })
    expect(Buffer.compare(readFileSync(path), whole)).toBe(0)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('is not there where the pieces fail, and what was there stays', async () => {
    const path = join(folder, 'file')
    writeFileSync(path, 'before')
    function* failing(): Generator<string> {
      yield 'x'.repeat(2_000_000)
      throw new Error('no more')
    }
    await expect(files.writePieces(path, failing())).rejects.toThrow('no more')
    expect(readdirSync(folder)).toEqual(['file'])
    expect(readFileSync(path, 'utf8')).toBe('before')
  })

  test('fails as a value where the disk refuses', async () => {
    writeFileSync(join(folder, 'file'), '')
    const refused = await files.writePieces(join(folder, 'file', 'below'), ['x'])
    expect(refused).toMatchObject({ ok: false, error: { code: 'store.failed' } })
    expect(existsSync(join(folder, 'file', 'below'))).toBe(false)
  })
})

test.each([0, 1, 49, 50, 51, 101])('a table of %i rows is the same table in pieces', (count) => {
  const rows = Array.from({ length: count }, (_, index) => [String(index), index % 7 === 0 ? 'a\r\n"b";' : '=c'])
  const read = parse([...csvPieces(rows)].join(''), { bom: true }) as string[][]
  expect(read.map(([first]) => first)).toEqual(rows.map(([first]) => first))
  expect(new Set(read.map(({ length }) => length))).toEqual(new Set(count === 0 ? [] : [2]))
})
