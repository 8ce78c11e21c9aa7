import { type DerValue, derValue, inOrder, membersOf, smallNumber, TAG } from '../../../core/der/read.ts'
import { sequence, small } from '../../../core/der/write.ts'
import { plain, quote } from '../../../core/plain-text.ts'
import type { TimestampReading } from '../../../core/ports.ts'
import { sameBytes } from '../x509.ts'
import { readToken } from './token.ts'

/** A token, and the response it came in; `byAuthority` distinguishes a refusal from an unreadable response. */
export type TokenOf =
  | { readonly token: Uint8Array; readonly response: Uint8Array | null }
  | { readonly refused: string; readonly byAuthority: boolean }

const LARGEST_RESPONSE = 1024 * 1024
const unreadable = (refused: string): TokenOf => ({ refused, byAuthority: false })

/**
 * Extracts the token from a TimeStampResp that grants it (RFC 3161, section 2.4.2, status 0 or 1), or returns a bare
 * TimeStampToken. A refusal is reported in the authority’s words: its status, the reasons in failInfo and its
 * statusString. The token itself is not read here.
 */
export function tokenOf(bytes: Uint8Array): TokenOf {
  const whole = bytes.length > LARGEST_RESPONSE ? null : derValue(bytes)
  if (whole?.tag !== TAG.sequence) return unreadable('The response is not one value in DER.')
  if (membersOf(whole)[0]?.tag === TAG.oid) return { token: bytes, response: null }
  const parts = inOrder(whole)
  const info = inOrder(parts.take(TAG.sequence))
  const status = smallNumber(info.take(TAG.integer))
  const words = info.take(TAG.sequence)
  const failInfo = info.take(TAG.bits)
  const token = parts.take(TAG.sequence)
  if (status === null || !info.ended() || !parts.ended())
    return unreadable('The response is not a time-stamp response.')
  if (status > 1) return { refused: refusalWords(status, words, failInfo), byAuthority: true }
  return token === undefined
    ? unreadable('The response grants a time-stamp but contains none.')
    : { token: token.bytes, response: bytes }
}

const STATUS: readonly string[] = [
  'granted',
  'grantedWithMods',
  'rejection',
  'waiting',
  'revocationWarning',
  'revocationNotification',
]
const FAILURES: Readonly<Record<number, string>> = {
  0: 'badAlg',
  2: 'badRequest',
  5: 'badDataFormat',
  14: 'timeNotAvailable',
  15: 'unacceptedPolicy',
  16: 'unacceptedExtension',
  17: 'addInfoNotAvailable',
  25: 'systemFailure',
}

const MOST_WORDS = 300

function refusalWords(status: number, words: DerValue | undefined, failInfo: DerValue | undefined): string {
  const [, ...flags] = failInfo?.content ?? []
  const reasons = Object.entries(FAILURES)
    .filter(([bit]) => ((flags[Math.floor(Number(bit) / 8)] ?? 0) & (0x80 >> (Number(bit) % 8))) !== 0)
    .map(([, name]) => name)
  const said = (words === undefined ? [] : membersOf(words))
    .filter(({ tag }) => tag === TAG.utf8)
    .map(({ content }) => Buffer.from(content).toString('utf8'))
    .join(' ')
  return [
    `The authority granted no time-stamp: status ${status} (${plain(STATUS[status] ?? 'unknown')})`,
    ...(reasons.length === 0 ? [] : [`failInfo ${reasons.join(', ')}`]),
    ...(said === '' ? [] : [quote(said, MOST_WORDS)]),
  ].join('; ')
}

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
