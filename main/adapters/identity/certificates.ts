import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Entropy } from '../../core/ports.ts'
import { signatureAlgorithm } from '../seal/cms.ts'
import { bits, der, octets, oid, sequence, setOf, small, text, time, unsigned, yes } from '../seal/der.ts'
import { OID } from '../seal/oids.ts'

/** A local identity: a root that signs one leaf and one revocation list, and the leaf that seals. All P-256 with SHA-256. */
export interface NewIdentity {
  readonly leaf: Uint8Array
  readonly root: Uint8Array
  readonly crl: Uint8Array
  readonly leafKey: KeyObject
  readonly rootKey: KeyObject
  readonly notAfter: string
}

export interface IdentityRequest {
  readonly commonName: string
  readonly rootCommonName: string
  /** Marks both certificates as made for a demonstration. */
  readonly demo?: boolean
  /** UTC, ISO 8601. */
  readonly now: string
  readonly entropy: Entropy
}

const MINUTE = 60_000
const DAY = 86_400_000
const LEAF_DAYS = 730
const ROOT_DAYS = 3652

/**
 * Makes keys, certificates (RFC 5280) and a revocation list. The leaf has a CRL distribution point and no OCSP responder, and the key
 * usages and purposes that PDF viewers and openssl accept for documents; the address in it is one that never resolves (RFC 2606),
 * since the list travels with what is sealed. The root's list outlives the leaf.
 */
export function makeIdentity(request: IdentityRequest): NewIdentity {
  const { now, entropy } = request
  const start = Math.floor(Date.parse(now) / 1000) * 1000 - 5 * MINUTE
  const leafEnd = start + LEAF_DAYS * DAY
  const subject = name(request.commonName)
  const issuer = name(request.rootCommonName)
  const rootKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const leafKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rootId = keyId(rootKeys.publicKey)
  const mark = request.demo === true ? [extension(OID.demoMark, false, text('DEMO'))] : []
  const authority = extension(OID.authorityKeyId, false, sequence(der(0x80, rootId)))

  const root = certificate(rootKeys.privateKey, {
    serial: serial(entropy),
    issuer,
    subject: issuer,
    from: start,
    until: start + ROOT_DAYS * DAY,
    key: rootKeys.publicKey,
    extensions: [
      extension(OID.basicConstraints, true, sequence(yes(), small(0))),
      extension(OID.keyUsage, true, bits(new Uint8Array([0x06]), 1)),
      extension(OID.subjectKeyId, false, octets(rootId)),
      ...mark,
    ],
  })
  const leaf = certificate(rootKeys.privateKey, {
    serial: serial(entropy),
    issuer,
    subject,
    from: start,
    until: leafEnd,
    key: leafKeys.publicKey,
    extensions: [
      extension(OID.basicConstraints, true, sequence()),
      extension(OID.keyUsage, true, bits(new Uint8Array([0xc0]), 6)),
      extension(OID.extendedKeyUsage, false, sequence(oid(OID.emailProtection), oid(OID.documentSigning))),
      extension(
        OID.crlDistributionPoints,
        false,
        distributionPoint(`http://crl.invalid/${rootId.toString('hex')}.crl`),
      ),
      extension(OID.subjectKeyId, false, octets(keyId(leafKeys.publicKey))),
      authority,
      ...mark,
    ],
  })
  const list = sequence(
    small(1),
    signatureAlgorithm('EC'),
    issuer,
    time(new Date(start)),
    time(new Date(leafEnd + DAY)),
    der(0xa0, sequence(authority, extension(OID.crlNumber, false, small(1)))),
  )
  return {
    leaf,
    root,
    crl: signed(list, rootKeys.privateKey),
    leafKey: leafKeys.privateKey,
    rootKey: rootKeys.privateKey,
    notAfter: new Date(leafEnd).toISOString(),
  }
}

interface CertificateFields {
  readonly serial: Uint8Array
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly from: number
  readonly until: number
  readonly key: KeyObject
  readonly extensions: readonly Uint8Array[]
}

const certificate = (by: KeyObject, fields: CertificateFields): Uint8Array =>
  signed(
    sequence(
      der(0xa0, small(2)),
      fields.serial,
      signatureAlgorithm('EC'),
      fields.issuer,
      sequence(time(new Date(fields.from)), time(new Date(fields.until))),
      fields.subject,
      new Uint8Array(fields.key.export({ type: 'spki', format: 'der' })),
      der(0xa3, sequence(...fields.extensions)),
    ),
    by,
  )

const signed = (tbs: Uint8Array, key: KeyObject): Uint8Array =>
  sequence(tbs, signatureAlgorithm('EC'), bits(new Uint8Array(sign('sha256', tbs, key))))

const name = (commonName: string): Uint8Array => sequence(setOf(sequence(oid(OID.commonName), text(commonName))))

const extension = (id: string, critical: boolean, value: Uint8Array): Uint8Array =>
  sequence(oid(id), ...(critical ? [yes()] : []), octets(value))

const distributionPoint = (url: string): Uint8Array =>
  sequence(sequence(der(0xa0, der(0xa0, der(0x86, new TextEncoder().encode(url))))))

/** Sixteen random octets, positive and not zero (RFC 5280 §4.1.2.2). */
function serial(entropy: Entropy): Uint8Array {
  const bytes = new Uint8Array(entropy.bytes(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return unsigned(bytes)
}

/** The key identifier of RFC 7093 §2, method 1: the leftmost 160 bits of the SHA-256 of the public key's bits. */
function keyId(key: KeyObject): Buffer {
  // An uncompressed P-256 point is the last 65 bytes of its SubjectPublicKeyInfo (RFC 5480 §2.2).
  const point = key.export({ type: 'spki', format: 'der' }).subarray(-65)
  return createHash('sha256').update(point).digest().subarray(0, 20)
}
