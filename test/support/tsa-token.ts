import { createHash, randomBytes } from 'node:crypto'
import { OID } from '../../main/adapters/seal/oids.ts'
import { namesOf } from '../../main/adapters/seal/x509.ts'
import { der, nothing, octets, oid, sequence, setOf, small, unsigned, yes } from '../../main/core/der/read.ts'
import { hashOf, signatureAlgorithmOf, signedBy, type TsaKey } from './tsa-certificates.ts'

/** How a token departs from an honest one. */
export interface TokenShape {
  readonly genTime?: string
  /** The octets of genTime, whatever they are. */
  readonly genTimeText?: string
  readonly nonce?: Uint8Array | null
  readonly imprint?: Uint8Array
  readonly version?: number
  readonly ess?:
    | 'v1'
    | 'v1-with-algorithm'
    | 'v2'
    | 'v2-named'
    | 'none'
    | 'another'
    | 'another-issuer'
    | 'another-serial'
    | 'another-form'
    | 'unknown-hash'
    | 'no-digest'
    | 'more-behind'
  readonly signers?: number
  readonly contentType?: string
  readonly essTwice?: boolean
  /** Signs other content than it carries. */
  readonly alterContent?: (content: Uint8Array) => Uint8Array
  readonly certificates?: readonly Uint8Array[]
  readonly crls?: readonly Uint8Array[]
  readonly unsigned?: boolean
  readonly extension?: Uint8Array
  readonly rsaEncryption?: boolean
}

interface Kit {
  readonly leaf: Uint8Array
  readonly mid: Uint8Array
  readonly key: TsaKey
}

const hashing = (name: 'sha256' | 'sha384' | 'sha512'): Uint8Array => sequence(oid(OID[name]), nothing())
const digest = (name: string, data: Uint8Array): Uint8Array => new Uint8Array(createHash(name).update(data).digest())

/** A TimeStampToken (RFC 3161 §2.4.2), honest but for its shape. */
export function tokenWith({ leaf, mid, key }: Kit, shape: TokenShape & { readonly imprint: Uint8Array }): Uint8Array {
  const hash = hashOf(key.type)
  const contentType = shape.contentType ?? OID.tstInfo
  const content = tstInfo(shape)
  const { issuer, serial } = namesOf(leaf)
  const ess = essOf(leaf, shape.ess ?? 'v2')
  const attributes = setOf(
    sequence(oid(OID.contentType), setOf(oid(contentType))),
    sequence(oid(OID.messageDigest), setOf(octets(digest(hash, content)))),
    ...ess,
    ...(shape.essTwice === true ? ess : []),
  )
  const stored = Uint8Array.from(attributes)
  stored[0] = 0xa0
  const algorithm =
    shape.rsaEncryption === true ? sequence(oid(OID.rsaEncryption), nothing()) : signatureAlgorithmOf(key.type)
  const signerInfo = sequence(
    small(1),
    sequence(issuer, serial),
    hashing(hash),
    stored,
    algorithm,
    octets(signedBy(key, attributes)),
    ...(shape.unsigned === true ? [der(0xa1, sequence(oid('1.2.3.4'), setOf(nothing())))] : []),
  )
  const carried = shape.alterContent?.(content) ?? content
  const signedData = sequence(
    small(3),
    setOf(hashing(hash)),
    sequence(oid(contentType), der(0xa0, octets(carried))),
    der(0xa0, ...(shape.certificates ?? [leaf, mid])),
    ...(shape.crls === undefined ? [] : [der(0xa1, ...shape.crls)]),
    setOf(...Array.from({ length: shape.signers ?? 1 }, () => signerInfo)),
  )
  return sequence(oid(OID.signedData), der(0xa0, signedData))
}

function tstInfo(shape: TokenShape & { readonly imprint: Uint8Array }): Uint8Array {
  const at = shape.genTime ?? new Date().toISOString()
  const generalized = shape.genTimeText ?? `${at.replace(/\.\d+/, '').replace(/[-:TZ]/g, '')}Z`
  return sequence(
    small(shape.version ?? 1),
    oid('1.2.3.4.1'),
    sequence(hashing('sha256'), octets(shape.imprint)),
    unsigned(new Uint8Array(randomBytes(8))),
    der(0x18, new TextEncoder().encode(generalized)),
    sequence(small(1)),
    ...(shape.nonce === undefined || shape.nonce === null ? [] : [der(0x02, shape.nonce)]),
    ...(shape.extension === undefined ? [] : [der(0xa1, shape.extension)]),
  )
}

/** SigningCertificate (RFC 2634 §5.4) and SigningCertificateV2 (RFC 5035 §3). */
function essOf(leaf: Uint8Array, kind: NonNullable<TokenShape['ess']>): Uint8Array[] {
  const { issuer, serial } = namesOf(leaf)
  const stranger = sequence(setOf(sequence(oid('2.5.4.3'), der(0x0c, new TextEncoder().encode('Stranger')))))
  const named = kind === 'another-issuer' ? stranger : issuer
  // A name of another kind than a directory name (RFC 5280 §4.2.1.6), here a URI.
  const general = kind === 'another-form' ? der(0x86, new TextEncoder().encode('urn:a')) : der(0xa4, named)
  const names = sequence(sequence(general), kind === 'another-serial' ? small(7) : serial)
  const attribute = (id: string, ...parts: readonly Uint8Array[]): Uint8Array[] => [
    sequence(oid(id), setOf(sequence(sequence(sequence(...parts))))),
  ]
  if (kind === 'none') return []
  if (kind === 'v1') return attribute(OID.signingCertificate, octets(digest('sha1', leaf)))
  if (kind === 'v2') return attribute(OID.signingCertificateV2, octets(digest('sha256', leaf)))
  if (kind === 'another') return attribute(OID.signingCertificateV2, octets(digest('sha256', issuer)))
  const sha512 = [hashing('sha512'), octets(digest('sha512', leaf)), names]
  if (kind === 'v1-with-algorithm') return attribute(OID.signingCertificate, ...sha512)
  if (kind === 'unknown-hash') return attribute(OID.signingCertificateV2, sequence(oid('1.2.3.4')), ...sha512.slice(1))
  if (kind === 'no-digest') return attribute(OID.signingCertificateV2, hashing('sha512'), names)
  if (kind === 'more-behind') return attribute(OID.signingCertificateV2, ...sha512, small(1))
  return attribute(OID.signingCertificateV2, ...sha512)
}

/** An extension that its reader must know, and does not. */
export const strangeExtension = (): Uint8Array => sequence(oid('1.2.3.4.5'), yes(), octets(nothing()))
