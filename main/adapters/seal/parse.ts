import { type Attribute, Certificate, ContentInfo, IssuerAndSerialNumber, SignedData } from 'pkijs'
import { isStrictDer } from './der.ts'
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

/** Parses a CMS signature (RFC 5652, section 5); returns a sentence when it is not in the supported form. */
export function parseSeal(bytes: Uint8Array): ParsedSeal | string {
  if (bytes.length > LARGEST_SEAL || !isStrictDer(bytes)) return 'The seal is not one value in DER.'
  try {
    const envelope = ContentInfo.fromBER(bytes.slice())
    if (envelope.contentType !== OID.signedData) return 'The seal is not CMS SignedData.'
    const data = new SignedData({ schema: envelope.content })
    if (data.signerInfos.length !== 1)
      return `The seal has ${data.signerInfos.length} signers; it must have exactly one.`
    const [signer] = data.signerInfos
    if (signer === undefined || !(signer.sid instanceof IssuerAndSerialNumber))
      return 'The seal does not name its signer by issuer and serial number.'
    if (data.encapContentInfo.eContent !== undefined) return 'The seal contains its own content; it must be detached.'
    if (signer.digestAlgorithm.algorithmId !== OID.sha256) return 'The seal does not use SHA-256.'
    const attributes = signer.signedAttrs?.attributes ?? []
    const timestampToken = tokenIn(signer.unsignedAttrs?.attributes ?? [])
    if (timestampToken === undefined) return 'The seal has an unsigned attribute that is not one time-stamp token.'
    const certificates = (data.certificates ?? []).filter((one) => one instanceof Certificate)
    return {
      der: bytes,
      certificates: certificates.map((one) => new Uint8Array(one.toSchema().toBER())),
      signerIssuer: new Uint8Array(signer.sid.issuer.valueBeforeDecode),
      signerSerial: Buffer.from(signer.sid.serialNumber.valueBlock.valueHexView).toString('hex'),
      attributes: attributes.map(({ type }) => type),
      signedBytes: new Uint8Array(signer.signedAttrs?.encodedValue ?? new ArrayBuffer(0)),
      messageDigest: digestValue(attributes.find(({ type }) => type === OID.messageDigest)?.values),
      signature: new Uint8Array(signer.signature.valueBlock.valueHexView),
      timestampToken,
    }
  } catch {
    return 'The seal cannot be read as a CMS signature.'
  }
}

/** Null when there is no attribute; undefined when there is any but one token. */
function tokenIn(attributes: readonly Attribute[]): Uint8Array | null | undefined {
  const [attribute, ...others] = attributes
  if (attribute === undefined) return null
  const [value, ...more] = attribute.values as readonly { readonly valueBeforeDecodeView?: Uint8Array }[]
  const known = attribute.type === OID.timeStampToken && others.length === 0 && more.length === 0
  return known && value?.valueBeforeDecodeView ? new Uint8Array(value.valueBeforeDecodeView) : undefined
}

function digestValue(
  values: readonly { readonly valueBlock?: { readonly valueHexView?: Uint8Array } }[] | undefined,
): Uint8Array {
  return new Uint8Array(values?.[0]?.valueBlock?.valueHexView ?? new Uint8Array())
}
