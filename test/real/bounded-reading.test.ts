import { spawnSync } from 'node:child_process'
import { existsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { PATHS, stampPath } from '../../main/core/pack/pack-files.ts'
import { folderOfTests } from '../support/folders.ts'
import { describeUnless } from '../support/needing.ts'
import { rawEntries, rawZip } from '../support/pack-attacks.ts'
import { samplePack, sampleSigner } from '../support/sample-pack.ts'

/** Packs of at most 8 MB that were built to exhaust their reader, against the built program with little memory. */
const PROGRAM = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
const why = existsSync(PROGRAM) ? null : 'the program is not built: npm run build'
const folder = folderOfTests('hostile')
const at = (name: string): string => join(folder, name)
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

let files: Map<string, Uint8Array>
beforeAll(async () => {
  files = await samplePack({ signer: await sampleSigner(folder, 'hostile') })
})

const MIB = 1024 ** 2
const NODE = 'data/nodes/node-a'
/** As much as an archive of 400 KB may unpack to. */
const large = (piece: string, mib = 7): string => piece.repeat(Math.floor((mib * MIB) / piece.length))

const HOSTILE: readonly (readonly [name: string, changes: () => Readonly<Record<string, string>>])[] = [
  ['lists within each other', () => ({ [PATHS.scope]: `${large('[', 3)}${large(']', 3)}\n` })],
  ['a list of objects', () => ({ [PATHS.register]: `[${large('{},')}{}]\n` })],
  ['a list of numbers', () => ({ [PATHS.assessment]: `[${large('0,')}0]\n` })],
  ['a statement of lists', () => ({ [PATHS.statement]: `[${large('[],')}[]]\n` })],
  ['a list of files that is line ends', () => ({ [PATHS.manifest]: large('\n') })],
  ['a sealed list that is line ends', () => ({ [PATHS.tagManifest]: large('\n') })],
  ['notes that are line ends', () => ({ [PATHS.info]: large('\n') })],
  ['a chain of line ends', () => ({ 'data/log/entries.jsonl': large('\n') })],
  ['captures that are line ends', () => ({ [`${NODE}/captures.jsonl`]: large('\n') })],
  ['captures that are none', () => ({ [`${NODE}/captures.jsonl`]: large('{}\n') })],
  ['certificates without an end', () => ({ [PATHS.chain]: large('-----BEGIN CERTIFICATE-----') })],
  [
    'a report of objects',
    () => ({ [PATHS.report]: `%PDF-1.7\n1 0 obj\n(Barewitness 1)\nendobj\n${large('0 0 obj\n')}` }),
  ],
  [
    'thousands of time-stamps',
    () => Object.fromEntries(Array.from({ length: 5000 }, (_, place) => [stampPath(place + 1), 'x'.repeat(1400)])),
  ],
  [
    'thousands of revocation lists',
    () =>
      Object.fromEntries(
        Array.from({ length: 5000 }, (_, place) => [
          `signature/crls/${place}.pem`,
          '-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----\n',
        ]),
      ),
  ],
  ['thousands of files', () => Object.fromEntries(Array.from({ length: 6000 }, (_, place) => [`data/${place}`, '']))],
]

describeUnless(why, 'verify', () => {
  const verify = (path: string) =>
    spawnSync(process.execPath, ['--max-old-space-size=200', PROGRAM, 'verify', path, '--json'], {
      encoding: 'utf8',
      maxBuffer: 64 * MIB,
    })

  test.each(HOSTILE)('%s: rejected, and nothing runs out of memory', (_, changes) => {
    const changed = new Map([...files, ...Object.entries(changes()).map(([path, text]) => [path, utf8(text)] as const)])
    writeFileSync(at('hostile.zip'), rawZip(rawEntries(changed)))
    const ran = verify(at('hostile.zip'))
    expect([ran.status, ran.signal], ran.stderr.slice(-2000)).toEqual([5, null])
  })

  test('a PDF of 3 GiB: rejected', () => {
    writeFileSync(at('large.pdf'), '%PDF-1.7\n')
    truncateSync(at('large.pdf'), 3 * 1024 * MIB)
    expect(verify(at('large.pdf')).status).toBe(5)
  })
})
