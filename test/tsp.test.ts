import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OID } from '../main/adapters/seal/oids.ts'
import { revocation } from '../main/adapters/seal/path.ts'
import { readQuery, timestampQuery, tokenOf } from '../main/adapters/seal/tsp/client.ts'
import { readToken, readTokenOverDigest } from '../main/adapters/seal/tsp/token.ts'
import { readAuthorityCertificate, readCertificate } from '../main/adapters/seal/x509.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { derValue, isStrictDer, oidText, sequence, small, text, timeOf } from '../main/core/der/read.ts'
import { realEntropy } from './support/deps.ts'
import { refusal, type TestTsaOptions, testTsa } from './support/lying-tsa.ts'
import { sampled } from './support/thorough.ts'
import { certificateFor, listFor, newKey } from './support/tsa-certificates.ts'
import { strangeExtension, type TokenShape } from './support/tsa-token.ts'

const over = new TextEncoder().encode('what is stamped')
const imprint = new Uint8Array(Buffer.from(sha256(over), 'hex'))
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const tsa = testTsa()
const AT = '2026-11-01T12:00:00.000Z'
const read = (token: Uint8Array, offered = [tsa.root], crls: readonly Uint8Array[] = []) =>
  readToken(token, over, offered, crls)
const wordsOf = (token: Uint8Array, offered = [tsa.root]): string => {
  const { problems, incomplete } = read(token, offered).reading
  return [...problems, ...(incomplete === null ? [] : [incomplete])].join(' ')
}

describe('a query', () => {
  test('has its one form (RFC 3161 §2.4.1)', () => {
    const query = timestampQuery(imprint, { bytes: (count) => new Uint8Array(count).fill(0xff) })
    expect(hex(query.der)).toBe(
      `3043020101${'3031300d060960864801650304020105000420'}${sha256(over)}${'02087fffffffffffffff'}${'0101ff'}`,
    )
  })

  test('has a nonce that is positive and has no leading zero, whatever chance gives', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
        const { nonce } = timestampQuery(imprint, { bytes: () => bytes })
        expect((nonce[0] ?? 0) & 0xc0).toBe(0x40)
        expect(hex(nonce.subarray(1))).toBe(hex(bytes.subarray(1)))
      }),
    )
  })

  test('reads back, and in no other form', () => {
    const query = timestampQuery(imprint, realEntropy)
    expect(readQuery(query.der)).toEqual(query)
    fc.assert(
      fc.property(fc.nat({ max: query.der.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Uint8Array.from(query.der, (byte, index) => (index === at ? byte ^ mask : byte))
        const again = readQuery(changed)
        // The imprint and the nonce may be any; nothing else may.
        if (typeof again !== 'string') expect([again.imprint, again.nonce]).not.toEqual([query.imprint, query.nonce])
      }),
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => typeof readQuery(bytes) === 'string'))
  })

  test('over anything but 32 bytes is our mistake', () => {
    expect(() => timestampQuery(new Uint8Array(20), realEntropy)).toThrow(/32 bytes/)
  })
})

describe('a response', () => {
  const token = tsa.token(over)
  test.each([0, 1])('of status %i gives its token', (status) => {
    const response = sequence(sequence(small(status)), token)
    expect(tokenOf(response)).toEqual({ token })
  })

  test('may be left out around the token', () => {
    expect(tokenOf(token)).toEqual({ token })
  })

  test.each([
    [2, 'Too many requests.', 25, 'status 2 (rejection); failInfo systemFailure; “Too many requests.”'],
    [2, 'No.', 0, 'status 2 (rejection); failInfo badAlg; “No.”'],
    [3, '\u202eevil', 14, 'status 3 (waiting); failInfo timeNotAvailable; “\\u{202e}evil”'],
    [77, 'x', 3, 'status 77 (unknown); “x”'],
  ])('of status %i is reported in its own words', (status, said, bit, expected) => {
    expect(tokenOf(refusal(status, said, bit))).toEqual({
      refused: `The authority granted no time-stamp: ${expected}`,
      byAuthority: true,
    })
  })

  test.each([
    ['nothing', new Uint8Array(), /not one value in DER/],
    ['granted and empty', sequence(sequence(small(0))), /but contains none/],
    ['no status', sequence(sequence(text('x')), token), /not a time-stamp response/],
    ['bytes after it', new Uint8Array([...sequence(sequence(small(0)), token), 0]), /not one value in DER/],
    ['parts after the token', sequence(sequence(small(0)), token, small(1)), /not a time-stamp response/],
  ])('with %s is not read', (_, bytes, words) => {
    expect(tokenOf(bytes)).toEqual({ refused: expect.stringMatching(words), byAuthority: false })
  })
})

