import { createHash } from 'node:crypto'
import { quote } from '../../../core/base/plain-text.ts'
import {
  algorithmOf,
  type DerValue,
  derValue,
  inOrder,
  membersOf,
  oidText,
  smallNumber,
  TAG,
  timeOf,
} from '../../../core/der/read.ts'
import type { TimestampReading } from '../../../core/ports/ports.ts'
import { digestOf } from '../cms.ts'
import { OID } from '../oids.ts'
import { type Chain, chainOf, isListOf, isRoot, revocation, termOf, unknownCriticalExtensions } from '../path.ts'
import {
  type CertificateFacts,
  type Hash,
  hashFor,
  isNamedBy,
  KEY_USAGE,
  nameOf,
  readAuthorityCertificate,
  sameBytes,
  verifies,
} from '../x509.ts'

/** The parts of a token. Unreadable ones are empty, and `reading` states the error. */
interface TokenParts {
  readonly imprint: Uint8Array
  readonly nonce: Uint8Array | null
  /** DER of the certificates in the token. */
  readonly certificates: readonly Uint8Array[]
  /** DER of the signer's certificate and of its issuers, up to the last one that was found. */
  readonly chain: readonly Uint8Array[]
  readonly reading: TimestampReading
}

/**
 * Reads a time-stamp token over exactly these bytes (RFC 3161, RFC 5816, ETSI EN 319 422), by their SHA-256 and no
 * other digest: one signer, named by a signed attribute; a certificate for time-stamping only, marked critical; a chain
 * to a root through the certificates in the token and the given ones, all valid at the stated time. Lists of other
 * issuers are ignored. The caller decides whether the root is trusted. Whatever the bytes, problems are listed and
 * nothing is thrown.
 */
export const readToken = (
  token: Uint8Array,
  over: Uint8Array,
  offered: readonly Uint8Array[],
  crls: readonly Uint8Array[],
): TokenParts => readTokenOverDigest(token, digestOf(over), offered, crls)

/** As readToken(), over bytes of which only the SHA-256 is known. */
export function readTokenOverDigest(
  token: Uint8Array,
  sha256: Uint8Array,
  offered: readonly Uint8Array[],
  crls: readonly Uint8Array[],
): TokenParts {
  const parsed = parseToken(token)
  if (typeof parsed === 'string') return unreadable([], parsed)
  const info = readTstInfo(parsed.content)
  if (typeof info === 'string') return unreadable(parsed.certificates, info)
  const inside = parsed.certificates.map(readAuthorityCertificate)
  const known = [...inside, ...offered.map(readAuthorityCertificate)].filter((facts) => facts !== null)
  const authority = known.find((facts) => isNamedBy(facts, parsed))
  const over = sameBytes(info.imprint, sha256) ? [] : ['The time-stamp does not cover these bytes: its digest differs.']
  const { imprint, nonce, at } = info
  if (authority === undefined) {
    const { reading, ...without } = unreadable(parsed.certificates, NO_AUTHORITY)
    return { ...without, imprint, nonce, reading: { ...reading, at, problems: [...over, ...reading.problems] } }
  }
  const chain = chainOf(authority, known)
  const lists = revocation(chain.certificates, [...parsed.crls, ...crls].filter(isListOf(chain)), at)
  const reading: TimestampReading = {
    problems: [
      ...over,
      ...attributeProblems(parsed),
      ...namingProblems(parsed, authority),
      ...signatureProblems(parsed, authority),
      ...authorityProblems(authority),
      ...chainProblems(chain, info),
      ...strayProblems(inside, chain),
      ...lists.problems,
    ],
    at,
    authority: nameOf(authority),
    root: chain.root && nameOf(chain.root),
    incomplete: chain.incomplete,
    until: termOf(chain.certificates).notAfter,
    revoked: lists.revoked,
    revocationCovered: chain.root !== null && lists.covered,
    demo: chain.certificates.some(({ demo }) => demo),
  }
  const { certificates } = parsed
  return { imprint, nonce, certificates, chain: chain.certificates.map(({ der }) => der), reading }
}

const NO_AUTHORITY = 'The certificate of the time-stamp’s signer is missing or unreadable.'

const unreadable = (certificates: readonly Uint8Array[], problem: string): TokenParts => ({
  imprint: new Uint8Array(),
  nonce: null,
  certificates,
  chain: [],
  reading: {
    problems: [problem],
    at: '',
    authority: null,
    root: null,
    incomplete: null,
    until: '',
    revoked: null,
    revocationCovered: false,
    demo: false,
  },
})

const digest = (name: string, data: Uint8Array): Uint8Array => new Uint8Array(createHash(name).update(data).digest())

const valuesOf = ({ attributes }: ParsedToken, id: string): readonly DerValue[] =>
  attributes.filter(({ type }) => type === id).map(({ value }) => value)

