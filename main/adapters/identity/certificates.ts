import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { bits, der, octets, oid, sequence, setOf, small, text, time, unsigned, yes } from '../../core/der/write.ts'
import type { Entropy } from '../../core/ports.ts'
import { signatureAlgorithm } from '../seal/cms.ts'
import { OID } from '../seal/oids.ts'
import { namesOf } from '../seal/x509.ts'
import { authorityOf, extension, type Issuer, issuerOf, keyId, signed } from './issuer.ts'
import { issueList } from './revocation-list.ts'

/**
 * A local identity: a root that signs one leaf and one revocation list, and the leaf that seals. All P-256 with
 * SHA-256.
 */
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
 * A new key and certificate under a root created here, in the name of the previous leaf. Ends with the root at the
 * latest; null when the root ends within 90 days.
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

/** Whole seconds, and slightly earlier: other clocks may be behind. */
const startOf = (now: string): number => Math.floor(Date.parse(now) / 1000) * 1000 - 5 * MINUTE

/** Sixteen random octets, positive and not zero (RFC 5280, section 4.1.2.2). */
function serial(entropy: Entropy): Uint8Array {
  const bytes = new Uint8Array(entropy.bytes(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return unsigned(bytes)
}
