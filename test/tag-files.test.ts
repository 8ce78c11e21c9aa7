import { beforeAll, expect, test } from 'vitest'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { folderOfTests } from './support/folders.ts'
import { reseal } from './support/pack-attacks.ts'
import { samplePack, sampleSigner, sourceOf, verifySource } from './support/sample-pack.ts'

type Files = ReadonlyMap<string, Uint8Array>

const folder = folderOfTests('tag-files')
let signer: Signer
let good: Files
beforeAll(async () => {
  signer = await sampleSigner(folder, 'signer')
  good = await samplePack({ signer })
})

const textOf = (files: Files, path: string): string => new TextDecoder().decode(files.get(path))
const put = (path: string, text: string): Files => new Map([...good, [path, new TextEncoder().encode(text)]])
const integrity = async (files: Files) => {
  const { report } = await verifySource(sourceOf(await reseal(files, signer)), [signer.certificate])
  return report.checks.find(({ check }) => check === 'integrity')
}
const edited = (path: string, was: string | RegExp, is: string): Files => {
  const text = textOf(good, path)
  expect(text).toMatch(was)
  return put(path, text.replace(was, is))
}

test('the pack as it was written is intact after sealing it again', async () => {
  expect(await integrity(good)).toMatchObject({ outcome: 'passed' })
})

const FORGED: readonly (readonly [string, string, () => Files])[] = [
  ['another verify.sh', PATHS.verifyScript, () => put(PATHS.verifyScript, 'echo ALL CHECKS PASSED\n')],
  ['other advice in VERIFY.txt', PATHS.help, () => put(PATHS.help, 'This pack was certified.\n')],
  ['another fingerprint in VERIFY.txt', PATHS.help, () => edited(PATHS.help, /[0-9a-f]{64}/, 'a'.repeat(64))],
  ['a line more in VERIFY.txt', PATHS.help, () => put(PATHS.help, `${textOf(good, PATHS.help)}Certified.\n`)],
  ['another day in bag-info.txt', PATHS.info, () => edited(PATHS.info, /Bagging-Date: .*/, 'Bagging-Date: 2020-01-01')],
  ['a line more in bag-info.txt', PATHS.info, () => put(PATHS.info, `${textOf(good, PATHS.info)}Certified-By: X\n`)],
  [
    'another fingerprint in bag-info.txt',
    PATHS.info,
    () => edited(PATHS.info, /Signer-Fingerprint: .*/, `Signer-Fingerprint: ${'b'.repeat(64)}`),
  ],
  ['other bytes in Payload-Oxum', PATHS.info, () => edited(PATHS.info, /Payload-Oxum: /, '$&1')],
  ['another count in Payload-Oxum', PATHS.info, () => edited(PATHS.info, /(Payload-Oxum: \d+\.\d+)/, '$11')],
  ['a second Payload-Oxum', PATHS.info, () => edited(PATHS.info, /Payload-Oxum: .*\n/, '$&$&')],
  ['text before the certificates', PATHS.chain, () => put(PATHS.chain, `An auditor\n${textOf(good, PATHS.chain)}`)],
  ['a certificate twice', PATHS.chain, () => put(PATHS.chain, textOf(good, PATHS.chain).repeat(2))],
  ['a file beside the payload', 'certificate.txt', () => put('certificate.txt', 'certified\n')],
  ['a file beside the seal', 'signature/other.p7s', () => put('signature/other.p7s', 'x')],
]

test.each(FORGED)('the signer cannot seal %s', async (_, path, forged) => {
  const check = await integrity(forged())
  expect(check).toMatchObject({ outcome: 'failed' })
  expect(check?.details.join('\n')).toContain(path)
})
