import { derValue, membersOf, TAG } from '../../core/der/read.ts'
import { sequence, unsigned } from '../../core/der/write.ts'

/** The order of the group of P-256 (NIST SP 800-186, section 3.2.1.3), the only curve of our signers. */
const P256_ORDER = 0xffffffff_00000000_ffffffff_ffffffff_bce6faad_a7179e84_f3b9cac2_fc632551n
const HALF = P256_ORDER / 2n
const BYTES = 32

/**
 * An ECDSA signature of P-256 (ECDSA-Sig-Value, RFC 3279, section 2.2.3) in the one form that Barewitness writes. Where
 * (r, s) verifies, so does (r, n − s): of the two, the one with the smaller s is used. Null for bytes that are not
 * exactly two integers from 1 to n − 1 in DER.
 */
export function withLowS(signature: Uint8Array): Uint8Array | null {
  const whole = derValue(signature)
  const [r, s, ...more] = whole?.tag === TAG.sequence ? membersOf(whole) : []
  if (r?.tag !== TAG.integer || s?.tag !== TAG.integer || more.length > 0) return null
  const [first, second] = [numberIn(r.content), numberIn(s.content)]
  if (first === null || second === null) return null
  return second <= HALF ? signature : sequence(unsigned(bytesOf(first)), unsigned(bytesOf(P256_ORDER - second)))
}

/** The number in an INTEGER; null when it cannot be r or s. */
function numberIn(content: Uint8Array): bigint | null {
  if (content.length > BYTES + 1 || (content[0] ?? 0x80) > 0x7f) return null
  const value = BigInt(`0x${Buffer.from(content).toString('hex')}`)
  return value > 0n && value < P256_ORDER ? value : null
}

const bytesOf = (value: bigint): Uint8Array =>
  new Uint8Array(Buffer.from(value.toString(16).padStart(2 * BYTES, '0'), 'hex'))
