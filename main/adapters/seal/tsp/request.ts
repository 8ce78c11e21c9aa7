import { der, nothing, octets, oid, sequence, small, yes } from '../../../core/der/write.ts'
import type { Entropy } from '../../../core/ports.ts'
import { OID } from '../oids.ts'
import { sameBytes } from '../x509.ts'

/** A TimeStampReq (RFC 3161, section 2.4.1) and the two values in it that the response must repeat. */
export interface TimestampQuery {
  readonly der: Uint8Array
  /** SHA-256, 32 bytes. */
  readonly imprint: Uint8Array
  /** Eight bytes: the content of a positive INTEGER without a leading zero. */
  readonly nonce: Uint8Array
}

const IMPRINT_BYTES = 32
const NONCE_BYTES = 8

const encode = (imprint: Uint8Array, nonce: Uint8Array): Uint8Array =>
  sequence(small(1), sequence(sequence(oid(OID.sha256), nothing()), octets(imprint)), der(0x02, nonce), yes())

// Some authorities drop a leading zero and some readers a sign, so the nonce has neither.
const positive = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from(bytes, (byte, at) => (at === 0 ? (byte & 0x3f) | 0x40 : byte))

/**
 * A query for a time-stamp over bytes with this SHA-256: version 1, a fresh nonce, certificates requested, no policy
 * named.
 */
export function timestampQuery(imprint: Uint8Array, entropy: Entropy): TimestampQuery {
  if (imprint.length !== IMPRINT_BYTES) throw new Error(`a SHA-256 digest has 32 bytes, not ${imprint.length}`)
  const nonce = positive(entropy.bytes(NONCE_BYTES))
  return { der: encode(imprint, nonce), imprint, nonce }
}

const EMPTY = encode(new Uint8Array(IMPRINT_BYTES), new Uint8Array(NONCE_BYTES))
const NONCE_AT = EMPTY.length - 3 - NONCE_BYTES
const IMPRINT_AT = NONCE_AT - 2 - IMPRINT_BYTES

/** Reads a query back, if timestampQuery can have written it; otherwise returns a sentence. */
export function readQuery(bytes: Uint8Array): TimestampQuery | string {
  const imprint = bytes.slice(IMPRINT_AT, IMPRINT_AT + IMPRINT_BYTES)
  const nonce = bytes.slice(NONCE_AT, NONCE_AT + NONCE_BYTES)
  return bytes.length === EMPTY.length && sameBytes(encode(imprint, positive(nonce)), bytes)
    ? { der: bytes, imprint, nonce }
    : 'The file is not a time-stamp query that Barewitness wrote.'
}
