import type { Stamp } from '../../../core/all-ports.ts'
import { sequence, small } from '../../../core/der/write.ts'
import { fail, type Outcome } from '../../../core/failure.ts'
import { plain, quote } from '../../../core/plain-text.ts'
import type { Clock, Entropy } from '../../../core/ports.ts'
import { ok } from '../../../core/result.ts'
import { sameBytes } from '../x509.ts'
import { type Answer, askable, exchange } from './http.ts'
import { type TimestampQuery, timestampQuery } from './request.ts'
import { tokenOf } from './response.ts'
import { readTokenOverDigest } from './token.ts'

export type { Stamp }

export interface TimestampClient {
  readonly stamp: (
    url: string,
    imprint: Uint8Array,
    options?: { readonly offered?: readonly Uint8Array[] },
  ) => Promise<Outcome<Stamp>>
}

export interface ClientDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly pause: (milliseconds: number) => Promise<void>
  readonly fetch?: typeof fetch
  /** Milliseconds for each attempt. */
  readonly patience?: number
}

const PATIENCE = 15_000
const MOST_BYTES = 64 * 1024
/** Between attempts. Public authorities block clients that send too many requests. */
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
 * `now` is null for a response that was carried from another computer. The stamp's certificates are the authority's
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
    : ok({ response: found.response ?? sequence(sequence(small(0)), token), token, reading, certificates: chain })
}

const clockProblems = (at: string, now: string): readonly string[] =>
  Math.abs(Date.parse(at) - Date.parse(now)) <= FARTHEST
    ? []
    : [`The time-stamp states ${at}, but the clock of this computer shows ${now}: more than 5 minutes apart.`]
