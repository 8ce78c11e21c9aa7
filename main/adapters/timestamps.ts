import { connect } from 'node:net'
import type { Timestamps } from '../core/all-ports.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { plain } from '../core/base/plain-text.ts'
import type { Clock, Entropy } from '../core/ports/ports.ts'

// Loaded when first needed: most commands use no authority.
const client = () => import('./seal/tsp/client.ts')

const CONNECT_MS = 5000

/** One connection, closed once established. */
function reachable(url: string): Promise<Outcome<null>> {
  const { protocol, hostname, port } = new URL(url)
  const at = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: at, timeout: CONNECT_MS })
    const end = (outcome: Outcome<null>): void => {
      socket.destroy()
      resolve(outcome)
    }
    const silent = (why: string): void => end(fail('timestamp.unreachable', `${plain(hostname)}: ${plain(why)}`))
    socket.once('connect', () => end(ok(null)))
    socket.once('timeout', () => silent(`no connection within ${CONNECT_MS / 1000} s`))
    socket.once('error', (problem) => silent(problem.message))
  })
}

/** The time-stamps port: authorities over HTTP, and queries and responses that people transfer. */
export function createTimestamps(
  clock: Clock,
  entropy: Entropy,
  pause: (milliseconds: number) => Promise<void>,
): Timestamps {
  return {
    stamp: async (url, imprint, offered) => {
      const { createTimestampClient } = await client()
      return await createTimestampClient({ clock, entropy, pause }).stamp(url, imprint, { offered })
    },
    reachable,
    query: async (imprint) => (await client()).timestampQuery(imprint, entropy).der,
    accept: async (query, answer, imprint, offered) => {
      const asked = (await client()).readQuery(query)
      if (typeof asked === 'string') return fail('input.refused', asked)
      if (Buffer.compare(asked.imprint, imprint) !== 0)
        return fail(
          'input.refused',
          'this query belongs to other bytes, or the file or lists have changed; export a new one',
        )
      return (await client()).acceptResponse(asked, answer, null, offered)
    },
    revocationLists: async (chain, known) => {
      const { revocationListsFor } = await import('./seal/tsp/crl-fetch.ts')
      return await revocationListsFor(chain, { known })
    },
  }
}