function attributeProblems(parsed: ParsedToken): readonly string[] {
  const problems: string[] = []
  const only = (id: string, name: string): DerValue | undefined => {
    const [value, ...more] = valuesOf(parsed, id)
    if (value === undefined) problems.push(`The time-stamp has no ${name} attribute.`)
    if (more.length > 0) problems.push(`The time-stamp has more than one ${name} attribute.`)
    return value
  }
  const type = only(OID.contentType, 'content-type')
  if (type !== undefined && oidText(type) !== OID.tstInfo)
    problems.push('The signed content-type is not that of a time-stamp.')
  const stated = only(OID.messageDigest, 'message-digest')
  const isDigest = stated?.tag === TAG.octets && sameBytes(stated.content, digest(parsed.hash, parsed.content))
  if (stated !== undefined && !isDigest)
    problems.push('The content of the time-stamp differs from the signed content: its digest differs.')
  return problems
}

/**
 * The problems of SigningCertificate (RFC 2634, section 5.4) and SigningCertificateV2 (RFC 5816, section 2.2.1): the
 * first certificate in each must be the signer's.
 */
function namingProblems(parsed: ParsedToken, authority: CertificateFacts): readonly string[] {
  const [older, newer] = [valuesOf(parsed, OID.signingCertificate), valuesOf(parsed, OID.signingCertificateV2)]
  if (older.length + newer.length === 0)
    return ['The time-stamp has no signing-certificate attribute: its signer is not named in signed data.']
  if (older.length > 1 || newer.length > 1) return ['The time-stamp has more than one signing-certificate attribute.']
  const named = older.every((one) => names(one, authority, false)) && newer.every((one) => names(one, authority, true))
  return named ? [] : ['The signing-certificate attribute of the time-stamp names another certificate than its signer.']
}

/** Whether the attribute names the authority. ESSCertID has no algorithm and implies SHA-1; ESSCertIDv2 implies SHA-256 when it names none. */
function names(attribute: DerValue, authority: CertificateFacts, newer: boolean): boolean {
  const first = inOrder(inOrder(inOrder(attribute).take(TAG.sequence)).take(TAG.sequence))
  const stated = newer ? first.take(TAG.sequence) : undefined
  const hash = stated === undefined ? (newer ? 'sha256' : 'sha1') : HASHES[algorithmOf(stated)]
  const value = first.take(TAG.octets)
  const issuerSerial = first.take(TAG.sequence)
  if (hash === undefined || value === undefined || !first.ended()) return false
  return (
    sameBytes(value.content, digest(hash, authority.der)) &&
    (issuerSerial === undefined || isIssuerSerial(issuerSerial, authority))
  )
}

function isIssuerSerial(value: DerValue, { issuerDer, serial }: CertificateFacts): boolean {
  const parts = inOrder(value)
  const general = inOrder(parts.take(TAG.sequence))
  const name = inOrder(general.take(0xa4)).take(TAG.sequence)
  const stated = parts.take(TAG.integer)
  return (
    name !== undefined &&
    general.ended() &&
    parts.ended() &&
    sameBytes(name.bytes, issuerDer) &&
    Buffer.from(stated?.content ?? []).toString('hex') === serial
  )
}

/**
 * The algorithm must be one of the signer's key, with the digest that the signer states; RSA may be named without one
 * (RFC 3370, section 3.2).
 */
function signatureProblems(parsed: ParsedToken, authority: CertificateFacts): readonly string[] {
  const plainRsa = parsed.algorithm === OID.rsaEncryption && authority.keyType === 'RSA'
  if (!plainRsa && hashFor(parsed.algorithm, authority) !== parsed.hash)
    return ['The time-stamp names a signature algorithm that does not match its signer’s key and digest.']
  return verifies(parsed.signedBytes, authority, parsed.signature, parsed.hash)
    ? []
    : ['The signature of the time-stamp does not verify with the key of its signer.']
}

/**
 * RFC 3161, section 2.3: one purpose, time-stamping, and critical. Key usage, where stated, is for signatures and
 * nothing else.
 */
function authorityProblems(authority: CertificateFacts): readonly string[] {
  const purposes = authority.extendedKeyUsage ?? []
  const signs = KEY_USAGE.digitalSignature | KEY_USAGE.nonRepudiation
  const usage = authority.keyUsage
  return [
    ...(purposes.includes(OID.timeStamping) ? [] : ['The signer’s certificate is not for time-stamping.']),
    ...(purposes.length > 1 ? ['The signer’s certificate has purposes other than time-stamping.'] : []),
    ...(purposes.length === 0 || authority.extendedKeyUsageCritical
      ? []
      : ['The purpose of the signer’s certificate is not marked critical.']),
    ...(usage === null || ((usage & signs) !== 0 && (usage & ~signs) === 0)
      ? []
      : ['The key of the time-stamp’s signer is not restricted to signing (key usage).']),
    ...unknownCriticalExtensions(authority),
  ]
}

function chainProblems(chain: Chain, { at }: TstInfo): readonly string[] {
  const [, ...issuers] = chain.certificates
  return [
    ...chain.problems,
    ...chain.certificates
      .filter(({ notBefore, notAfter }) => at < notBefore || at > notAfter)
      .map(({ subject }) => `The certificate of ${quote(subject)} was not valid at the time of the time-stamp.`),
    ...issuers
      .filter(({ extendedKeyUsage: purposes }) => purposes?.some((one) => MAY_STAMP.includes(one)) === false)
      .map(({ subject }) => `${quote(subject)} may not issue certificates for time-stamping.`),
  ]
}

