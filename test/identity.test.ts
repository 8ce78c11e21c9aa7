import { X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeIdentity } from '../main/adapters/identity/certificates.ts'
import { createDemoSigner } from '../main/adapters/identity/folder.ts'
import {
  createIdentities,
  createIdentity,
  exportTrust,
  listIdentities,
  openIdentity,
} from '../main/adapters/identity/index.ts'
import { type Envelope, openSecret, sealSecret } from '../main/adapters/identity/pkcs12.ts'
import { withLowS } from '../main/adapters/seal/cms.ts'
import { readCertificate, readRevocationList } from '../main/adapters/seal/x509.ts'
import { fromPem } from '../main/core/base/pem.ts'
import { type DerValue, derValue, membersOf } from '../main/core/der/read.ts'
import { realClock, realEntropy } from './support/deps.ts'
import { costsAsked, withSlowScrypt } from './support/quick-scrypt.ts'

const folder = join(mkdtempSync(join(tmpdir(), 'bw-identity-')), 'identities')
const PASSPHRASE = 'correct horse battery'
const input = {
  folder,
  subject: 'Example Clinic, audit team',
  passphrase: PASSPHRASE,
  clock: realClock,
  entropy: realEntropy,
}

beforeAll(async () => {
  expect(await createIdentity({ ...input, name: 'clinic' })).toMatchObject({ ok: true })
})
afterAll(() => rmSync(join(folder, '..'), { recursive: true }))

describe('an envelope', () => {
  const secret = new TextEncoder().encode('secret')
  const about = { format: 'barewitness-key/1' }

  test('asks scrypt for what its header states, to seal and to open', async () => {
    costsAsked()
    const sealed = await sealSecret(secret, PASSPHRASE, about, realEntropy)
    expect(sealed.header.kdf).toBe('scrypt N=131072 r=8 p=1')
    expect(await openSecret(sealed, PASSPHRASE)).toEqual(secret)
    expect(costsAsked()).toEqual([131_072, 131_072])
  })

  test('opens at the cost that users pay', async () => {
    await withSlowScrypt(async () => {
      const sealed = await sealSecret(secret, PASSPHRASE, about, realEntropy)
      expect(await openSecret(sealed, PASSPHRASE)).toEqual(secret)
    })
  })
})

