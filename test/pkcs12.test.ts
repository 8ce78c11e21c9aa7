import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pkcs12Key, readPkcs12 } from '../main/adapters/identity/pkcs12.ts'
import { OID } from '../main/adapters/seal/oids.ts'
import { der, oid, sequence, small, unsigned } from '../main/core/der/read.ts'
import { times } from './support/thorough.ts'
import {
  certBag,
  encryptedKeyBag,
  freshBags,
  keyBag,
  nestedBag,
  newMac,
  oldMac,
  writePkcs12,
} from './support/write-pkcs12.ts'

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const NOW = '2026-11-01T00:00:00.000Z'
const { bags, leaf } = freshBags(NOW)

test('the key derivation of RFC 7292 gives the keys that others have published', () => {
  const salt = new Uint8Array(8).fill(0xff)
  const key = pkcs12Key({ hashName: 'sha1', password: 'sesame', salt, rounds: 2048, purpose: 1, length: 24 })
  expect(key.toString('hex')).toBe('7cd9fd3e2b3be7691a44e3bef0f9ea0fb9b897d4e325d9d1')
})

describe('a PKCS #12 file', () => {
  test('gives its key and its certificates, in its order', async () => {
    const read = await readPkcs12(writePkcs12(bags, oldMac('open')), 'open')
    expect(read).toMatchObject({ ok: true, value: { certificates: { length: 2 } } })
    if (!read.ok) return
    expect(read.value.certificates[1]).toEqual(leaf)
    expect(read.value.key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
  })

  test.each([
    ['bags in bags', [nestedBag(...bags)], oldMac('open')],
    ['a MAC of RFC 9579', bags, newMac('open')],
    ['a MAC of RFC 9579 with the function that is the default', bags, newMac('open', 'sha1')],
  ])('%s: read', async (_what, content, mac) => {
    expect(await readPkcs12(writePkcs12(content, mac), 'open')).toMatchObject({ ok: true })
    expect(await readPkcs12(writePkcs12(content, mac), 'closed')).toMatchObject({
      error: { code: 'identity.passphrase-wrong' },
    })
  })

  test('a password of other alphabets is read as UTF-16', async () => {
    const file = writePkcs12(bags, oldMac('σύνθημα'))
    expect(await readPkcs12(file, 'σύνθημα')).toMatchObject({ ok: true })
    expect(await readPkcs12(file, 'συνθημα')).toMatchObject({ error: { code: 'identity.passphrase-wrong' } })
  })

  test.each([
    ['no MAC', writePkcs12(bags, null), 'no MAC'],
    ['RC2 of 40 bits', writePkcs12([encryptedKeyBag(OID.pbeRc2With40Bits)], oldMac('open')), 'openssl pkcs12 -export'],
    ['RC2 of 128 bits', writePkcs12([encryptedKeyBag(OID.pbeRc2With128Bits)], oldMac('open')), 'RC2'],
    ['no key', writePkcs12([certBag(leaf)], oldMac('open')), 'contains 0 private keys'],
    ['two keys', writePkcs12([...bags, keyBag()], oldMac('open')), 'contains 2 private keys'],
    [
      'too many rounds',
      writePkcs12(bags, oldMac('open', 1, unsigned(hex('4c4b41')))),
      'too many key derivation rounds',
    ],
    [
      'very many rounds',
      writePkcs12(bags, oldMac('open', 1, unsigned(hex('ff'.repeat(40))))),
      'too many key derivation rounds',
    ],
    ['no rounds', writePkcs12(bags, oldMac('open', 1, small(0))), 'too many key derivation rounds, or none'],
    ['rounds below zero', writePkcs12(bags, oldMac('open', 1, der(0x02, hex('ff')))), 'or none'],
    ['a MAC key of no length', writePkcs12(bags, newMac('open', 'sha256', 1)), 'key size'],
    ['many bags', writePkcs12(Array(101).fill(certBag(hex('00'))), oldMac('open')), 'more than 100 parts'],
    ['a sealing by key', sequence(small(3), sequence(oid(OID.signedData), der(0xa0))), 'by a key'],
    ['more behind it', new Uint8Array([...writePkcs12(bags, oldMac('open')), 0]), 'damaged'],
    ['nothing', new Uint8Array(), 'damaged'],
    ['text', new TextEncoder().encode('-----BEGIN PKCS12-----'), 'damaged'],
    ['a megabyte', new Uint8Array((1 << 20) + 1), 'larger than 1048576 bytes'],
  ])('%s: refused', async (_what, file, why) => {
    expect(await readPkcs12(file, 'open')).toMatchObject({
      ok: false,
      error: { code: 'key.refused', detail: expect.stringContaining(why) },
    })
  })

  test.each([
    ['sequences', hex('3080'.repeat(500_000))],
    ['sequences of length', Buffer.concat(Array.from({ length: 200_000 }, () => hex('30840003')))],
    ['nested bags', Array.from({ length: 90 }).reduce<Uint8Array>((inner) => nestedBag(inner), certBag(leaf))],
  ])('%s without end are refused', async (_what, bytes) => {
    expect(await readPkcs12(bytes, 'open')).toMatchObject({ ok: false })
    expect(await readPkcs12(writePkcs12([bytes], oldMac('open')), 'open')).toMatchObject({ ok: false })
  })

  test('whatever its bytes, there is an answer', async () => {
    const file = writePkcs12(bags, oldMac('open'))
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        expect((await readPkcs12(bytes, 'open')).ok).toBe(false)
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const altered = new Uint8Array(file)
        altered[at] = (altered[at] ?? 0) ^ change
        const read = await readPkcs12(altered, 'open')
        if (read.ok) expect(read.value.certificates).toContainEqual(leaf)
        else expect(['key.refused', 'identity.passphrase-wrong']).toContain(read.error.code)
      }),
      { numRuns: times(100, 500) },
    )
  })
})
