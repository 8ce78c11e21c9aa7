import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeIdentity } from '../main/adapters/identity/certificates.ts'
import { signerOf } from '../main/adapters/identity/folder.ts'
import { cmsForDigest, digestOf, signDetached, signedAttributes, withLowS } from '../main/adapters/seal/cms.ts'
import { OID } from '../main/adapters/seal/oids.ts'
import { readSeal, signPdf } from '../main/adapters/seal/reader.ts'
import { namesOf } from '../main/adapters/seal/x509.ts'
import {
  bits,
  type DerValue,
  der,
  derValue,
  isStrictDer,
  membersOf,
  octets,
  oid,
  sequence,
  setOf,
  small,
  text,
  time,
  unsigned,
} from '../main/core/der/read.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { realClock, realEntropy } from './support/deps.ts'

const content = new TextEncoder().encode('what is sealed\n')
const made = makeIdentity({
  commonName: 'Seal test',
  rootCommonName: 'Seal test (root)',
  now: realClock.now(),
  entropy: realEntropy,
})
const signer: Signer = signerOf({ ...made, subject: 'Seal test', key: made.leafKey })
const other = makeIdentity({
  commonName: 'Other',
  rootCommonName: 'Other (root)',
  now: realClock.now(),
  entropy: realEntropy,
})
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
let seal: Uint8Array

