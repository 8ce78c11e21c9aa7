import { createHash, type KeyObject, timingSafeEqual, verify, X509Certificate } from 'node:crypto'
import { sha256 } from '../base/digest.ts'
import { err, ok, type Result } from '../base/failure.ts'
import { oneLine } from '../base/plain-text.ts'
import { berValue, type DerValue, membersOf, octetsOf, oidText, TAG } from './read.ts'

/** The content of a CMS message (RFC 5652, SignedData) with one signer. None of it is verified yet. */
export interface SignedMessage {
  /** Null for a detached signature, whose content is elsewhere. */
  readonly content: Uint8Array | null
  /** Certificates (DER) included in the message, unverified. */
  readonly certificates: readonly Uint8Array[]
  readonly hash: 'sha256' | 'sha384' | 'sha512'
  /** The signed attributes in the form that the signature covers: a SET OF. */
  readonly attributes: Uint8Array
  readonly digest: Uint8Array
  readonly signature: Uint8Array
}

const [SIGNED_DATA, DATA] = ['1.2.840.113549.1.7.2', '1.2.840.113549.1.7.1']
const [CONTENT_TYPE, MESSAGE_DIGEST] = ['1.2.840.113549.1.9.3', '1.2.840.113549.1.9.4']
/** RFC 5754, 2. */
const HASHES: ReadonlyMap<string, SignedMessage['hash']> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])
/**
 * rsaEncryption (RFC 3370, 3.2), alone or combined with its digest (RFC 5754, 3.2 and 3.3); RSASSA-PSS is not
 * supported.
 */
const SIGNED_BY: Readonly<Record<SignedMessage['hash'], ReadonlySet<string>>> = {
  sha256: new Set(['1.2.840.113549.1.1.1', '1.2.840.113549.1.1.11', '1.2.840.10045.4.3.2']),
  sha384: new Set(['1.2.840.113549.1.1.1', '1.2.840.113549.1.1.12', '1.2.840.10045.4.3.3']),
  sha512: new Set(['1.2.840.113549.1.1.1', '1.2.840.113549.1.1.13', '1.2.840.10045.4.3.4']),
}

const LARGEST = 64 * 1024
const MOST_CERTIFICATES = 16

const TAGGED = 0xa0

/**
 * Parses a message in BER as providers produce it (including indefinite lengths) with one signer, SHA-2, RSA (PKCS #1
 * v1.5) or ECDSA, and signed attributes, as `openssl cms -sign` writes it. Returns null for anything else.
 */
export function readSigned(bytes: Uint8Array): SignedMessage | null {
  if (bytes.length > LARGEST) return null
  const message = berValue(bytes)
  const [type, wrapped] = message?.tag === TAG.sequence ? membersOf(message) : []
  const [signed] = wrapped?.tag === TAGGED ? membersOf(wrapped) : []
  if (oidText(type) !== SIGNED_DATA || signed?.tag !== TAG.sequence) return null
  const [, , inside, ...more] = membersOf(signed)
  const [kind, held] = membersOf(inside)
  const content = held === undefined ? null : octetsOf(membersOf(held)[0])
  const signers = more.at(-1)
  const [signer, ...others] = signers?.tag === TAG.set ? membersOf(signers) : []
  if (oidText(kind) !== DATA || (held !== undefined && content === null)) return null
  if (signer?.tag !== TAG.sequence || others.length > 0) return null
  const certificates = membersOf(more.find(({ tag }) => tag === TAGGED)).filter(({ tag }) => tag === TAG.sequence)
  if (certificates.length > MOST_CERTIFICATES) return null
  return readSigner(signer, { content, certificates: certificates.map((one) => one.bytes) })
}

function readSigner(signer: DerValue, message: Pick<SignedMessage, 'content' | 'certificates'>): SignedMessage | null {
  const [version, , digestBy, attributes, signedBy, signature] = membersOf(signer)
  const hash = HASHES.get(oidText(membersOf(digestBy)[0]))
  if (hash === undefined || !SIGNED_BY[hash].has(oidText(membersOf(signedBy)[0]))) return null
  if (attributes?.tag !== TAGGED || attributes.isOpen || version?.tag !== TAG.integer) return null
  const attribute = (type: string): DerValue | undefined => {
    const [found, ...again] = membersOf(attributes).filter((one) => oidText(membersOf(one)[0]) === type)
    const values = membersOf(membersOf(found)[1])
    return again.length === 0 && values.length === 1 ? values[0] : undefined
  }
  const [digest, written] = [octetsOf(attribute(MESSAGE_DIGEST)), octetsOf(signature)]
  if (digest === null || written === null || oidText(attribute(CONTENT_TYPE)) !== DATA) return null
  return {
    ...message,
    hash,
    // RFC 5652, 5.4: the signature covers the attributes with the tag of a SET OF instead of their own.
    attributes: Uint8Array.from([TAG.set, ...attributes.bytes.subarray(1)]),
    digest,
    signature: written,
  }
}

/**
 * Whether the message signs these bytes with the key of a certificate (DER). The holder and validity of the
 * certificate are not examined.
 */
export const isSignedBy = (message: SignedMessage, content: Uint8Array, der: Uint8Array): boolean =>
  isOver(message, content) && standsUnder(message, certificateOf(der))

/** The signer, identified by a certificate included in the signature. */
interface MessageSigner {
  readonly subject: string
  /** SHA-256 of the certificate, as `openssl x509 -fingerprint -sha256` prints it, without colons. */
  readonly fingerprint: string
}

const LONGEST_SUBJECT = 500

/**
 * The certificate of the message under which it signs these bytes. Anyone can create a certificate with any name:
 * only a fingerprint received by another route identifies the holder of the key. Otherwise the problem, worded to
 * follow “the signature does not stand: ”.
 */
export function signerOf(message: SignedMessage, content: Uint8Array): Result<MessageSigner, string> {
  if (!isOver(message, content)) return err('it is over other bytes than these')
  if (message.certificates.length === 0) return err('it comes without the certificate of its signer')
  for (const der of message.certificates) {
    const certificate = certificateOf(der)
    if (certificate === null || !standsUnder(message, certificate)) continue
    const subject = oneLine(certificate.subject.replaceAll('\n', ', '), LONGEST_SUBJECT)
    return ok({ subject: subject.slice(0, LONGEST_SUBJECT), fingerprint: sha256(der) })
  }
  return err('it was made with the key of none of its certificates')
}

function isOver({ hash, digest }: SignedMessage, content: Uint8Array): boolean {
  const own = createHash(hash).update(content).digest()
  return digest.length === own.length && timingSafeEqual(own, digest)
}

function certificateOf(der: Uint8Array): X509Certificate | null {
  try {
    return new X509Certificate(der)
  } catch {
    return null
  }
}

function standsUnder({ hash, attributes, signature }: SignedMessage, certificate: X509Certificate | null): boolean {
  if (certificate === null) return false
  try {
    const { publicKey } = certificate
    return isStrong(publicKey) && verify(hash, attributes, publicKey, signature)
  } catch {
    return false
  }
}

const SHORTEST_RSA = 2048
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1'])

/** Key types and sizes that are considered unforgeable today (NIST SP 800-131A). */
const isStrong = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  asymmetricKeyType === 'rsa'
    ? (asymmetricKeyDetails?.modulusLength ?? 0) >= SHORTEST_RSA
    : asymmetricKeyType === 'ec' && CURVES.has(asymmetricKeyDetails?.namedCurve ?? '')
