import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { TeamDatabase } from '../../../schemas/types.ts'
import { databaseAddress } from '../../core/base/database-address.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { JOBS } from '../../core/base/layout.ts'
import type { JobQueue } from '../../core/team/jobs.ts'
import type { SessionStore } from '../../core/team/session-store.ts'
import { lockFolder } from '../folder-lock.ts'
import { openDatabaseQueue } from '../jobs/database-queue.ts'
import { openJobsInFiles } from '../jobs/file-queue.ts'
import { isThere, makeFolder, storeFailure } from '../store/durable.ts'
import type { DatabaseSecrets } from '../team-config.ts'
import { type Connections, openConnections, patiently } from './connection.ts'
import { checkTables, updateTables } from './migrate.ts'

/** Sessions belong to the whole server. Their rows have this in place of an engagement, which is no valid name of one. */
const WHOLE_SERVER = '*'

/**
 * Sessions in PostgreSQL. `policy` is a digest of the configuration that assigns roles. Loading removes sessions that began under another
 * policy, so that no one keeps a role that the configuration no longer assigns.
 */
function databaseSessions(connections: Connections, policy: string): SessionStore {
  const done = (text: string, values: readonly unknown[]) =>
    patiently(() =>
      connections.within(WHOLE_SERVER, async (query) => {
        await query(text, values)
        return ok(null)
      }),
    )
  return {
    load: ({ createdAt, usedAt }) =>
      connections.within(WHOLE_SERVER, async (query) => {
        await query('DELETE FROM barewitness.sessions WHERE policy <> $1 OR created_at <= $2 OR used_at <= $3', [
          policy,
          createdAt,
          usedAt,
        ])
        const rows = await query(
          'SELECT hash, public_id, way, person, created_at, used_at FROM barewitness.sessions ORDER BY created_at',
        )
        return ok(
          rows.map((row) => ({
            hash: String(row.hash),
            publicId: String(row.public_id),
            way: String(row.way),
            person: String(row.person),
            createdAt: Number(row.created_at),
            usedAt: Number(row.used_at),
          })),
        )
      }),
    add: ({ hash, publicId, way, person, createdAt, usedAt }) =>
      done(
        `INSERT INTO barewitness.sessions (engagement, hash, public_id, way, policy, person, created_at, used_at)
         VALUES ('${WHOLE_SERVER}', $1, $2, $3, $4, $5, $6, $7) ON CONFLICT (hash) DO NOTHING`,
        [hash, publicId, way, policy, person, createdAt, usedAt],
      ),
    use: (hash, usedAt) =>
      connections.within(WHOLE_SERVER, async (query) => {
        await query('UPDATE barewitness.sessions SET used_at = $2 WHERE hash = $1', [hash, usedAt])
        return ok(null)
      }),
    remove: (hash) => done('DELETE FROM barewitness.sessions WHERE hash = $1', [hash]),
  }
}

/** The database of a team server. */
export interface OpenDatabase {
  /**
   * The jobs of an engagement. `folder` is the folder that holds jobs in files. Only one process at a time can open them to serve people.
   * Fails with input.refused while jobs in files have not ended.
   */
  readonly openQueue: (engagement: string, folder: string, forPeople: boolean) => Promise<Outcome<JobQueue>>
  /** The sessions of everyone who is signed in. `policy`: see databaseSessions(). */
  readonly sessionStore: (policy: string) => SessionStore
  /** Whether the database responds and accepts changes. */
  readonly isReachable: () => Promise<boolean>
  readonly close: () => Promise<void>
}

const FEW = { most: 1, statementMs: 60_000 } as const
const USUAL = { most: 10, statementMs: 10_000 } as const
/** A lock is held while the files of a large recording are written and read. */
const LOCKS = { most: 8, statementMs: 120_000 } as const
const PATIENCE_MS = 10_000

/**
 * Connects to the database of a valid configuration. Updates the tables where the configuration names their owner, and checks them. Fails
 * with database.unreachable, and with input.refused for an unsuitable database or role.
 */
export async function openDatabase(
  { url, tls, owner }: TeamDatabase,
  { password, ownerPassword, ca }: DatabaseSecrets,
  newId: () => string,
): Promise<Outcome<OpenDatabase>> {
  const read = databaseAddress(url)
  if (!read.ok) return fail('input.refused', `database.url ${read.error}`)
  const address = read.value
  const login = { address, password, tls: tls === undefined ? null : { ca } }
  if (owner !== undefined) {
    const { user } = owner
    const owned = openConnections({ ...login, address: { ...address, user }, password: ownerPassword }, FEW)
    const updated = await owned.outside((query) => updateTables(query, address.user))
    await owned.close()
    if (!updated.ok) return updated
  }
  const [connections, locks] = [openConnections(login, USUAL), openConnections(login, LOCKS)]
  const close = async (): Promise<void> => {
    await locks.close()
    await connections.close()
  }
  const checked = await connections.outside(checkTables)
  if (!checked.ok) {
    await close()
    return checked
  }
  return ok({
    openQueue: async (engagement, folder, forPeople) => {
      const prepared = await preparedFolder(folder, forPeople).catch(storeFailure)
      if (!prepared.ok) return prepared
      const queue = await openDatabaseQueue(engagement, { connections, locks, newId, now: () => null })
      if (queue.ok) return ok({ ...queue.value, close: prepared.value.release })
      await prepared.value.release()
      return queue
    },
    sessionStore: (policy) => databaseSessions(connections, policy),
    isReachable: async () => {
      const found = await connections.outside(async (query) => ok(await query('SELECT pg_is_in_recovery() AS standby')))
      return found.ok && found.value[0]?.standby === false
    },
    close,
  })
}

/**
 * Prepares the folder of deliveries, which jobs in a database use as well. The process that serves people locks it, as with jobs in files:
 * an engine is the only user of its folder.
 */
async function preparedFolder(
  folder: string,
  forPeople: boolean,
): Promise<Outcome<{ readonly release: () => Promise<void> }>> {
  await makeFolder(folder, 0o700)
  const journal = join(folder, JOBS.journal)
  if (!forPeople)
    return (await isThere(journal))
      ? fail('input.refused', `${journal}: start the process that serves everyone first`)
      : ok({ release: async () => undefined })
  const lock = await lockFolder(folder, PATIENCE_MS)
  if (!lock.ok) return lock
  const ended = await leaveFiles(folder, journal)
  if (ended.ok) return lock
  await lock.value.release()
  return ended
}

/** Moves a journal aside whose jobs have all ended. Jobs still waiting in files would be lost, and their recordings refused. */
async function leaveFiles(folder: string, journal: string): Promise<Outcome<null>> {
  if (!(await isThere(journal))) return ok(null)
  const open = await openJobsInFiles(folder)
  if (!open.ok) return open
  const incoming = await readdir(join(folder, JOBS.incoming)).catch(() => [])
  if (open.value > 0 || incoming.length > 0)
    return fail(
      'input.refused',
      `${journal} has jobs without an end; start the server without database until they have ended, or stop their runs`,
    )
  await rename(journal, join(folder, JOBS.ended))
  return ok(null)
}
