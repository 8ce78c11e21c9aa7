import { createHash } from 'node:crypto'
import {
  algorithmOf,
  type DerValue,
  der,
  derValue,
  inOrder,
  membersOf,
  nothing,
  octets,
  oid,
  oidText,
  sequence,
  setOf,
  small,
  TAG,
  unsigned,
} from '../../core/der/read.ts'
import type { Signer } from '../../core/ports/ports.ts'
import { OID } from './oids.ts'
import { type Names, namesOf } from './x509.ts'

/** The parts of a detached SignedData with one signer, before anything is verified. */
export interface ParsedSeal {
  readonly der: Uint8Array
  readonly certificates: readonly Uint8Array[]
  readonly signerIssuer: Uint8Array
  /** Hexadecimal. */
  readonly signerSerial: string
  /** Types of the signed attributes, in order. */
  readonly attributes: readonly string[]
  /** The signed attributes as they were signed. */
  readonly signedBytes: Uint8Array
  readonly messageDigest: Uint8Array
  readonly signature: Uint8Array
  /** The token in the only unsigned attribute allowed, id-aa-timeStampToken (RFC 3161, appendix A). */
  readonly timestampToken: Uint8Array | null
}

const LARGEST_SEAL = 1024 * 1024

const CONTEXT = [0xa0, 0xa1] as const
const UNREADABLE = 'The seal cannot be read as a CMS signature.'

/** Parses a CMS signature (RFC 5652, section 5); returns a sentence when it is not in the supported form. */
export function parseSeal(bytes: Uint8Array): ParsedSeal | string {
  const whole = bytes.length > LARGEST_SEAL ? null : derValue(bytes)
  if (whole?.tag !== TAG.sequence) return 'The seal is not one value in DER.'
  const envelope = inOrder(whole)
  const type = oidText(envelope.take(TAG.oid))
  const data = inOrder(inOrder(envelope.take(CONTEXT[0])).take(TAG.sequence))
  if (type === '' || !envelope.ended()) return UNREADABLE
  if (type !== OID.signedData) return 'The seal is not CMS SignedData.'
  const [version, algorithms] = [data.take(TAG.integer), data.take(TAG.set)]
  const content = membersOf(data.take(TAG.sequence))
  const certificates = membersOf(data.take(CONTEXT[0])).filter(({ tag }) => tag === TAG.sequence)
  data.take(CONTEXT[1])
  const signers = membersOf(data.take(TAG.set))
  if (version === undefined || algorithms === undefined || content.length === 0 || !data.ended()) return UNREADABLE
  const [signer] = signers
  if (signer?.tag !== TAG.sequence || signers.length !== 1)
    return `The seal has ${signers.length} signers; it must have exactly one.`
  const info = signerInfo(signer, content.length > 1)
  return typeof info === 'string' ? info : { der: bytes, certificates: certificates.map((one) => one.bytes), ...info }
}

function signerInfo(signer: DerValue, hasContent: boolean): Omit<ParsedSeal, 'der' | 'certificates'> | string {
  const parts = inOrder(signer)
  parts.take(TAG.integer)
  const name = inOrder(parts.take(TAG.sequence))
  const [issuer, serial] = [name.take(TAG.sequence), name.take(TAG.integer)]
  if (issuer === undefined || serial === undefined)
    return 'The seal does not name its signer by issuer and serial number.'
  if (hasContent) return 'The seal contains its own content; it must be detached.'
  if (algorithmOf(parts.take(TAG.sequence)) !== OID.sha256) return 'The seal does not use SHA-256.'
  const signed = parts.take(CONTEXT[0])
  const algorithm = parts.take(TAG.sequence)
  const signature = parts.take(TAG.octets)
  const timestampToken = tokenIn(membersOf(parts.take(CONTEXT[1])))
  if (timestampToken === undefined) return 'The seal has an unsigned attribute that is not one time-stamp token.'
  if (algorithm === undefined || signature === undefined || !parts.ended()) return UNREADABLE
  const attributes = membersOf(signed).map((one) => attributeOf(one))
  const digest = attributes.find(({ type }) => type === OID.messageDigest)?.values[0]
  return {
    signerIssuer: issuer.bytes,
    signerSerial: Buffer.from(serial.content).toString('hex'),
    attributes: attributes.map(({ type }) => type),
    // Stored under the implicit tag [0], signed as a SET (RFC 5652, section 5.4).
    signedBytes: signed === undefined ? new Uint8Array() : Uint8Array.from([TAG.set, ...signed.bytes.subarray(1)]),
    messageDigest: digest?.tag === TAG.octets ? digest.content : new Uint8Array(),
    signature: signature.content,
    timestampToken,
  }
}

