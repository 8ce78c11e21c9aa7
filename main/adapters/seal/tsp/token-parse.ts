import {
  algorithmOf,
  type DerValue,
  derValue,
  inOrder,
  membersOf,
  oidText,
  smallNumber,
  TAG,
} from '../../../core/der/read.ts'
import { OID } from '../oids.ts'
import type { Hash } from '../x509.ts'

/** The parts of a TimeStampToken, before anything is verified. */
export interface ParsedToken {
  /** The TSTInfo, as it was digested. */
  readonly content: Uint8Array
  readonly certificates: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
  readonly signerIssuer: Uint8Array
  /** Hexadecimal. */
  readonly signerSerial: string
  readonly hash: Hash
  /** Type and the one value of each signed attribute, in order. */
  readonly attributes: readonly { readonly type: string; readonly value: DerValue }[]
  /** The signed attributes as they were signed. */
  readonly signedBytes: Uint8Array
  readonly algorithm: string
  readonly signature: Uint8Array
}

const LARGEST_TOKEN = 1024 * 1024
const CONTEXT = [0xa0, 0xa1] as const
export const HASHES: Readonly<Record<string, Hash>> = {
  [OID.sha256]: 'sha256',
  [OID.sha384]: 'sha384',
  [OID.sha512]: 'sha512',
}

/**
 * Parses a TimeStampToken: CMS SignedData (RFC 5652, section 5.1) of version 3 around a TSTInfo, with one signer named
 * by issuer and serial number, and nothing unsigned except certificates and revocation lists. Returns a sentence for
 * anything else.
 */
export function parseToken(bytes: Uint8Array): ParsedToken | string {
  const whole = bytes.length > LARGEST_TOKEN ? null : derValue(bytes)
  if (whole?.tag !== TAG.sequence) return 'The time-stamp is not one value in DER.'
  const envelope = inOrder(whole)
  const isSigned = oidText(envelope.take(TAG.oid)) === OID.signedData
  const explicit = inOrder(envelope.take(CONTEXT[0]))
  const data = inOrder(explicit.take(TAG.sequence))
  if (!isSigned || !envelope.ended() || !explicit.ended()) return 'The time-stamp is not CMS SignedData.'
  if (smallNumber(data.take(TAG.integer)) !== 3) return 'The time-stamp is not SignedData of version 3.'
  const algorithms = membersOrNone(data.take(TAG.set))
  const content = contentOf(data.take(TAG.sequence))
  if (typeof content === 'string') return content
  const certificates = membersOrNone(data.take(CONTEXT[0]))
  const crls = membersOrNone(data.take(CONTEXT[1]))
  const signers = data.take(TAG.set)
  if (signers === undefined || !data.ended() || [...certificates, ...crls].some(({ tag }) => tag !== TAG.sequence))
    return 'The time-stamp has parts that SignedData may not have.'
  const [signer, ...others] = membersOf(signers)
  if (signer === undefined || others.length > 0)
    return `The time-stamp has ${membersOf(signers).length} signers; it must have exactly one.`
  const info = signerInfo(signer)
  if (typeof info === 'string') return info
  const [algorithm, ...more] = algorithms
  if (more.length > 0 || HASHES[algorithmOf(algorithm)] !== info.hash)
    return 'The time-stamp names another digest for its content than its signer does.'
  return { content, certificates: certificates.map(bytesOf), crls: crls.map(bytesOf), ...info }
}

const bytesOf = ({ bytes }: DerValue): Uint8Array => bytes
const membersOrNone = (value: DerValue | undefined): readonly DerValue[] =>
  value === undefined ? [] : membersOf(value)

function contentOf(value: DerValue | undefined): Uint8Array | string {
  const parts = inOrder(value)
  if (oidText(parts.take(TAG.oid)) !== OID.tstInfo) return 'The signed content is not a time-stamp (TSTInfo).'
  const explicit = inOrder(parts.take(CONTEXT[0]))
  const content = explicit.take(TAG.octets)
  return content !== undefined && explicit.ended() && parts.ended()
    ? content.content
    : 'The time-stamp does not contain its content.'
}

type SignerParts = Omit<ParsedToken, 'content' | 'certificates' | 'crls'>

function signerInfo(value: DerValue): SignerParts | string {
  const parts = inOrder(value)
  const version = smallNumber(parts.take(TAG.integer))
  const name = inOrder(parts.take(TAG.sequence))
  const [issuer, serial] = [name.take(TAG.sequence), name.take(TAG.integer)]
  if (value.tag !== TAG.sequence || version !== 1 || issuer === undefined || serial === undefined || !name.ended())
    return 'The time-stamp does not name its signer by issuer and serial number.'
  const hash = HASHES[algorithmOf(parts.take(TAG.sequence))]
  if (hash === undefined) return 'The time-stamp does not use SHA-256, SHA-384 or SHA-512.'
  const signed = parts.take(CONTEXT[0])
  const attributes = attributesOf(signed)
  if (signed === undefined || attributes === null) return 'The time-stamp has no readable signed attributes.'
  const algorithm = algorithmOf(parts.take(TAG.sequence))
  const signature = parts.take(TAG.octets)
  if (signature === undefined || algorithm === '') return 'The time-stamp has no readable signature.'
  if (!parts.ended()) return 'The time-stamp has unsigned attributes.'
  // Stored under the implicit tag [0], signed as a SET (RFC 5652, section 5.4).
  const signedBytes = Uint8Array.from(signed.bytes)
  signedBytes[0] = TAG.set
  return {
    signerIssuer: issuer.bytes,
    signerSerial: Buffer.from(serial.content).toString('hex'),
    hash,
    attributes,
    signedBytes,
    algorithm,
    signature: signature.content,
  }
}

function attributesOf(signed: DerValue | undefined): ParsedToken['attributes'] | null {
  const found = membersOrNone(signed).map((one) => {
    const parts = inOrder(one)
    const type = oidText(parts.take(TAG.oid))
    const [value, ...more] = membersOrNone(parts.take(TAG.set))
    return type === '' || value === undefined || more.length > 0 || !parts.ended() ? null : { type, value }
  })
  return found.includes(null) ? null : found.filter((attribute) => attribute !== null)
}
