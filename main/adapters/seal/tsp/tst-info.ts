import { algorithmOf, derValue, inOrder, membersOf, smallNumber, TAG, timeOf } from '../../../core/der/read.ts'
import { OID } from '../oids.ts'

/** The content of a time-stamp (RFC 3161, section 2.4.2). */
export interface TstInfo {
  /** genTime, ISO 8601, UTC. */
  readonly at: string
  /** SHA-256, 32 bytes. */
  readonly imprint: Uint8Array
  /** The content octets of the INTEGER. */
  readonly nonce: Uint8Array | null
}

const SHA256_BYTES = 32

/** Reads a TSTInfo, in DER, of version 1 and over a SHA-256; returns a sentence for anything else. */
export function readTstInfo(bytes: Uint8Array): TstInfo | string {
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
  parts.take(AUTHORITY)
  const extensions = parts.take(EXTENSIONS)
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

const AUTHORITY = 0xa0
const EXTENSIONS = 0xa1
