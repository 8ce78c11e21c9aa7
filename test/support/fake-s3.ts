import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { S3Place } from '../../main/adapters/objects/exchange.ts'

export interface FakeAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the connection after this body, which is declared to be longer. */
  readonly isCut?: boolean
}

const VERSIONED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
const LOCKED = '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>'

/** What a suitable bucket answers when it is opened, or null for other requests. */
export const suitable = (target: string): FakeAnswer | null =>
  target.includes('versioning=') ? { body: VERSIONED } : target.includes('object-lock=') ? { body: LOCKED } : null

/** A store on loopback that answers as a test wants; null breaks the connection. */
export async function fakeS3(
  answer: (target: string, request: IncomingMessage, asked: number) => FakeAnswer | null,
  tls: { readonly cert: string; readonly key: string } | null = null,
): Promise<{ readonly place: S3Place; readonly asked: readonly string[] }> {
  const asked: string[] = []
  const listener: RequestListener = (request, response) => {
    const target = request.url ?? ''
    asked.push(`${request.method} ${target}`)
    const given = answer(target, request, asked.length)
    if (given === null) return void request.socket.destroy()
    const { status = 200, headers = {}, body = '', isCut = false } = given
    request.resume().once('end', () => {
      response.writeHead(status, isCut ? { 'content-length': String(body.length + 10), ...headers } : headers)
      if (isCut) response.write(body, () => response.destroy())
      else response.end(request.method === 'HEAD' ? undefined : body)
    })
  }
  const server = tls === null ? createServer(listener) : createSecureServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const place = { region: 'default', bucket: 'evidence', accessKey: 'access', secretKey: 'secret', ca: null }
  return { place: { ...place, endpoint: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}` }, asked }
}