describe('a token', () => {
  test.each(['EC', 'EC384', 'RSA', 'RSA4096'] as const)('by a key of type %s is read', (keyType) => {
    const made = testTsa({ keyType, genTime: AT })
    const { reading, certificates, nonce, chain } = readToken(made.token(over), over, [made.root], made.crls)
    expect(reading).toEqual({
      problems: [],
      at: AT,
      authority: { subject: 'Memory TSA', fingerprint: sha256(made.chain[0] ?? over) },
      root: { subject: 'Memory TSA root', fingerprint: sha256(made.root) },
      incomplete: null,
      until: readAuthorityCertificate(made.chain[0] ?? over)?.notAfter,
      revoked: null,
      revocationCovered: true,
      demo: false,
    })
    expect(nonce).toBeNull()
    expect(certificates.map(hex).sort()).toEqual(made.chain.slice(0, 2).map(hex).sort())
    expect(chain.map(hex)).toEqual(made.chain.map(hex))
  })

  test('is read over a digest as over the bytes', () => {
    const token = tsa.token(over, { nonce: new Uint8Array([0x41, 0]) })
    expect(readTokenOverDigest(token, imprint, [tsa.root], [])).toEqual(read(token))
    expect(hex(read(token).nonce ?? over)).toBe('4100')
  })

  test.each<[string, TokenShape]>([
    ['the older attribute that names its signer', { ess: 'v1' }],
    ['an attribute that names digest, issuer and serial number', { ess: 'v2-named' }],
    ['a fraction of a second', { genTimeText: '20261101120000.5Z' }],
    ['its root inside', { certificates: tsa.chain }],
  ])('with %s is read', (_, shape) => {
    expect(wordsOf(tsa.token(over, shape))).toBe('')
  })

  test('may leave out its certificates when they were given', () => {
    const bare = tsa.token(over, { certificates: [] })
    expect(wordsOf(bare, [...tsa.chain])).toBe('')
    expect(wordsOf(bare)).toMatch(/certificate of the time-stamp’s signer is missing/)
  })

  test('by an RSA key may name the algorithm without its digest', () => {
    const made = testTsa({ keyType: 'RSA' })
    expect(wordsOf(made.token(over, { rsaEncryption: true }), [made.root])).toBe('')
    expect(wordsOf(tsa.token(over, { rsaEncryption: true }))).toMatch(/signature algorithm that does not match/)
  })

  test.each<[string, TokenShape, RegExp]>([
    ['over other bytes', { imprint: new Uint8Array(32) }, /does not cover these bytes/],
    ['over a digest of another size', { imprint: new Uint8Array(20) }, /not over a SHA-256/],
    ['of version 2', { version: 2 }, /not of version 1/],
    ['that nothing binds to its signer', { ess: 'none' }, /no signing-certificate/],
    ['whose signed name is of another', { ess: 'another' }, /names another certificate/],
    ['whose signed issuer is another', { ess: 'another-issuer' }, /names another certificate/],
    ['whose signed serial number is another', { ess: 'another-serial' }, /names another certificate/],
    ['whose signed issuer is no directory name', { ess: 'another-form' }, /names another certificate/],
    [
      'whose older name has an algorithm, as only the newer has',
      { ess: 'v1-with-algorithm' },
      /names another certificate/,
    ],
    ['whose signed name is by an unknown digest', { ess: 'unknown-hash' }, /names another certificate/],
    ['whose signed name has no digest', { ess: 'no-digest' }, /names another certificate/],
    ['whose signed name has more behind it', { ess: 'more-behind' }, /names another certificate/],
    ['that names its signer twice', { essTwice: true }, /more than one signing-certificate attribute/],
    ['by two', { signers: 2 }, /has 2 signers/],
    ['without a signer', { signers: 0 }, /has 0 signers/],
    ['around something else', { contentType: OID.data }, /not a time-stamp \(TSTInfo\)/],
    ['with additions that are not signed', { unsigned: true }, /unsigned attributes/],
    ['with a stranger’s certificate', { certificates: [...tsa.chain, ...testTsa().chain] }, /not part of its signer/],
    ['with bytes for a certificate', { certificates: [...tsa.chain, sequence(small(1))] }, /not part of its signer/],
    ['with an extension that must be known', { extension: strangeExtension() }, /critical extension/],
    ['of the year before its certificate', { genTime: '2020-01-01T00:00:00Z' }, /“Memory TSA” was not valid at/],
    ['of local time', { genTimeText: '20261101120000' }, /required form/],
    ['of a time with a zone', { genTimeText: '20261101120000+0100' }, /required form/],
    ['of a time with superfluous zeros', { genTimeText: '20261101120000.50Z' }, /required form/],
    ['of a time without seconds', { genTimeText: '202611011200Z' }, /required form/],
    ['of a day that is none', { genTimeText: '20260230120000Z' }, /required form/],
  ])('%s is refused', (_, shape, words) => {
    expect(wordsOf(tsa.token(over, shape))).toMatch(words)
  })

  test('with an altered time is refused', () => {
    const altered = tsa.token(over, {
      genTime: AT,
      alterContent: (content) =>
        new Uint8Array(Buffer.from(Buffer.from(content).toString('latin1').replace('20261101', '20251101'), 'latin1')),
    })
    expect(wordsOf(altered)).toMatch(/differs from the signed content/)
  })

  test.each<[string, TestTsaOptions, RegExp]>([
    ['for mail', { purposes: [OID.emailProtection] }, /is not for time-stamping/],
    ['for mail as well', { purposes: [OID.timeStamping, OID.emailProtection] }, /purposes other than/],
    ['whose purpose is not critical', { critical: false }, /not marked critical/],
    [
      'that had ended',
      { validity: { from: '2020-01-01T00:00:00Z', until: '2021-01-01T00:00:00Z' } },
      /“Memory TSA” was not valid at/,
    ],
    ['whose root allows no further issuer', { rootPathLength: 0 }, /may not have this many issuers/],
  ])('by a certificate %s is refused', (_, options, words) => {
    const made = testTsa(options)
    expect(wordsOf(made.token(over), [made.root])).toMatch(words)
  })

  test('in another encoding of the same values is refused', () => {
    const token = tsa.token(over)
    // The outer SEQUENCE with an indefinite length (X.690 §8.1.3.6).
    const inner = derValue(token)?.content ?? new Uint8Array()
    expect(wordsOf(new Uint8Array([0x30, 0x80, ...inner, 0, 0]))).toMatch(/not one value in DER/)
  })

  test('without its root, or with a namesake’s, has none', () => {
    expect(wordsOf(tsa.token(over), [])).toMatch(/the issuer of “Memory TSA issuer” is missing/)
    expect(read(tsa.token(over), []).reading.problems).toEqual([])
    const { reading } = read(tsa.token(over), [testTsa().root])
    expect(reading.problems.join(' ')).toMatch(/the issuer of “Memory TSA issuer” did not sign it/)
    expect([reading.root, reading.revocationCovered]).toEqual([null, false])
  })

  test('by a demonstration’s key states this', () => {
    const made = testTsa({ demo: true })
    expect(readToken(made.token(over), over, [made.root], []).reading).toMatchObject({ demo: true, problems: [] })
  })

  test('carries a certificate of its root by another root, as public authorities do', () => {
    const [a, b] = [newKey('EC'), newKey('EC384')]
    const validity = { from: '2020-01-01T00:00:00Z', until: '2040-01-01T00:00:00Z' }
    const issuer = { ...validity, purposes: null }
    const root = certificateFor({ ...issuer, subject: 'A', issuer: 'A', key: a, by: a })
    const cross = certificateFor({ ...issuer, subject: 'A', issuer: 'B', key: a, by: b })
    const older = certificateFor({ ...issuer, subject: 'B', issuer: 'B', key: b, by: b })
    const key = newKey('EC')
    const purposes = { ids: [OID.timeStamping], critical: true }
    const leaf = certificateFor({ ...validity, subject: 'T', issuer: 'A', key, by: a, purposes })
    const token = testTsa({ as: { leaf, key } }).token(over, { certificates: [leaf, cross] })
    expect(readToken(token, over, [root], []).reading).toMatchObject({ problems: [], root: { subject: 'A' } })
    expect(readToken(token, over, [older], []).reading).toMatchObject({ problems: [], root: { subject: 'B' } })
  })
})

