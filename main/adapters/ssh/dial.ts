import type { Channel, Client } from 'ssh2'
import type { ByteStream, Dialed } from '../../core/ports.ts'

/** SSH_OPEN_CONNECT_FAILED (RFC 4254, section 5.1): the server tried, and no program accepted the connection. */
const CONNECT_FAILED = 2

/** An IPv4 or IPv6 address without a scope. */
const isLiteral = (host: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || /^[0-9a-f]*:[0-9a-f:]*$/i.test(host)

type Opened =
  | { readonly ok: true; readonly channel: Channel }
  | { readonly ok: false; readonly why: 'refused' | 'failed' | 'lost' }

/**
 * A channel from the node to one of its own addresses (RFC 4254, section 7.2). Servers that forbid forwarding and those
 * at their channel limit refuse alike (“open failed”): nothing was observed then.
 */
export function openChannel(client: Client, host: string, port: number): Promise<Opened> {
  // A name would be resolved by the node, and could lead anywhere.
  if (!isLiteral(host)) return Promise.resolve({ ok: false, why: 'failed' })
  return new Promise((resolve) => {
    client.once('close', () => resolve({ ok: false, why: 'lost' }))
    try {
      client.forwardOut('127.0.0.1', 0, host, port, (problem, channel) => {
        if (problem !== undefined) {
          const { reason } = problem as Error & { readonly reason?: number }
          return resolve({ ok: false, why: reason === CONNECT_FAILED ? 'failed' : 'refused' })
        }
        // A channel without an error listener would end our process.
        channel.on('error', () => {})
        resolve({ ok: true, channel })
      })
    } catch {
      resolve({ ok: false, why: 'lost' })
    }
  })
}

/** The same as a stream of bytes. */
export async function dial(client: Client, host: string, port: number): Promise<Dialed> {
  const opened = await openChannel(client, host, port)
  if (!opened.ok) return opened
  const { channel } = opened
  const closed = new Promise<'ended' | 'lost'>((done) => {
    // Channels end a moment before their connection reports it.
    const end = (): void => void setImmediate(() => done('ended'))
    channel.once('end', end)
    channel.once('close', end)
    client.once('close', () => done('lost'))
  })
  const stream: ByteStream = {
    write: (data) => void (channel.writable && channel.write(data)),
    onData: (listener) => void channel.on('data', listener),
    closed,
    close: () => void channel.destroy(),
  }
  return { ok: true, stream }
}