/** Attribute (RFC 5652, section 5.3). */
function attributeOf(value: DerValue): { readonly type: string; readonly values: readonly DerValue[] } {
  const [type, values] = value.tag === TAG.sequence ? membersOf(value) : []
  return { type: oidText(type), values: values?.tag === TAG.set ? membersOf(values) : [] }
}

/** The token in unsigned attributes; null when there is no attribute, undefined for anything but one token. */
function tokenIn(attributes: readonly DerValue[]): Uint8Array | null | undefined {
  const [attribute, ...others] = attributes
  if (attribute === undefined) return null
  const { type, values } = attributeOf(attribute)
  return type === OID.timeStampToken && others.length === 0 && values.length === 1 ? values[0]?.bytes : undefined
}

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
 * The signed bytes (RFC 5652, section 5.4): the DER of the SET of attributes. These are only content-type,
 * message-digest and signing-certificate-v2: PAdES forbids signing-time (ETSI EN 319 142-1, section 6.3), and a time
 * without an independent source is no evidence.
 */
export function signedAttributes(leaf: Uint8Array, contentSha256: Uint8Array): Uint8Array {
  return setOf(
    sequence(oid(OID.contentType), setOf(oid(OID.data))),
    sequence(oid(OID.messageDigest), setOf(octets(contentSha256))),
    sequence(oid(OID.signingCertificateV2), setOf(signingCertificate(leaf, namesOf(leaf)))),
  )
}

/** The message digest in signed attributes, the DER of a SET (RFC 5652, section 11.2); null where there is not exactly one of 32 bytes. */
export function contentDigestIn(attributes: Uint8Array): Uint8Array | null {
  const digests = membersOf(derValue(attributes))
    .map((one) => attributeOf(one))
    .filter(({ type }) => type === OID.messageDigest)
  const [digest] = digests[0]?.values ?? []
  return digests.length === 1 && digest?.tag === TAG.octets && digest.content.length === 32 ? digest.content : null
}

interface CmsParts {
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
 * The only encoding of a detached SignedData (RFC 5652, section 5.1) with these parts. The reader builds it again and
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
 * not a signature of its kind of key. `content` is handed to the signer where it is at hand.
 */
export async function cmsForDigest(
  signer: Signer,
  contentSha256: Uint8Array,
  content?: Uint8Array,
): Promise<Uint8Array> {
  const leaf = signer.certificate
  const made = await signer.sign(signedAttributes(leaf, contentSha256), content)
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
  cmsForDigest(signer, digestOf(content), content)

/** The order of the group of P-256 (NIST SP 800-186, section 3.2.1.3), the only curve of our signers. */
const P256_ORDER = 0xffffffff_00000000_ffffffff_ffffffff_bce6faad_a7179e84_f3b9cac2_fc632551n
const HALF = P256_ORDER / 2n
const BYTES = 32

/**
 * An ECDSA signature of P-256 (ECDSA-Sig-Value, RFC 3279, section 2.2.3) in the only form that Barewitness writes. Where
 * (r, s) verifies, so does (r, n − s); the form with the smaller s is used. Null for bytes that are not exactly two
 * integers from 1 to n − 1 in DER.
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
