import { algorithmOf, type DerValue, derValue, inOrder, membersOf, oidText, TAG } from '../../core/der/read.ts'
import { OID } from './oids.ts'

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

/** Null when there is no attribute; undefined when there is any but one token. */
function tokenIn(attributes: readonly DerValue[]): Uint8Array | null | undefined {
  const [attribute, ...others] = attributes
  if (attribute === undefined) return null
  const { type, values } = attributeOf(attribute)
  return type === OID.timeStampToken && others.length === 0 && values.length === 1 ? values[0]?.bytes : undefined
}
