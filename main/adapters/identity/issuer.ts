import { createHash, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { bits, der, octets, oid, sequence, yes } from '../../core/der/write.ts'
import { signatureAlgorithm } from '../seal/cms.ts'
import { withLowS } from '../seal/low-s.ts'
import { OID } from '../seal/oids.ts'
import { namesOf } from '../seal/x509.ts'

/** The issuer: the name as DER, and both halves of a P-256 key. */
export interface Issuer {
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
 * A to-be-signed certificate or list with its signature (RFC 5280, sections 4.1 and 5.1), in the one form that
 * Barewitness writes.
 */
export function signed(tbs: Uint8Array, { key }: Issuer): Uint8Array {
  const signature = withLowS(new Uint8Array(sign('sha256', tbs, key)))
  if (signature === null) throw new Error('the key returned a value that is not an ECDSA P-256 signature')
  return sequence(tbs, signatureAlgorithm('EC'), bits(signature))
}

export const extension = (id: string, critical: boolean, value: Uint8Array): Uint8Array =>
  sequence(oid(id), ...(critical ? [yes()] : []), octets(value))

/** The authority key identifier (RFC 5280, section 4.2.1.1) that points to an issuer's key. */
export const authorityOf = ({ publicKey }: Issuer): Uint8Array =>
  extension(OID.authorityKeyId, false, sequence(der(0x80, keyId(publicKey))))

/**
 * The key identifier of RFC 7093, section 2, method 1: the leftmost 160 bits of the SHA-256 of the public key's bits.
 */
export function keyId(key: KeyObject): Buffer {
  // An uncompressed P-256 point is the last 65 bytes of its SubjectPublicKeyInfo (RFC 5480, section 2.2).
  const point = key.export({ type: 'spki', format: 'der' }).subarray(-65)
  return createHash('sha256').update(point).digest().subarray(0, 20)
}
