import type { Stamp } from '../../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { plain, quote } from '../../../core/base/plain-text.ts'
import {
  type DerValue,
  der,
  derValue,
  inOrder,
  membersOf,
  nothing,
  octets,
  oid,
  sequence,
  small,
  smallNumber,
  TAG,
  yes,
} from '../../../core/der/read.ts'
import type { Clock, Entropy, TimestampReading } from '../../../core/ports/ports.ts'
import { type Answer, askable, exchange } from '../../http.ts'
import { OID } from '../oids.ts'
import { sameBytes } from '../x509.ts'
import { readToken, readTokenOverDigest } from './token.ts'

/** A token, or why there is none; `byAuthority` distinguishes a refusal from an unreadable response. */
type TokenOf = { readonly token: Uint8Array } | { readonly refused: string; readonly byAuthority: boolean }

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
  if (membersOf(whole)[0]?.tag === TAG.oid) return { token: bytes }
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
    : { token: token.bytes }
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
  const reason = (words === undefined ? [] : membersOf(words))
    .filter(({ tag }) => tag === TAG.utf8)
    .map(({ content }) => Buffer.from(content).toString('utf8'))
    .join(' ')
  return [
    `The authority granted no time-stamp: status ${status} (${plain(STATUS[status] ?? 'unknown')})`,
    ...(reasons.length === 0 ? [] : [`failInfo ${reasons.join(', ')}`]),
    ...(reason === '' ? [] : [quote(reason, MOST_WORDS)]),
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

interface TimestampClient {
  readonly stamp: (
    url: string,
    imprint: Uint8Array,
    options?: { readonly offered?: readonly Uint8Array[] },
  ) => Promise<Outcome<Stamp>>
}

interface ClientDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly pause: (milliseconds: number) => Promise<void>
  readonly fetch?: typeof fetch
  /** Milliseconds for each attempt. */
  readonly patience?: number
}

const PATIENCE = 15_000
const MOST_BYTES = 64 * 1024
/** Waiting times between attempts, in ms. Public authorities block clients that send too many requests. */
const BACK_OFF: readonly number[] = [1_000, 4_000]
const LONGEST_WAIT_S = 30
const FARTHEST = 5 * 60_000

/**
 * Queries time-stamp authorities over HTTP (RFC 3161, section 3.4). Three attempts at most, repeated only without a
 * response, or with status 429 or 5xx; a response is evaluated once. Fails with input.refused for an unusable address,
 * and timestamp.unreachable, timestamp.refused or timestamp.wrong.
 */
export function createTimestampClient(deps: ClientDeps): TimestampClient {
  return {
    stamp: async (url, imprint, options = {}) => {
      const address = askable(url)
      if (address === null)
        return fail(
          'input.refused',
          'The address of the authority must be http or https, without user name and password.',
        )
      for (let attempt = 0; ; attempt += 1) {
        const query = timestampQuery(imprint, deps.entropy)
        const answer = await ask(deps, address, query)
        const again = waitBefore(answer, attempt)
        if (again === null) return judge(deps, query, answer, options.offered ?? [])
        await deps.pause(again)
      }
    },
  }
}

const ask = (deps: ClientDeps, url: string, query: TimestampQuery): Promise<Answer> =>
  exchange(url, {
    fetch: deps.fetch ?? fetch,
    request: {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: Buffer.from(query.der),
    },
    mostBytes: MOST_BYTES,
    milliseconds: deps.patience ?? PATIENCE,
  })

/**
 * How long to wait before the next attempt; null when there is none. An authority may request more time, within limits.
 */
function waitBefore(answer: Answer, attempt: number): number | null {
  const wait = BACK_OFF[attempt]
  if (wait === undefined) return null
  if ('failed' in answer) return answer.failed === 'unreachable' ? wait : null
  if (!isBusy(answer.status)) return null
  const asked = Number(answer.headers.get('retry-after') ?? 0)
  if (asked > LONGEST_WAIT_S) return null
  return asked > 0 ? Math.max(wait, asked * 1000) : wait
}

const isBusy = (status: number): boolean => status === 429 || status >= 500

function judge(
  deps: ClientDeps,
  query: TimestampQuery,
  answer: Answer,
  offered: readonly Uint8Array[],
): Outcome<Stamp> {
  if ('failed' in answer)
    return fail(answer.failed === 'unreachable' ? 'timestamp.unreachable' : 'timestamp.wrong', answer.why)
  const { status, headers, body } = answer
  if (isBusy(status)) return fail('timestamp.unreachable', `The authority returned HTTP status ${status}.`)
  if (status >= 300 && status < 400)
    return fail(
      'timestamp.refused',
      `The authority redirected to ${quote(headers.get('location') ?? '')} (HTTP ${status}); redirects are not followed.`,
    )
  if (status !== 200) return fail('timestamp.refused', `The authority returned HTTP status ${status}.`)
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/timestamp-reply')
    return fail('timestamp.wrong', `The response is ${quote(type)}, not application/timestamp-reply.`)
  return acceptResponse(query, body, deps.clock.now(), offered)
}

/**
 * Checks a response against its query, by the rules for clients (RFC 3161, section 2.2): granted, over the imprint,
 * with the nonce, and free of problems by the token's reader; with `now` (ISO 8601), made within five minutes of it.
 * `now` is null for a response that was transferred from another computer. The stamp's certificates are the authority's
 * chain, its own first. Fails with timestamp.refused or timestamp.wrong.
 */
export function acceptResponse(
  query: TimestampQuery,
  bytes: Uint8Array,
  now: string | null,
  offered: readonly Uint8Array[],
): Outcome<Stamp> {
  const found = tokenOf(bytes)
  if ('refused' in found) return fail(found.byAuthority ? 'timestamp.refused' : 'timestamp.wrong', found.refused)
  const { token } = found
  const { nonce, chain, reading } = readTokenOverDigest(token, query.imprint, offered, [])
  const problems = [
    ...(nonce !== null && sameBytes(nonce, query.nonce)
      ? []
      : [`The time-stamp ${nonce === null ? 'has no nonce' : 'has another nonce'}: it does not belong to this query.`]),
    ...reading.problems,
    ...(reading.incomplete === null ? [] : [`${reading.incomplete} Name it with --certificate.`]),
    ...(now === null || reading.at === '' ? [] : clockProblems(reading.at, now)),
  ]
  return problems.length > 0
    ? fail('timestamp.wrong', problems.map((problem) => plain(problem, 400)).join(' '))
    : ok({ response: storedResponse(token), token, reading, certificates: chain })
}

const clockProblems = (at: string, now: string): readonly string[] =>
  Math.abs(Date.parse(at) - Date.parse(now)) <= FARTHEST
    ? []
    : [`The time-stamp states ${at}, but the clock of this computer shows ${now}: more than 5 minutes apart.`]

/** A TimeStampReq (RFC 3161, section 2.4.1) and the two values in it that the response must repeat. */
interface TimestampQuery {
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
