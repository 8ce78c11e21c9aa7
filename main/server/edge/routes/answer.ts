import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { headersOf } from '../../headers.ts'
import { STYLE } from '../../html.ts'
import { type Wanted, wantedBy } from '../../routes.ts'
import { LogFailure } from '../services/chained-file.ts'
import { type Exchange, type Sent, send, sendFailure } from '../services/http.ts'
import type { ServerParts } from '../services/parts.ts'
import { fromCollector } from './collector-routes.ts'
import { inEngagement, notFound } from './engagement-routes.ts'
import { invitationPage } from './invitation-routes.ts'
import { beginSignIn, finishSignIn, sessionStep, signOut, startPage } from './people-routes.ts'
import { fromSealer } from './sealer-routes.ts'

/** Answers one request. Never rejects: an exception is logged by its class and answered without details. */
export async function answer(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const exchange: Exchange = { request, response }
  const [id, began] = [randomBytes(8).toString('hex'), parts.now()]
  for (const [name, value] of Object.entries({ ...headersOf(parts.hasTls), 'X-Request-Id': id }))
    response.setHeader(name, value)
  const wanted = wantedBy(request.method ?? '', request.url ?? '')
  let sent: Sent
  let problem: string | null = null
  try {
    sent = await route(parts, exchange, wanted)
  } catch (thrown) {
    if (isBrokenOff(request, thrown)) sent = { status: 400 }
    else {
      problem = thrown instanceof Error ? thrown.constructor.name : 'unknown'
      const isUnstored = thrown instanceof LogFailure
      sent = { status: isUnstored ? 503 : 500 }
      if (response.headersSent) response.destroy()
      else if (isUnstored) sendFailure(exchange, 503, 'store.failed', 'the audit log of the server cannot be written')
      else sendFailure(exchange, 500, 'bug', `the server could not answer; request ${id}`)
    }
  }
  // A body that was not read must not be parsed as the next request.
  if (!request.complete) request.resume()
  parts.metrics.count('barewitness_requests_total', { kind: wanted.kind, status: String(sent.status) })
  parts.log({
    at: new Date(began).toISOString(),
    request: id,
    kind: wanted.kind,
    ...('engagement' in wanted ? { engagement: wanted.engagement } : {}),
    ...(wanted.kind === 'call' || wanted.kind === 'sessions' ? { method: wanted.method } : {}),
    ...(wanted.kind === 'collector' || wanted.kind === 'sealer' ? { verb: wanted.verb } : {}),
    status: sent.status,
    milliseconds: parts.now() - began,
    ...(problem === null ? {} : { problem }),
  })
}

/** Whether the client ended the connection before its request was complete, which makes reading the body throw. */
const isBrokenOff = (request: IncomingMessage, thrown: unknown): boolean =>
  !request.complete && request.destroyed && thrown instanceof Error && 'code' in thrown && thrown.code === 'ECONNRESET'

async function route(parts: ServerParts, exchange: Exchange, wanted: Wanted): Promise<Sent> {
  // Of several Host headers, a proxy may read another one than Node.js does.
  const [host, ...others] = exchange.request.headersDistinct.host ?? []
  if (host !== new URL(parts.settings().origin).host || others.length > 0)
    return sendFailure(exchange, 421, 'access.refused', 'this server has another name')
  switch (wanted.kind) {
    case 'start':
      return startPage(parts, exchange)
    case 'style':
      return send(exchange, 200, 'text/css; charset=utf-8', STYLE)
    case 'sign-in':
      return await beginSignIn(parts, exchange, null)
    case 'invitation':
      return invitationPage(parts, exchange, wanted.token)
    case 'accept':
      return await beginSignIn(parts, exchange, wanted.token)
    case 'callback':
      return await finishSignIn(parts, exchange, wanted.query)
    case 'sign-out':
      return await signOut(parts, exchange)
    case 'sessions':
      return await sessionStep(parts, exchange, wanted.method)
    case 'collector':
      return await fromCollector(parts, exchange, wanted)
    case 'sealer':
      return await fromSealer(parts, exchange, wanted)
    case 'wrong-verb':
      exchange.response.setHeader('Allow', wanted.allow)
      return sendFailure(exchange, 405, 'input.refused', `only ${wanted.allow} is answered here`)
    case 'unknown':
      return notFound(exchange)
    default:
      return await inEngagement(parts, exchange, wanted)
  }
}
