import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Reply } from '../../../../schemas/ipc.ts'
import type { CallFailure } from '../../../../schemas/ipc-views.ts'
import { htmlOf, type ServerPage } from '../../html.ts'

/** A request with its response. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export type Sent = { readonly status: number }

type Headers = Readonly<Record<string, string | readonly string[]>>

/** Sends a complete response. */
export function send(
  { response }: Exchange,
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: Headers = {},
): Sent {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
  return { status }
}

export const sendPage = (exchange: Exchange, status: number, page: ServerPage, headers: Headers = {}): Sent =>
  send(exchange, status, 'text/html; charset=utf-8', htmlOf(page), headers)

export const sendReply = (
  exchange: Exchange,
  status: number,
  reply: Reply<unknown>,
  headers: Readonly<Record<string, string>> = {},
): Sent => send(exchange, status, 'application/json; charset=utf-8', JSON.stringify(reply), headers)

export const sendFailure = (exchange: Exchange, status: number, code: CallFailure['code'], detail: string): Sent =>
  sendReply(exchange, status, { ok: false, error: { code, detail } })

export const redirect = (exchange: Exchange, to: string, headers: Headers = {}): Sent =>
  send(exchange, 303, 'text/plain; charset=utf-8', '', { ...headers, Location: to })

export const headerOf = ({ request }: Exchange, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? undefined : value
}

/** The whole body, or null where it exceeds `largest`. The rest is then not read, and the connection ends with the response. */
export async function readAll({ request, response }: Exchange, largest: number): Promise<Uint8Array | null> {
  const tooLarge = (): null => {
    response.setHeader('Connection', 'close')
    return null
  }
  if (Number(request.headers['content-length'] ?? 0) > largest) return tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > largest) return tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