describe('revocation lists of an authority', () => {
  test('state since when, and whether every certificate has one', () => {
    const made = testTsa({ revoked: '2026-10-01T00:00:00Z' })
    const [ofRoot = over, ofIssuer = over] = made.crls
    const reading = (crls: readonly Uint8Array[]) => readToken(made.token(over), over, [made.root], crls).reading
    expect(reading(made.crls)).toMatchObject({
      problems: [],
      revoked: { at: '2026-10-01T00:00:00.000Z' },
      revocationCovered: true,
    })
    expect(reading([ofIssuer])).toMatchObject({ problems: [], revocationCovered: false })
    expect(reading([ofRoot])).toMatchObject({ problems: [], revoked: null, revocationCovered: false })
  })

  test('of other authorities are passed over; forged and broken ones are not', () => {
    const stranger = testTsa({ name: 'Stranger' })
    expect(read(tsa.token(over), [tsa.root], stranger.crls).reading).toMatchObject({
      problems: [],
      revocationCovered: false,
    })
    expect(read(tsa.token(over), [tsa.root], testTsa().crls).reading.problems).toHaveLength(2)
    expect(read(tsa.token(over), [tsa.root], [over]).reading.problems).toHaveLength(1)
  })

  test('that were out of date by then cover nothing', () => {
    const key = newKey('EC')
    const validity = { from: '2020-01-01T00:00:00Z', until: '2040-01-01T00:00:00Z' }
    const root = certificateFor({ ...validity, subject: 'A', issuer: 'A', key, by: key, purposes: null })
    const below = certificateFor({
      ...validity,
      subject: 'B',
      issuer: 'A',
      key,
      by: key,
      purposes: { ids: [OID.timeStamping], critical: true },
    })
    const chain = [below, root].map(readCertificate).filter((facts) => facts !== null)
    const old = listFor({ issuer: 'A', by: key, from: validity.from, until: '2026-10-01T00:00:00Z', revoked: [] })
    expect(revocation(chain, [old], '2026-09-30T00:00:00.000Z').covered).toBe(true)
    expect(revocation(chain, [old], AT).covered).toBe(false)
    expect(revocation(chain, [old]).covered).toBe(true)
    expect(revocation(chain, []).covered).toBe(false)
  })

  test('in the token are read as well', () => {
    const [ofRoot = over] = testTsa().crls
    expect(read(tsa.token(over, { crls: tsa.crls })).reading).toMatchObject({ problems: [], revocationCovered: true })
    expect(read(tsa.token(over, { crls: [ofRoot] })).reading.problems.join(' ')).toMatch(/Revocation list 1/)
  })
})

