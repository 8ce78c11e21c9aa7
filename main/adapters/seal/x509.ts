import { createHash, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { BasicConstraints, Certificate, type Extension, ExtKeyUsage } from 'pkijs'
import { isStrictDer } from './der.ts'
import { type DerValue, derValue, inOrder, type Members, membersOf, oidText, TAG, timeOf } from './der-read.ts'
import { extensionsOf } from './extensions.ts'
import { nameText } from './name-text.ts'
import { OID } from './oids.ts'

/**
 * The content of a certificate (RFC 5280), as far as a seal needs it. Names are stored as their DER, to compare
 * exactly.
 */
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
  /** Number of issuers allowed between this one and a leaf (RFC 5280, section 4.2.1.9); null for any number. */
  readonly pathLength: number | null
  /** The first octet of the KeyUsage bits (RFC 5280, section 4.2.1.3), or null when there is none. */
  readonly keyUsage: number | null
  readonly extendedKeyUsage: readonly string[] | null
  readonly extendedKeyUsageCritical: boolean
  readonly strangeCritical: readonly string[]
  readonly demo: boolean
  readonly keyType: 'EC' | 'RSA'
  readonly publicKey: KeyObject
  /** Digests that signatures by this key may use. */
  readonly hashes: readonly Hash[]
  readonly signed: Signed
}

export type Hash = 'sha256' | 'sha384' | 'sha512'

/** Data signed by an issuer: a certificate or a revocation list. */
export interface Signed {
  readonly tbs: Uint8Array
  readonly algorithm: string
  /** Both fields that name the algorithm agree (RFC 5280, section 4.1.1.2). */
  readonly algorithmsAgree: boolean
  readonly signature: Uint8Array
}

export interface RevocationFacts {
  readonly issuerDer: Uint8Array
  readonly thisUpdate: string
  readonly nextUpdate: string | null
  /** `at`: the earlier of revocation date and invalidity date. */
  readonly revoked: readonly { readonly serial: string; readonly at: string }[]
  readonly signed: Signed
}

export const KEY_USAGE = { digitalSignature: 0x80, nonRepudiation: 0x40, certSign: 0x04, crlSign: 0x02 } as const

export interface Names {
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly serial: Uint8Array
}

/** Issuer, subject and serial number of a certificate, as its own DER. Throws on bytes that are not a certificate. */
export function namesOf(certificate: Uint8Array): Names {
  const parsed = Certificate.fromBER(certificate.slice())
  return {
    issuer: new Uint8Array(parsed.issuer.valueBeforeDecode),
    subject: new Uint8Array(parsed.subject.valueBeforeDecode),
    serial: new Uint8Array(parsed.serialNumber.valueBeforeDecodeView),
  }
}

interface KeyRules {
  readonly curves: readonly string[]
  readonly hashes: readonly Hash[]
}

/** Reads a certificate; null when the bytes are not exactly one, in DER, with an EC P-256 or RSA key of at least 2048 bits. */
export const readCertificate = (der: Uint8Array): CertificateFacts | null =>
  factsOf(der, { curves: ['prime256v1'], hashes: ['sha256'] })

/** The same for a time-stamp authority and its issuers, which others selected: also P-384, and SHA-384 and SHA-512. */
export const readAuthorityCertificate = (der: Uint8Array): CertificateFacts | null =>
  factsOf(der, { curves: ['prime256v1', 'secp384r1'], hashes: ['sha256', 'sha384', 'sha512'] })

function factsOf(der: Uint8Array, rules: KeyRules): CertificateFacts | null {
  const whole = derValue(der)
  const signed = whole && signedOf(whole, 0xa0)
  if (whole === null || signed === null) return null
  try {
    const parsed = Certificate.fromBER(der.slice())
    const publicKey = new X509Certificate(der).publicKey
    const keyType = keyTypeOf(publicKey, rules)
    if (keyType === null) return null
    const extensions = parsed.extensions ?? []
    const constraints = extensions.find(({ extnID }) => extnID === OID.basicConstraints)?.parsedValue
    const purpose = extensions.find(({ extnID }) => extnID === OID.extendedKeyUsage)
    const purposes = purpose?.parsedValue
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
      pathLength: pathLength(constraints),
      keyUsage: keyUsage(extensions),
      extendedKeyUsage: purposes instanceof ExtKeyUsage ? purposes.keyPurposes : null,
      extendedKeyUsageCritical: purpose?.critical === true,
      strangeCritical: extensions
        .filter(({ critical, extnID }) => critical && !UNDERSTOOD.has(extnID))
        .map(({ extnID }) => extnID),
      demo:
        extensionsOf(whole).some(({ id }) => id === OID.demoMark) ||
        [parsed.subject, parsed.issuer].some((name) => nameText(name).includes(DEMO_NAME)),
      keyType,
      publicKey,
      hashes: rules.hashes,
      signed,
    }
  } catch {
    return null
  }
}

/**
 * What an issuer signed: three parts, the same algorithm named in the first and the second. `before` is the tag that
 * may precede it there.
 */
function signedOf(whole: DerValue, before: number): Signed | null {
  const [tbs, algorithm, signature, ...more] = membersOf(whole)
  if (tbs === undefined || algorithm === undefined || signature?.tag !== TAG.bits || more.length > 0) return null
  if (signature.content[0] !== 0) return null
  const parts = inOrder(tbs)
  parts.take(before)
  if (before === 0xa0) parts.take(TAG.integer)
  const inner = parts.take(TAG.sequence)
  return {
    tbs: tbs.bytes,
    algorithm: oidText(membersOf(algorithm)[0]),
    algorithmsAgree: inner !== undefined && sameBytes(inner.bytes, algorithm.bytes),
    signature: signature.content.subarray(1),
  }
}

