import { createHash, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto'
import {
  bits,
  der,
  derValue,
  extensionsIn,
  integerOf,
  octets,
  oid,
  revocationListParts,
  sequence,
  setOf,
  small,
  text,
  time,
  unsigned,
  yes,
} from '../../core/der/read.ts'
import type { Entropy } from '../../core/ports/ports.ts'
import { signatureAlgorithm, withLowS } from '../seal/cms.ts'
import { OID } from '../seal/oids.ts'
import { namesOf } from '../seal/x509.ts'

/**
 * A local identity: a root that signs one leaf and one revocation list, and the leaf that seals. All P-256 with
 * SHA-256.
 */
interface NewIdentity {
  readonly leaf: Uint8Array
  readonly root: Uint8Array
  readonly crl: Uint8Array
  readonly leafKey: KeyObject
  readonly rootKey: KeyObject
  readonly notAfter: string
}

interface IdentityRequest {
  readonly commonName: string
  readonly rootCommonName: string
  /** Marks both certificates as made for a demo. */
  readonly demo?: boolean
  /** UTC, ISO 8601. */
  readonly now: string
  readonly entropy: Entropy
}

const MINUTE = 60_000
export const DAY = 86_400_000
const LEAF_DAYS = 730
const ROOT_DAYS = 3652

/**
 * Creates keys, certificates (RFC 5280) and a revocation list. The leaf has a CRL distribution point and no OCSP
 * responder, and the key usages and purposes that PDF viewers and openssl accept for documents; its address never
 * resolves (RFC 2606), since the list is part of what is sealed. The root's list outlives the leaf.
 */
export function makeIdentity(request: IdentityRequest): NewIdentity {
  const { now, entropy } = request
  const start = startOf(now)
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const by: Issuer = { name: name(request.rootCommonName), publicKey: keys.publicKey, key: keys.privateKey }
  const mark = request.demo === true ? [extension(OID.demoMark, false, text('DEMO'))] : []
  const root = certificate(by, {
    serial: serial(entropy),
    subject: by.name,
    from: start,
    until: start + ROOT_DAYS * DAY,
    key: keys.publicKey,
    extensions: [
      extension(OID.basicConstraints, true, sequence(yes(), small(0))),
      extension(OID.keyUsage, true, bits(new Uint8Array([0x06]), 1)),
      extension(OID.subjectKeyId, false, octets(keyId(keys.publicKey))),
      ...mark,
    ],
  })
  const until = start + LEAF_DAYS * DAY
  const { leaf, key } = issueLeaf(by, { subject: name(request.commonName), from: start, until, mark, entropy })
  return {
    leaf,
    root,
    crl: issueList(by, { number: 1n, from: start, until: until + DAY, entries: [] }),
    leafKey: key,
    rootKey: keys.privateKey,
    notAfter: new Date(until).toISOString(),
  }
}

/**
 * A new key and certificate under a root created here, in the name of the previous leaf. It ends no later than the root;
 * null when the root ends within 90 days.
 */
export function nextLeaf(
  root: Uint8Array,
  rootKey: KeyObject,
  before: Uint8Array,
  request: { readonly now: string; readonly entropy: Entropy },
): { readonly leaf: Uint8Array; readonly key: KeyObject; readonly until: number } | null {
  const from = startOf(request.now)
  const rootEnd = Date.parse(new X509Certificate(root).validTo)
  if (rootEnd < from + 90 * DAY) return null
  const until = Math.min(from + LEAF_DAYS * DAY, rootEnd)
  const { entropy } = request
  const issued = issueLeaf(issuerOf(root, rootKey), {
    subject: namesOf(before).subject,
    from,
    until,
    mark: [],
    entropy,
  })
  return { ...issued, until }
}

interface LeafFields {
  readonly subject: Uint8Array
  readonly from: number
  readonly until: number
  readonly mark: readonly Uint8Array[]
  readonly entropy: Entropy
}

function issueLeaf(by: Issuer, { subject, from, until, mark, entropy }: LeafFields) {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const leaf = certificate(by, {
    serial: serial(entropy),
    subject,
    from,
    until,
    key: keys.publicKey,
    extensions: [
      extension(OID.basicConstraints, true, sequence()),
      extension(OID.keyUsage, true, bits(new Uint8Array([0xc0]), 6)),
      extension(OID.extendedKeyUsage, false, sequence(oid(OID.emailProtection), oid(OID.documentSigning))),
      extension(OID.crlDistributionPoints, false, distributionPoint(by.name)),
      extension(OID.subjectKeyId, false, octets(keyId(keys.publicKey))),
      authorityOf(by),
      ...mark,
    ],
  })
  return { leaf, key: keys.privateKey }
}

interface CertificateFields {
  readonly serial: Uint8Array
  readonly subject: Uint8Array
  readonly from: number
  readonly until: number
  readonly key: KeyObject
  readonly extensions: readonly Uint8Array[]
}

const certificate = (by: Issuer, fields: CertificateFields): Uint8Array =>
  signed(
    sequence(
      der(0xa0, small(2)),
      fields.serial,
      signatureAlgorithm('EC'),
      by.name,
      sequence(time(new Date(fields.from)), time(new Date(fields.until))),
      fields.subject,
      new Uint8Array(fields.key.export({ type: 'spki', format: 'der' })),
      der(0xa3, sequence(...fields.extensions)),
    ),
    by,
  )

const name = (commonName: string): Uint8Array => sequence(setOf(sequence(oid(OID.commonName), text(commonName))))

/**
 * The revocation list by its issuer's name (RFC 5280, section 4.2.1.13, directoryName). It has no address: the list is
 * part of the seal, and readers would report an address that cannot be fetched. Without the extension, poppler's pdfsig
 * reports an unknown issue.
 */
const distributionPoint = (issuer: Uint8Array): Uint8Array =>
  sequence(sequence(der(0xa0, der(0xa0, der(0xa4, issuer)))))

/** Start of validity in ms, in whole seconds and five minutes earlier, because other clocks may be behind. */
const startOf = (now: string): number => Math.floor(Date.parse(now) / 1000) * 1000 - 5 * MINUTE

/** Sixteen random octets, positive and not zero (RFC 5280, section 4.1.2.2). */
function serial(entropy: Entropy): Uint8Array {
  const bytes = new Uint8Array(entropy.bytes(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return unsigned(bytes)
}

/** The issuer: the name as DER, and both halves of a P-256 key. */
interface Issuer {
  readonly name: Uint8Array
  readonly publicKey: KeyObject
  readonly key: KeyObject
}

/** A root created here, as an issuer. */
export const issuerOf = (root: Uint8Array, key: KeyObject): Issuer => ({
  name: namesOf(root).subject,
  publicKey: new X509Certificate(root).publicKey,
  key,
})

/**
 * A to-be-signed certificate or list with its signature (RFC 5280, sections 4.1 and 5.1), in the only form that
 * Barewitness writes.
 */
function signed(tbs: Uint8Array, { key }: Issuer): Uint8Array {
  const signature = withLowS(new Uint8Array(sign('sha256', tbs, key)))
  if (signature === null) throw new Error('the key returned a value that is not an ECDSA P-256 signature')
  return sequence(tbs, signatureAlgorithm('EC'), bits(signature))
}

const extension = (id: string, critical: boolean, value: Uint8Array): Uint8Array =>
  sequence(oid(id), ...(critical ? [yes()] : []), octets(value))

/** The authority key identifier (RFC 5280, section 4.2.1.1) that points to an issuer's key. */
const authorityOf = ({ publicKey }: Issuer): Uint8Array =>
  extension(OID.authorityKeyId, false, sequence(der(0x80, keyId(publicKey))))

/**
 * The key identifier of RFC 7093, section 2, method 1: the leftmost 160 bits of the SHA-256 of the public key's bits.
 */
function keyId(key: KeyObject): Buffer {
  // An uncompressed P-256 point is the last 65 bytes of its SubjectPublicKeyInfo (RFC 5480, section 2.2).
  const point = key.export({ type: 'spki', format: 'der' }).subarray(-65)
  return createHash('sha256').update(point).digest().subarray(0, 20)
}

/** Why a certificate is revoked, with its number (RFC 5280, section 5.3.1). */
const REASONS = { 'key-compromise': 1, superseded: 4, cessation: 5 } as const

interface ListFields {
  readonly number: bigint
  readonly from: number
  readonly until: number
  /** Each a whole entry in DER. */
  readonly entries: readonly Uint8Array[]
}

/**
 * A revocation list of version 2 (RFC 5280, section 5.1); `revokedCertificates` is absent when nothing is revoked
 * (section 5.1.2.6).
 */
export function issueList(by: Issuer, { number, from, until, entries }: ListFields): Uint8Array {
  const list = sequence(
    small(1),
    signatureAlgorithm('EC'),
    by.name,
    time(new Date(from)),
    time(new Date(until)),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    der(0xa0, sequence(authorityOf(by), extension(OID.crlNumber, false, unsigned(bigEndian(number))))),
  )
  return signed(list, by)
}

/** One entry: serial number as in the certificate, time and reason, which is not critical (RFC 5280, section 5.3). */
export const revokedEntry = (serial: Uint8Array, at: Date, reason: keyof typeof REASONS): Uint8Array =>
  sequence(serial, time(at), sequence(extension(OID.reasonCode, false, der(0x0a, new Uint8Array([REASONS[reason]])))))

/**
 * Number, end and entries of a list created here, for the next one to continue. Throws on bytes that are not a list.
 */
export function listToContinue(list: Uint8Array): Pick<ListFields, 'number' | 'until' | 'entries'> {
  const parts = revocationListParts(derValue(list))
  if (parts === null) throw new Error('these bytes are not a revocation list in DER')
  const found = extensionsIn(parts.extensions).find(({ id }) => id === OID.crlNumber)
  return {
    number: (found && integerOf(derValue(found.content))) ?? 0n,
    until: parts.nextUpdate === null ? 0 : Date.parse(parts.nextUpdate),
    entries: parts.entries.map(({ bytes }) => bytes),
  }
}

function bigEndian(value: bigint): Uint8Array {
  const hex = value.toString(16)
  return new Uint8Array(Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'))
}