describe('whatever the bytes', () => {
  const flipped = (token: Uint8Array, place: number, mask: number): Uint8Array =>
    Uint8Array.from(token, (byte, at) => (at === place ? byte ^ mask : byte))

  test('a token with any one byte changed has problems', () => {
    const token = tsa.token(over)
    const free = sampled(token.keys(), 150).filter((at) => wordsOf(flipped(token, at, 1 << (at % 8))) === '')
    expect(free).toEqual([])
    fc.assert(
      fc.property(fc.nat({ max: token.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        expect(wordsOf(flipped(token, at, mask))).not.toBe('')
      }),
    )
  })

  test('so has the signer’s part of one by an RSA key, but for the name of the algorithm that is less specific', () => {
    const made = testTsa({ keyType: 'RSA' })
    const token = made.token(over, { certificates: [] })
    const free = sampled(token.keys(), 60).flatMap((at) =>
      [0x0a, 0x80]
        .map((mask) => flipped(token, at, mask))
        .filter((changed) => wordsOf(changed, [...made.chain]) === '')
        .map((changed) => hex(changed.subarray(at - 8, at + 1))),
    )
    // sha256WithRSAEncryption became rsaEncryption, under the same stated digest.
    expect(free.filter((bytes) => bytes !== '2a864886f70d010101')).toEqual([])
  })

  test('nothing throws', () => {
    const token = tsa.token(over)
    const any = (bytes: Uint8Array): void => {
      expect(readToken(bytes, over, [bytes, tsa.root], [bytes]).reading.problems).not.toEqual([])
      tokenOf(bytes)
      readAuthorityCertificate(bytes)
    }
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), any))
    fc.assert(
      fc.property(fc.nat({ max: token.length - 1 }), fc.uint8Array({ minLength: 1, maxLength: 9 }), (at, bytes) => {
        const changed = Uint8Array.from(token)
        changed.set(bytes.subarray(0, changed.length - at), at)
        if (hex(changed) !== hex(token)) any(changed)
        any(token.subarray(0, at))
      }),
    )
  })

  test('identifiers and times have one form', () => {
    const value = (text: string) => derValue(new Uint8Array(Buffer.from(text, 'hex'))) ?? undefined
    expect(oidText(value('06092a864886f70d010702'))).toBe('1.2.840.113549.1.7.2')
    expect(oidText(value('0603883703'))).toBe('2.999.3')
    expect(['0600', '060180', '06022a80', '06032a8001', '020101'].map((text) => oidText(value(text)))).toEqual(
      Array(5).fill(''),
    )
    const time = (tag: string, text: string) => timeOf(value(`${tag}${Buffer.from(text).toString('hex')}`))
    expect(time('170d', '490101000000Z')).toBe('2049-01-01T00:00:00.000Z')
    expect(time('170d', '500101000000Z')).toBe('1950-01-01T00:00:00.000Z')
    expect(time('1814', '20261101120000.1239Z')).toBe('2026-11-01T12:00:00.123Z')
    expect(isStrictDer(new Uint8Array([0x18, 0]))).toBe(true)
    expect(time('1800', '')).toBeNull()
  })
})
