import { type KeyObject, verify, X509Certificate } from 'node:crypto'
import { sha256 } from '../../core/base/digest.ts'
import { plain } from '../../core/base/plain-text.ts'
import {
  certificateParts,
  type DerValue,
  derValue,
  type ExtensionParts,
  extensionsIn,
  inOrder,
  isStrictDer,
  membersOf,
  nameParts,
  oidText,
  revocationListParts,
  smallNumber,
  TAG,
  takeTime,
  timeOf,
} from '../../core/der/read.ts'
import type { CertificateName } from '../../core/ports/ports.ts'
import { OID } from './oids.ts'

/**
 * The content of a certificate (RFC 5280) that a seal needs. Names are also stored as DER, for an exact comparison.
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
  /** Number of issuers allowed between this certificate and a leaf (RFC 5280, section 4.2.1.9); null for any number. */
  readonly pathLength: number | null
  /** The first octet of the KeyUsage bits (RFC 5280, section 4.2.1.3), or null when there is none. */
  readonly keyUsage: number | null
  readonly extendedKeyUsage: readonly string[] | null
  readonly extendedKeyUsageCritical: boolean
  readonly strangeCritical: readonly string[]
  /** Whether it states where its revocation is published: a distribution point of lists, or an OCSP responder. */
  readonly namesRevocation: boolean
  readonly demo: boolean
  readonly keyType: 'EC' | 'RSA'
  readonly publicKey: KeyObject
  /** Digests that signatures by this key may use. */
  readonly hashes: readonly Hash[]
  readonly signed: Signed
}

export type Hash = 'sha256' | 'sha384' | 'sha512'

/** Data that an issuer signed: a certificate or a revocation list. */
interface Signed {
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
  const parts = certificateParts(derValue(certificate))
  if (parts === null) throw new Error('these bytes are not a certificate in DER')
  return { issuer: parts.issuer.bytes, subject: parts.subject.bytes, serial: parts.serial.bytes }
}

interface KeyRules {
  readonly curves: readonly string[]
  readonly hashes: readonly Hash[]
}

/** Reads a certificate; null when the bytes are not exactly one, in DER, with an EC P-256 or RSA key of at least 2048 bits. */
export function readCertificate(der: Uint8Array): CertificateFacts | null {
  const key = der.length > LARGEST_REMEMBERED ? null : Buffer.from(der).toString('latin1')
  const known = key === null ? undefined : REMEMBERED.get(key)
  if (known !== undefined) return known
  const read = factsOf(new Uint8Array(der), { curves: ['prime256v1'], hashes: ['sha256'] })
  if (key === null) return read
  if (REMEMBERED.size >= MOST_REMEMBERED) REMEMBERED.clear()
  REMEMBERED.set(key, read)
  return read
}

/** The thousands of signatures in a register or a run chain have few certificates: each is read once. */
const REMEMBERED = new Map<string, CertificateFacts | null>()
const MOST_REMEMBERED = 256
const LARGEST_REMEMBERED = 8192

/** As readCertificate(), for time-stamp authorities and their issuers, which others select: also P-384, SHA-384 and SHA-512. */
export const readAuthorityCertificate = (der: Uint8Array): CertificateFacts | null =>
  factsOf(der, { curves: ['prime256v1', 'secp384r1'], hashes: ['sha256', 'sha384', 'sha512'] })

function factsOf(der: Uint8Array, rules: KeyRules): CertificateFacts | null {
  const whole = derValue(der)
  const signed = whole && signedOf(whole, 0xa0)
  const parts = certificateParts(whole)
  const publicKey = publicKeyOf(der)
  if (signed === null || parts === null || publicKey === null) return null
  const keyType = keyTypeOf(publicKey, rules)
  const { extensions } = parts
  const constraints = constraintsIn(extensions)
  if (keyType === null || constraints === null) return null
  return {
    der,
    fingerprint: sha256(der),
    subject: nameText(parts.subject),
    subjectDer: parts.subject.bytes,
    issuerDer: parts.issuer.bytes,
    serial: hexOf(parts.serial.content),
    notBefore: parts.notBefore,
    notAfter: parts.notAfter,
    ...constraints,
    keyUsage: keyUsage(extensions),
    extendedKeyUsage: extendedKeyUsage(extensions),
    extendedKeyUsageCritical: extensions.find(({ id }) => id === OID.extendedKeyUsage)?.critical === true,
    strangeCritical: extensions.filter(({ critical, id }) => critical && !UNDERSTOOD.has(id)).map(({ id }) => id),
    namesRevocation: namesRevocation(extensions),
    demo:
      extensions.some(({ id }) => id === OID.demoMark) ||
      [parts.subject, parts.issuer].some((name) => nameText(name).includes(DEMO_NAME)),
    keyType,
    publicKey,
    hashes: rules.hashes,
    signed,
  }
}

/** RFC 5280, sections 4.2.1.13 and 4.2.2.1. */
const namesRevocation = (extensions: readonly ExtensionParts[]): boolean =>
  extensions.some(({ id }) => id === OID.crlDistributionPoints) ||
  extensions
    .filter(({ id }) => id === OID.authorityInfoAccess)
    .some(({ content }) => membersOf(derValue(content)).some((access) => oidText(membersOf(access)[0]) === OID.ocsp))

function publicKeyOf(certificate: Uint8Array): KeyObject | null {
  try {
    return new X509Certificate(certificate).publicKey
  } catch {
    return null
  }
}

