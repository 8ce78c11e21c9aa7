import { X509Certificate } from 'node:crypto'

export interface CertificateNames {
  /** One name in a line, as it stands in the certificate. */
  readonly subject: string
  readonly issuer: string
  readonly validTo: string
}

/** Whose a certificate (DER, RFC 5280) is, who issued it and until when it is valid, or null where the bytes are none. Verifies nothing. */
export function certificateNames(der: Uint8Array): CertificateNames | null {
  try {
    const { subject, issuer, validTo } = new X509Certificate(der)
    return { subject, issuer, validTo }
  } catch {
    return null
  }
}
