import { parseBounded } from '../../core/base/bounded-json.ts'
import type { Receiver, Sent } from '../../core/outbox/delivery.ts'
import type { Request, RequestBody } from '../../core/outbox/exchange.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { reasonOf, wholeBody } from '../http.ts'
import { webhookSignature } from '../notify/index.ts'

/** How a sender authenticates. */
export type Authorization =
  | { readonly is: 'none' }
  /** The value of the header Authorization. */
  | { readonly is: 'header'; readonly value: string }
  /** A signature over each body, as for notifications. */
  | { readonly is: 'signature'; readonly key: string }

interface ReceiverOptions {
  /** Address of the target; the path of a request follows it. */
  readonly url: string
  readonly authorization: Authorization
  readonly clock: Clock
  /** Milliseconds for one request, its connection and answer included. */
  readonly limit?: number
}

const LIMIT_MS = 30_000
const LARGEST_ANSWER = 4 * 1024 * 1024

/**
 * A receiver over HTTP. No redirect is followed, so that a token is sent nowhere else. An answer is read up to a limit, and its text is never
 * printed: a receiver may return what it was sent. The address is checked where the configuration is read.
 */
export const createReceiver =
  ({ url, authorization, clock, limit = LIMIT_MS }: ReceiverOptions): Receiver =>
  async (request) => {
    const { host } = new URL(url)
    const signal = AbortSignal.timeout(limit)
    try {
      const { body, headers } = bodyOf(request.body)
      const response = await fetch(`${url}${request.path}`, {
        method: request.method,
        headers: { ...headers, ...request.headers, ...authorizedBy(authorization, body, clock) },
        ...(body === null ? {} : { body }),
        redirect: 'manual',
        signal,
      })
      return await sentOf(response, host)
    } catch (problem) {
      const why = signal.aborted ? `no answer within ${limit / 1000} s` : reasonOf(problem).replace(/\.$/, '')
      return { is: 'unreachable', why: `${host}: ${why}` }
    }
  }

type SentBody = string | FormData | null

function bodyOf(body: RequestBody | null): {
  readonly body: SentBody
  readonly headers: Readonly<Record<string, string>>
} {
  if (body === null) return { body: null, headers: {} }
  if (body.is === 'json') return { body: JSON.stringify(body.value), headers: { 'content-type': 'application/json' } }
  const form = new FormData()
  for (const [name, value] of Object.entries(body.fields)) form.append(name, value)
  const { field, fileName, type, text } = body.file
  form.append(field, new Blob([text], { type }), fileName)
  // `fetch` sets the header, which contains the boundary that it chooses.
  return { body: form, headers: {} }
}

function authorizedBy(authorization: Authorization, body: SentBody, clock: Clock): Readonly<Record<string, string>> {
  if (authorization.is === 'none') return {}
  if (authorization.is === 'header') return { authorization: authorization.value }
  return typeof body === 'string'
    ? { 'barewitness-signature': webhookSignature(authorization.key, clock.now(), body) }
    : {}
}

async function sentOf(response: Response, host: string): Promise<Sent> {
  const { status } = response
  if (status < 200 || status >= 300) {
    await response.body?.cancel()
    const moved = status >= 300 && status < 400 ? '; redirects are not followed' : ''
    const why = `${host}: HTTP status ${status}${moved}`
    return { is: 'refused', status, retryAfter: response.headers.get('retry-after'), why }
  }
  const body = await wholeBody(response.body ?? [], LARGEST_ANSWER)
  return body === null
    ? { is: 'unreachable', why: `${host}: the answer is larger than ${LARGEST_ANSWER} bytes` }
    : { is: 'answered', answer: { status, value: jsonOf(Buffer.from(body).toString('utf8')) } }
}

function jsonOf(text: string): unknown {
  try {
    return parseBounded(text)
  } catch {
    return null
  }
}

/** The request as a dry run prints it, without authorization. */
export const shownRequest = (url: string, { method, path, headers, body }: Request) => ({
  method,
  url: `${url}${path}`,
  ...(headers === undefined || Object.keys(headers).length === 0 ? {} : { headers }),
  ...(body === null ? {} : { body: body.is === 'json' ? body.value : { fields: body.fields, file: body.file } }),
})