/** In the names of every certificate made for a demo. */
export const DEMO_NAME = 'Barewitness DEMO'

const UNDERSTOOD: ReadonlySet<string> = new Set([OID.basicConstraints, OID.keyUsage, OID.extendedKeyUsage])

/** Reads a revocation list; null when the bytes are not exactly one, in DER. Entries and lists with unknown critical extensions are refused. */
export function readRevocationList(der: Uint8Array): RevocationFacts | null {
  const whole = derValue(der)
  const signed = whole && signedOf(whole, TAG.integer)
  const [tbs] = whole ? membersOf(whole) : []
  const parts = inOrder(tbs)
  parts.take(TAG.integer)
  parts.take(TAG.sequence)
  const issuer = parts.take(TAG.sequence)
  const [thisUpdate, nextUpdate] = [takeTime(parts), takeTime(parts)]
  const entries = parts.take(TAG.sequence)
  const extensions = parts.take(0xa0)
  if (!signed || issuer === undefined || !parts.ended() || hasCritical(extensions && membersOf(extensions)[0]))
    return null
  const revoked = (entries === undefined ? [] : membersOf(entries)).map((entry) => {
    const inner = inOrder(entry)
    const serial = inner.take(TAG.integer)
    const at = takeTime(inner)
    const more = inner.take(TAG.sequence)
    const invalid = invalidSince(more)
    if (serial === undefined || at === null || invalid === undefined || hasCritical(more) || !inner.ended()) return null
    return { serial: hexOf(serial.content), at: invalid !== null && invalid < at ? invalid : at }
  })
  if (thisUpdate === null || revoked.includes(null)) return null
  return {
    issuerDer: issuer.bytes,
    thisUpdate,
    nextUpdate,
    revoked: revoked.filter((entry) => entry !== null),
    signed,
  }
}

/**
 * Since when a key is known or suspected to be compromised (RFC 5280, section 5.3.2); null when not stated, undefined
 * when unreadable.
 */
function invalidSince(extensions: DerValue | undefined): string | null | undefined {
  const found = (extensions === undefined ? [] : membersOf(extensions)).find(
    (one) => oidText(membersOf(one)[0]) === OID.invalidityDate,
  )
  if (found === undefined) return null
  const value = membersOf(found).find(({ tag }) => tag === TAG.octets)
  const time = value === undefined ? null : derValue(value.content)
  return (time?.tag === TAG.generalizedTime ? timeOf(time) : null) ?? undefined
}

const takeTime = (parts: Members): string | null => timeOf(parts.take(TAG.utcTime) ?? parts.take(TAG.generalizedTime))

/**
 * Whether Extensions (RFC 5280, section 4.1.2.9) contain one that a reader must know; the order is identifier,
 * criticality, value.
 */
const hasCritical = (extensions: DerValue | undefined): boolean =>
  extensions !== undefined && membersOf(extensions).some((one) => membersOf(one)[1]?.tag === TAG.boolean)

const ALGORITHMS: Readonly<Record<string, { readonly keyType: 'EC' | 'RSA'; readonly hash: Hash }>> = {
  [OID.ecdsaWithSha256]: { keyType: 'EC', hash: 'sha256' },
  [OID.ecdsaWithSha384]: { keyType: 'EC', hash: 'sha384' },
  [OID.ecdsaWithSha512]: { keyType: 'EC', hash: 'sha512' },
  [OID.sha256WithRsa]: { keyType: 'RSA', hash: 'sha256' },
  [OID.sha384WithRsa]: { keyType: 'RSA', hash: 'sha384' },
  [OID.sha512WithRsa]: { keyType: 'RSA', hash: 'sha512' },
}

/** The digest of a signature algorithm, when it is one that this key may use; null otherwise. */
export function hashFor(algorithm: string, key: CertificateFacts): Hash | null {
  const found = ALGORITHMS[algorithm]
  return found !== undefined && found.keyType === key.keyType && key.hashes.includes(found.hash) ? found.hash : null
}

/** Whether the issuer's key made the signature, with an algorithm of that key. */
export function isSignedBy(signed: Signed, issuer: CertificateFacts): boolean {
  const hash = hashFor(signed.algorithm, issuer)
  return hash !== null && signed.algorithmsAgree && verifies(signed.tbs, issuer, signed.signature, hash)
}

export function verifies(
  data: Uint8Array,
  signer: CertificateFacts,
  signature: Uint8Array,
  hash: Hash = 'sha256',
): boolean {
  if (signer.keyType === 'EC' && !isStrictDer(signature)) return false
  try {
    return verify(hash, data, signer.publicKey, signature)
  } catch {
    return false
  }
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

function keyTypeOf(key: KeyObject, { curves }: KeyRules): 'EC' | 'RSA' | null {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec') return curves.includes(namedCurve ?? '') ? 'EC' : null
  return key.asymmetricKeyType === 'rsa' && (modulusLength ?? 0) >= 2048 ? 'RSA' : null
}

function pathLength(constraints: unknown): number | null {
  const length = constraints instanceof BasicConstraints ? constraints.pathLenConstraint : undefined
  return typeof length === 'number' ? length : null
}

function keyUsage(extensions: readonly Extension[]): number | null {
  const value = extensions.find(({ extnID }) => extnID === OID.keyUsage)?.extnValue.valueBlock.valueHexView
  // BIT STRING: tag, length, number of unused bits, bits.
  return value === undefined ? null : (value[3] ?? 0)
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