const SHORT: Readonly<Record<string, string>> = {
  [OID.commonName]: 'CN',
  [OID.organization]: 'O',
  [OID.organizationalUnit]: 'OU',
  [OID.country]: 'C',
}

/** A name for people: the common name where it is the only part, otherwise every part with its short name. */
function nameText(name: DerValue): string {
  const parts = nameParts(name)
  const [only] = parts
  if (only !== undefined && parts.length === 1 && only.type === OID.commonName) return only.text
  return parts.map(({ type, text }) => `${SHORT[type] ?? type}=${text}`).join(', ')
}

/**
 * Reads what an issuer signed: three parts, with the algorithm named in the first and the second. `before` is the tag
 * that may precede it in the first.
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

/** Part of the names in every certificate created for a demo. */
export const DEMO_NAME = 'Barewitness DEMO'

const UNDERSTOOD: ReadonlySet<string> = new Set([OID.basicConstraints, OID.keyUsage, OID.extendedKeyUsage])

/** Reads a revocation list; null when the bytes are not exactly one, in DER. Entries and lists with unknown critical extensions are refused. */
export function readRevocationList(der: Uint8Array): RevocationFacts | null {
  const whole = derValue(der)
  const signed = whole && signedOf(whole, TAG.integer)
  const parts = revocationListParts(whole)
  if (signed === null || parts === null || hasCritical(parts.extensions)) return null
  const revoked = parts.entries.map((entry) => {
    const inner = inOrder(entry)
    const serial = inner.take(TAG.integer)
    const at = takeTime(inner)
    const more = inner.take(TAG.sequence)
    const invalid = invalidSince(more)
    if (serial === undefined || at === null || invalid === undefined || hasCritical(more) || !inner.ended()) return null
    return { serial: hexOf(serial.content), at: invalid !== null && invalid < at ? invalid : at }
  })
  if (revoked.includes(null)) return null
  return {
    issuerDer: parts.issuer.bytes,
    thisUpdate: parts.thisUpdate,
    nextUpdate: parts.nextUpdate,
    revoked: revoked.filter((entry) => entry !== null),
    signed,
  }
}

/**
 * Time since which a key is known or suspected to be compromised (RFC 5280, section 5.3.2); null when not stated,
 * undefined when unreadable.
 */
function invalidSince(extensions: DerValue | undefined): string | null | undefined {
  const found = extensionsIn(extensions).find(({ id }) => id === OID.invalidityDate)
  if (found === undefined) return null
  const time = derValue(found.content)
  return (time?.tag === TAG.generalizedTime ? timeOf(time) : null) ?? undefined
}

/**
 * Whether Extensions (RFC 5280, section 4.1.2.9) contain a critical one; each consists of identifier, criticality and
 * value.
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
  const known = LINKS.get(signed) ?? new WeakMap<CertificateFacts, boolean>()
  LINKS.set(signed, known)
  const before = known.get(issuer)
  if (before !== undefined) return before
  const hash = hashFor(signed.algorithm, issuer)
  const found = hash !== null && signed.algorithmsAgree && verifies(signed.tbs, issuer, signed.signature, hash)
  known.set(issuer, found)
  return found
}

/** Links that were verified, of certificates as they were read: see readCertificate(). */
const LINKS = new WeakMap<Signed, WeakMap<CertificateFacts, boolean>>()

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

/** How results name a certificate. */
export const nameOf = ({ subject, fingerprint }: CertificateFacts): CertificateName => ({
  subject: plain(subject),
  fingerprint,
})

/** Whether a signer names this certificate, by issuer and serial number (RFC 5652, section 5.3). */
export const isNamedBy = (
  { issuerDer, serial }: CertificateFacts,
  { signerIssuer, signerSerial }: { readonly signerIssuer: Uint8Array; readonly signerSerial: string },
): boolean => sameBytes(issuerDer, signerIssuer) && serial === signerSerial

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

function keyTypeOf(key: KeyObject, { curves }: KeyRules): 'EC' | 'RSA' | null {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec') return curves.includes(namedCurve ?? '') ? 'EC' : null
  return key.asymmetricKeyType === 'rsa' && (modulusLength ?? 0) >= 2048 ? 'RSA' : null
}

/** BasicConstraints (RFC 5280, section 4.2.1.9); null when present and unreadable. */
function constraintsIn(extensions: readonly ExtensionParts[]): Pick<CertificateFacts, 'ca' | 'pathLength'> | null {
  const found = extensions.find(({ id }) => id === OID.basicConstraints)
  if (found === undefined) return { ca: false, pathLength: null }
  const value = derValue(found.content)
  const parts = inOrder(value)
  const ca = parts.take(TAG.boolean)?.content[0] === 0xff
  const length = parts.take(TAG.integer)
  const pathLength = smallNumber(length)
  if (value?.tag !== TAG.sequence || !parts.ended() || (length !== undefined && pathLength === null)) return null
  return { ca, pathLength }
}

function keyUsage(extensions: readonly ExtensionParts[]): number | null {
  const found = extensions.find(({ id }) => id === OID.keyUsage)
  if (found === undefined) return null
  const value = derValue(found.content)
  // BIT STRING: number of unused bits, bits. Without readable bits the key may do nothing.
  return value?.tag === TAG.bits ? (value.content[1] ?? 0) : 0
}

/** Null when the certificate names no purposes; an extension that cannot be read allows none. */
function extendedKeyUsage(extensions: readonly ExtensionParts[]): readonly string[] | null {
  const found = extensions.find(({ id }) => id === OID.extendedKeyUsage)
  return found === undefined ? null : membersOf(derValue(found.content)).map(oidText)
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
