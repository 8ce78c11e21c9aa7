import { fail, type Outcome } from '../core/failure.ts'
import type { Clock, Entropy } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import type { Stamp, Timestamps } from '../core/world.ts'

// Loaded when first needed: most commands ask no authority.
const client = () => import('./seal/tsp/client.ts')
const request = () => import('./seal/tsp/request.ts')
const stored = () => import('./seal/tsp/stored.ts')

/** The time-stamps port: authorities over HTTP, and queries and answers that people carry. */
export function createTimestamps(
  clock: Clock,
  entropy: Entropy,
  pause: (milliseconds: number) => Promise<void>,
): Timestamps {
  const kept = async (stamp: Outcome<Stamp>): Promise<Outcome<Stamp>> =>
    stamp.ok ? ok({ ...stamp.value, response: (await stored()).storedResponse(stamp.value.token) }) : stamp
  return {
    stamp: async (url, imprint, offered) => {
      const { createTimestampClient } = await client()
      return await kept(await createTimestampClient({ clock, entropy, pause }).stamp(url, imprint, { offered }))
    },
    query: async (imprint) => (await request()).timestampQuery(imprint, entropy).der,
    accept: async (query, answer, imprint, offered) => {
      const asked = (await request()).readQuery(query)
      if (typeof asked === 'string') return fail('input.refused', asked)
      if (Buffer.compare(asked.imprint, imprint) !== 0)
        return fail(
          'input.refused',
          'this query belongs to other bytes, or the file or lists have changed; export a new one',
        )
      return await kept((await client()).acceptResponse(asked, answer, null, offered))
    },
    revocationLists: async (chain, known) => {
      const { revocationListsFor } = await import('./seal/tsp/crl-fetch.ts')
      return await revocationListsFor(chain, { known })
    },
  }
}
