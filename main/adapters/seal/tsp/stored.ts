import { sequence, small } from '../../../core/der/write.ts'
import type { TimestampReading } from '../../../core/ports.ts'
import { sameBytes } from '../x509.ts'
import { tokenOf } from './response.ts'
import { readToken } from './token.ts'

/**
 * A TimeStampResp (RFC 3161, section 2.4.2) as packs store it: granted, without text, around the token. An authority
 * may return more; the one form leaves no byte that could be changed undetected.
 */
export const storedResponse = (token: Uint8Array): Uint8Array => sequence(sequence(small(0)), token)

/** Reads what storedResponse() writes, over exactly these bytes. */
export function readStored(
  response: Uint8Array,
  over: Uint8Array,
  offered: readonly Uint8Array[],
  crls: readonly Uint8Array[],
): TimestampReading {
  const found = tokenOf(response)
  const token = 'token' in found ? found.token : new Uint8Array()
  const { reading } = readToken(token, over, offered, crls)
  return sameBytes(storedResponse(token), response)
    ? reading
    : { ...reading, problems: ['The time-stamp is not in the form that packs use.', ...reading.problems] }
}
