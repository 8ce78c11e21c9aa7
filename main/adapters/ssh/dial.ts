import type { Client } from 'ssh2'
import type { ByteStream, Dialed } from '../../core/ports.ts'

/** SSH_OPEN_CONNECT_FAILED (RFC 4254 §5.1): the server tried, and nobody took the connection. */
const CONNECT_FAILED = 2

/**
 * A TCP stream from the node to an address of its own (RFC 4254 §7.2). Servers that forbid forwarding and those that hold no more channels
 * refuse alike (“open failed”): nothing was observed then.
 */
export function dial(client: Client, host: string, port: number): Promise<Dialed> {
  return new Promise((resolve) => {
    client.once('close', () => resolve({ ok: false, why: 'lost' }))
    try {
      client.forwardOut('127.0.0.1', 0, host, port, (problem, channel) => {
        if (problem !== undefined) {
          const { reason } = problem as Error & { readonly reason?: number }
          return resolve({ ok: false, why: reason === CONNECT_FAILED ? 'failed' : 'refused' })
        }
        // A channel that nobody listens to for errors would end our process.
        channel.on('error', () => {})
        const closed = new Promise<void>((done) => {
          channel.once('end', () => done())
          channel.once('close', () => done())
          client.once('close', () => done())
        })
        const stream: ByteStream = {
          write: (data) => void (channel.writable && channel.write(data)),
          onData: (listener) => void channel.on('data', listener),
          closed,
          close: () => void channel.destroy(),
        }
        resolve({ ok: true, stream })
      })
    } catch {
      resolve({ ok: false, why: 'lost' })
    }
  })
}
