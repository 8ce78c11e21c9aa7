import { createHmac, generateKeyPairSync, pbkdf2Sync } from 'node:crypto'
import { makeIdentity } from '../../main/adapters/identity/certificates.ts'
import { pkcs12Key } from '../../main/adapters/identity/pkcs12.ts'
import { OID } from '../../main/adapters/seal/oids.ts'
import { der, octets, oid, sequence, setOf, small, unsigned } from '../../main/core/der/read.ts'
import { realEntropy } from './deps.ts'

/** PKCS #12 files with nothing encrypted, to bend where openssl would not. */

const SALT = new Uint8Array(8).fill(7)

const explicit = (value: Uint8Array): Uint8Array => der(0xa0, value)
const bag = (id: string, value: Uint8Array): Uint8Array => sequence(oid(id), explicit(value), setOf())

export const keyBag = (key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey): Uint8Array =>
  bag(OID.keyBag, new Uint8Array(key.export({ type: 'pkcs8', format: 'der' })))
export const certBag = (certificate: Uint8Array): Uint8Array =>
  bag(OID.certBag, sequence(oid(OID.x509Certificate), explicit(octets(certificate))))
export const nestedBag = (...bags: readonly Uint8Array[]): Uint8Array => bag(OID.safeContentsBag, sequence(...bags))

/** A key that is said to be encrypted by this algorithm of RFC 7292, appendix C. */
export const encryptedKeyBag = (algorithm: string): Uint8Array =>
  bag(OID.shroudedKeyBag, sequence(sequence(oid(algorithm), sequence(octets(SALT), small(1))), octets(SALT)))

/** A new key with its certificate, as bags. */
export function freshBags(now: string): { readonly bags: readonly Uint8Array[]; readonly leaf: Uint8Array } {
  const made = makeIdentity({ commonName: 'Test', rootCommonName: 'Test root', now, entropy: realEntropy })
  return { bags: [certBag(made.root), keyBag(made.leafKey), certBag(made.leaf)], leaf: made.leaf }
}

type Mac = (authenticated: Uint8Array) => Uint8Array

/** The MAC of RFC 7292 §4 with SHA-256; `stated` is what the file says of its rounds. */
export const oldMac =
  (password: string, rounds = 1, stated: Uint8Array = small(rounds)): Mac =>
  (authenticated) => {
    const key = pkcs12Key({ hashName: 'sha256', password, salt: SALT, rounds, purpose: 3, length: 32 })
    const digest = createHmac('sha256', key).update(authenticated).digest()
    return sequence(sequence(sequence(oid(OID.sha256)), octets(digest)), octets(SALT), stated)
  }

/** The MAC of RFC 9579, PBMAC1. */
export const newMac =
  (password: string, prf: 'sha1' | 'sha256' = 'sha256', length = 32): Mac =>
  (authenticated) => {
    const key = pbkdf2Sync(password, SALT, 1000, length, prf)
    const digest = createHmac('sha512', key).update(authenticated).digest()
    // The default function is left out (RFC 8018 §A.2).
    const named = prf === 'sha1' ? [] : [sequence(oid(OID.hmacWithSha256))]
    const rounds = unsigned(new Uint8Array([0x03, 0xe8]))
    const derivation = sequence(oid(OID.pbkdf2), sequence(octets(SALT), rounds, small(length), ...named))
    const algorithm = sequence(oid(OID.pbmac1), sequence(derivation, sequence(oid(OID.hmacWithSha512))))
    return sequence(sequence(algorithm, octets(digest)), octets(new Uint8Array()), small(1))
  }

/** A file with these bags in one part that is not encrypted. */
export function writePkcs12(bags: readonly Uint8Array[], mac: Mac | null): Uint8Array {
  const part = sequence(oid(OID.data), explicit(octets(sequence(...bags))))
  const authenticated = sequence(part)
  return sequence(
    small(3),
    sequence(oid(OID.data), explicit(octets(authenticated))),
    ...(mac === null ? [] : [mac(authenticated)]),
  )
}
