import { describe, expect, test } from 'vitest'
import { tlsListeners } from '../../main/catalog/data-protection/tls/probes.ts'
import type { CertificateFields } from '../../main/core/tls/certificate-fields.ts'
import { changed, over, stepText } from '../support/concluded.ts'

const authority = (name: string, issuer: string, notAfter: string): CertificateFields => ({
  subject: name,
  issuer,
  commonName: name,
  notBefore: '2020-01-01T00:00:00.000Z',
  notAfter,
  key: { kind: 'RSA', bits: 4096 },
  hash: 'SHA-256',
  names: [],
})
const LATER = '2035-06-04T11:04:38.000Z'

/** The ports of the model node, each with a leaf below the authorities given. */
const chained = (...above: readonly CertificateFields[]) => chainedTo({}, ...above)
const chainedTo = (own: Partial<CertificateFields>, ...above: readonly CertificateFields[]) =>
  over(
    'encryption.in-transit.cert-validity',
    changed(tlsListeners, (found) => ({
      ...found,
      ports: found.ports.map((port) => ({
        ...port,
        certificates: port.certificates
          .slice(0, 1)
          .flatMap((leaf) =>
            leaf === null ? [] : [{ ...leaf, ...own, issuer: above[0]?.subject ?? leaf.issuer }, ...above],
          ),
      })),
    })),
  )

describe('an authority in the chain that has ended', () => {
  // As Let’s Encrypt sent it until 2024: ISRG Root X1 signed by DST Root CA X3, which clients that trust ISRG Root X1 itself leave aside.
  const x1 = (notAfter: string) => authority('ISRG Root X1', 'DST Root CA X3', notAfter)
  test('above the issuer it may be one that clients do not need', () => {
    const found = chained(authority('R10', 'ISRG Root X1', LATER), x1('2024-09-30T18:14:03.000Z'))
    expect(found.verdict).toBe('inconclusive')
    expect(stepText(found)).toContain(
      'the certificate of “ISRG Root X1”, which ended on 2024-09-30; clients that trust an authority of this name themselves do not need it.',
    )
  })
  test('that hides no certificate of the port that ends soon', () =>
    expect(
      chainedTo(
        { notAfter: '2026-11-23T00:00:00.000Z' },
        authority('R10', 'ISRG Root X1', LATER),
        x1('2024-09-30T18:14:03.000Z'),
      ).verdict,
    ).toBe('not-satisfied'))
  test('the issuer itself ended', () =>
    expect(chained(authority('R3', 'ISRG Root X1', '2025-09-15T16:00:00.000Z'), x1(LATER)).verdict).toBe(
      'not-satisfied',
    ))
  test('none ended', () =>
    expect(chained(authority('R10', 'ISRG Root X1', LATER), x1(LATER)).verdict).toBe('satisfied'))
})
