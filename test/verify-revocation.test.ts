import { beforeAll, describe, expect, test } from 'vitest'
import { OID } from '../main/adapters/seal/oids.ts'
import { revocation } from '../main/adapters/seal/path.ts'
import { type CertificateFacts, readCertificate } from '../main/adapters/seal/x509.ts'
import { certificateParts, der, derValue, octets, oid, sequence } from '../main/core/der/read.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { SealReading, Signer } from '../main/core/ports/ports.ts'
import { lackingIn } from '../main/verify/steps/complete.ts'
import { signedBy } from '../main/verify/steps/signature.ts'
import type { ShownTime } from '../main/verify/steps/time.ts'
import { folderOfTests } from './support/folders.ts'
import { samplePack, sampleSigner, sourceOf, verifySource } from './support/sample-pack.ts'
import { certificateFor, newKey } from './support/tsa-certificates.ts'

const folder = folderOfTests('verify-revocation')
const ASKED = { signers: true, authorities: false, checkpoint: false }
let signer: Signer
beforeAll(async () => {
  signer = await sampleSigner(folder, 'signer')
})
const root = (): Uint8Array => signer.chain.at(-1) ?? new Uint8Array()
const verified = async (by: Signer, trusted: readonly Uint8Array[], lists: readonly Uint8Array[] = []) => {
  const { report } = await verifySource(sourceOf(await samplePack({ signer: by })), trusted, { lists })
  const signature = report.checks.find(({ check }) => check === 'signature')
  return { report, signature, lacking: lackingIn(report, ASKED) }
}

describe('a pack that its signer sealed without its revocation lists', () => {
  const stripped = (): Signer => ({ ...signer, crls: [] })

  test('does not confirm a signer by a trusted root, and states why', async () => {
    const { report, signature, lacking } = await verified(stripped(), [root()])
    expect(report.ok).toBe(true)
    expect(signature).toMatchObject({
      outcome: 'indeterminate',
      summary: expect.stringContaining('Revocation not confirmed'),
    })
    expect(lacking).toEqual(['signature'])
  })
  test('does with a list that the reader brings', async () => {
    expect(await verified(stripped(), [root()], signer.crls)).toMatchObject({
      signature: { outcome: 'passed' },
      lacking: [],
    })
  })
  test('does where the reader trusts the key itself', async () => {
    expect((await verified(stripped(), [signer.certificate])).signature).toMatchObject({ outcome: 'passed' })
  })
  test('passes as it was sealed, with its lists', async () => {
    expect(await verified(signer, [root()])).toMatchObject({ signature: { outcome: 'passed' }, lacking: [] })
  })
  test('fails on the digests where they were removed after sealing', async () => {
    const files = new Map([...(await samplePack({ signer }))].filter(([path]) => !path.startsWith('signature/crls/')))
    const { report } = await verifySource(sourceOf(files), [root()])
    expect(files.has(PATHS.seal)).toBe(true)
    expect(report.checks[0]).toMatchObject({ check: 'integrity', outcome: 'failed' })
  })
})

describe('what is asked of revocation', () => {
  const AT = '2026-11-21T00:00:00.000Z'
  const time: ShownTime = { at: null, authority: '', coverEnds: null, problems: [], notes: [], lacksAuthority: false }
  const answer = (changes: Partial<SealReading>, { wholeChain = true, at = time.at } = {}) => {
    const fingerprint = 'ab'.repeat(32)
    const reading: SealReading = {
      problems: [],
      signer: { subject: 'A', fingerprint, notBefore: '2020-01-01', notAfter: '2030-01-01', key: 'k' },
      root: { subject: 'R', fingerprint: fingerprintOf(root()) },
      incomplete: null,
      demo: false,
      revoked: null,
      revocationCovered: false,
      revocationUntil: null,
      revocationNamed: null,
      timestamps: [],
      ...changes,
    }
    const trust = { signers: [root()], authorities: [], lists: [] }
    return signedBy(reading, { trust, time: { ...time, at }, verifiedAt: AT, wholeChain, absent: '' }).outcome
  }
  const fingerprintOf = (certificate: Uint8Array): string => readCertificate(certificate)?.fingerprint ?? ''

  test.each([
    ['no certificate names a source', null, {}, 'passed'],
    ['no list', { covered: false, until: null }, {}, 'indeterminate'],
    ['a list without an end', { covered: true, until: null }, {}, 'passed'],
    ['a list that ends at that moment', { covered: true, until: AT }, {}, 'passed'],
    ['a list that ended before', { covered: true, until: '2026-11-20T23:59:59.999Z' }, {}, 'indeterminate'],
    [
      'a list that was current at the time shown',
      { covered: true, until: '2026-11-20T00:00:00.000Z' },
      { at: '2026-11-19T00:00:00.000Z' },
      'passed',
    ],
    ['a report alone, which holds no lists', { covered: false, until: null }, { wholeChain: false }, 'passed'],
  ] as const)('%s', (_, revocationNamed, at, outcome) => {
    expect(answer({ revocationNamed }, at)).toBe(outcome)
  })
})

const extensionsOf = (certificate: Uint8Array) => certificateParts(derValue(certificate))?.extensions ?? []

describe('certificates that name a source of revocation information', () => {
  const key = newKey('EC')
  const made = (extensions: readonly Uint8Array[], listAt?: string): CertificateFacts | null =>
    readCertificate(
      certificateFor({
        subject: 'Leaf',
        issuer: 'Root',
        key,
        by: key,
        from: '2026-01-01T00:00:00Z',
        until: '2027-01-01T00:00:00Z',
        purposes: { ids: [OID.emailProtection], critical: false },
        listAt,
        extensions,
      }),
    )
  const access = (method: string): Uint8Array =>
    sequence(
      oid(OID.authorityInfoAccess),
      octets(sequence(sequence(oid(method), der(0x86, new TextEncoder().encode('http://a.invalid'))))),
    )

  test('a distribution point, or a responder', () => {
    expect(made([])?.namesRevocation).toBe(false)
    expect(made([], 'http://a.invalid/list.crl')?.namesRevocation).toBe(true)
    expect(made([access(OID.ocsp)])?.namesRevocation).toBe(true)
    expect(made([access('1.3.6.1.5.5.7.48.2')])?.namesRevocation).toBe(false)
    expect(readCertificate(signer.certificate)?.namesRevocation).toBe(true)
  })

  test('those that this program issues have a distribution point by name, and no address that a reader would fetch', () => {
    const point = extensionsOf(signer.certificate).find(({ id }) => id === OID.crlDistributionPoints)
    const issuer = Buffer.from(certificateParts(derValue(root()))?.subject.bytes ?? [])
    expect(issuer.length).toBeGreaterThan(0)
    expect(Buffer.from(point?.content ?? []).includes(issuer)).toBe(true)
    expect(Buffer.from(signer.certificate).includes('://')).toBe(false)
  })

  test('only they count, and the root never', () => {
    const leaf = readCertificate(signer.certificate) as CertificateFacts
    const issuer = readCertificate(root()) as CertificateFacts
    const silent = { ...leaf, namesRevocation: false }
    expect(revocation([leaf, issuer], []).named).toEqual({ covered: false, until: null })
    expect(revocation([silent, { ...issuer, namesRevocation: true }], []).named).toBeNull()
    const found = revocation([leaf, issuer], signer.crls)
    expect(found.named).toEqual({ covered: true, until: found.until })
    expect(found.until).not.toBeNull()
  })
})
