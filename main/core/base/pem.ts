import { X509Certificate } from 'node:crypto'

/** Encodes as PEM (RFC 7468): one label, base64 in lines of 64. */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/** The first `most` values with this label in a text, in order, as DER. Text between them is skipped. */
export function fromPem(label: string, text: string, most = Number.POSITIVE_INFINITY): readonly Uint8Array[] {
  const block = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]*)-----END ${label}-----`, 'g')
  const found: Uint8Array[] = []
  for (const [, body = ''] of text.matchAll(block)) {
    if (found.length >= most) break
    found.push(new Uint8Array(Buffer.from(body, 'base64')))
  }
  return found
}

/** Certificates in a file that a person named: one or more in PEM, or one in DER. */
export const certificatesIn = (file: Uint8Array): readonly Uint8Array[] => valuesIn('CERTIFICATE', file)

/** Revocation lists in a file that a person named: one or more in PEM, or one in DER. */
export const revocationListsIn = (file: Uint8Array): readonly Uint8Array[] => valuesIn('X509 CRL', file)

function valuesIn(label: string, file: Uint8Array): readonly Uint8Array[] {
  const found = fromPem(label, Buffer.from(file).toString('latin1'))
  return found.length > 0 || file[0] !== 0x30 ? found : [file]
}

/** Accepts a certificate with any key: whether the key may sign or time-stamp is checked where it is used. */
export function isCertificate(der: Uint8Array): boolean {
  try {
    return new X509Certificate(der).raw.length === der.length
  } catch {
    return false
  }
}

interface CertificateNames {
  /** One name, as stated in the certificate. */
  readonly subject: string
  readonly issuer: string
  readonly validTo: string
}

/**
 * Subject, issuer and end of validity of a certificate (DER, RFC 5280); null where the bytes are not one. Verifies
 * nothing.
 */
export function certificateNames(der: Uint8Array): CertificateNames | null {
  try {
    const { subject, issuer, validTo } = new X509Certificate(der)
    return { subject, issuer, validTo }
  } catch {
    return null
  }
}
