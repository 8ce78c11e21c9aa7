import type { Client, ParsedKey } from 'ssh2'
import { readKexInit, type SshOffer } from '../../core/fleet/ssh-methods.ts'
import { type Login, publickeyMethod } from './login.ts'
import { microseconds } from './socket.ts'

// Every access to private fields of ssh2 is in this file. Where a field is absent, the function has no effect or no result.

type Sign = (data: Buffer, done: (signature: Buffer) => void) => void
type AuthPK = (user: string, key: ParsedKey, algorithm: string | undefined, sign?: Sign) => void

/**
 * Sends the signed request without first querying whether the key is acceptable (RFC 4252, section 7, makes the query
 * optional): one round trip less per node. ssh2 has no option for it, so its protocol object's `authPK` is wrapped;
 * where that private method is absent nothing changes and ssh2 queries first. With several agent keys the query stays,
 * as an agent may require a person's consent per signature.
 */
export function signAtOnce(client: Client, login: Login, tried: (method: string) => void): void {
  const protocol = (client as unknown as { _protocol?: { authPK?: AuthPK } })._protocol
  const original = protocol?.authPK
  if (protocol === undefined || typeof original !== 'function') return
  const direct = login.keys.length === 1
  protocol.authPK = (user, key, algorithm, sign) => {
    tried(publickeyMethod(key))
    original.call(protocol, user, key, algorithm, sign ?? (direct ? signer(client, login, key, algorithm) : undefined))
  }
}

function signer(client: Client, login: Login, key: ParsedKey, algorithm: string | undefined): Sign {
  const hash = algorithm === 'rsa-sha2-256' ? 'sha256' : algorithm === 'rsa-sha2-512' ? 'sha512' : undefined
  const failed = (problem: Error): void => {
    client.emit('error', Object.assign(problem, { level: 'agent' }))
  }
  return (data, done) => {
    if (login.agent !== null) {
      const options = hash === undefined ? {} : { hash: hash as 'sha256' }
      login.agent.sign(key, data, options, (problem, signature) => {
        if (problem != null || signature === undefined) failed(problem ?? new Error('no signature'))
        else done(signature)
      })
      return
    }
    const signature = key.sign(data, hash) as Buffer | Error
    if (signature instanceof Error) failed(signature)
    else done(signature)
  }
}

/**
 * The server's SSH_MSG_KEXINIT as received, during the key exchange (when the host key is decided): ssh2 keeps its
 * bytes for the exchange hash without exposing them. null where that private field is absent.
 */
export function offerInExchange(client: Client): SshOffer | null {
  const protocol = (client as unknown as { _protocol?: { _kex?: { _remoteKexinit?: unknown } } })._protocol
  const bytes = protocol?._kex?._remoteKexinit
  return bytes instanceof Uint8Array ? readKexInit(bytes) : null
}

interface Ending {
  _destruct?: (reason?: string) => void
  _onWrite?: () => void
}

/**
 * Messages that ssh2 still tries to send when Node's streams close a channel after its connection ended.
 */
const LATE_MESSAGES = [
  'channelClose',
  'channelData',
  'channelEOF',
  'channelExtData',
  'channelFailure',
  'channelWindowAdjust',
  'disconnect',
  'ping',
  'requestFailure',
  'requestSuccess',
  'signal',
] as const

/**
 * With compression on, ssh2 1.17 throws “Invalid Zlib instance” from a timer, where it cannot be caught, when a
 * connection is lost while a channel is open: a node could end our process by disconnecting. Once its protocol object
 * is torn down, it sends nothing more.
 */
export function silenceAfterEnd(client: Client): void {
  const protocol = (client as unknown as { _protocol?: Ending & Record<string, unknown> })._protocol
  const destruct = protocol?._destruct
  if (protocol === undefined || typeof destruct !== 'function') return
  protocol._destruct = (reason) => {
    destruct.call(protocol, reason)
    for (const name of LATE_MESSAGES) protocol[name] = (): void => {}
    protocol._onWrite = (): void => {}
  }
}

const KEEPALIVES = 10
const KEEPALIVE_PATIENCE_MS = 3000

/**
 * Response times of some keepalive@openssh.com requests, in ms: one after the other, until one has no timely response.
 * The response repeats nothing of the request, so that a server can send it early. ssh2 sends these by itself without
 * exposing them: its protocol object's `ping` is called, and our place in its queue of global requests awaited. Empty
 * where those private fields are absent.
 */
export async function keepaliveTimes(client: Client): Promise<readonly number[]> {
  const inner = client as unknown as { _protocol?: { ping?: () => void }; _callbacks?: unknown }
  const times: number[] = []
  while (times.length < KEEPALIVES) {
    const { _protocol: protocol, _callbacks: queue } = inner
    if (typeof protocol?.ping !== 'function' || !Array.isArray(queue)) break
    const milliseconds = await oneKeepalive(() => protocol.ping?.(), queue)
    if (milliseconds === null) break
    times.push(microseconds(milliseconds))
  }
  return times
}

/** ssh2 calls a queued callback with true or false for a response, and with an error when the connection ended. */
function oneKeepalive(ping: () => void, queue: unknown[]): Promise<number | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), KEEPALIVE_PATIENCE_MS)
    const sent = performance.now()
    queue.push((answer: unknown) => {
      clearTimeout(timer)
      resolve(typeof answer === 'boolean' ? performance.now() - sent : null)
    })
    try {
      ping()
    } catch {
      clearTimeout(timer)
      resolve(null)
    }
  })
}
