import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An authority's answers over HTTP on loopback (RFC 3161 §3.4). */
export async function serveTsa(
  reply: (query: Uint8Array) => Uint8Array,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      response.setHeader('content-type', 'application/timestamp-reply')
      response.end(reply(new Uint8Array(Buffer.concat(parts))))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop: () => void server.close() }
}
