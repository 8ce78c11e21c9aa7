import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseAddress } from '../../core/base/database-address.ts'
import { isSocket } from '../../core/base/database-address.ts'
import { fail, type Outcome } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'

/** Runs one statement with its parameters. Rejects with the error of PostgreSQL. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>

interface Login {
  readonly address: DatabaseAddress
  readonly password: string | null
  /** Null where the connection is not encrypted: on a loopback address or a Unix socket. `ca` is PEM; null for the authorities of Node.js. */
  readonly tls: { readonly ca: string | null } | null
}

/** Connections of one role to one database. */
export interface Connections {
  /**
   * Runs work in one transaction that sees only the rows of this engagement. It is committed where the work succeeds, and rolled back where
   * it fails. Fails as the work does, with database.unreachable where the connection is refused, lost or too slow, and with store.failed for
   * any other error of the database.
   */
  readonly within: <T>(engagement: string, work: (query: Query) => Promise<Outcome<T>>) => Promise<Outcome<T>>
  /** As `within`, without an engagement: no rows are visible. */
  readonly outside: <T>(work: (query: Query) => Promise<Outcome<T>>) => Promise<Outcome<T>>
  readonly close: () => Promise<void>
}

interface ConnectionLimits {
  readonly most: number
  /** Milliseconds that one statement may take. */
  readonly statementMs: number
}

const CONNECT_MS = 5000
const KEPT_MS = 30_000
/** Added to the database’s own limit, for a database that does not respond at all. */
const SILENCE_MS = 5000

export function openConnections(
  { address, password, tls }: Login,
  { most, statementMs }: ConnectionLimits,
): Connections {
  const { user, host, port, database } = address
  const pool = new pg.Pool({
    user,
    host,
    port,
    database,
    // A function: an empty text would be replaced by the value of the environment or of ~/.pgpass.
    password: () => password ?? '',
    ssl:
      tls === null || isSocket(address)
        ? false
        : // Where `host` is an IP address, the name in the certificate is compared with it.
          { host, rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(tls.ca === null ? {} : { ca: tls.ca }) },
    max: most,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: KEPT_MS,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
    query_timeout: statementMs + SILENCE_MS,
    keepAlive: true,
    application_name: 'barewitness',
  })
  // An idle connection ended: the next work opens another one.
  pool.on('error', () => undefined)
  const transaction = async <T>(
    engagement: string | null,
    work: (query: Query) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> => {
    let client: pg.PoolClient
    try {
      client = await pool.connect()
    } catch (problem) {
      return failureOf(problem)
    }
    const query: Query = async (text, values = []) => (await client.query(text, [...values])).rows
    const lost = (): void => undefined
    client.on('error', lost)
    try {
      await client.query('BEGIN')
      if (engagement !== null) await query("SELECT set_config('barewitness.engagement', $1, true)", [engagement])
      const done = await work(query)
      await client.query(done.ok ? 'COMMIT' : 'ROLLBACK')
      client.off('error', lost)
      client.release()
      return done
    } catch (problem) {
      // The state of the connection is unknown. PostgreSQL rolls back the transaction of a connection that ends.
      client.release(true)
      return failureOf(problem)
    }
  }
  return {
    within: (engagement, work) => transaction(engagement, work),
    outside: (work) => transaction(null, work),
    close: async () => await pool.end(),
  }
}

/** Codes of PostgreSQL (SQLSTATE, whole or only the class) that are temporary, or that an administrator resolves outside this program. */
const PASSING: Readonly<Record<string, string>> = {
  '08': 'the connection was lost',
  '25006': 'it accepts no changes',
  '28': 'it refused the login of this server',
  '3D': 'it does not exist',
  '53': 'it has too few resources',
  '57': 'it is starting or stopping, or took too long',
}

/** Contains neither values nor addresses, because people and collectors see these words. */
function failureOf(problem: unknown): Outcome<never> {
  const { code, message } = (problem ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  const known = typeof code === 'string' && /^[0-9A-Z_]{1,60}$/.test(code) ? code : null
  const isState = known !== null && /^[0-9A-Z]{5}$/.test(known) && /\d/.test(known)
  if (!isState) return away(known ?? plain(String(message ?? 'unknown reason'), 200))
  const words = PASSING[known] ?? PASSING[known.slice(0, 2)]
  return words === undefined ? fail('store.failed', `the database refused a statement: state ${known}`) : away(words)
}

const away = (reason: string): Outcome<never> => fail('database.unreachable', `the database cannot be used: ${reason}`)

const TRIES_MS = [100, 300, 1000, 2000, 4000, 8000] as const
/** After this time no further try begins: one with a database that is silent takes some seconds itself. */
const PATIENCE_MS = 15_000

interface Waiting {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** Repeats work while the database is unreachable, for about 15 seconds. The work must be safe to do twice. */
export async function patiently<T>(
  work: () => Promise<Outcome<T>>,
  { now, wait }: Waiting = { now: () => performance.now(), wait: sleep },
): Promise<Outcome<T>> {
  const began = now()
  for (const pause of TRIES_MS) {
    const done = await work()
    if (done.ok || done.error.code !== 'database.unreachable' || now() - began >= PATIENCE_MS) return done
    await wait(pause)
  }
  return await work()
}