const lowS = (signature: Uint8Array): Uint8Array => withLowS(signature) ?? new Uint8Array()
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const integer = (value: bigint): Uint8Array =>
  unsigned(new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex')))
/** The same signature with n − s for s: whichever form it has, the other one. */
function otherForm(signature: Uint8Array): Uint8Array {
  const [r, s] = membersOf(derValue(signature) as DerValue)
  const value = BigInt(`0x${hex(s?.content ?? new Uint8Array())}`)
  return sequence(r?.bytes ?? new Uint8Array(), integer(ORDER - value))
}

beforeAll(async () => {
  seal = await signDetached(signer, content)
})

const read = (signature: Uint8Array, what = content, chain = signer.chain, crls = signer.crls) =>
  readSeal({ content: what, signature, chain, crls, timestamps: [], tsaChain: [], tsaCrls: [], freshCrls: [] })

describe('DER', () => {
  test('is written in its one form (X.690)', () => {
    expect(hex(unsigned(new Uint8Array([0, 0, 0x80])))).toBe('02020080')
    expect(hex(small(0))).toBe('020100')
    expect(hex(oid('1.2.840.113549.1.7.2'))).toBe('06092a864886f70d010702')
    expect(hex(oid('2.999.3'))).toBe('0603883703')
    expect(hex(setOf(octets(new Uint8Array([2])), octets(new Uint8Array([1]))))).toBe('3106040101040102')
    expect(hex(der(0x04, new Uint8Array(200))).slice(0, 6)).toBe('0481c8')
    expect(hex(bits(new Uint8Array([0xc0]), 6))).toBe('030206c0')
    expect(new TextDecoder().decode(time(new Date('2049-12-31T23:59:59Z')).subarray(2))).toBe('491231235959Z')
    expect(new TextDecoder().decode(time(new Date('2050-01-01T00:00:00Z')).subarray(2))).toBe('20500101000000Z')
    expect(hex(text('é'))).toBe('0c02c3a9')
  })

  test.each([
    ['a length in more octets than needed', '308103020101'],
    ['an indefinite length', '30800201010000'],
    ['an integer with a superfluous zero', '3004020200010'.slice(0, 12)],
    ['bytes left over', '300302010100'],
    ['an end inside a value', '3004020101'],
    ['a truth value that is neither', '010101'],
  ])('with %s is refused', (_, bytes) => {
    expect(isStrictDer(new Uint8Array(Buffer.from(bytes, 'hex')))).toBe(false)
  })

  test('written here is always strict', () => {
    expect(isStrictDer(seal)).toBe(true)
    for (const one of [made.leaf, made.root, made.crl]) expect(isStrictDer(one)).toBe(true)
  })
})

describe('a seal', () => {
  test('reads back', async () => {
    const reading = await read(seal)
    expect(reading).toMatchObject({ problems: [], demo: false, revoked: null, timestamps: [] })
    expect(reading.signer).toMatchObject({ subject: 'Seal test', fingerprint: signer.fingerprint })
    expect(reading.root?.fingerprint).toBe(createHash('sha256').update(made.root).digest('hex'))
  })

  test('over a digest is the seal over the content', async () => {
    expect((await read(await cmsForDigest(signer, digestOf(content)))).problems).toEqual([])
  })

  test('over other content is refused', async () => {
    expect((await read(seal, new TextEncoder().encode('other'))).problems.join(' ')).toMatch(
      /does not cover these bytes/,
    )
  })

  test('without its root is reported as incomplete', async () => {
    const reading = await read(seal, content, [], [])
    expect(reading).toMatchObject({ problems: [], root: null })
    expect(reading.incomplete).toMatch(/the issuer of .*Seal test.* is missing/)
  })

  test('with a time-stamp that is none reports this', () => {
    const stamped = { token: new Uint8Array([1]), over: seal }
    const { chain, crls } = signer
    const reading = readSeal({
      content,
      signature: seal,
      chain,
      crls,
      timestamps: [stamped],
      tsaChain: [],
      tsaCrls: [],
      freshCrls: [],
    })
    expect(reading.problems).toEqual([])
    expect(reading.timestamps.map(({ problems }) => problems.length > 0)).toEqual([true])
  })

  interface ByHand {
    readonly sign?: Signer['sign']
    readonly signers?: number
    readonly inner?: readonly Uint8Array[]
    readonly certificates?: readonly Uint8Array[]
    readonly unsigned?: readonly Uint8Array[]
  }
  /** A SignedData with the given attributes, and with whatever else a seal must not have. */
  const byHand = async (attributes: readonly Uint8Array[], options: ByHand = {}): Promise<Uint8Array> => {
    const signed = setOf(...attributes)
    const stored = Uint8Array.from(signed)
    stored[0] = 0xa0
    const { issuer, serial } = namesOf(signer.certificate)
    const hashing = sequence(oid(OID.sha256))
    const signature = octets(options.sign === undefined ? lowS(await signer.sign(signed)) : await options.sign(signed))
    const info = sequence(
      small(1),
      sequence(issuer, serial),
      hashing,
      stored,
      sequence(oid(OID.ecdsaWithSha256)),
      signature,
      ...(options.unsigned ?? []),
    )
    const infos = Array.from({ length: options.signers ?? 1 }, () => info)
    const certificates = der(0xa0, ...(options.certificates ?? [signer.certificate]))
    const inner = sequence(oid(OID.data), ...(options.inner ?? []))
    return sequence(
      oid(OID.signedData),
      der(0xa0, sequence(small(1), setOf(hashing), inner, certificates, setOf(...infos))),
    )
  }
  const contentType = sequence(oid(OID.contentType), setOf(oid(OID.data)))
  const messageDigest = sequence(oid(OID.messageDigest), setOf(octets(digestOf(content))))
  const [, , certificate = new Uint8Array()] = attributesOf(signedAttributes(signer.certificate, digestOf(content)))

  test('built by hand from the same parts is accepted, so that the next tests mean something', async () => {
    expect((await read(await byHand([contentType, messageDigest, certificate]))).problems).toEqual([])
  })

  test('whose ECDSA signature was changed to the other one that verifies is refused', async () => {
    const attributes = [contentType, messageDigest, certificate]
    const high = async (data: Uint8Array): Promise<Uint8Array> => otherForm(lowS(await signer.sign(data)))
    expect((await read(await byHand(attributes, { sign: high }))).problems).toHaveLength(1)
  })

  test.each([
    ['r and s with bytes after them', (good: Uint8Array) => new Uint8Array([...good, 0])],
    [
      'a third number',
      (good: Uint8Array) => sequence(...membersOf(derValue(good) as DerValue).map(({ bytes }) => bytes), small(1)),
    ],
    ['an s of zero', (good: Uint8Array) => sequence(membersOf(derValue(good) as DerValue)[0]?.bytes ?? good, small(0))],
    [
      'an s of the order of the group',
      (good: Uint8Array) => sequence(membersOf(derValue(good) as DerValue)[0]?.bytes ?? good, integer(ORDER)),
    ],
    ['a length in more octets than needed', (good: Uint8Array) => new Uint8Array([0x30, 0x81, ...good.subarray(1)])],
  ])('whose ECDSA signature has %s is refused', async (_, change) => {
    const sign = async (data: Uint8Array): Promise<Uint8Array> => change(lowS(await signer.sign(data)))
    expect((await read(await byHand([contentType, messageDigest, certificate], { sign }))).problems).not.toEqual([])
    expect(withLowS(change(lowS(await signer.sign(content))))).toBeNull()
  })

  test('is written in the lower form, whichever of the two the key gives', async () => {
    for (const form of [lowS, (made: Uint8Array) => otherForm(lowS(made))]) {
      const token: Signer = { ...signer, sign: async (data) => form(await signer.sign(data)) }
      expect((await read(await signDetached(token, content))).problems).toEqual([])
    }
    await expect(signDetached({ ...signer, sign: async () => new Uint8Array(64) }, content)).rejects.toThrow()
  })

  test('its lower form begins at half of the order of the group', () => {
    const half = sequence(integer(7n), integer(ORDER / 2n))
    expect(withLowS(half)).toBe(half)
    expect(withLowS(sequence(integer(7n), integer(ORDER / 2n + 1n)))).toEqual(half)
    expect(withLowS(new Uint8Array())).toBeNull()
  })

  test.each([
    [
      'a time of its own',
      [contentType, messageDigest, certificate, sequence(oid(OID.signingTime), setOf(time(new Date())))],
      /signing-time/,
    ],
    ['no content type', [messageDigest, certificate], /no content-type/],
    ['no digest', [contentType, certificate], /no message-digest/],
    ['no certificate attribute', [contentType, messageDigest], /no signing-certificate-v2/],
    ['two digests', [contentType, messageDigest, messageDigest, certificate], /more than one message-digest attribute/],
    [
      'the attribute of another certificate',
      [contentType, messageDigest, attributesOf(signedAttributes(made.root, digestOf(content)))[2] ?? certificate],
      /another certificate/,
    ],
    [
      'an unknown attribute',
      [contentType, messageDigest, certificate, sequence(oid('1.2.3.4'), setOf(text('x')))],
      /not those of a seal/,
    ],
  ])('with %s is refused', async (_, attributes, words) => {
    expect((await read(await byHand(attributes as Uint8Array[]))).problems.join(' ')).toMatch(words as RegExp)
  })

  test('by another key is refused', async () => {
    const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const forged = await byHand([contentType, messageDigest, certificate], {
      sign: async (data) => new Uint8Array(sign('sha256', data, foreign)),
    })
    expect((await read(forged)).problems.join(' ')).toMatch(/does not verify with the key/)
  })

  test.each([
    ['two signers', { signers: 2 }, /has 2 signers/],
    ['no signer', { signers: 0 }, /has 0 signers/],
    ['content of its own', { inner: [der(0xa0, octets(content))] }, /must be detached/],
    ['a stranger’s certificate', { certificates: [made.leaf, other.leaf] }, /not part of its signer’s chain/],
    ['without its certificate', { certificates: [other.leaf] }, /not in the seal/],
    [
      'unsigned attributes',
      { unsigned: [der(0xa1, sequence(oid('1.2.3.4'), setOf(text('x'))))] },
      /an unsigned attribute that is not one time-stamp/,
    ],
  ] as const)('with %s is refused', async (_, options, words) => {
    expect((await read(await byHand([contentType, messageDigest, certificate], options))).problems.join(' ')).toMatch(
      words,
    )
  })

  test('by an issuer that may not issue is refused', async () => {
    // The leaf of one identity issues a certificate: its own names say that it may not.
    const rogue = makeIdentity({
      commonName: 'Rogue',
      rootCommonName: 'Seal test',
      now: realClock.now(),
      entropy: realEntropy,
    })
    const forged = signerOf({ ...rogue, subject: 'Rogue', key: rogue.leafKey })
    const reading = await read(await signDetached(forged, content), content, [made.leaf, made.root])
    expect(reading.problems.join(' ')).toMatch(/did not sign it/)
    expect(reading.root).toBeNull()
  })

  test('with revocation lists that others signed is refused', async () => {
    const namesake = makeIdentity({
      commonName: 'X',
      rootCommonName: 'Seal test (root)',
      now: realClock.now(),
      entropy: realEntropy,
    })
    expect((await read(seal, content, signer.chain, [namesake.crl])).problems.join(' ')).toMatch(/Revocation list 1/)
    expect((await read(seal, content, signer.chain, [new Uint8Array([1])])).problems.join(' ')).toMatch(
      /Revocation list 1/,
    )
  })

  test('by a revoked key states when', async () => {
    const { issuer } = namesOf(made.leaf)
    const { serial } = namesOf(made.leaf)
    const algorithm = sequence(oid(OID.ecdsaWithSha256))
    const at = new Date('2026-11-01T00:00:00Z')
    const list = sequence(
      small(1),
      algorithm,
      issuer,
      time(at),
      time(new Date('2030-01-01T00:00:00Z')),
      sequence(sequence(serial, time(at))),
    )
    const crl = sequence(list, algorithm, bits(new Uint8Array(sign('sha256', list, made.rootKey))))
    expect((await read(seal, content, signer.chain, [crl])).revoked).toEqual({ at: '2026-11-01T00:00:00.000Z' })
  })

  test('of any bytes gives problems and throws nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        expect((await read(bytes, content, [bytes], [bytes])).problems).not.toEqual([])
      }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: seal.length - 1 }),
        fc.uint8Array({ minLength: 1, maxLength: 8 }),
        async (at, bytes) => {
          const changed = Uint8Array.from(seal)
          changed.set(bytes.subarray(0, changed.length - at), at)
          if (hex(changed) !== hex(seal)) expect((await read(changed)).problems).not.toEqual([])
        },
      ),
    )
  })
})

