import { X509Certificate } from 'node:crypto'

export interface CertificateNames {
  /** One name in a line, as it stands in the certificate. */
  readonly issuer: string
  readonly validTo: string
}

/** Who issued a certificate (DER, RFC 5280) and until when it is valid, or null where the bytes are none. Verifies nothing. */
export function certificateNames(der: Uint8Array): CertificateNames | null {
  try {
    const { issuer, validTo } = new X509Certificate(der)
    return { issuer, validTo }
  } catch {
    return null
  }
}
