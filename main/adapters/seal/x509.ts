import { createHash, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { BasicConstraints, Certificate, CertificateRevocationList, type Extension, ExtKeyUsage } from 'pkijs'
import { isStrictDer } from './der.ts'
import { OID } from './oids.ts'

/** What a certificate's bytes say (RFC 5280), as far as a seal needs it. Names are kept as their DER, to compare exactly. */
export interface CertificateFacts {
  readonly der: Uint8Array
  /** SHA-256, 64 lower-case hex characters. */
  readonly fingerprint: string
  readonly subject: string
  readonly subjectDer: Uint8Array
  readonly issuerDer: Uint8Array
  readonly serial: string
  readonly notBefore: string
  readonly notAfter: string
  readonly ca: boolean
  /** The first octet of the KeyUsage bits (RFC 5280 §4.2.1.3), or null when there is none. */
  readonly keyUsage: number | null
  readonly extendedKeyUsage: readonly string[] | null
  readonly strangeCritical: readonly string[]
  readonly demo: boolean
  readonly keyType: 'EC' | 'RSA'
  readonly publicKey: KeyObject
  readonly signed: Signed
}

/** Something signed by an issuer: a certificate or a revocation list. */
export interface Signed {
  readonly tbs: Uint8Array
  readonly algorithm: string
  /** Both places that name the algorithm agree (RFC 5280 §4.1.1.2). */
  readonly algorithmsAgree: boolean
  readonly signature: Uint8Array
}

export interface RevocationFacts {
  readonly issuerDer: Uint8Array
  readonly thisUpdate: string
  readonly nextUpdate: string | null
  readonly revoked: readonly { readonly serial: string; readonly at: string }[]
  readonly signed: Signed
}

export const KEY_USAGE = { digitalSignature: 0x80, nonRepudiation: 0x40, certSign: 0x04, crlSign: 0x02 } as const

export interface Names {
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly serial: Uint8Array
}

/** Issuer, subject and serial number of a certificate, as the DER that stands in it. Throws on bytes that are no certificate. */
export function namesOf(certificate: Uint8Array): Names {
  const parsed = Certificate.fromBER(certificate.slice())
  return {
    issuer: new Uint8Array(parsed.issuer.valueBeforeDecode),
    subject: new Uint8Array(parsed.subject.valueBeforeDecode),
    serial: new Uint8Array(parsed.serialNumber.valueBeforeDecodeView),
  }
}

/** Reads a certificate; null when the bytes are not exactly one, in DER, with an EC P-256 or RSA key of at least 2048 bits. */
export function readCertificate(der: Uint8Array): CertificateFacts | null {
  if (!isStrictDer(der)) return null
  try {
    const parsed = Certificate.fromBER(der.slice())
    const publicKey = new X509Certificate(der).publicKey
    const keyType = keyTypeOf(publicKey)
    if (keyType === null) return null
    const extensions = parsed.extensions ?? []
    const constraints = extensions.find(({ extnID }) => extnID === OID.basicConstraints)?.parsedValue
    const purposes = extensions.find(({ extnID }) => extnID === OID.extendedKeyUsage)?.parsedValue
    return {
      der,
      fingerprint: createHash('sha256').update(der).digest('hex'),
      subject: nameText(parsed.subject),
      subjectDer: new Uint8Array(parsed.subject.valueBeforeDecode),
      issuerDer: new Uint8Array(parsed.issuer.valueBeforeDecode),
      serial: hexOf(parsed.serialNumber.valueBlock.valueHexView),
      notBefore: parsed.notBefore.value.toISOString(),
      notAfter: parsed.notAfter.value.toISOString(),
      ca: constraints instanceof BasicConstraints && constraints.cA,
      keyUsage: keyUsage(extensions),
      extendedKeyUsage: purposes instanceof ExtKeyUsage ? purposes.keyPurposes : null,
      strangeCritical: extensions
        .filter(({ critical, extnID }) => critical && !UNDERSTOOD.has(extnID))
        .map(({ extnID }) => extnID),
      demo:
        extensions.some(({ extnID }) => extnID === OID.demoMark) ||
        [parsed.subject, parsed.issuer].some((name) => nameText(name).includes(DEMO_NAME)),
      keyType,
      publicKey,
      signed: {
        tbs: parsed.tbsView,
        algorithm: parsed.signatureAlgorithm.algorithmId,
        algorithmsAgree: parsed.signature.isEqual(parsed.signatureAlgorithm),
        signature: new Uint8Array(parsed.signatureValue.valueBlock.valueHexView),
      },
    }
  } catch {
    return null
  }
}

/** Stands in the names of every certificate made for a demonstration. */
export const DEMO_NAME = 'Barewitness DEMO'

const UNDERSTOOD: ReadonlySet<string> = new Set([OID.basicConstraints, OID.keyUsage, OID.extendedKeyUsage])

/** Reads a revocation list; null when the bytes are not exactly one, in DER. Entries and lists with unknown critical extensions are refused. */
export function readRevocationList(der: Uint8Array): RevocationFacts | null {
  if (!isStrictDer(der)) return null
  try {
    const parsed = CertificateRevocationList.fromBER(der.slice())
    const entries = parsed.revokedCertificates ?? []
    const extensions = [parsed.crlExtensions, ...entries.map(({ crlEntryExtensions }) => crlEntryExtensions)]
    if (extensions.some((list) => list?.extensions.some(({ critical }) => critical))) return null
    return {
      issuerDer: new Uint8Array(parsed.issuer.valueBeforeDecode),
      thisUpdate: parsed.thisUpdate.value.toISOString(),
      nextUpdate: parsed.nextUpdate?.value.toISOString() ?? null,
      revoked: entries.map(({ userCertificate, revocationDate }) => ({
        serial: hexOf(userCertificate.valueBlock.valueHexView),
        at: revocationDate.value.toISOString(),
      })),
      signed: {
        tbs: parsed.tbsView,
        algorithm: parsed.signatureAlgorithm.algorithmId,
        algorithmsAgree: parsed.signature.isEqual(parsed.signatureAlgorithm),
        signature: new Uint8Array(parsed.signatureValue.valueBlock.valueHexView),
      },
    }
  } catch {
    return null
  }
}

/** Whether the issuer's key made the signature, with SHA-256 and the algorithm of that key. */
export function isSignedBy(signed: Signed, issuer: CertificateFacts): boolean {
  const wanted = issuer.keyType === 'EC' ? OID.ecdsaWithSha256 : OID.sha256WithRsa
  if (!signed.algorithmsAgree || signed.algorithm !== wanted) return false
  return verifies(signed.tbs, issuer, signed.signature)
}

export function verifies(data: Uint8Array, signer: CertificateFacts, signature: Uint8Array): boolean {
  if (signer.keyType === 'EC' && !isStrictDer(signature)) return false
  try {
    return verify('sha256', data, signer.publicKey, signature)
  } catch {
    return false
  }
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

function keyTypeOf(key: KeyObject): 'EC' | 'RSA' | null {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec') return namedCurve === 'prime256v1' ? 'EC' : null
  return key.asymmetricKeyType === 'rsa' && (modulusLength ?? 0) >= 2048 ? 'RSA' : null
}

function keyUsage(extensions: readonly Extension[]): number | null {
  const value = extensions.find(({ extnID }) => extnID === OID.keyUsage)?.extnValue.valueBlock.valueHexView
  // BIT STRING: tag, length, number of unused bits, bits.
  return value === undefined ? null : (value[3] ?? 0)
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const SHORT: Readonly<Record<string, string>> = {
  [OID.commonName]: 'CN',
  [OID.organization]: 'O',
  [OID.organizationalUnit]: 'OU',
  [OID.country]: 'C',
}

/** A name for people: the common name where it stands alone, else every part with its short name. */
function nameText(name: Certificate['subject']): string {
  const parts = name.typesAndValues.map(({ type, value }) => ({ type, text: String(value.valueBlock.value) }))
  const [only] = parts
  if (only !== undefined && parts.length === 1 && only.type === OID.commonName) return only.text
  return parts.map(({ type, text }) => `${SHORT[type] ?? type}=${text}`).join(', ')
}