const ANY_PURPOSE = '2.5.29.37.0'
const MAY_STAMP: readonly string[] = [OID.timeStamping, ANY_PURPOSE]

/** No other certificate may be included, except one by which another root certifies the root of the chain. */
function strayProblems(inside: readonly (CertificateFacts | null)[], { certificates, root }: Chain): readonly string[] {
  const belongs = (facts: CertificateFacts | null): boolean =>
    facts !== null &&
    (certificates.some(({ der }) => sameBytes(der, facts.der)) ||
      (root !== null &&
        !isRoot(facts) &&
        sameBytes(facts.subjectDer, root.subjectDer) &&
        facts.publicKey.equals(root.publicKey)))
  return inside.every(belongs) ? [] : ['The time-stamp contains a certificate that is not part of its signer’s chain.']
}

/** The content of a time-stamp (RFC 3161, section 2.4.2). */
interface TstInfo {
  /** genTime, ISO 8601, UTC. */
  readonly at: string
  /** SHA-256, 32 bytes. */
  readonly imprint: Uint8Array
  /** The content octets of the INTEGER. */
  readonly nonce: Uint8Array | null
}

const SHA256_BYTES = 32

/** Reads a TSTInfo, in DER, of version 1 and over a SHA-256; returns a sentence for anything else. */
function readTstInfo(bytes: Uint8Array): TstInfo | string {
  const whole = derValue(bytes)
  if (whole?.tag !== TAG.sequence) return 'The time-stamp’s content is not one value in DER.'
  const parts = inOrder(whole)
  if (smallNumber(parts.take(TAG.integer)) !== 1) return 'The time-stamp is not of version 1.'
  const policy = parts.take(TAG.oid)
  const imprint = inOrder(parts.take(TAG.sequence))
  const algorithm = algorithmOf(imprint.take(TAG.sequence))
  const hashed = imprint.take(TAG.octets)
  const serial = parts.take(TAG.integer)
  const time = parts.take(TAG.generalizedTime)
  parts.take(TAG.sequence)
  parts.take(TAG.boolean)
  const nonce = parts.take(TAG.integer)
  // The authority’s name, which is not used.
  parts.take(CONTEXT[0])
  const extensions = parts.take(CONTEXT[1])
  if (policy === undefined || hashed === undefined || !imprint.ended() || serial === undefined || !parts.ended())
    return 'The time-stamp’s content does not have its required parts.'
  if (algorithm !== OID.sha256 || hashed.content.length !== SHA256_BYTES)
    return 'The time-stamp is not over a SHA-256 digest; no other is supported.'
  const at = timeOf(time)
  if (at === null) return 'The time in the time-stamp is not in the required form (UTC).'
  if (extensions !== undefined && membersOf(extensions).some((one) => membersOf(one)[1]?.tag === TAG.boolean))
    return 'The time-stamp has an unknown critical extension.'
  return { at, imprint: hashed.content, nonce: nonce?.content ?? null }
}

/** The parts of a TimeStampToken, before anything is verified. */
interface ParsedToken {
  /** The TSTInfo, as digested. */
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
const HASHES: Readonly<Record<string, Hash>> = {
  [OID.sha256]: 'sha256',
  [OID.sha384]: 'sha384',
  [OID.sha512]: 'sha512',
}

/**
 * Parses a TimeStampToken: CMS SignedData (RFC 5652, section 5.1) of version 3 around a TSTInfo, with one signer named
 * by issuer and serial number, and nothing unsigned except certificates and revocation lists. Returns a sentence for
 * anything else.
 */
function parseToken(bytes: Uint8Array): ParsedToken | string {
  const whole = bytes.length > LARGEST_TOKEN ? null : derValue(bytes)
  if (whole?.tag !== TAG.sequence) return 'The time-stamp is not one value in DER.'
  const envelope = inOrder(whole)
  const isSigned = oidText(envelope.take(TAG.oid)) === OID.signedData
  const explicit = inOrder(envelope.take(CONTEXT[0]))
  const data = inOrder(explicit.take(TAG.sequence))
  if (!isSigned || !envelope.ended() || !explicit.ended()) return 'The time-stamp is not CMS SignedData.'
  if (smallNumber(data.take(TAG.integer)) !== 3) return 'The time-stamp is not SignedData of version 3.'
  const algorithms = membersOf(data.take(TAG.set))
  const content = contentOf(data.take(TAG.sequence))
  if (typeof content === 'string') return content
  const certificates = membersOf(data.take(CONTEXT[0]))
  const crls = membersOf(data.take(CONTEXT[1]))
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
  const found = membersOf(signed).map((one) => {
    const parts = inOrder(one)
    const type = oidText(parts.take(TAG.oid))
    const [value, ...more] = membersOf(parts.take(TAG.set))
    return type === '' || value === undefined || more.length > 0 || !parts.ended() ? null : { type, value }
  })
  return found.includes(null) ? null : found.filter((attribute) => attribute !== null)
}