describe('a PDF', () => {
  const placeholder = `%PDF-1.7\n1 0 obj\n<< /ByteRange [0 9999999999 9999999999 9999999999]\n/Contents <${'00'.repeat(16384)}> >>\nendobj\n%%EOF\n`
  const bytes = new TextEncoder().encode(placeholder)

  test('is signed in place over everything but its signature', async () => {
    const signed = await signPdf(bytes, signer)
    expect(signed.length).toBe(bytes.length)
    const [, a, b, c, d] =
      /\/ByteRange \[(\d+) (\d+) (\d+) (\d+)\]/.exec(Buffer.from(signed).toString('latin1'))?.map(Number) ?? []
    expect([a, (c ?? 0) + (d ?? 0)]).toEqual([0, signed.length])
    const covered = Buffer.concat([signed.subarray(0, b), signed.subarray(c)])
    const contents = Buffer.from(Buffer.from(signed.subarray((b ?? 0) + 1, (c ?? 0) - 1)).toString('latin1'), 'hex')
    const length = contents.readUInt16BE(2) + 4
    expect((await read(new Uint8Array(contents.subarray(0, length)), new Uint8Array(covered))).problems).toEqual([])
  })

  test.each([
    ['no room', new TextEncoder().encode('%PDF-1.7\n%%EOF\n'), /no ByteRange/],
    ['two places', new TextEncoder().encode(placeholder + placeholder), /more than one ByteRange/],
    [
      'room that is too small',
      new TextEncoder().encode(placeholder.replace('00'.repeat(16384), '00'.repeat(64))),
      /no Contents/,
    ],
  ])('with %s is not signed', async (_, pdf, words) => {
    await expect(signPdf(pdf, signer)).rejects.toThrow(words)
  })
})

/** The members of a SET of attributes, by their order in signedAttributes(): sorted, which is content type, digest, certificate. */
function attributesOf(set: Uint8Array): Uint8Array[] {
  const members: Uint8Array[] = []
  const body = set.subarray((set[1] ?? 0) < 0x80 ? 2 : 2 + ((set[1] ?? 0) & 0x7f))
  for (let at = 0; at < body.length; ) {
    const first = body[at + 1] ?? 0
    const size =
      first < 0x80
        ? 2 + first
        : first === 0x81
          ? 3 + (body[at + 2] ?? 0)
          : 4 + (body[at + 2] ?? 0) * 256 + (body[at + 3] ?? 0)
    members.push(body.slice(at, at + size))
    at += size
  }
  return members
}