describe('a local identity', () => {
  test('opens with its passphrase and signs', async () => {
    const opened = await openIdentity(folder, 'clinic', PASSPHRASE)
    expect(opened).toMatchObject({ ok: true, value: { keyType: 'EC', subject: 'Example Clinic, audit team' } })
    if (!opened.ok) return
    const leaf = new X509Certificate(opened.value.certificate)
    const root = new X509Certificate(opened.value.chain[0] ?? new Uint8Array())
    expect(leaf.verify(root.publicKey) && leaf.checkIssued(root)).toBe(true)
    const list = readRevocationList(opened.value.crls[0] ?? new Uint8Array())
    expect(list?.revoked).toEqual([])
    expect((list?.nextUpdate ?? '') >= new Date(leaf.validTo).toISOString()).toBe(true)
    expect(opened.value.fingerprint).toBe(leaf.fingerprint256.replaceAll(':', '').toLowerCase())
  })

  test('has the leaf profile that PDF readers and openssl accept', () => {
    const facts = readCertificate(
      fromPem('CERTIFICATE', readFileSync(join(folder, 'clinic/leaf.pem'), 'utf8'))[0] ?? new Uint8Array(),
    )
    expect(facts).toMatchObject({
      ca: false,
      keyUsage: 0xc0,
      extendedKeyUsage: ['1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.36'],
      demo: false,
    })
    const days = (Date.parse(facts?.notAfter ?? '') - Date.parse(facts?.notBefore ?? '')) / 86_400_000
    expect(days).toBe(730)
  })

  test('has every signature in the one form that we write', () => {
    for (let round = 0; round < 8; round += 1) {
      const now = '2026-11-01T12:00:00.000Z'
      const { leaf, root, crl } = makeIdentity({ commonName: 'A', rootCommonName: 'R', now, entropy: realEntropy })
      for (const whole of [leaf, root, crl]) {
        // Certificate and CertificateList: what is signed, the algorithm, the signature with one octet for its unused bits.
        const signature = membersOf(derValue(whole) as DerValue)[2]?.content.subarray(1) ?? new Uint8Array()
        expect(withLowS(signature)).toBe(signature)
      }
    }
  })

  test('names no address that a reader would try to fetch', async () => {
    const opened = await openIdentity(folder, 'clinic', PASSPHRASE)
    if (!opened.ok) throw new Error(opened.error.code)
    expect(Buffer.from(opened.value.certificate).toString('latin1')).not.toMatch(/https?:/)
  })

  test('is for its owner alone, and keeps no key in the clear', () => {
    expect(statSync(join(folder, 'clinic')).mode & 0o777).toBe(0o700)
    for (const file of readdirSync(join(folder, 'clinic'))) {
      expect(statSync(join(folder, 'clinic', file)).mode & 0o777, file).toBe(0o600)
      expect(readFileSync(join(folder, 'clinic', file), 'utf8'), file).not.toMatch(/PRIVATE KEY|correct horse/)
    }
  })

  test('does not open with another passphrase', async () => {
    expect(await openIdentity(folder, 'clinic', 'correct horse batterz')).toMatchObject({
      ok: false,
      error: { code: 'identity.passphrase-wrong' },
    })
  })

  test('is listed, and its root handed out', async () => {
    expect(await listIdentities(folder)).toMatchObject({
      ok: true,
      value: [{ name: 'clinic', kind: 'local', subject: 'Example Clinic, audit team', retired: [] }],
    })
    const trust = await exportTrust(folder, 'clinic')
    expect(trust).toMatchObject({ ok: true })
    if (trust.ok)
      expect(new X509Certificate(trust.value.rootPem).fingerprint256.replaceAll(':', '').toLowerCase()).toBe(
        trust.value.rootFingerprint,
      )
  })

  test('is never written over', async () => {
    expect(await createIdentity({ ...input, name: 'clinic' })).toMatchObject({
      ok: false,
      error: { code: 'identity.exists' },
    })
    expect(readdirSync(folder)).toEqual(['clinic'])
  })

  test.each([
    [{ name: '../evil' }, 'input.refused'],
    [{ name: 'UPPER' }, 'input.refused'],
    [{ name: 'x', subject: ' ' }, 'input.refused'],
    [{ name: 'x', subject: 'a\u202eb' }, 'input.refused'],
    [{ name: 'x', subject: 'Barewitness DEMO team' }, 'input.refused'],
    [{ name: 'x', passphrase: '' }, 'input.refused'],
  ])('%j is refused', async (changes, code) => {
    expect(await createIdentity({ ...input, ...changes })).toMatchObject({ ok: false, error: { code } })
    expect(existsSync(join(folder, 'x'))).toBe(false)
  })

  test('that is not there is missing', async () => {
    expect(await openIdentity(folder, 'nobody', 'x')).toMatchObject({ ok: false, error: { code: 'identity.missing' } })
    expect(await openIdentity(folder, '../clinic', 'x')).toMatchObject({
      ok: false,
      error: { code: 'identity.missing' },
    })
    expect(await listIdentities(join(folder, 'nothing'))).toEqual({ ok: true, value: [] })
  })

  test('whose files were changed does not open', async () => {
    const port = createIdentities(realClock, realEntropy, folder)
    await port.create({ folder, name: 'changed', subject: 'Changed', passphrase: PASSPHRASE })
    const at = (file: string): string => join(folder, 'changed', file)
    const key = readFileSync(at('key.json'), 'utf8')
    const envelope = JSON.parse(key) as { header: Record<string, string>; ciphertext: string }
    const other = envelope.ciphertext.startsWith('A') ? 'B' : 'A'
    for (const [altered, code] of [
      [{ ...envelope, header: { ...envelope.header, kdf: 'scrypt N=4 r=8 p=1' } }, 'identity.passphrase-wrong'],
      [{ ...envelope, header: { ...envelope.header, name: 'other' } }, 'identity.passphrase-wrong'],
      [{ ...envelope, ciphertext: `${other}${envelope.ciphertext.slice(1)}` }, 'identity.passphrase-wrong'],
      [{ ...envelope, header: { ...envelope.header, use: 'root' } }, 'identity.unreadable'],
      [{}, 'identity.unreadable'],
    ] as const) {
      writeFileSync(at('key.json'), JSON.stringify(altered))
      expect(await port.open(folder, 'changed', PASSPHRASE)).toMatchObject({ ok: false, error: { code } })
    }
    writeFileSync(at('key.json'), key)
    writeFileSync(at('leaf.pem'), readFileSync(join(folder, 'clinic/leaf.pem')))
    expect(await port.open(folder, 'changed', PASSPHRASE)).toMatchObject({
      ok: false,
      error: { code: 'identity.unreadable' },
    })
    writeFileSync(at('leaf.pem'), 'nothing')
    expect(await port.open(folder, 'changed', PASSPHRASE)).toMatchObject({
      ok: false,
      error: { code: 'identity.unreadable' },
    })
    rmSync(join(folder, 'changed'), { recursive: true })
  })

  test('made when key files still named the revocation list opens too', async () => {
    await createIdentity({ ...input, name: 'older' })
    const file = join(folder, 'older/key.json')
    const { header, ciphertext } = JSON.parse(readFileSync(file, 'utf8')) as Envelope
    const secret = await openSecret({ header, ciphertext }, PASSPHRASE)
    const older = { ...header, crl: 'ab'.repeat(32) }
    writeFileSync(file, JSON.stringify(await sealSecret(secret ?? new Uint8Array(), PASSPHRASE, older, realEntropy)))
    expect(await openIdentity(folder, 'older', PASSPHRASE)).toMatchObject({ ok: true })
    rmSync(join(folder, 'older'), { recursive: true })
  })

  test('cannot be made where nothing can be written', async () => {
    const file = join(folder, '..', 'a-file')
    writeFileSync(file, '')
    chmodSync(file, 0o600)
    expect(await createIdentity({ ...input, folder: file, name: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'store.failed' },
    })
  })
})

test('an envelope opens with its passphrase alone, in either Unicode form', async () => {
  const secret = new TextEncoder().encode('secret')
  const envelope = await sealSecret(secret, 'caf\u00e9', { about: 'test' }, realEntropy)
  expect(await openSecret(envelope, 'cafe\u0301')).toEqual(secret)
  expect(await openSecret(envelope, 'cafe')).toBeNull()
  expect(JSON.stringify(envelope)).not.toContain('secret')
})

test('a demonstration key is new each time and states what it is', async () => {
  const [one, other] = [await createDemoSigner(realClock, realEntropy), await createDemoSigner(realClock, realEntropy)]
  expect(one.fingerprint).not.toBe(other.fingerprint)
  expect(one.subject).toBe('Barewitness DEMO — do not trust')
  for (const certificate of [one.certificate, ...one.chain])
    expect(readCertificate(certificate)).toMatchObject({ demo: true })
})
