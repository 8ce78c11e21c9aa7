import { fail, type Outcome } from '../../../core/failure.ts'
import { plain, quote } from '../../../core/plain-text.ts'
import type { Clock, Entropy } from '../../../core/ports.ts'
import { ok } from '../../../core/result.ts'
import type { Stamp } from '../../../core/world.ts'
import { sequence, small } from '../der.ts'
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
/** Between attempts. Public authorities shut out who asks too often. */
const BACK_OFF: readonly number[] = [1_000, 4_000]
const LONGEST_WAIT_S = 30
const FARTHEST = 5 * 60_000

/**
 * Asks time-stamp authorities over HTTP (RFC 3161 §3.4). Three attempts at most, and only where none was answered, or with 429 or 5xx;
 * an answer is judged once. Fails with input.refused for an address that is not asked, and timestamp.unreachable, timestamp.refused or
 * timestamp.wrong.
 */
export function createTimestampClient(deps: ClientDeps): TimestampClient {
  return {
    stamp: async (url, imprint, options = {}) => {
      const address = askable(url)
      if (address === null)
        return fail(
          'input.refused',
          'The address of the authority must be http or https, without a name and password in it.',
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

/** How long to wait before the next attempt; null when there is none to make. An authority may ask for more time, within reason. */
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
  if (isBusy(status)) return fail('timestamp.unreachable', `The authority answered with HTTP ${status}.`)
  if (status >= 300 && status < 400)
    return fail(
      'timestamp.refused',
      `The authority sent us on to ${quote(headers.get('location') ?? '')} (HTTP ${status}); redirects are not followed.`,
    )
  if (status !== 200) return fail('timestamp.refused', `The authority answered with HTTP ${status}.`)
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/timestamp-reply')
    return fail('timestamp.wrong', `The answer is ${quote(type)}, not application/timestamp-reply.`)
  return acceptResponse(query, body, deps.clock.now(), offered)
}

/**
 * An answer against its query, by the rules for clients (RFC 3161 §2.2): granted, over the imprint, with the nonce, and free of problems
 * by the token's reader; with `now` (ISO 8601), made within five minutes of it. `now` is null for an answer that was carried, which took
 * its time. The stamp's certificates are the authority's chain, its own first. Fails with timestamp.refused or timestamp.wrong.
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
      : [`The time-stamp ${nonce === null ? 'has no nonce' : 'has another nonce'}: it does not answer this query.`]),
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
    : [`The time-stamp says ${at}, and our clock ${now}: more than 5 minutes apart.`]
