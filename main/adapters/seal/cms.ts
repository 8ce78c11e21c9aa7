import { createHash } from 'node:crypto'
import { derValue, membersOf, TAG } from '../../core/der/read.ts'
import { der, nothing, octets, oid, sequence, setOf, small, unsigned } from '../../core/der/write.ts'
import type { Signer } from '../../core/ports.ts'
import { OID } from './oids.ts'
import { type Names, namesOf } from './x509.ts'

export const digestOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest())

const SHA256_ALGORITHM = sequence(oid(OID.sha256))

/**
 * Signature algorithm of a key: ecdsa-with-SHA256 without parameters (RFC 5758, section 3.2), sha256WithRSAEncryption
 * with NULL (RFC 4055, section 5).
 */
export const signatureAlgorithm = (keyType: Signer['keyType']): Uint8Array =>
  keyType === 'EC' ? sequence(oid(OID.ecdsaWithSha256)) : sequence(oid(OID.sha256WithRsa), nothing())

/**
 * SigningCertificateV2 (RFC 5035, section 3): the digest of the leaf with SHA-256, the default and therefore omitted,
 * and its issuer and serial.
 */
function signingCertificate(leaf: Uint8Array, { issuer, serial }: Names): Uint8Array {
  const issuerSerial = sequence(sequence(der(0xa4, issuer)), serial)
  return sequence(sequence(sequence(octets(digestOf(leaf)), issuerSerial)))
}

/**
 * The signed bytes (RFC 5652, section 5.4): the DER of the SET of attributes. Content-type, message-digest and
 * signing-certificate-v2, no other: PAdES forbids signing-time (ETSI EN 319 142-1, section 6.3), and a time without an
 * independent source is no evidence.
 */
export function signedAttributes(leaf: Uint8Array, contentSha256: Uint8Array): Uint8Array {
  return setOf(
    sequence(oid(OID.contentType), setOf(oid(OID.data))),
    sequence(oid(OID.messageDigest), setOf(octets(contentSha256))),
    sequence(oid(OID.signingCertificateV2), setOf(signingCertificate(leaf, namesOf(leaf)))),
  )
}

export interface CmsParts {
  readonly leaf: Uint8Array
  /** The leaf and intermediates, in any order. */
  readonly certificates: readonly Uint8Array[]
  readonly contentSha256: Uint8Array
  readonly keyType: Signer['keyType']
  readonly signature: Uint8Array
  /** A time-stamp token over the signature: the only unsigned attribute allowed (RFC 3161, appendix A). */
  readonly timestampToken?: Uint8Array | null
}

/**
 * The one encoding of a detached SignedData (RFC 5652, section 5.1) with these parts. The reader builds it again and
 * compares.
 */
export function assembleCms(parts: CmsParts): Uint8Array {
  const { leaf, certificates, contentSha256, keyType, signature, timestampToken } = parts
  const { issuer, serial } = namesOf(leaf)
  // Signed as a SET (0x31), stored under the implicit tag [0].
  const attributes = new Uint8Array(signedAttributes(leaf, contentSha256))
  attributes[0] = 0xa0
  const signerInfo = sequence(
    small(1),
    sequence(issuer, serial),
    SHA256_ALGORITHM,
    attributes,
    signatureAlgorithm(keyType),
    octets(signature),
    ...(timestampToken ? [der(0xa1, sequence(oid(OID.timeStampToken), setOf(timestampToken)))] : []),
  )
  const signedData = sequence(
    small(1),
    setOf(SHA256_ALGORITHM),
    sequence(oid(OID.data)),
    der(0xa0, ...[...certificates].sort((a, b) => Buffer.compare(a, b))),
    setOf(signerInfo),
  )
  return sequence(oid(OID.signedData), der(0xa0, signedData))
}

/**
 * A detached CMS signature over content of the given SHA-256, in the CAdES baseline profile (ETSI EN 319 122-1), with
 * the leaf and the intermediates; a root is excluded, since it must come from a separate channel. An ECDSA signature is
 * written with the lower of its two s: tokens return either. Throws when the signer does, or returns a value that is
 * not a signature of its kind of key.
 */
export async function cmsForDigest(signer: Signer, contentSha256: Uint8Array): Promise<Uint8Array> {
  const leaf = signer.certificate
  const made = await signer.sign(signedAttributes(leaf, contentSha256))
  const signature = signer.keyType === 'EC' ? withLowS(made) : made
  if (signature === null) throw new Error('the key returned a value that is not an ECDSA P-256 signature')
  const certificates = [leaf, ...signer.chain.filter((certificate) => !isRoot(certificate))]
  return assembleCms({ leaf, certificates, contentSha256, keyType: signer.keyType, signature })
}

function isRoot(certificate: Uint8Array): boolean {
  const { issuer, subject } = namesOf(certificate)
  return Buffer.compare(issuer, subject) === 0
}

/** The detached CAdES signature over bytes: the seal of a pack. */
export const signDetached = (signer: Signer, content: Uint8Array): Promise<Uint8Array> =>
  cmsForDigest(signer, digestOf(content))

/** The order of the group of P-256 (NIST SP 800-186, section 3.2.1.3), the only curve of our signers. */
const P256_ORDER = 0xffffffff_00000000_ffffffff_ffffffff_bce6faad_a7179e84_f3b9cac2_fc632551n
const HALF = P256_ORDER / 2n
const BYTES = 32

/**
 * An ECDSA signature of P-256 (ECDSA-Sig-Value, RFC 3279, section 2.2.3) in the one form that Barewitness writes. Where
 * (r, s) verifies, so does (r, n − s): of the two, the one with the smaller s is used. Null for bytes that are not
 * exactly two integers from 1 to n − 1 in DER.
 */
export function withLowS(signature: Uint8Array): Uint8Array | null {
  const whole = derValue(signature)
  const [r, s, ...more] = whole?.tag === TAG.sequence ? membersOf(whole) : []
  if (r?.tag !== TAG.integer || s?.tag !== TAG.integer || more.length > 0) return null
  const [first, second] = [numberIn(r.content), numberIn(s.content)]
  if (first === null || second === null) return null
  return second <= HALF ? signature : sequence(unsigned(bytesOf(first)), unsigned(bytesOf(P256_ORDER - second)))
}

/** The number in an INTEGER; null when it cannot be r or s. */
function numberIn(content: Uint8Array): bigint | null {
  if (content.length > BYTES + 1 || (content[0] ?? 0x80) > 0x7f) return null
  const value = BigInt(`0x${Buffer.from(content).toString('hex')}`)
  return value > 0n && value < P256_ORDER ? value : null
}

const bytesOf = (value: bigint): Uint8Array =>
  new Uint8Array(Buffer.from(value.toString(16).padStart(2 * BYTES, '0'), 'hex'))
